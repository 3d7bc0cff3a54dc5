"""Who plays with which cards, on a rules card.

Pure. See docs/rules-cards.md.
"""

from collections.abc import Iterator

from scoring.entry.sheet import seat_names
from scoring.rules.compiled_rules import Prepared, prepare, value_for
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from scoring.rules_card.wording import Row, Section, Sentence, Text, joined, jokers_text, row, sign

_PACKS = {
    "std52": "pack of 52", "low32": "pack of 32", "low28": "pack of 28", "low24": "pack of 24",
    "500x60": "pack of 60", "rook56": "Rook pack of 56",
}  # fmt: skip
_RANKS = {
    "low32": "Seven to ace in each suit.", "low28": "Eight to ace in each suit.",
    "low24": "Nine to ace in each suit.",
    "500x60": "Two to ace in each suit, with 11 and 12 after the ten.",
    "rook56": "1 to 14 in red, yellow, green and black.",
}  # fmt: skip
_AIMS = {
    "low": "To have the lowest total.", "high": "To have the highest total.",
    "abs_low": "To stay nearest to 0.",
}  # fmt: skip
_AIMS_OF_SIDES = {
    "low": "To have the lowest sum of totals as a side.",
    "high": "To have the highest sum of totals as a side.",
    "abs_low": "To stay nearest to 0 as a side.",
}  # fmt: skip
_AIMS_OF_LOSERS = {
    "low": "To keep the totals of one's side low.",
    "high": "To keep the totals of one's side high.",
    "abs_low": "To keep the totals of one's side near 0.",
}  # fmt: skip
_AIMS_WITH_LIVES = {
    "low": "To have the lowest total, and a life left.",
    "high": "To have the highest total, and a life left.",
    "abs_low": "To stay nearest to 0, and to have a life left.",
}  # fmt: skip


def players(ready: Prepared) -> Section:
    """The section on players and cards; a row for each number of players."""
    rules, numbers = ready.rules, ready.rules.table_sizes
    rows = [row("aim", "Aim", _aim(rules))]
    if rules.keys.teams.mode != "none":
        rows.append(row("sides", "Sides", *_sides(ready)))
    if ranks := _RANKS.get(rules.keys.deck.base):
        rows.append(Row("pack", Sentence("Pack"), (Sentence(ranks),)))
    deals = {number: _deal(rules, number) for number in numbers}
    if len(numbers) > 1 and len(set(map(str, deals.values()))) == 1:
        heading = Sentence("{least} to {most} players", least=numbers[0], most=numbers[-1])
        rows.append(Row("players", heading, (deals[ready.seats],)))
    else:
        rows += [
            Row(f"players-{number}", Sentence("{n} players", n=number), (deal,))
            for number, deal in deals.items()
        ]
    if any(kitty_size(prepare(rules, number)) for number in numbers):
        rows.append(row("kitty", "Kitty", *_kitty(ready)))
    if same := tuple(_same_cards(ready)):
        rows.append(Row("same_card", Sentence("Identical cards"), same))
    return Section("players", Sentence("Players and cards"), tuple(rows))


def kitty_size(ready: Prepared) -> int:
    """Cards that are left over from the deal."""
    kitty = ready.keys.deck.kitty
    return len(ready.deck.cards) - ready.hand_size * ready.seats if kitty == "rest" else int(kitty)


def _aim(rules: Rules) -> Sentence:
    """The aim of a player; the own total is not all where sides or lives decide."""
    keys, order = rules.keys, rules.keys.result.order
    if keys.result.decide == "crosser_team_loses":
        return Sentence(_AIMS_OF_LOSERS[order])
    if keys.result.measure == "team_sum":
        return Sentence(_AIMS_OF_SIDES[order])
    return Sentence(_AIMS_WITH_LIVES[order] if keys.lives is not None else _AIMS[order])


def _sides(ready: Prepared) -> Iterator[Sentence]:
    teams, names = ready.keys.teams, seat_names(ready.seats)
    sides = [Sentence("{seats}", seats=tuple(names[seat] for seat in side)) for side in teams.shape]
    yield Sentence("{sides}.", sides=joined("{these} against {those}", sides))
    if teams.mode == "pooled":
        yield Sentence(
            "Partners have one pile and one score: every rule below about a player's "
            "cards, points and total applies to a side."
        )
    else:
        yield Sentence("Everybody has their own pile and score.")


