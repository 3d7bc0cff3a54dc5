"""What earlier games count in a later stage: all of it, half of it, or nothing.

Pure. The rule is in this one place: see docs/algorithms/standings.md, "What counts in a stage".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final

from scoring.standings.rows import PLACES, Sums

CARRIES: Final[Mapping[str, Fraction]] = {
    "all": Fraction(1),
    "half": Fraction(1, 2),
    "none": Fraction(0),
    "seeding": Fraction(0),
}
"""What a stage carries over → the weight of the games before it. `seeding` is `none`: the games
before give the order of the draw and nothing else."""


@dataclass(frozen=True, slots=True)
class CarryRule:
    """A stage that does not count everything: its rounds, and a weight for the games before them.

    `codes` has who plays in it; None is everybody.
    """

    rounds: frozenset[int]
    factor: Fraction
    codes: frozenset[str] | None = None


def carry_lines(
    code: str, rounds: Collection[int], rules: Sequence[CarryRule]
) -> tuple[tuple[int, Fraction], ...]:
    """Return from which round on an entrant's earlier games count less, with the factor.

    A stage's rule holds from the entrant's first game in it. Until then the games count as they
    did, so that nobody loses the place that they went on with before they have played.

    Args:
        rounds: those in which the entrant has played.
        rules: in the order of the stages.

    >>> half = CarryRule(frozenset({2, 3}), Fraction(1, 2))
    >>> none = CarryRule(frozenset({4}), Fraction(0), frozenset({"b"}))
    >>> carry_lines("a", {1, 3}, [half, none]), carry_lines("b", {1}, [half, none])
    (((3, Fraction(1, 2)),), ())
    """
    found = []
    for rule in rules:
        played = rule.rounds.intersection(rounds)
        if played and (rule.codes is None or code in rule.codes):
            found.append((min(played), rule.factor))
    return tuple(found)


def weight(round_: int, lines: Iterable[tuple[int, Fraction]]) -> Fraction:
    """Return what a game or a bye of a round counts: the product over the later `carry_lines`.

    >>> lines = [(2, Fraction(1, 2)), (4, Fraction(1, 2))]
    >>> [str(weight(round_, lines)) for round_ in (1, 2, 3, 4)]
    ['1/4', '1/2', '1/2', '1']
    """
    return prod((factor for first, factor in lines if round_ < first), start=Fraction(1))


def weighted(sums: Sequence[tuple[Fraction, Sums]]) -> Sums:
    """Return sums in which each part counts as often as its weight says; exact.

    What counts whole things (games, hands) may be a fraction here: half a game. Such sums make a
    primary value and are shown nowhere.

    Args:
        sums: at least one part.

    >>> one = Sums("a", 2, 8, 26, (1,), 0, Fraction(1), Fraction(1), 0, 0, byes=1)
    >>> half = weighted([(Fraction(1, 2), one), (Fraction(1), one)])
    >>> half.points, half.games, half.byes
    (Fraction(39, 1), Fraction(3, 1), Fraction(3, 2))
    """
    first = sums[0][1]
    added = {name: sum(weight * getattr(one, name) for weight, one in sums) for name in _ADDED}
    indices = [None if one.index is None else weight * one.index for weight, one in sums if weight]
    known = [one for one in indices if one is not None]
    places = tuple(
        sum(weight * (one.places[at] if at < len(one.places) else 0) for weight, one in sums)
        for at in range(PLACES)
    )
    index = sum(known, Fraction(0)) if len(known) == len(indices) else None
    return replace(first, **added, places=places, index=index)  # type: ignore[arg-type]


_ADDED: Final = (
    "games", "hands", "points", "shared_wins", "win_share", "beaten", "moons", "moons_against",
    "difference", "uncounted", "place_points", "byes",
)  # fmt: skip
