"""Two directors at one moment on PostgreSQL: both make links, or one removes the table."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.project import PATIENCE_S, LiveProject
from tournaments.errors import Missing
from tournaments.models.access import TableLink
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.services.access.table_links import make_link, make_links
from tournaments.services.rounds.seating import clear_table

pytestmark = pytest.mark.pg
TABLES = 4
ROUNDS = short_or_long(3, 8)
REMOVALS = short_or_long(3, 40)


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
    line = threading.Barrier(2, timeout=PATIENCE_S)

    def make() -> list[int]:
        made = []
        with inside(project):
            for round_ in rounds:
                line.wait()
                made.append(len(make_links(actor=TESTS, round_=round_, now=NOW)))
        return made

    with ThreadPoolExecutor(2) as pool:
        first, second = [one.result() for one in [pool.submit(make), pool.submit(make)]]
    assert sorted(zip(first, second, strict=True)) == sorted(
        (TABLES, 0) if one else (0, TABLES) for one in first
    )
    with inside(project):
        assert TableLink.objects.count() == ROUNDS * TABLES


def test_table_is_removed_while_somebody_makes_its_link(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(4)))
        for at in range(REMOVALS):
            table(event, people, round_number=1 + at)
        games = list(Game.objects.select_related("event__club", "club", "snapshot", "table__club"))
    line = threading.Barrier(2, timeout=PATIENCE_S)

    def each(act: Callable[[Game], object]) -> list[object]:
        said = []
        with inside(project):
            for game in games:
                line.wait()
                try:
                    said.append(act(game))
                except Missing as refused:
                    said.append(refused.problem.code)
        return said

    def make(game: Game) -> str:
        return "made" if make_link(actor=TESTS, table=game.table, now=NOW) else ""

    def remove(game: Game) -> None:
        clear_table(actor=TESTS, game=game, now=NOW)

    with ThreadPoolExecutor(2) as pool:
        made, removed = [
            one.result() for one in [pool.submit(each, make), pool.submit(each, remove)]
        ]
    assert set(made) <= {"made", "unknown_table"}
    assert removed == [None] * REMOVALS
    with inside(project):
        assert TableLink.objects.count() == Game.objects.count() == 0