def _deal(rules: Rules, seats: int) -> Sentence:
    ready = prepare(rules, seats)
    pack, kitty = _pack(ready), kitty_size(ready)
    if uneven(rules, seats):
        text = "{pack}; these cards do not come out even, so not played with {n}."
        return Sentence(text, pack=pack, n=seats)
    if rules.keys.melds:  # some are dealt, the others are drawn
        return Sentence("{pack}.", pack=pack)
    if rules.keys.tricks == "variable":
        return Sentence("{pack}: {n} left over." if kitty else "{pack}.", pack=pack, n=kitty)
    text = "{pack}: {each} cards each, {n} left over." if kitty else "{pack}: {each} cards each."
    return Sentence(text, pack=pack, each=ready.hand_size, n=kitty)


def _pack(ready: Prepared) -> Text:
    deck, seats = ready.keys.deck, ready.seats
    number = value_for(deck.packs, seats, 1)
    name = _PACKS[deck.base]
    several = "{n} " + name.replace("pack", "packs")
    pack = Sentence(f"a {name}" if number == 1 else several, n=number)
    missing = tuple(sign(card) for card in value_for(deck.remove, seats, ()))
    more = tuple(_added(value_for(deck.add, seats, ())))
    if missing and more:
        return Sentence("{pack} without {gone}, with {more}", pack=pack, gone=missing, more=more)
    if missing:
        return Sentence("{pack} without {gone}", pack=pack, gone=missing)
    return Sentence("{pack} with {more}", pack=pack, more=more) if more else pack


def _added(added: tuple[str, ...]) -> Iterator[Text]:
    if jokers := sum(card[-1] == "X" for card in added):
        yield jokers_text(jokers)
    for card in added:
        if card[-1] != "X":
            yield Sentence("a joker as {card}", card=sign(card)) if card[0] == "0" else sign(card)


def _kitty(ready: Prepared) -> Iterator[Sentence]:
    deck = ready.keys.deck
    yield Sentence(
        {
            "first_trick": "The cards left over go to the winner of the first trick.",
            "first_penalty":
                "The cards left over go to the winner of the first trick with a card that counts.",
            "one_each_first_two":
                "The cards left over go one each to the winners of the first two tricks.",
        }[deck.kitty_to]
    )  # fmt: skip
    single = deck.kitty_to == "one_each_first_two"
    if deck.kitty_mode == "exchange":
        yield Sentence(
            "Each of them takes theirs into the hand and puts another card on their own pile "
            "instead."
            if single
            else "That player takes them into the hand and puts as many cards on their own pile "
            "instead."
        )
    else:
        yield Sentence(
            "Each counts as taken by the player who gets it."
            if single
            else "They count as taken by that player."
        )
    if ready.keys.same_card.rule == "cancel" and not single:
        yield Sentence("Where nobody wins that trick they wait with its cards.")


def _same_cards(ready: Prepared) -> Iterator[Sentence]:
    same = ready.keys.same_card
    if same.rule == "later":
        yield Sentence("Of two identical cards in a trick the later one is higher.")
    elif same.rule == "earlier":
        yield Sentence("Of two identical cards in a trick the earlier one is higher.")
    elif same.rule == "cancel":
        yield Sentence(
            "Two identical cards in a trick cancel each other: neither can win it, but both count."
        )
        if max(map(len, ready.deck.copies.values())) > 2:
            yield Sentence("A third one keeps its rank.")
        yield Sentence("The highest card left of the suit that was led takes the trick.")
        yield Sentence(
            "Two such pairs in one trick, or no card of the suit left: nobody wins it."
            if same.void_on == "two_pairs"
            else "Where no card of the suit is left nobody wins the trick."
        )
        yield Sentence(
            "Its cards wait for the winner of the next trick; the same player leads again."
        )
        yield Sentence(
            {
                "previous_winner":
                    "A last trick that nobody wins goes to the winner of the trick before.",
                "leader": "A last trick that nobody wins goes to the player who led to it.",
                "uncounted": "The cards of a last trick that nobody wins do not count.",
            }[same.last_stalled]
        )  # fmt: skip
