"""Boards of a duplicate event compared over the field, beside a plain loop over every pair.

Without a database and without Django.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from benchmarks.measure import Figure, Goal, compared, in_turn, once
from benchmarks.sizes import Sizes
from scoring.duplicate.matchpoints import field_scores
from scoring.seating.splitmix import SplitMix

BOARDS: Final = 1000
TABLES: Final = 20
LINES: Final = 4
SCORES: Final = (0, 1, 2, 3, 5, 8, 13, 14, 26)

Lines = Sequence[Sequence[tuple[str, int]]]


def figures(sizes: Sizes) -> Iterator[Figure]:
    lines = drawn_lines()
    means = {player: (mean.percentage, mean.datum) for player, mean in field_scores(lines).items()}
    if means != plain_means(lines):
        sys.exit("duplicate: the means are not those of the plain loop")
    own, plain = in_turn(
        sizes.repeats,
        "duplicate",
        partial(once, partial(field_scores, lines)),
        partial(once, partial(plain_means, lines)),
    )
    name = f"{BOARDS:,} boards at {TABLES} tables compared over the field"
    yield compared("duplicate", name, own, "a plain loop over every pair", plain, Goal(3))


def drawn_lines() -> Lines:
    """Every line of every board, with scores from a fixed seed."""
    chance = SplitMix(1)
    return [
        [(f"{line}-{table}", SCORES[chance.below(len(SCORES))]) for table in range(TABLES)]
        for _ in range(BOARDS)
        for line in range(LINES)
    ]


def plain_means(lines: Lines) -> dict[str, tuple[Fraction, Fraction]]:
    """The means as one would write them: each score beside every other."""
    doubled: dict[str, int] = defaultdict(int)
    ahead: dict[str, int] = defaultdict(int)
    boards: dict[str, int] = defaultdict(int)
    for line in lines:
        total, tables = sum(score for _, score in line), len(line)
        for player, own in line:
            worse = -1  # the own score is equal to itself
            for _, other in line:
                if other > own:
                    worse += 2
                elif other == own:
                    worse += 1
            doubled[player] += worse
            ahead[player] += total - tables * own
            boards[player] += 1
    others = TABLES - 1
    return {
        player: (
            Fraction(100 * doubled[player], 2 * others * n),
            Fraction(ahead[player], others * n),
        )
        for player, n in boards.items()
    }
