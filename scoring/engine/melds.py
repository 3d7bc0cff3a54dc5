"""Hands with melds: what each seat showed, the points of its tricks, and who declared out.

Pure. A hand is worth its melds and its rounded trick points. See docs/algorithms/scoring.md,
"Melds".
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from scoring.cards import bits_of
from scoring.engine.check_sheet import capture
from scoring.engine.progress import (
    COMPARE,
    NOTHING,
    Effects,
    GameState,
    HandScore,
    hand_score,
    limit_to_declare,
)
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem, Refused, Suggestion
from scoring.numbers import Score, real, score_json
from scoring.rules.compiled_rules import Prepared
from scoring.rules.types import Meld, Rounding

MOST_PAIRS = 200_000
"""Ways to share out melds that are looked through for points; beyond, only the sum is checked."""


def score_melds(hand: TypedHand, state: GameState) -> HandScore:
    """The points of a hand with melds for each seat, and the winner where a player declared out.

    A declaration looks at the totals of the game before the hand.
    """
    problems = [*hand.problems, *_too_many_melds(hand)]
    keys = hand.ready.keys
    is_in_points = hand.form == "points"
    if hand.declared_out is not None and not any(test.declare for test in keys.finish):
        problems.append(Problem("declaration_forbidden", ("declared_out",)))
    if not is_in_points:
        problems += _trick_problems(hand)
    elif not problems:
        problems += _impossible_points(hand)
    if problems:
        raise Refused(*problems)
    if is_in_points:
        scores = hand.points or ()
    else:
        scores = meld_scores(hand)
    if hand.points is not None and hand.points != scores:
        raise Refused(points_disagree("points", hand, hand.points, scores))
    verified = "sum" if is_in_points else "cards"
    return hand_score(hand.sides, scores, None, verified, _effects(hand, state, scores))


def meld_scores(hand: TypedHand) -> tuple[Score, ...]:
    """The melds and the rounded trick points of each seat."""
    rounding = hand.ready.keys.rounding
    tricks = trick_points(hand)
    return tuple(
        melds + rounded(points, rounding)
        for melds, points in zip(meld_points(hand), tricks, strict=True)
    )


def meld_points(hand: TypedHand) -> tuple[int, ...]:
    """The points of each seat's melds."""
    worth = {meld.id: meld.points for meld in hand.ready.keys.melds}
    melds_by_seat = hand.melds or ((),) * hand.seats
    return tuple(sum(worth[name] for name in names) for names in melds_by_seat)


def trick_points(hand: TypedHand) -> tuple[int, ...]:
    """The points of each seat's tricks before rounding: as written, or those of its cards."""
    if hand.trick_points is not None:
        return hand.trick_points
    return _card_points(hand)


def _card_points(hand: TypedHand) -> tuple[int, ...]:
    last = hand.ready.keys.last_trick
    return tuple(
        int(real(hand.ready.worth_of(pile))) + last * (seat == hand.last_trick)
        for seat, pile in enumerate(hand.cards)
    )


def rounded(points: int, rounding: Rounding | None) -> int:
    """Trick points as they are booked.

    >>> [rounded(points, Rounding(10, 7)) for points in (87, 126, 125, 124, 163)]
    [90, 120, 120, 120, 160]
    """
    if rounding is None:
        return points
    rest = points % rounding.to
    return points - rest + (rounding.to if rest >= rounding.up_from else 0)


def _effects(hand: TypedHand, state: GameState, scores: Sequence[Score]) -> Effects:
    """A player who declares out at the limit wins at once; one who declares below it loses."""
    declarable = limit_to_declare(hand.ready.rules, state)
    seat = hand.declared_out
    if seat is None or declarable is None:
        return Effects(state.pool) if state.pool else NOTHING
    test, limit = declarable
    total = real(state.totals[seat] + scores[seat])
    winner = seat if COMPARE[test.op](total, limit) else 1 - seat
    return Effects(state.pool, wins=winner)


def _too_many_melds(hand: TypedHand) -> Iterator[Problem]:
    names = seat_names(hand.seats)
    times = Counter(name for melds in hand.melds for name in melds)
    for meld in hand.ready.keys.melds:
        if times[meld.id] > meld.most:
            seats = [seat for seat, melds in enumerate(hand.melds) if meld.id in melds]
            facts = {
                "what": meld.name,
                "meld": meld.id,
                "found": times[meld.id],
                "expected": meld.most,
                "seats": [names[seat] for seat in seats],
            }
            yield Problem("too_many_copies", ("melds", seats[-1]), facts)


def _trick_problems(hand: TypedHand) -> Iterator[Problem]:
    unread = ((), ("taken",), ("trick_points",))
    if any(problem.at[:1] in unread for problem in hand.problems):
        return
    if "taken" in hand.as_json():
        yield from _card_problems(hand)
    if hand.trick_points is not None or "taken" not in hand.as_json():
        yield from _wrong_total(hand, hand.trick_points or (0,) * hand.seats)


