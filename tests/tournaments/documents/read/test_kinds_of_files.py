"""Running totals that begin again are told from totals of whole games."""

from collections.abc import Sequence
from datetime import date

import pytest

from scoring.rules.catalogue import catalogue
from tournaments.documents.read.kinds_of_files import Sample, find_kind
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.models.imports import Holds

HEARTS = catalogue().rules("hearts")
NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
FIRST_SUMS = ((2, 16, 3, 5), (10, 16, 18, 8), (10, 19, 23, 26))
SECOND_SUMS = ((15, 7, 0, 4), (21, 8, 17, 6), (26, 9, 33, 10), (28, 13, 36, 27))
GAMES = ((31, 40, 20, 13), (20, 31, 40, 39), (10, 44, 23, 53))


def kind_of(evenings: Sequence[Sequence[Sequence[int]]], rounds: Sequence[int]) -> tuple[str, str]:
    numbers = iter(rounds)
    rows = [[str(next(numbers)), *map(str, line)] for lines in evenings for line in lines]
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(NAMES))
    return find_kind(Sample(("Round", *NAMES), rows, people, HEARTS, date(2026, 12, 1)))


@pytest.mark.parametrize("rounds", [(1, 2, 3, 1, 2, 3, 4), (1, 2, 3, 3, 4, 5, 6)])
def test_running_totals_that_begin_again_with_the_rounds_are_hands(rounds: Sequence[int]) -> None:
    assert kind_of([FIRST_SUMS, SECOND_SUMS], rounds) == (Holds.HANDS, "running")


def test_games_whose_differences_are_no_hands_are_totals() -> None:
    kind = kind_of([FIRST_SUMS, GAMES], (1, 2, 3, 1, 2, 3))
    assert kind == (Holds.TOTALS, "adds_not_up")


@pytest.mark.parametrize(
    "heads", [("Player", "Points"), ("Player 1", "Score 1"), ("Player 1", "Score 1", "Points")]
)
def test_points_of_players_or_of_numbered_seats_are_totals(heads: Sequence[str]) -> None:
    sample = Sample(heads, [["x"] * len(heads)], People(()), HEARTS, date(2026, 12, 1))
    assert find_kind(sample) == (Holds.TOTALS, "one_score")
