"""Reminders of evenings: who is asked when, and who is told that an evening was changed."""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.mails import html_of, send_waiting
from tests.support.scenarios.challenges import run_clock
from tests.support.scenarios.mails import give_addresses, link
from tournaments.domain.notices import Channels
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline, Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.clubs.change_club import change_club
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import create_event, move_event
from tournaments.services.notices.notifications import save_notifications
from tournaments.services.rounds.meetings import change_meeting, plan_meeting, remove_meeting

pytestmark = pytest.mark.django_db

EVENING = date(2025, 11, 20)
DUE = datetime.fromisoformat("2025-11-17T10:00:00-05:00")
"""Three days before, at ten o'clock of the club."""

Outgoing = list[EmailMultiAlternatives]


@pytest.fixture(autouse=True)
def at_home(cast: Cast) -> None:
    """The club is in New York; Piet and Hanna are players, Dirk has an account only."""
    change_club(by_tests(), cast.riverside, wanted={"time_zone": "America/New_York"})
    cast.riverside.refresh_from_db()
    give_addresses()
    ada, bo, _cy = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.")
    link(cast, "piet", ada)
    link(cast, "hanna", bo)


@pytest.fixture
def meeting(cast: Cast, event: Event) -> Meeting:
    return planned(cast, event)


def planned(cast: Cast, event: Event, day: date = EVENING) -> Meeting:
    return plan_meeting(cast.operation("dirk"), event, day=day, at=time(19, 30), place="Hall")


def due_of(meeting: Meeting) -> datetime | None:
    rows = Deadline.objects.filter(kind="evening_reminder", key=str(meeting.pk))
    return rows.values_list("due_at", flat=True).first()


def change(cast: Cast, event: Event, **changes: Any) -> None:
    change_meeting(cast.operation("dirk"), meeting_on(event, EVENING), **changes)


def comes(cast: Cast, name: str, meeting: Meeting, state: str = "expected") -> None:
    state_own_attendance(cast.operation(name), meeting, state=state)


def sent(mailoutbox: Outgoing, now: datetime = DUE) -> list[tuple[str, str]]:
    """Send what is waiting; who got what since the last time."""
    mailoutbox.clear()
    with time_machine.travel(now, tick=False):
        assert send_waiting()
    return sorted((one.to[0].partition("@")[0], str(one.subject)) for one in mailoutbox)


ASKED = "Will you come on Thursday 20 November 2025?"
CANCELLED = "League: the evening of Thursday 20 November 2025 is cancelled"


def test_linked_players_are_asked_once_at_ten_of_the_club(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    assert due_of(meeting) == DUE
    assert run_clock(event, DUE - timedelta(minutes=1)) == 0
    assert run_clock(event, DUE) == 1
    assert sent(mailoutbox) == [("hanna", ASKED), ("piet", ASKED)]
    text = mailoutbox[0].body
    for said in ("League", "Thursday 20 November 2025", "19:30", "Hall", "/will-you-come/"):
        assert said in text
        assert said in html_of(mailoutbox[0])
    assert "Bo B." not in mailoutbox[1].body
    change(cast, event, place="Boathouse")
    run_clock(event, DUE + timedelta(hours=2))
    assert sent(mailoutbox) == [], "nobody is asked a second time of the same evening"
    assert not Notice.objects.exists(), "the page Me asks there"


def test_who_stays_away_or_stopped_such_mails_is_not_asked(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    comes(cast, "piet", meeting, "absent")
    off = {"evening_reminder": Channels(by_mail=False, as_notice=False)}
    save_notifications(cast.operation("hanna"), club=cast.riverside, wanted=off)
    run_clock(event, DUE)
    assert sent(mailoutbox) == []


def test_who_comes_is_reminded_of_it(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    comes(cast, "piet", meeting)
    run_clock(event, DUE)
    assert ("piet", "Reminder: you come on Thursday 20 November 2025") in sent(mailoutbox)


def test_club_sets_the_days_and_turns_reminders_off(cast: Cast, meeting: Meeting) -> None:
    def save(days: int | None) -> None:
        change_club(cast.operation("olga"), cast.riverside, wanted={"reminder_days": days})

    save(7)
    assert due_of(meeting) == DUE - timedelta(days=4)
    save(None)
    assert due_of(meeting) is None
    save(14)
    assert due_of(meeting) == NOW + timedelta(hours=1), "nearer than 14 days: an hour from now"


@pytest.mark.parametrize("then", ["cancel", "remove"])
def test_cancelled_evening_reminds_nobody_and_those_who_come_are_told(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing, then: str
) -> None:
    comes(cast, "piet", meeting)
    if then == "cancel":
        change(cast, event, state="cancelled", reason="Flood in the hall.")
    else:
        remove_meeting(cast.operation("dirk"), meeting, anyway=True)
    assert run_clock(event, DUE) == 0
    assert sent(mailoutbox, NOW) == [("piet", CANCELLED)]
    assert ("Flood in the hall." in mailoutbox[0].body) is (then == "cancel")
    assert [notice.kind for notice in Notice.objects.all()] == ["evening_cancelled"]


def test_reminder_that_waits_is_not_sent_of_an_evening_that_was_cancelled_since(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    run_clock(event, DUE)
    change(cast, event, state="cancelled", reason="Flood.")
    assert sent(mailoutbox) == []
    assert not Outbox.objects.filter(sent_at=None).exists()


def test_moved_evening_tells_those_who_come_and_asks_again_before_its_new_day(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    comes(cast, "piet", meeting)
    run_clock(event, DUE)
    sent(mailoutbox)
    change(cast, event, day=EVENING + timedelta(days=7), at=time(20))
    told = "The evening of Thursday 20 November 2025 was moved to Thursday 27 November 2025"
    assert sent(mailoutbox) == [("piet", told)]
    assert "20:00" in mailoutbox[0].body
    week = timedelta(days=7)
    assert due_of(meeting) == DUE + week
    run_clock(event, DUE + week)
    assert [name for name, _text in sent(mailoutbox, DUE + week)] == ["hanna", "piet"]


def test_player_of_two_events_of_a_day_is_asked_for_the_one_that_he_plays_in(
    cast: Cast, event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    cup = league(cast.riverside, slug="cup", name="Cup")
    planned(cast, cup)
    piet = Player.objects.get(user=cast.users["piet"])
    add_entrant(by_tests(), cup, kind="player", players=[piet])
    run_clock(event, DUE)
    run_clock(cup, DUE)
    assert [name for name, _text in sent(mailoutbox)] == ["hanna", "piet"], "one mail a person"
    events = {one.to[0].partition("@")[0]: one.body for one in mailoutbox}
    assert "Event: Cup" in events["piet"]
    assert "Event: League" in events["hanna"]


def test_draft_asks_when_opened_a_closed_event_does_not(cast: Cast, mailoutbox: Outgoing) -> None:
    draft = create_event(
        by_tests(), cast.riverside, slug="draft", name="Draft", kind="league",
        variant="hearts", settings={"primary": "raw_per_hand", "mixed_raw": True},
    )  # fmt: skip
    planned(cast, draft)
    assert run_clock(draft, DUE) == 0
    assert sent(mailoutbox) == []
    move_event(by_tests(DUE), draft, to="open")
    assert run_clock(draft, DUE + timedelta(hours=1)) == 1
    assert len(sent(mailoutbox, DUE + timedelta(hours=1))) == 2


def test_reminder_that_comes_after_the_evening_is_not_sent(
    event: Event, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    run_clock(event, DUE)
    assert sent(mailoutbox, DUE + timedelta(days=5)) == []
