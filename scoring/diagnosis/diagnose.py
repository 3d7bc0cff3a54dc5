"""Likely causes: which mistake on the paper makes points that no hand makes.

Pure. A cause is tried, not guessed: the mistake is undone in the points (or in the marks beside
them), and it is a cause when some hand makes the result. A settlement is compared with what every
slam would book, either way, wherever the other cards lie. The causes are tried likeliest first; the
first few are suggested and none is applied. See docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from scoring.cards import card_name
from scoring.diagnosis.diagnose_cards import (
    MOST_WORK,
    PRECISE,
    VAGUE,
    Guess,
    charges,
    one_seat,
    wrong_sign,
)
from scoring.diagnosis.shooter_hypotheses import (
    ORDINARY,
    Hypothesis,
    Trial,
    kinds_of,
    piles_of,
    score_hypothesis,
    settled_deals,
    table_of,
    unsettled,
    ways_of,
)
from scoring.engine.deal_points import deal_points
from scoring.engine.distribute import Option, Packing
from scoring.engine.moon import Shot
from scoring.entry.sheet import seat_names
from scoring.errors import Suggestion
from scoring.numbers import Complex, Score, score_json


class Vector(NamedTuple):
    """The points that a settled slam books, where `holder` has the cards beside it."""

    shot: Shot
    way: str
    holder: int
    scores: tuple[Score, ...]
    is_open: bool


Cause: TypeAlias = Callable[[Trial, Sequence[Vector]], Iterator[Suggestion]]

MOST_CAUSES = 4

MOST_ALIKE = 2
"""Further ones of a cause, after all causes were heard."""

MOST_TRIES = 200
"""Hands that are looked for, for each cause."""

PATIENCE = 4_000
"""Steps of each search, so that no sheet keeps anybody waiting for its causes."""

ONLY_WITH_A_SEAT = ("seat_should_be", "wrong_sign")
"""Causes that say nothing where they may have happened at several seats."""

EITHER = ("charged_not_marked", "charged_not_counted")
"""Causes told once for all the cards that it may have been."""

Explains: TypeAlias = Callable[[Trial], bool]


def _seat_fact(trial: Trial, unit: int) -> dict[str, object]:
    return {"seat": seat_names(trial.ready.seats)[trial.captured.sides[unit][0]]}


def vectors_of(trial: Trial) -> Iterator[Vector]:
    """The points that each slam would book, in both forms, for every holder of the other cards."""
    for slam in trial.ready.slams:
        mode = slam.pay.mode
        if mode == "face" or slam.needs & trial.captured.unclaimed:
            continue
        # People mix up the two common forms of a moon, whatever their rules say.
        both = ("self", "others") if "others" in ways_of(mode) or mode == "self" else ()
        for unit in range(len(trial.points)):
            shot = Shot(slam, unit)
            for way in dict.fromkeys((*ways_of(mode), *both)):
                for holder, deal in enumerate(settled_deals(trial, Hypothesis(shot, way))):
                    is_open = trial.try_out(deal)[0] is not None
                    scores = deal_points(trial.ready, deal, trial.state, shot, way)
                    yield Vector(shot, way, holder, tuple(scores), is_open)


def both_settlements(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """The shooter's points taken off and given to the others as well."""
    for off in vectors:
        unit = off.shot.unit
        for added in vectors if off.way == "self" else ():
            same = (added.shot, added.holder, added.way) == (off.shot, off.holder, "others")
            mixed = (*added.scores[:unit], off.scores[unit], *added.scores[unit + 1 :])
            if same and trial.points == mixed:
                yield Suggestion("both_settlements", ("points", unit), _seat_fact(trial, unit))
                return


