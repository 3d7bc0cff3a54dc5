"""Step 1 and 2: every penalty card once, every trick once; then the captures of each unit.

Pure. Checks the cards and tricks of a sheet; `scoring/game/check_written_points.py` checks the
points of a sheet that holds points only. See docs/algorithms/scoring.md, "Sheet check".
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from scoring.cards import card_name, read_card
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, TypedHand
from scoring.errors import Path, Problem, Suggestion
from scoring.json_types import JsonDict
from scoring.rules.compiled_rules import Prepared


def capture(hand: TypedHand) -> tuple[CapturedHand, list[Problem]]:
    """The captures of each unit, and every problem of the cards and tricks in the order of finding.

    The captures are those that are known, even if totals are wrong. Without a problem every
    counting card is with exactly one unit or unclaimed. Of points only the tricks are checked.
    """
    problems = [*hand.problems]
    unclaimed, piles = hand.unclaimed, hand.cards
    if hand.form == "counts":
        unclaimed, piles = _with_hearts(hand)
    if hand.form in ("cards", "counts"):
        problems = _mixed_up([*problems, *_missing(hand, piles, unclaimed)])
    if hand.clean and all(hand.clean):
        facts = {"what": "clean", "found": 0, "expected": 1}
        problems.append(Problem("missing_cards", ("clean",), facts))
    tricks = None
    if hand.tricks is not None:
        tricks = tuple(sum(hand.tricks[seat] for seat in side) for side in hand.sides)
        problems += _tricks(hand, hand.tricks)
    pooled = piles
    if len(hand.sides) != len(piles):
        pooled = tuple(reduce(or_, (piles[seat] for seat in side)) for side in hand.sides)
    if tricks is not None and hand.ready.keys.tricks != "variable":
        problems += _trickless(hand, pooled, tricks)
    for unit, pile in enumerate(pooled):
        if hand.ready.is_heartless(pile):
            seat = hand.sides[unit][0]
            facts = {"seat": seat_names(hand.ready.seats)[seat]}
            problems.append(Problem("joker_without_heart", ("taken", seat), facts))
    if hand.passer is not None and hand.passer == hand.shooter:
        problems.append(Problem("unknown_seat", ("passer",), {"field": "passer"}))
    return _captured(hand, pooled, unclaimed, tricks), problems


def _with_hearts(hand: TypedHand) -> tuple[int, tuple[int, ...]]:
    """Turn a number of hearts into cards; which ones makes no difference where it is allowed."""
    ready = hand.ready
    at = (hand.unclaimed & ready.hearts).bit_count()
    unclaimed = hand.unclaimed & ~ready.hearts | ready.runs[min(at, ready.heart_count)]
    if hand.hearts is None or at + sum(hand.hearts) > ready.heart_count:
        return unclaimed, hand.cards
    piles = []
    for pile, count in zip(hand.cards, hand.hearts, strict=True):
        piles.append(pile | ready.runs[at + count] ^ ready.runs[at])
        at += count
    return unclaimed, tuple(piles)


def _captured(
    hand: TypedHand, piles: tuple[int, ...], unclaimed: int, tricks: tuple[int, ...] | None
) -> CapturedHand:
    unit: dict[int | None, int] = {
        seat: number for number, side in enumerate(hand.sides) for seat in side
    }
    pledges = tuple(
        tuple(pledge for seat in side if (pledge := hand.pledges[seat]) is not None)
        for side in hand.sides
        if hand.pledges
    )
    return CapturedHand(
        piles,
        hand.sides,
        unclaimed,
        tricks,
        hand.declared,
        pledges,
        hand.choice,
        unit.get(hand.shooter),
        unit.get(hand.passer),
        unit.get(hand.first_trick_by),
        hand.clean,
    )


def _missing(hand: TypedHand, piles: tuple[int, ...], unclaimed: int) -> Iterator[Problem]:
    ready = hand.ready
    missing = ready.counting & ~unclaimed
    for pile in piles:
        missing &= ~pile
    short = 0
    if hand.form == "counts" and hand.hearts is not None:
        short = ready.heart_count - (unclaimed & ready.hearts).bit_count() - sum(hand.hearts)
        missing &= ~ready.hearts
    together = list(_together_missing(hand, missing, missing.bit_count() + max(short, 0)))
    if hand.form == "counts" and hand.hearts is not None:
        yield from _heart_sum(hand, together)
    if not missing or not hand.summable:
        return
    hearts = missing & ready.deck.mask("*H")
    if hand.form == "counts":
        missing &= ~ready.hearts
    elif hearts:
        yield _missing_hearts(ready, hearts, together)
        missing &= ~hearts
    for card in dict.fromkeys(ready.deck.names(missing)):
        copies = ready.deck.copies[card]
        absent = sum(1 for bit in copies if bit & missing)
        facts = {
            "what": card_name(card),
            "cards": [card],
            "found": len(copies) - absent,
            "expected": len(copies),
        }
        hint = Suggestion("with_nobody", facts={"card": card_name(card)})
        if copies[0] & ready.idle:
            hint = Suggestion("joker_with_nobody", ("unclaimed",), {"card": card_name(card)})
        elif len(copies) > 1:
            hint = _off_by(absent, card_name(card))
        yield Problem("missing_cards", ("taken",), facts, _likeliest(hint, together))


def _likeliest(alone: Suggestion, together: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Suggestions, likeliest first: sure common causes, the single card, other common causes."""
    sure = [hint for hint in together if hint.facts.get("sure")]
    return (*sure, alone, *(hint for hint in together if hint not in sure))


