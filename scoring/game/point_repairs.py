"""Repairs of points, moons and their settlements: one mistake undone, likeliest first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, Final

from scoring.cards import read_card
from scoring.diagnosis.diagnose import vectors_of
from scoring.diagnosis.diagnose_cards import PRECISE, VAGUE
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.entry.sheet import seat_names
from scoring.errors import Suggestion
from scoring.game.card_repairs import (
    MARKS,
    NOBODY,
    Entry,
    HandToRepair,
    Repairs,
    with_value,
    without,
)
from scoring.numbers import Score, score_json

MOST_GUESSES: Final = 60
"""Places at which one kind of mistake is looked for in points."""
MOST_VECTORS: Final = 400


def named_repair(entry: Entry, hint: Suggestion) -> Entry | None:
    """The entry that a suggestion names: the points, the answer or the number that it says."""
    facts = hint.facts
    if hint.code in ("seat_should_be", "wrong_sign"):
        name = str(hint.at[0])
        place = hint.at[1] if len(hint.at) > 1 else None
        if not isinstance(place, int) or place >= len(entry.get(name) or ()):
            return None
        return with_value(entry, name, place, facts["points"])
    if hint.code == "settle":
        if "points" in entry:
            return {**without(entry, *MARKS), "points": list(facts["scores"])}
        if not facts.get("choice"):
            return None
        return {**entry, "slam_choice": facts["choice"]}
    if hint.code == "who_shot":
        return {**entry, "shooter": int(facts["by"][0])}
    if hint.code == "not_a_number" and len(hint.at) > 1:
        return with_value(entry, str(hint.at[0]), int(hint.at[1]), int(facts["guess"]))
    return None


def answers(hand: HandToRepair) -> Repairs:
    """The answers that the refusal itself names."""
    for hint in hand.problem.suggestions:
        yield named_repair(hand.entry, hint)


def marks(hand: HandToRepair) -> Repairs:
    """Repair the marks of a moon that the cards or the points do not show."""
    if hand.reading.form == "points":
        yield from _marked_points(hand)
    elif any(problem.facts.get("why") == "not_open" for problem in hand.refused):
        for choice in ("self", "others"):
            yield {**hand.entry, "slam_choice": choice}
    else:
        yield from _moon_of(hand)
    names = seat_names(hand.reading.seats)
    for problem in hand.refused:
        seat = problem.facts.get("seat")
        if problem.code == "wrong_shooter" and seat in names:
            yield {**hand.entry, "shooter": names.index(seat)}
    yield without(hand.entry, str(hand.problem.at[0]))
    yield without(hand.entry, *MARKS)


def _moon_of(hand: HandToRepair) -> Repairs:
    """All cards of a moon at the seat that is marked, or at the seat that has most of them."""
    ready = hand.reading.ready
    marked = hand.reading.shooter
    candidates: list[tuple[int, Entry]] = []
    for slam in ready.slams:
        needs = Counter(ready.deck.names(slam.needs))
        for seat in hand.seats:
            side = next(side for side in hand.reading.sides if seat in side)
            if marked is not None and marked not in side:
                continue
            moves, entry = _gathered(hand, needs, seat, side)
            if moves:
                candidates.append((moves, entry))
    few = sorted(candidates, key=lambda candidate: candidate[0])
    yield from (entry for moves, entry in few if moves <= 2 or marked is not None)


def _gathered(
    hand: HandToRepair, needs: Counter[str], seat: int, side: Sequence[int]
) -> tuple[int, Entry]:
    counts = hand.counts("hearts") if hand.reading.form == "counts" else None
    hidden = set(hand.reading.ready.deck.names(hand.reading.ready.hearts)) if counts else set()
    moves: list[tuple[str, int]] = []
    for other, pile in {NOBODY: hand.unclaimed, **dict(enumerate(hand.piles))}.items():
        if other not in side:
            cards = [read_card(code) or "" for code in pile]
            moves += [(card, other) for card in cards if card in needs and card not in hidden]
    entry = hand.with_cards(moves, [(card, seat) for card, _ in moves])
    stray = 0
    if counts is not None and hidden <= set(needs):
        stray = sum(count for other, count in enumerate(counts) if other not in side)
        now = [count if other in side else 0 for other, count in enumerate(counts)]
        now[seat] += stray
        entry = {**entry, "hearts": now}
    return len(moves) + stray, entry


def _marked_points(hand: HandToRepair) -> Repairs:
    reading = hand.reading
    for vector in islice(vectors_of(hand.trial()), MOST_VECTORS):
        is_shooter = reading.shooter is None or reading.shooter in reading.sides[vector.shot.unit]
        if vector.is_open and is_shooter and reading.choice in (None, vector.way):
            yield hand.with_points(vector.scores)


def points(hand: HandToRepair) -> Repairs:
    """Repair points that no hand makes."""
    problem, reading = hand.problem, hand.reading
    if reading.points is None:
        return
    yield from answers(hand)
    trial = hand.trial()
    sure = any(hint.code in ("both_settlements", "shooter_as_well") for hint in problem.suggestions)
    yield from _settled(hand, trial, sure=sure)
    for cause in PRECISE:
        yield from _guessed(hand, islice(cause(trial), MOST_GUESSES))
    total, expected = problem.facts.get("found"), problem.facts.get("expected")
    short = expected - total if type(total) is type(expected) is int else 0
    yield from _stepped(hand, short)
    for cause in VAGUE:
        yield from _guessed(hand, islice(cause(trial), MOST_GUESSES))
    yield from _stepped(hand, 1)
    yield from _stepped(hand, -1)
    if problem.code == "impossible_points":
        yield from _moved(hand, 0)
    yield from _settled(hand, trial, sure=True)
    if abs(short) > 1:
        yield from _moved(hand, short)


def _settled(hand: HandToRepair, trial: Trial, *, sure: bool) -> Repairs:
    """Settlements that the points are near to, the nearest first; both forms of each.

    All but one seat must agree, unless the points certainly show a moon (`sure`).
    """
    near: dict[tuple[Score, ...], int] = {}
    shooters: dict[int, int] = {}
    vectors = list(islice(vectors_of(trial), MOST_VECTORS))
    zero = trial.ready.zero
    paid = [point for point in trial.points if point != zero]
    for vector in vectors:
        pairs = list(zip(trial.points, vector.scores, strict=True))
        alike = all((point != zero) == (right != zero) for point, right in pairs)
        wrong = sum(point != right for point, right in pairs)
        if alike and len(paid) > 1 and len({*paid}) == 1:
            wrong = 0
        unit = vector.shot.unit
        shooters[unit] = min(wrong, shooters.get(unit, wrong))
        if vector.is_open:
            near[vector.scores] = min(wrong, near.get(vector.scores, wrong))
    units = len(trial.points)
    best = min(shooters.values(), default=units)
    for scores in sorted(near, key=near.__getitem__):
        if near[scores] <= (1 if units > 2 else 0):
            yield hand.with_points(scores)
    if not sure or best > max(units // 2, 1):
        return
    for vector in vectors:
        if vector.is_open and shooters[vector.shot.unit] == best:
            yield hand.with_points(vector.scores)


def _guessed(hand: HandToRepair, guesses: Iterator[Any]) -> Repairs:
    reading = hand.reading
    order = {unit: place for place, unit in enumerate(_by_points(hand, 1))}
    for guess in sorted(guesses, key=lambda guess: order.get(guess.unit, -1)):
        right = guess.right
        entry = dict(hand.entry)
        if right.points != reading.points:
            entry["points"] = list(map(score_json, right.points))
        if right.captured.declared != reading.declared:
            entry["declared"] = sorted(right.captured.declared)
        if right.captured.unclaimed != reading.unclaimed:
            if not reading.ready.may_be_unclaimed:
                continue
            entry["unclaimed"] = reading.ready.deck.names(right.captured.unclaimed)
        yield entry


def _by_points(hand: HandToRepair, by: int) -> list[int]:
    """Units whose points may be off by the given number, likeliest first, as in `_by_count`."""
    points = hand.entry["points"]
    sizes = [abs(point) if type(point) is int else 1 for point in points]
    has = [unit for unit, size in enumerate(sizes) if size]
    none = [unit for unit, size in enumerate(sizes) if not size]
    return sorted(has, key=lambda unit: sizes[unit] if by > 0 else -sizes[unit]) + none


def _stepped(hand: HandToRepair, by: int) -> Repairs:
    points = hand.entry["points"]
    for unit in _by_points(hand, by):
        if by and type(points[unit]) is int:
            yield with_value(hand.entry, "points", unit, points[unit] + by)


def _moved(hand: HandToRepair, by: int) -> Repairs:
    """Two seats wrong at once, by the given sum; one of them by a single point."""
    points = hand.entry["points"]
    step = -1 if by <= 0 else 1
    for first, second in product(_by_points(hand, by), _by_points(hand, step)):
        if first != second and type(points[first]) is type(points[second]) is int:
            entry = with_value(hand.entry, "points", first, points[first] + by - step)
            yield with_value(entry, "points", second, points[second] + step)


def points_and_cards(hand: HandToRepair) -> Repairs:
    """Repair cards and points that differ: a card with the wrong seat, or wrong points."""
    facts = hand.problem.facts
    pairs = list(zip(facts["found"], facts["expected"], strict=True))
    off = [unit for unit, (written, expected) in enumerate(pairs) if written != expected]
    points = {**hand.entry, "points": list(facts["expected"])}
    if len(off) == 1:
        yield points
    if len(off) == 2:
        seats = hand.seats
        for giver, taker in (off, off[::-1]):
            giving, taking = seats[giver], seats[taker]
            counts = hand.counts("hearts")
            for number in range(1, counts[giving] + 1) if counts else ():
                fewer = hand.with_counts("hearts", giving, -number)
                if fewer is not None:
                    yield hand._replace(entry=fewer).with_counts("hearts", taking, number)
            for card in dict.fromkeys(read_card(code) or "" for code in hand.piles[giving]):
                yield hand.with_cards([(card, giving)], [(card, taking)])
    yield points
