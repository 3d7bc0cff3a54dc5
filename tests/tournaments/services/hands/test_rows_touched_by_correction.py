"""Invariant 6: changing one hand touches its table's rows, the sums of who sat there, the mark."""

from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tournaments.models.clubs import Club
from tournaments.models.hands import Game
from tournaments.models.standings import Aggregate

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def evening(club: Club, tables: int) -> Sequence[Game]:
    event = league(club, slug=f"league-{tables}")
    seated = players(club, *(f"Player {n}" for n in range(4 * tables)))
    games = [table(event, seated[4 * n : 4 * n + 4], table_number=n + 1) for n in range(tables)]
    for game in games:
        hand(game, 1, [4, 1, 2, 6], queen=3)
    return games


def queries_of_a_correction(game: Game) -> int:
    with CaptureQueriesContext(connection) as seen:
        hand(game, 1, [4, 1, 2, 6], queen=0, based_on=1, reason="the queen was North's")
    return len(seen.captured_queries)


def test_correction_takes_as_many_queries_with_8_players_as_with_200() -> None:
    club = enter_the_cast().riverside
    few, many = evening(club, 2), evening(club, 50)
    assert queries_of_a_correction(few[0]) == queries_of_a_correction(many[0])


def test_correction_leaves_the_sums_of_other_tables_alone() -> None:
    games = evening(enter_the_cast().riverside, 2)

    def sums() -> dict[str, int]:
        return dict(Aggregate.objects.values_list("entrant__code", "points"))

    before = sums()
    queries_of_a_correction(games[0])
    changed = {code for code, points in sums().items() if points != before[code]}
    assert changed == {"RL01", "RL04"}