def _together_missing(hand: TypedHand, named: int, number: int) -> Iterator[Suggestion]:
    """A common cause of all missing cards: they were in the kitty, or in the last trick."""
    ready = hand.ready
    keys = hand.ready.keys
    if not number or not hand.summable:
        return
    kitty = len(ready.deck.cards) - ready.hand_size * ready.seats
    written = _kitty(hand)
    if keys.deck.kitty and number <= kitty:
        lay_in_kitty = bool(written) and not named & ~written and number <= written.bit_count()
        facts: JsonDict = {"sure": True} if lay_in_kitty or 1 < number == kitty else {}
        at: Path = ()
        first = hand.first_trick_by
        if first is not None and keys.deck.kitty_to == "first_trick":
            facts["seat"] = seat_names(ready.seats)[first]
            at = ("taken", first)
        yield Suggestion("kitty_with_nobody", at, facts)
    stalls = keys.same_card.rule == "cancel" and not hand.unclaimed
    if stalls and 1 < number <= ready.seats:
        yield Suggestion("last_trick_with_nobody", ("unclaimed",))


def _kitty(hand: TypedHand) -> int:
    written = hand.as_json().get("kitty")
    cards = map(read_card, written) if isinstance(written, list) else ()
    pile = 0
    for card in cards:
        for bit in hand.ready.deck.copies.get(card or "", ()):
            pile |= bit
    return pile


def _mixed_up(problems: list[Problem]) -> list[Problem]:
    """One card too often and one card missing: the one was written where the other belongs."""
    over = [problem for problem in problems if _surplus(problem, "too_many_copies") == 1]
    under = [problem for problem in problems if _surplus(problem, "missing_cards") == -1]
    if len(problems) != 2 or len(over) != 1 or len(under) != 1:
        return problems
    surplus, card = (
        "a heart" if problem.facts["what"] == "hearts" else f"the {problem.facts['what']}"
        for problem in (over[0], under[0])
    )
    hint = Suggestion("written_for", over[0].at, {"found": surplus, "card": card})
    return [problem.hinting(hint) for problem in problems]


def _surplus(problem: Problem, code: str) -> int:
    if problem.code != code or "expected" not in problem.facts:
        return 0
    return int(problem.facts["found"]) - int(problem.facts["expected"])


def _missing_hearts(ready: Prepared, hearts: int, together: Sequence[Suggestion]) -> Problem:
    """Hearts listed as cards: the sheet says which are missing, but not who took them."""
    expected = (ready.counting & ready.deck.mask("*H")).bit_count()
    count = expected - hearts.bit_count()
    facts = {
        "what": "hearts",
        "cards": ready.deck.names(hearts),
        "found": count,
        "expected": expected,
    }
    hints = _likeliest(_off_by(expected - count, "heart"), together)
    return Problem("missing_cards", ("taken",), facts, hints)


def _heart_sum(hand: TypedHand, together: Sequence[Suggestion]) -> Iterator[Problem]:
    counts = hand.hearts or ()
    expected = hand.ready.heart_count - (hand.unclaimed & hand.ready.hearts).bit_count()
    short = expected - sum(counts)
    facts: JsonDict = {
        "what": "hearts",
        "typed": list(counts),
        "found": sum(counts),
        "expected": expected,
    }
    hint = _off_by(short, "heart")
    if short > 0:
        yield Problem("missing_cards", ("hearts",), facts, _likeliest(hint, together))
    elif short < 0:
        yield Problem("too_many_copies", ("hearts",), facts, (hint,))


def _off_by(short: int, card: str, at: Path = ()) -> Suggestion:
    """The suggestion for a number of missing cards, or of extra ones if it is negative."""
    number = "one" if abs(short) == 1 else "some"
    if short > 0:
        code = f"{number}_missing"
    else:
        code = f"{number}_too_many"
    return Suggestion(code, at, {"card": card, "number": abs(short)})


def _tricks(hand: TypedHand, counts: tuple[int, ...]) -> Iterator[Problem]:
    """The sum of the tricks; cancelled tricks are nobody's, a variable number is open."""
    ready = hand.ready
    total = sum(counts)
    at_most = ready.keys.same_card.rule == "cancel"
    if ready.keys.tricks == "equal":
        if at_most:
            wrong = total > ready.hand_size
        else:
            wrong = total != ready.hand_size
        if wrong:
            facts = {"found": total, "expected": ready.hand_size, "at_most": at_most}
            hint = _off_by(ready.hand_size - total, "trick", ("tricks",))
            yield Problem("tricks_sum", ("tricks",), facts, (hint,))
    first = hand.first_trick_by
    if first is not None and counts[first] == 0:
        none = {"found": 0, "expected": 1, "first": seat_names(ready.seats)[first]}
        yield Problem("tricks_sum", ("tricks", first), none)


def _trickless(
    hand: TypedHand, piles: tuple[int, ...], tricks: tuple[int, ...]
) -> Iterator[Problem]:
    names = seat_names(hand.ready.seats)
    for unit, (pile, count) in enumerate(zip(piles, tricks, strict=True)):
        hearts = sum(hand.hearts[seat] for seat in hand.sides[unit]) if hand.hearts else 0
        if (pile or hearts) and count == 0:
            seat = hand.sides[unit][0]
            yield Problem("cards_without_trick", ("tricks", seat), {"seat": names[seat]})
