"""Two directors make the links of a round at one moment on PostgreSQL: each table has one."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.project import LiveProject
from tournaments.models.links import TableLink
from tournaments.models.meetings import Round
from tournaments.services.access.table_links import make_links

pytestmark = pytest.mark.pg
TABLES = 4
ROUNDS = 8


def test_second_director_makes_no_link_where_the_first_one_just_did(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(4 * TABLES)))
        for at in range(ROUNDS * TABLES):
            seats = people[4 * (at % TABLES) :][:4]
            number, of_round = 1 + at % TABLES, 1 + at // TABLES
            table(event, seats, round_number=of_round, table_number=number)
        rounds = list(Round.objects.select_related("club").filter(event=event))
    line = threading.Barrier(2)

    def make() -> list[int]:
        made = []
        with inside(project):
            for round_ in rounds:
                line.wait()
                made.append(make_links(actor=TESTS, round_=round_, now=NOW))
        return made

    with ThreadPoolExecutor(2) as pool:
        first, second = [one.result() for one in [pool.submit(make), pool.submit(make)]]
    assert sorted(zip(first, second, strict=True)) == sorted(
        (TABLES, 0) if one else (0, TABLES) for one in first
    )
    with inside(project):
        assert TableLink.objects.count() == ROUNDS * TABLES
