"""Who is idle on a ladder is warned before the sweep, on the pages that members look at."""

from datetime import date, timedelta

import pytest
import time_machine

from tests.support.builders import TESTS, publish_all
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import ladder
from tournaments.models.events import Event
from tournaments.services.events.events import move_event
from tournaments.services.ladders.members import report_absence

pytestmark = pytest.mark.usefixtures("clock")

LADDER = "/clubs/riverside/events/ladder/ladder"
DROPS = "Idle: drops on 15 Dec 2025"
SAID = "You have not played here for 32 days. You drop on {day} unless you play before"


@pytest.fixture
def idle(cast: Cast, clock: time_machine.Traveller) -> Event:
    """ABCDEF of 6 November 2025, a Thursday; nobody has played until 8 December, and E was away.

    F is idle like the others, and has nobody to fall behind.
    """
    event = ladder(cast, "ABCDEF", now=NOW)
    report_absence(
        actor=TESTS, event=event, player_id="E", since=NOW.date(), until=date(2025, 12, 4), now=NOW
    )
    publish_all(event, now=NOW)
    clock.shift(timedelta(days=32))
    return event


def test_member_is_told_when_they_drop(cast: Cast, idle: Event) -> None:
    client = cast.client("A")
    assert SAID.format(day="15 Dec 2025") in text_of(client.get(LADDER))
    own = text_of(client.get(f"{LADDER}/members/A"))
    assert SAID.format(day="Monday 15 December 2025") in own
    other = text_of(client.get(f"{LADDER}/members/B"))
    assert "No game here for 32 days: drops on Monday 15 December 2025" in other


def test_host_sees_everybody_who_is_warned_but_who_is_away(cast: Cast, idle: Event) -> None:
    assert text_of(cast.client("hanna").get(LADDER)).count(DROPS) == 4  # neither E nor F
    report_absence(
        actor=TESTS,
        event=idle,
        player_id="B",
        since=date(2025, 12, 1),
        now=NOW + timedelta(days=32),
    )
    assert text_of(cast.client("hanna").get(LADDER)).count(DROPS) == 3


def test_others_learn_of_nobody(cast: Cast, idle: Event) -> None:
    for path in (LADDER, f"{LADDER}/members/A"):
        assert "drop" not in text_of(cast.client().get(path)).lower()


def test_week_before_nobody_is_warned_and_no_time_runs_on_a_closed_ladder(
    cast: Cast, idle: Event, clock: time_machine.Traveller
) -> None:
    clock.shift(timedelta(days=-7))
    assert "drops on" not in text_of(cast.client("hanna").get(LADDER))
    clock.shift(timedelta(days=7))
    move_event(actor=TESTS, event=idle, to="closed", now=NOW + timedelta(days=32))
    assert "drops on" not in text_of(cast.client("hanna").get(LADDER))
