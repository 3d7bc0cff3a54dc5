"""Step 1 and 2: every penalty card once, every trick once; then the captures of each unit.

Pure. Checks the cards and tricks of a sheet; `scoring/game/check_written_points.py` checks the
points of a sheet that holds points only. See docs/algorithms/sheet-check.md.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from scoring.cards import card_name, read_card
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand, TypedHand
from scoring.errors import Problem, Suggestion
from scoring.rules.compiled_rules import Prepared


def capture(typed: TypedHand) -> tuple[CapturedHand, list[Problem]]:
    """The captures of each unit, and every problem of the cards and tricks.

    Args:
        typed: a hand in cards or counts (for points only the tricks are looked at).

    Returns:
        The captures per unit, as far as they are known where the totals are wrong. The
        problems in the order of finding; none means that every counting card is with exactly one
        unit or unclaimed.
    """
    problems = [*typed.problems]
    unclaimed, piles = typed.unclaimed, typed.cards
    if typed.form == "counts":
        unclaimed, piles = _with_hearts(typed)
    if typed.form in ("cards", "counts"):
        problems = _mixed_up([*problems, *_missing(typed, piles, unclaimed)])
    if typed.clean and all(typed.clean):
        facts = {"what": "clean", "found": 0, "expected": 1}
        problems.append(Problem("missing_cards", ("clean",), facts))
    tricks = None
    if typed.tricks is not None:
        tricks = tuple(sum(typed.tricks[seat] for seat in side) for side in typed.sides)
        problems += _tricks(typed, typed.tricks)
    if len(typed.sides) == len(piles):
        pooled = piles
    else:
        pooled = tuple(_together(piles, side) for side in typed.sides)
    if tricks is not None and typed.ready.keys.tricks != "variable":
        problems += _trickless(typed, pooled, tricks)
    problems += _seats(typed)
    return _captured(typed, pooled, unclaimed, tricks), problems


def _with_hearts(typed: TypedHand) -> tuple[int, tuple[int, ...]]:
    """A number of hearts as so many hearts; which ones makes no difference where it is allowed."""
    ready = typed.ready
    at = (typed.unclaimed & ready.hearts).bit_count()
    unclaimed = typed.unclaimed & ~ready.hearts | ready.runs[min(at, ready.heart_count)]
    if typed.hearts is None or at + sum(typed.hearts) > ready.heart_count:
        return unclaimed, typed.cards
    piles = []
    for pile, count in zip(typed.cards, typed.hearts, strict=True):
        piles.append(pile | ready.runs[at + count] ^ ready.runs[at])
        at += count
    return unclaimed, tuple(piles)


def _together(piles: tuple[int, ...], side: tuple[int, ...]) -> int:
    pile = 0
    for seat in side:
        pile |= piles[seat]
    return pile


def _captured(
    typed: TypedHand, piles: tuple[int, ...], unclaimed: int, tricks: tuple[int, ...] | None
) -> CapturedHand:
    unit = {seat: number for number, side in enumerate(typed.sides) for seat in side}
    pledges = tuple(
        tuple(pledge for seat in side if (pledge := typed.pledges[seat]) is not None)
        for side in typed.sides
        if typed.pledges
    )
    return CapturedHand(
        piles, typed.sides, unclaimed, tricks, typed.declared, pledges, typed.choice,
        unit.get(typed.shooter) if typed.shooter is not None else None,
        unit.get(typed.passer) if typed.passer is not None else None,
        unit.get(typed.first_trick_by) if typed.first_trick_by is not None else None,
        typed.clean,
    )  # fmt: skip


def _missing(typed: TypedHand, piles: tuple[int, ...], unclaimed: int) -> Iterator[Problem]:
    ready = typed.ready
    missing = ready.counting & ~unclaimed
    for pile in piles:
        missing &= ~pile
    short = 0
    if typed.form == "counts" and typed.hearts is not None:
        short = ready.heart_count - (unclaimed & ready.hearts).bit_count() - sum(typed.hearts)
        missing &= ~ready.hearts
    together = list(_together_missing(typed, missing, missing.bit_count() + max(short, 0)))
    if typed.form == "counts" and typed.hearts is not None:
        yield from _heart_sum(typed, together)
    if not missing or not typed.summable:
        return
    hearts = missing & ready.deck.mask("*H")
    if typed.form == "counts":
        missing &= ~ready.hearts
    elif hearts:
        yield _missing_hearts(ready, hearts, together)
        missing &= ~hearts
    for card in dict.fromkeys(ready.deck.names(missing)):
        copies = ready.deck.copies[card]
        absent = sum(1 for bit in copies if bit & missing)
        facts = {
            "what": card_name(card), "cards": [card],
            "found": len(copies) - absent, "expected": len(copies),
        }  # fmt: skip
        hint = Suggestion("with_nobody", facts={"card": card_name(card)})
        if len(copies) > 1:
            hint = _short(absent, card_name(card))
        yield Problem("missing_cards", ("taken",), facts, _likeliest(hint, together))


def _likeliest(alone: Suggestion, together: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """One card goes astray by itself; several are more likely to have lain together."""
    sure = [hint for hint in together if hint.facts.get("sure")]
    return (*sure, alone, *(hint for hint in together if hint not in sure))


def _together_missing(typed: TypedHand, named: int, number: int) -> Iterator[Suggestion]:
    """A common cause of all missing cards: they lay in the kitty, or in the last trick."""
    ready, keys = typed.ready, typed.ready.keys
    if not number or not typed.summable:
        return
    kitty = len(ready.deck.cards) - ready.hand_size * ready.seats
    written = _kitty(typed)
    if keys.deck.kitty and number <= kitty:
        lay_in_kitty = bool(written) and not named & ~written and number <= written.bit_count()
        facts: dict[str, Any] = {"sure": True} if lay_in_kitty or 1 < number == kitty else {}
        at: tuple[str | int, ...] = ()
        first = typed.first_trick_by
        if first is not None and keys.deck.kitty_to == "first_trick":
            facts["seat"], at = seat_names(ready.seats)[first], ("taken", first)
        yield Suggestion("kitty_with_nobody", at, facts)
    stalls = keys.same_card.rule == "cancel" and not typed.unclaimed
    if stalls and 1 < number <= ready.seats:
        yield Suggestion("last_trick_with_nobody", ("unclaimed",))


def _kitty(typed: TypedHand) -> int:
    """The kitty as it is written, as a mask of every copy of its cards; 0 where it is not."""
    written = typed.as_json().get("kitty")
    cards = map(read_card, written) if isinstance(written, list) else ()
    pile = 0
    for card in cards:
        for bit in typed.ready.deck.copies.get(card or "", ()):
            pile |= bit
    return pile


def _mixed_up(problems: list[Problem]) -> list[Problem]:
    """One card too often and one card missing: the one was written where the other belongs."""
    over = [problem for problem in problems if _off(problem, "too_many_copies") == 1]
    under = [problem for problem in problems if _off(problem, "missing_cards") == -1]
    if len(problems) != 2 or len(over) != 1 or len(under) != 1:
        return problems
    written_card, card = (_article(problem.facts["what"]) for problem in (over[0], under[0]))
    hint = Suggestion("written_for", over[0].at, {"found": written_card, "card": card})
    return [problem.hinting(hint) for problem in problems]


def _off(problem: Problem, code: str) -> int:
    """By how many cards a problem of this code is off; 0 where it has another."""
    if problem.code != code or "expected" not in problem.facts:
        return 0
    return int(problem.facts["found"]) - int(problem.facts["expected"])


def _article(what: str) -> str:
    return "a heart" if what == "hearts" else f"the {what}"


def _missing_hearts(ready: Prepared, hearts: int, together: Sequence[Suggestion]) -> Problem:
    """Hearts listed as cards: the sheet says which are missing, but not who took them."""
    expected = (ready.counting & ready.deck.mask("*H")).bit_count()
    count = expected - hearts.bit_count()
    facts = {
        "what": "hearts", "cards": ready.deck.names(hearts), "found": count, "expected": expected,
    }  # fmt: skip
    hints = _likeliest(_short(expected - count, "heart"), together)
    return Problem("missing_cards", ("taken",), facts, hints)


def _heart_sum(typed: TypedHand, together: Sequence[Suggestion]) -> Iterator[Problem]:
    counts = typed.hearts or ()
    expected = typed.ready.heart_count - (typed.unclaimed & typed.ready.hearts).bit_count()
    count = sum(counts)
    facts: dict[str, Any] = {
        "what": "hearts", "typed": list(counts), "found": count, "expected": expected,
    }  # fmt: skip
    if count < expected:
        hints = _likeliest(_short(expected - count, "heart"), together)
        yield Problem("missing_cards", ("hearts",), facts, hints)
    elif count > expected:
        over = count - expected
        code = "one_too_many" if over == 1 else "some_too_many"
        hint = Suggestion(code, facts={"card": "heart", "number": over})
        yield Problem("too_many_copies", ("hearts",), facts, (hint,))


def _short(number: int, card: str) -> Suggestion:
    code = "one_missing" if number == 1 else "some_missing"
    return Suggestion(code, facts={"card": card, "number": number})


def _tricks(typed: TypedHand, counts: tuple[int, ...]) -> Iterator[Problem]:
    """The sum of the tricks; cancelled tricks are nobody's, a variable number is open."""
    ready, total = typed.ready, sum(counts)
    at_most = ready.keys.same_card.rule == "cancel"
    if ready.keys.tricks == "equal":
        wrong = total > ready.hand_size if at_most else total != ready.hand_size
        if wrong:
            facts = {"found": total, "expected": ready.hand_size, "at_most": at_most}
            yield Problem("tricks_sum", ("tricks",), facts, (_trick_hint(ready, total),))
    first = typed.first_trick_by
    if first is not None and counts[first] == 0:
        name = seat_names(ready.seats)[first]
        first_facts = {"found": 0, "expected": 1, "first": name}
        yield Problem("tricks_sum", ("tricks", first), first_facts)


def _trick_hint(ready: Prepared, count: int) -> Suggestion:
    number = abs(count - ready.hand_size)
    few = count < ready.hand_size
    single = "one_missing" if few else "one_too_many"
    several = "some_missing" if few else "some_too_many"
    facts = {"card": "trick", "number": number}
    return Suggestion(single if number == 1 else several, ("tricks",), facts)


def _trickless(
    typed: TypedHand, piles: tuple[int, ...], tricks: tuple[int, ...]
) -> Iterator[Problem]:
    names = seat_names(typed.ready.seats)
    for unit, (pile, count) in enumerate(zip(piles, tricks, strict=True)):
        hearts = sum(typed.hearts[seat] for seat in typed.sides[unit]) if typed.hearts else 0
        if (pile or hearts) and count == 0:
            seat = typed.sides[unit][0]
            yield Problem("cards_without_trick", ("tricks", seat), {"seat": names[seat]})


def _seats(typed: TypedHand) -> Iterator[Problem]:
    """A player does not pass to himself."""
    if typed.passer is not None and typed.passer == typed.shooter:
        yield Problem("unknown_seat", ("passer",), {"field": "passer"})
