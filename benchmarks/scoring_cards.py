"""A hand written card by card, validated and scored, beside only reading the cards."""

from collections.abc import Callable, Iterator
from itertools import groupby

from benchmarks.hands import Entry, dealt_hands
from benchmarks.measure import Figure, Goal, compared
from benchmarks.scoring_counts import in_step
from benchmarks.sizes import Sizes
from scoring.game.fast_path import score_entry
from scoring.game.game import GameState, HandScore, new_game
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules

DECKS = (("hearts", 4, "one deck"), ("extreme-hearts", 8, "two decks"))


def figures(sizes: Sizes) -> Iterator[Figure]:
    for variant, seats, decks in DECKS:
        rules = catalogue().rules(variant)
        state = new_game(rules, seats)
        # Each reads a copy of its own, or the second would find the texts in the processor's cache.
        hands, others = (dealt_hands(rules, seats, sizes.scored_deals, decks) for _ in range(2))
        parse = bare_parse(prepare(rules, seats).deck.cards)
        score = scorer(rules, state)
        ours, theirs = in_step(sizes.repeats, score, hands, parse, others)
        name = f"validate and score {decks} written card by card"
        yield compared(
            "scoring cards", name, ours, "reading the cards to masks", theirs, Goal(1.5), "us"
        )


def scorer(rules: Rules, state: GameState) -> Callable[[Entry], HandScore]:
    return lambda entry: score_entry(rules, entry, state)


def bare_parse(deck: tuple[str, ...]) -> Callable[[Entry], list[int]]:
    """Return a loop that reads the cards of each seat and looks at nothing.

    A bit a card for one deck, four bits for several, so that cards can be added.
    """
    copies = [(card, len(list(same))) for card, same in groupby(deck)]
    width = 4 if any(number > 1 for _, number in copies) else 1
    bits = {card: 1 << width * place for place, (card, _) in enumerate(copies)}

    def parse(entry: Entry) -> list[int]:
        masks = []
        for codes in entry["taken"]:
            mask = 0
            for code in codes:
                mask += bits[code]
            masks.append(mask)
        return masks

    return parse
