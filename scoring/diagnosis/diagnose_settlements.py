"""Settlements that were written wrong: both forms at once, another number, one seat of it.

Pure. Points are compared with what every slam would book, either way, wherever the cards beside it
lie. `WHOLE` and `IN_PART` are the order, likeliest first. See docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scoring.diagnosis.shooter_hypotheses import Hypothesis, Trial, settled_deals, ways_of
from scoring.engine.modifiers import Hand
from scoring.engine.moon import Shot, amount
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand
from scoring.errors import Suggestion
from scoring.numbers import Complex, Score, score_json


class Vector(NamedTuple):
    """What a settled slam books to each unit, and whether the rules leave it open now."""

    story: Hypothesis
    holder: int
    scores: tuple[Score, ...]
    is_open: bool


def seat_fact(trial: Trial, unit: int) -> dict[str, object]:
    """The seat of a unit, as facts name it."""
    return {"seat": seat_names(trial.ready.seats)[trial.captured.sides[unit][0]]}


def vectors_of(trial: Trial) -> Iterator[Vector]:
    """What each slam would book, both ways, wherever the cards beside it lie."""
    for slam in trial.ready.slams:
        if slam.pay.mode == "face" or slam.needs & trial.captured.unclaimed:
            continue
        for unit in range(len(trial.points)):
            shot = Shot(slam, unit)
            ways = dict.fromkeys((*ways_of(slam.pay.mode), *_both(slam.pay.mode)))
            for way in ways:
                story = Hypothesis(shot, way)
                paid = trial.payment(shot, way)
                for holder, deal in enumerate(settled_deals(trial, story)):
                    is_open = trial.try_out(deal)[0] is not None
                    yield Vector(story, holder, _booked(trial, deal, shot, paid), is_open)


def _both(mode: str) -> tuple[str, ...]:
    """The two common forms of a moon, which people mix up whatever their rules say."""
    return ("self", "others") if "others" in ways_of(mode) or mode == "self" else ()


def _booked(
    trial: Trial, deal: CapturedHand, shot: Shot, paid: Sequence[Score]
) -> tuple[Score, ...]:
    ready = trial.ready
    return tuple(
        trial.worth(
            Hand(
                pile,
                ready.counting,
                deal.declared,
                unit == shot.unit,
                deal.tricks[unit] if deal.tricks is not None else None,
            ),
            deal.pledges[unit] if deal.pledges else (),
            shot.ready,
            paid[unit],
        )
        for unit, pile in enumerate(deal.piles)
    )


def _shooter(vector: Vector) -> tuple[Shot, int]:
    shot = vector.story.shot
    if shot is None:
        raise ValueError("a vector is that of a slam")
    return shot, shot.unit


def both_settlements(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """The shooter's points taken off and given to the others as well."""
    for off in vectors:
        shot, unit = _shooter(off)
        for given in vectors if off.story.way == "self" else ():
            same = (given.story.shot, given.holder, given.story.way) == (shot, off.holder, "others")
            mixed = (*given.scores[:unit], off.scores[unit], *given.scores[unit + 1 :])
            if same and trial.points == mixed:
                yield Suggestion("both_settlements", ("points", unit), seat_fact(trial, unit))
                return


def shooter_as_well(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """Everybody written with what a moon gives to the others, the shooter too."""
    for given in vectors:
        shot, _ = _shooter(given)
        gives = trial.ready.zero + amount(shot.ready.pay.others_amount, shot.ready)
        if given.story.way == "others" and gives and set(trial.points) == {gives}:
            yield Suggestion("shooter_as_well", ("points",), {"points": score_json(gives)})
            return


def not_open(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A settlement that these rules do not have, or not now: what they have instead."""
    told = [vector for vector in vectors if vector.scores == trial.points and not vector.is_open]
    for wrong in told[:1]:
        for right in vectors:
            same = (right.story.shot, right.holder) == (wrong.story.shot, wrong.holder)
            if same and right.is_open:
                yield _settle(trial, right)


def other_amount(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A moon that was settled with another number than that of these rules."""
    for vector in vectors:
        _, unit = _shooter(vector)
        off = vector.story.way == "self"
        moved = [n for n in range(len(trial.points)) if (n == unit) == off]
        found, right = {trial.points[n] for n in moved}, {vector.scores[n] for n in moved}
        still = all(
            trial.points[n] == vector.scores[n] for n in range(len(trial.points)) if n not in moved
        )
        if len(found) == len(right) == 1 and vector.is_open and still and (off or len(moved) > 1):
            wrong, score = found.pop(), right.pop()
            if wrong != score and _same_sign(wrong, score):
                facts = {"points": score_json(score), "found": score_json(wrong)}
                yield Suggestion("other_amount", ("points",), facts)
                return


def _same_sign(one: Score, other: Score) -> bool:
    if isinstance(one, Complex) or isinstance(other, Complex):
        return False
    return one * other > 0


def seat_of_settlement(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A settled moon in which one seat is wrong."""
    seen = set()
    for vector in vectors:
        pairs = list(zip(trial.points, vector.scores, strict=True))
        wrong = [n for n, (point, right) in enumerate(pairs) if point != right]
        if len(wrong) != 1 or not vector.is_open or not _moves(trial, vector, wrong[0]):
            continue
        unit = wrong[0]
        facts = {
            "points": score_json(vector.scores[unit]),
            "found": score_json(trial.points[unit]),
        }
        hint = Suggestion("seat_should_be", ("points", unit), facts | seat_fact(trial, unit))
        if hint.text not in seen:
            seen.add(hint.text)
            yield hint


def _moves(trial: Trial, vector: Vector, wrong: int) -> bool:
    """Whether what is left of a settlement beside the wrong seat still tells of it."""
    if vector.story.way == "self":
        shot, unit = _shooter(vector)
        return unit != wrong or trial.points[unit] == amount(shot.ready.pay.self_amount, shot.ready)
    return any(score != trial.ready.zero for n, score in enumerate(vector.scores) if n != wrong)


def _settle(trial: Trial, vector: Vector) -> Suggestion:
    """The settlement as a way out: its scores, who shot, how."""
    _, unit = _shooter(vector)
    way = vector.story.way
    scores = [score_json(score) for score in vector.scores]
    facts = {
        "choice": way if way in ("self", "others") else None,
        "by": list(trial.captured.sides[unit]),
        "scores": scores,
        "text": "these rules settle it as " + ", ".join(map(str, scores)),
    }
    return Suggestion("settle", ("points",), facts)


WHOLE: tuple[Callable[[Trial, Sequence[Vector]], Iterator[Suggestion]], ...] = (
    both_settlements,
    shooter_as_well,
    not_open,
)
"""Mistakes that nothing else can be, likeliest first."""
IN_PART: tuple[Callable[[Trial, Sequence[Vector]], Iterator[Suggestion]], ...] = (
    other_amount,
    seat_of_settlement,
)
"""Mistakes that leave a part of the settlement as it is."""
