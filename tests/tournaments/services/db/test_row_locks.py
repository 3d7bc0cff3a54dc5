"""Rows that acts lock keep their keys free: a row that only points at them waits for nobody."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import TESTS, league
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.playoffs import play, tied
from tests.support.seasons import assign_event
from tournaments.models.clubs import Club
from tournaments.services.events.seasons import make_season

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
OF_WORK = ("tournaments_dirty", "tournaments_deadline")
"""Rows that nothing points at."""


def put_into_a_season(club: Club) -> Callable[[], object]:
    event = league(club)
    season = make_season(
        actor=TESTS, club=club, slug="autumn", name="Autumn", starts_on="2025-09-01",
        ends_on="2025-12-31", preset="places", now=NOW,
    )  # fmt: skip
    return lambda: assign_event(actor=TESTS, event=event, season=season, now=NOW)


def play_a_playoff(club: Club) -> Callable[[], object]:
    event = tied(club)
    return lambda: play(event, 1, {"A": 3, "B": 3, "C": 20})


@pytest.mark.parametrize("prepared", [put_into_a_season, play_a_playoff])
def test_no_key_is_locked(prepared: Callable[[Club], Callable[[], object]]) -> None:
    act = prepared(enter_the_cast().riverside)
    with CaptureQueriesContext(connection) as queries:
        act()
    held = [one["sql"] for one in queries if " FOR UPDATE" in one["sql"]]
    assert [sql for sql in held if not any(f'FROM "{name}"' in sql for name in OF_WORK)] == []
    if connection.vendor == "postgresql":
        assert [one for one in queries if " FOR NO KEY UPDATE" in one["sql"]]
