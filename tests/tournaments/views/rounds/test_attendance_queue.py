"""What a phone's queue is told of attendance that was taken without a signal."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import league, players
from tests.support.cast import Cast
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, Meeting
from tournaments.views.hands.phone_queue import outbox_owner

pytestmark = pytest.mark.django_db


@pytest.fixture
def meeting(cast: Cast) -> Meeting:
    event: Event = league(cast.riverside)
    players(event.club, "Ada A.", "Bo B.")
    return Meeting.objects.create(club=event.club, event=event, date=timezone.now().date())


def page_of(meeting: Meeting) -> str:
    return f"/clubs/riverside/events/league/meetings/{meeting.date}/attendance"


def send(client: Client, meeting: Meeting, owner: str, **sent: str) -> Any:
    return client.post(page_of(meeting), sent, headers={"X-Outbox": owner})


def test_way_is_open_for_a_host(cast: Cast, meeting: Meeting) -> None:
    answer = cast.client("hanna").get(page_of(meeting), headers={"X-Outbox": "?"})
    assert answer.json()["state"] == "ready"
    assert cast.client("hanna").get(page_of(meeting))["X-Keep-On-Phone"] == "yes"


def test_time_of_the_device_is_stored_and_an_older_statement_loses(
    cast: Cast, meeting: Meeting
) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    pressed = timezone.now() - timedelta(minutes=30)
    answer = send(hanna, meeting, f"later {owner}", here="RL01", at=pressed.isoformat())
    assert answer.json()["state"] == "sent"
    row = Attendance.objects.get()
    assert (row.state, row.stated_at, row.arrived_at) == ("here", pressed, pressed)
    older = pressed - timedelta(minutes=5)
    answer = send(hanna, meeting, owner, absent="RL01", at=older.isoformat())
    assert answer.json()["state"] == "sent"
    row.refresh_from_db()
    assert (row.state, row.stated_at) == ("here", pressed)


def test_clock_that_is_ahead_or_makes_no_sense_counts_as_now(cast: Cast, meeting: Meeting) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    for at in ("2999-01-01T00:00:00Z", "2025-99-99T00:00:00Z", "yesterday", "2025-01-01T00:00:00"):
        assert send(hanna, meeting, owner, here="RL01", at=at).json()["state"] == "sent"
        assert abs(Attendance.objects.get().stated_at - timezone.now()) < timedelta(minutes=1)


def test_presses_of_somebody_else_and_of_nobody_wait(cast: Cast, meeting: Meeting) -> None:
    owner = outbox_owner(cast.actor("hanna"))
    for client, status in ((cast.client("dirk"), 401), (Client(), 401)):
        answer = send(client, meeting, owner, here="RL01")
        assert (answer.status_code, answer.json()["state"]) == (status, "stopped")
    assert not Attendance.objects.exists()


def test_refusal_says_why(cast: Cast, meeting: Meeting) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    sent = {"times": "RL01", "from_round": "4", "leaves_after_round": "2"}
    answer = send(hanna, meeting, owner, **sent).json()
    assert answer["state"] == "refused"
    assert answer["reason"]
    assert send(hanna, meeting, owner, here="RL99").json()["state"] == "refused"
    assert not Attendance.objects.exists()
