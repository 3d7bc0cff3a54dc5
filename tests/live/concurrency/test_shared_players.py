"""Tables of the same players change at one moment: no sum is lost, nobody waits in a ring."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.conftest import Inside
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.project import LiveProject
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Aggregate
from tournaments.services.verification.event import recount_steps, verify_event

pytestmark = pytest.mark.pg

HANDS = short_or_long(4, 12)
SCHEME = {"primary": "placement_points", "drop_worst": 1}


def test_hands_of_three_tables_and_a_recount_at_one_moment_add_up(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)
    with inside(project):
        club = enter_the_cast().riverside
        event = league(club, settings=SCHEME)
        people = players(club, "Anna", "Bert", "Cora", "Dora")
        for number in (1, 2, 3):  # who sits first at one table sits last at another
            table(event, people[number:] + people[:number], round_number=number)
    line = threading.Barrier(4)

    def play(round_number: int) -> int:
        with inside(project):
            line.wait()
            games = Game.objects.select_related("event", "club", "snapshot", "table__round")
            game = games.get(table__round__number=round_number)
            for number in range(1, HANDS + 1):
                hearts = [number % 4, 4, 4, 5 - number % 4]
                hand(game, number, hearts, number % 4)
                hand(game, number, hearts, 3, based_on=1, reason="read again")
            return HANDS

    def recount() -> int:
        with inside(project):
            line.wait()
            for _ in range(HANDS):
                list(recount_steps(event.pk))
            return 0

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(play, number) for number in (1, 2, 3)]
        futures.append(pool.submit(recount))
        assert [one.result() for one in futures] == [HANDS, HANDS, HANDS, 0]
    with inside(project):
        found = verify_event(
            Event.objects.select_related("club").get(),
            repair=False,
            now=NOW,
            report=lambda words: None,
        )
        assert (found.found.hands, found.found.differences) == (3 * HANDS, [])
        kept = Aggregate.objects.values_list("games", "kept")
        assert [(games, one and one["games"]) for games, one in kept] == [(3, 2)] * 4