def _card_problems(hand: TypedHand) -> Iterator[Problem]:
    """Cards that no seat took, unless the hand was stopped, and a last trick without a winner."""
    if hand.declared_out is None:
        yield from capture(hand._replace(form="cards", problems=()))[1]
        if hand.last_trick is None and hand.ready.keys.last_trick and hand.trick_points is None:
            facts = {"points": hand.ready.keys.last_trick}
            yield Problem("last_trick_needed", ("last_trick",), facts)
    if hand.trick_points is not None and hand.trick_points != _card_points(hand):
        if hand.last_trick is None and sum(hand.trick_points) != sum(_card_points(hand)):
            return
        yield points_disagree("trick_points", hand, hand.trick_points, _card_points(hand))


def _wrong_total(hand: TypedHand, points: Sequence[int]) -> Iterator[Problem]:
    total = hand.ready.trick_total
    stopped = hand.declared_out is not None
    if sum(points) > total or (sum(points) < total and not stopped):
        facts = {
            "found": sum(points),
            "expected": total,
            "field": "trick_points",
            "at_most": stopped,
        }
        yield Problem("wrong_total", ("trick_points",), facts, tuple(_rests(hand, points)))
        return
    if not possible_trick_points(hand.ready).issuperset(points):
        facts = {"points": ", ".join(map(str, points)), "field": "trick_points"}
        yield Problem("impossible_points", ("trick_points",), facts)


def _rests(hand: TypedHand, points: Sequence[int]) -> Iterator[Suggestion]:
    """The points that one seat would have if the others are right."""
    names = seat_names(hand.seats)
    for seat, written in enumerate(points):
        right = hand.ready.trick_total - sum(points) + written
        if hand.trick_points is not None and right >= 0 and right != written:
            facts = {"seat": names[seat], "points": right, "found": written}
            yield Suggestion("seat_should_be", ("trick_points", seat), facts)


def possible_trick_points(ready: Prepared) -> frozenset[int]:
    """The trick points that the cards and the last trick can give one seat."""
    cards = (int(real(ready.worth_of(bit))) for bit in bits_of(ready.deck.full))
    return _subset_sums((*cards, ready.keys.last_trick))


@lru_cache(maxsize=64)
def _subset_sums(parts: tuple[int, ...]) -> frozenset[int]:
    reached = {0}
    for part in parts:
        if part:
            reached |= {total + part for total in reached}
    return frozenset(reached)


def points_disagree(
    name: str, hand: TypedHand, written: Sequence[Score], right: Sequence[Score]
) -> Problem:
    """The problem of a sheet whose two entries give different points for the units."""
    names = [seat_names(hand.seats)[side[0]] for side in hand.sides]
    facts = {"found": list(map(score_json, written)), "expected": list(map(score_json, right))}
    hints = tuple(
        Suggestion(
            "seat_should_be", (name, unit), {"seat": names[unit], "points": other, "found": score}
        )
        for unit, (score, other) in enumerate(zip(*facts.values(), strict=True))
        if score != other
    )
    return Problem("points_disagree", (name,), facts, hints)


def _impossible_points(hand: TypedHand) -> Iterator[Problem]:
    ready = hand.ready
    points = [real(point) for point in hand.points or ()]
    tricks = _rounded_pairs(
        possible_trick_points(ready),
        ready.trick_total,
        ready.keys.rounding,
        hand.declared_out is not None,
    )
    least = min(map(sum, tricks))
    if sum(points) < least:
        facts = {
            "found": score_json(sum(points)),
            "expected": least,
            "field": "points",
            "at_least": True,
        }
        yield Problem("wrong_total", ("points",), facts)
    elif not _add_up(hand, points, tricks):
        text = ", ".join(str(score_json(point)) for point in points)
        yield Problem("impossible_points", ("points",), {"points": text, "field": "points"})


@lru_cache(maxsize=64)
def _rounded_pairs(
    possible: frozenset[int], total: int, rounding: Rounding | None, stopped: bool
) -> frozenset[tuple[int, ...]]:
    """The trick points of two seats as they may be booked."""
    return frozenset(
        (rounded(first, rounding), rounded(second, rounding))
        for first in possible
        for second in (possible if stopped else [total - first])
        if first + second <= total and second in possible
    )


def _add_up(hand: TypedHand, points: Sequence[Score], tricks: frozenset[tuple[int, ...]]) -> bool:
    """Whether some tricks and the melds, or where none is written some of the pack, give these."""
    pairs = {meld_points(hand)} if hand.melds else _meld_pairs(hand.ready.keys.melds)
    if pairs is None:
        return True
    first_points, second_points = points
    return any((first_points - first, second_points - second) in pairs for first, second in tricks)


@lru_cache(maxsize=64)
def _meld_pairs(melds: tuple[Meld, ...]) -> frozenset[tuple[int, int]] | None:
    """The meld points that two seats may have; None if there are too many to list."""
    reached = {(0, 0)}
    for meld in melds:
        shares = [
            (first_count * meld.points, second_count * meld.points)
            for first_count in range(meld.most + 1)
            for second_count in range(meld.most - first_count + 1)
        ]
        if len(reached) * len(shares) > MOST_PAIRS * 5:
            return None
        reached = {(a + c, b + d) for a, b in reached for c, d in shares}
    return frozenset(reached)