def shooter_as_well(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """The points of a moon written for everybody, the shooter included."""
    for added in vectors:
        gives = trial.ready.zero + added.shot.ready.others_amount
        if added.way == "others" and gives and set(trial.points) == {gives}:
            yield Suggestion("shooter_as_well", ("points",), {"points": score_json(gives)})
            return


def not_open(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A settlement that these rules do not allow, or not now; suggests those that they allow."""
    closed = [vector for vector in vectors if vector.scores == trial.points and not vector.is_open]
    for wrong in closed[:1]:
        for right in vectors:
            if right.is_open and (right.shot, right.holder) == (wrong.shot, wrong.holder):
                scores = list(map(score_json, right.scores))
                facts = {
                    "choice": right.way if right.way in ("self", "others") else None,
                    "by": list(trial.captured.sides[right.shot.unit]),
                    "scores": scores,
                    "text": "these rules settle it as " + ", ".join(map(str, scores)),
                }
                yield Suggestion("settle", ("points",), facts)


def other_amount(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A moon that was settled with a different amount than these rules have."""
    for vector in vectors:
        off = vector.way == "self"
        paid: set[tuple[Score, Score]] = set()
        still = True
        for unit, pair in enumerate(zip(trial.points, vector.scores, strict=True)):
            if (unit == vector.shot.unit) == off:
                paid.add(pair)
            else:
                still = still and pair[0] == pair[1]
        if vector.is_open and still and len(paid) == 1 and (off or len(trial.points) > 2):
            wrong, score = paid.pop()
            if wrong != score and _same_sign(wrong, score):
                facts = {"points": score_json(score), "found": score_json(wrong)}
                yield Suggestion("other_amount", ("points",), facts)
                return


def _same_sign(first: Score, second: Score) -> bool:
    if isinstance(first, Complex) or isinstance(second, Complex):
        return False
    return first * second > 0


def seat_of_settlement(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A settled moon in which one seat is wrong."""
    texts = set()
    for vector in vectors:
        pairs = list(zip(trial.points, vector.scores, strict=True))
        wrong = [n for n, (point, right) in enumerate(pairs) if point != right]
        if len(wrong) != 1 or not vector.is_open or not _moves(trial, vector, wrong[0]):
            continue
        unit = wrong[0]
        point, right = pairs[unit]
        facts = {"points": score_json(right), "found": score_json(point)}
        hint = Suggestion("seat_should_be", ("points", unit), facts | _seat_fact(trial, unit))
        if hint.text not in texts:
            texts.add(hint.text)
            yield hint


def _moves(trial: Trial, vector: Vector, wrong: int) -> bool:
    """Whether the rest of a settlement beside the wrong seat still shows it."""
    if vector.way == "self":
        shot = vector.shot
        return shot.unit != wrong or trial.points[wrong] == shot.ready.self_amount
    return any(score != trial.ready.zero for n, score in enumerate(vector.scores) if n != wrong)


WHOLE: tuple[Cause, ...] = (both_settlements, shooter_as_well, not_open)
"""Mistakes that nothing else can be, likeliest first."""
IN_PART: tuple[Cause, ...] = (other_amount, seat_of_settlement)
"""Mistakes that leave a part of the settlement as it is."""


def causes(trial: Trial, explains: Explains | None = None) -> tuple[Suggestion, ...]:
    """The likely causes of points whose total no hand makes, likeliest first.

    `explains` returns whether some hand makes the points of a trial; by default an ordinary hand.
    """
    patient = trial._replace(patience=PATIENCE)
    if explains is not None:
        return tuple(islice(_from_guesses(patient, explains, (wrong_sign, one_seat)), MOST_CAUSES))
    vectors = list(vectors_of(patient))
    if whole := _whole(patient, vectors):
        return whole
    likely = chain(
        _from_guesses(patient, _is_a_hand, PRECISE),
        chain.from_iterable(part(patient, vectors) for part in IN_PART),
        _from_guesses(patient, _is_a_hand, VAGUE),
    )
    return tuple({hint.text: hint for hint in islice(likely, MOST_CAUSES)}.values())


def _whole(trial: Trial, vectors: Sequence[Vector]) -> tuple[Suggestion, ...]:
    hints = (tuple(islice(cause(trial, vectors), MOST_CAUSES)) for cause in WHOLE)
    return next(filter(None, hints), ())


def causes_beside(trial: Trial) -> tuple[Suggestion, ...]:
    """The likely causes of points whose total is right but that no hand makes."""
    patient = trial._replace(patience=PATIENCE)
    likely = chain(
        _whole(patient, list(vectors_of(patient))),
        _from_guesses(patient, _is_a_hand, (charges,)),
        _misplaced(patient),
    )
    return tuple(islice(likely, MOST_CAUSES))


def _is_a_hand(trial: Trial) -> bool:
    """Whether an ordinary hand makes the points, or a slam that is not settled yet."""
    if score_hypothesis(trial, ORDINARY) is not None:
        return True
    return trial.ready.plain and unsettled(trial) is not None


def _misplaced(trial: Trial) -> Iterator[Suggestion]:
    """Points that no cards make for their seat; else the cards whose points no seat has."""
    kinds = kinds_of(trial, 0)
    if piles_of(kinds) > MOST_WORK:
        return
    tables = [table_of(trial, ORDINARY, unit, None, kinds) for unit in range(len(trial.points))]
    bare = [n for n, table in enumerate(tables) if trial.points[n] not in table]
    for unit in bare:
        facts = {"points": score_json(trial.points[unit]), **_seat_fact(trial, unit)}
        yield Suggestion("no_cards_make", ("points", unit), facts)
    if not bare:
        options = [table[point] for table, point in zip(tables, trial.points, strict=True)]
        yield from _nowhere(trial, Packing(kinds), options)


def _nowhere(
    trial: Trial, packing: Packing, options: Sequence[Sequence[Option]]
) -> Iterator[Suggestion]:
    """The cards of which all units together cannot have as many as there are."""
    room = [0] * len(packing.kinds)
    for piles in options:
        counts = [packing.counts(pile) for pile, _ in piles]
        room = [had + max(kind) for had, kind in zip(room, zip(*counts, strict=True), strict=True)]
    for kind, most in zip(packing.kinds, room, strict=True):
        if most < kind.bit_count():
            names = dict.fromkeys(trial.ready.deck.names(kind))
            if len(names) == 1:
                card = card_name(next(iter(names)))
            else:
                card = f"{len(names)} cards"
            yield Suggestion("fits_nowhere", ("points",), {"card": card})


def _from_guesses(
    trial: Trial, explains: Explains, table: Sequence[Callable[[Trial], Iterator[Guess]]]
) -> Iterator[Suggestion]:
    later = []
    for cause in table:
        guesses_by_cause: dict[tuple[str, str], list[Guess]] = {}
        for guess in islice(cause(trial), MOST_TRIES):
            if explains(guess.right):
                card = "" if guess.code in EITHER else str(guess.facts.get("card"))
                guesses_by_cause.setdefault((guess.code, card), []).append(guess)
        hints = filter(None, (_suggestion(trial, guesses) for guesses in guesses_by_cause.values()))
        yield from islice(hints, 1)
        later += list(islice(hints, MOST_ALIKE))
    yield from later


def _suggestion(trial: Trial, guesses: Sequence[Guess]) -> Suggestion | None:
    """One cause, with its seat if only one fits; None if it needs a seat and several fit."""
    first = guesses[0]
    if first.code in EITHER:
        cards = " or the ".join(str(guess.facts["card"]) for guess in guesses)
        return Suggestion(first.code, ("declared",), {"card": cards})
    units = {guess.unit for guess in guesses}
    if len(units) > 1 and first.code in ONLY_WITH_A_SEAT:
        return None
    if len(units) > 1 or first.unit is None:
        return Suggestion(first.code, ("points",), first.facts)
    facts = {**first.facts, **_seat_fact(trial, first.unit)}
    return Suggestion(first.code, ("points", first.unit), facts)
