"""Likely causes: which mistake on the paper makes points that no hand makes.

Pure. A cause is tried, not guessed: the mistake is undone in the points (or in the marks beside
them), and it is a cause when some hand makes the result. A settlement is compared with what every
slam would book, either way, wherever the other cards lie. The causes are tried likeliest first; the
first few are suggested and none is applied. See docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

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
from scoring.engine.deal_points import Hand
from scoring.engine.distribute import Option, Packing, packing_of
from scoring.engine.moon import Shot, amount
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand
from scoring.errors import Suggestion
from scoring.numbers import Complex, Score, score_json


class Vector(NamedTuple):
    """The points that a settled slam books to each unit, and whether the rules leave it open."""

    story: Hypothesis
    holder: int
    scores: tuple[Score, ...]
    is_open: bool


def seat_fact(trial: Trial, unit: int) -> dict[str, object]:
    """The seat of a unit, as facts name it."""
    return {"seat": seat_names(trial.ready.seats)[trial.captured.sides[unit][0]]}


def vectors_of(trial: Trial) -> Iterator[Vector]:
    """The points that each slam would book, both ways, wherever the other cards lie."""
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
        for added in vectors if off.story.way == "self" else ():
            same = (added.story.shot, added.holder, added.story.way) == (shot, off.holder, "others")
            mixed = (*added.scores[:unit], off.scores[unit], *added.scores[unit + 1 :])
            if same and trial.points == mixed:
                yield Suggestion("both_settlements", ("points", unit), seat_fact(trial, unit))
                return


def shooter_as_well(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """Everybody written with what a moon gives to the others, the shooter too."""
    for added in vectors:
        shot, _ = _shooter(added)
        gives = trial.ready.zero + amount(shot.ready.pay.others_amount, shot.ready)
        if added.story.way == "others" and gives and set(trial.points) == {gives}:
            yield Suggestion("shooter_as_well", ("points",), {"points": score_json(gives)})
            return


def not_open(trial: Trial, vectors: Sequence[Vector]) -> Iterator[Suggestion]:
    """A settlement that these rules do not have, or not now: the settlements that they have."""
    closed = [vector for vector in vectors if vector.scores == trial.points and not vector.is_open]
    for wrong in closed[:1]:
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
        points_written, right = {trial.points[n] for n in moved}, {vector.scores[n] for n in moved}
        still = all(
            trial.points[n] == vector.scores[n] for n in range(len(trial.points)) if n not in moved
        )
        if (
            len(points_written) == len(right) == 1
            and vector.is_open
            and still
            and (off or len(moved) > 1)
        ):
            wrong, score = points_written.pop(), right.pop()
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
        facts = {
            "points": score_json(vector.scores[unit]),
            "found": score_json(trial.points[unit]),
        }
        hint = Suggestion("seat_should_be", ("points", unit), facts | seat_fact(trial, unit))
        if hint.text not in texts:
            texts.add(hint.text)
            yield hint


def _moves(trial: Trial, vector: Vector, wrong: int) -> bool:
    """Whether the rest of a settlement beside the wrong seat still shows it."""
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


MOST_CAUSES = 4
MOST_ALIKE = 2
"""Further ones of a cause, after all causes were heard."""
MOST_TRIES = 200
"""Hands that are looked for, for each cause."""
PATIENCE = 4_000
"""Steps of each search, so that no sheet keeps anybody waiting for its causes."""


Explains = Callable[[Trial], bool]


ONLY_WITH_A_SEAT = ("seat_should_be", "wrong_sign")
"""Causes that say nothing where they may have happened at several seats."""


EITHER = ("charged_not_marked", "charged_not_counted")
"""Causes told once for all the cards that it may have been."""


def causes(trial: Trial, explains: Explains | None = None) -> tuple[Suggestion, ...]:
    """The likely causes of points whose total no hand makes, likeliest first.

    Args:
        trial: the hand; nothing in it is changed.
        explains: whether some hand makes the points of a trial; by default an ordinary one.
    """
    patient = trial._replace(patience=PATIENCE)
    if explains is not None:
        return tuple(islice(_from_guesses(patient, explains, (wrong_sign, one_seat)), MOST_CAUSES))
    vectors = list(vectors_of(patient))
    whole = _whole(patient, vectors)
    if whole:
        return whole
    likely = chain(
        _from_guesses(patient, _is_a_hand, PRECISE),
        chain.from_iterable(part(patient, vectors) for part in IN_PART),
        _from_guesses(patient, _is_a_hand, VAGUE),
    )
    return tuple({hint.text: hint for hint in islice(likely, MOST_CAUSES)}.values())


def _whole(trial: Trial, vectors: Sequence[Vector]) -> tuple[Suggestion, ...]:
    for cause in WHOLE:
        hints = tuple(islice(cause(trial, vectors), MOST_CAUSES))
        if hints:
            return hints
    return ()


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
    """Points that no cards make for their seat; else the cards for which nobody has the points."""
    kinds = kinds_of(trial, 0)
    if piles_of(kinds) > MOST_WORK:
        return
    tables = [table_of(trial, ORDINARY, unit, None, kinds) for unit in range(len(trial.points))]
    bare = [n for n, table in enumerate(tables) if trial.points[n] not in table]
    for unit in bare:
        facts = {"points": score_json(trial.points[unit]), **seat_fact(trial, unit)}
        yield Suggestion("no_cards_make", ("points", unit), facts)
    if not bare:
        options = [table[point] for table, point in zip(tables, trial.points, strict=True)]
        yield from _nowhere(trial, packing_of(kinds), options)


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
            card = card_name(next(iter(names))) if len(names) == 1 else f"{len(names)} cards"
            yield Suggestion("fits_nowhere", ("points",), {"card": card})


def _from_guesses(
    trial: Trial, explains: Explains, table: Sequence[Callable[[Trial], Iterator[Guess]]]
) -> Iterator[Suggestion]:
    """Every cause that explains the points; what else may be of the same cause comes last."""
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
    """One cause, with its seat where only one fits; None where it says nothing without a seat."""
    first = guesses[0]
    if first.code in EITHER:
        cards = " or the ".join(str(guess.facts["card"]) for guess in guesses)
        return Suggestion(first.code, ("declared",), {"card": cards})
    units = {guess.unit for guess in guesses}
    if len(units) > 1 and first.code in ONLY_WITH_A_SEAT:
        return None
    if len(units) > 1 or first.unit is None:
        return Suggestion(first.code, ("points",), first.facts)
    return Suggestion(
        first.code, ("points", first.unit), {**first.facts, **seat_fact(trial, first.unit)}
    )
