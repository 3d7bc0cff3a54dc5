"""Likely causes: which mistake on the paper makes points that no hand makes.

Pure. A cause is tried, not guessed: the mistake is undone in the points (or in what is
beside them), and it is a cause when some hand makes what is left. The causes are tried likeliest
first; the first few are suggested and none is applied. See docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

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
from scoring.diagnosis.diagnose_settlements import IN_PART, WHOLE, Vector, seat_fact, vectors_of
from scoring.diagnosis.shooter_hypotheses import (
    ORDINARY,
    Trial,
    kinds_of,
    piles_of,
    score_hypothesis,
    table_of,
    unsettled,
)
from scoring.engine.distribute import Option, Packing, packing_of
from scoring.errors import Suggestion
from scoring.numbers import score_json

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
        found = tuple(islice(cause(trial, vectors), MOST_CAUSES))
        if found:
            return found
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
        found: dict[tuple[str, str], list[Guess]] = {}
        for guess in islice(cause(trial), MOST_TRIES):
            if explains(guess.right):
                card = "" if guess.code in EITHER else str(guess.facts.get("card"))
                found.setdefault((guess.code, card), []).append(guess)
        hints = filter(None, (_suggestion(trial, guesses) for guesses in found.values()))
        yield from islice(hints, 1)
        later += list(islice(hints, MOST_ALIKE))
    yield from later


def _suggestion(trial: Trial, guesses: Sequence[Guess]) -> Suggestion | None:
    """One cause, at the seat where only one can have made it; None where it says nothing else."""
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
