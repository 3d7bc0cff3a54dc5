"""Until when one may withdraw: a later answer is absent, late and without an excuse."""

from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine

from tests.support.builders import league, link, pairs, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.attendance.attendance_list import attendance_of
from tournaments.selectors.attendance.excuses import Excuse, find_excuses, withdraw_until
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

START = datetime(2025, 11, 6, 19, 30, tzinfo=UTC)
UNTIL = START - timedelta(hours=3)
SECOND = timedelta(seconds=1)
COUNTING = {"primary": "evening_points", "excused": "lowest", "tie_breaks": ("wins",)}
PATH = "/clubs/riverside/events/{}/meetings/2025-11-06/{}"


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={**COUNTING, "withdraw_hours": 3})


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=START.date(), time=time(19, 30)
    )


@pytest.fixture
def ada(cast: Cast) -> Player:
    (ada,) = players(cast.riverside, "Ada A.")
    link(ada, cast.users["piet"])
    return ada


def withdraw(cast: Cast, meeting: Meeting, now: datetime) -> Attendance:
    return state_own_attendance(Operation(cast.actor("piet"), now), meeting, state="absent")


def without_excuses(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "excused": "nothing"})


@pytest.mark.parametrize(
    ("now", "expected"),
    [(UNTIL - SECOND, Excuse(is_excused=True)), (UNTIL, Excuse(is_late=True))],
)
def test_answer_excuses_until_the_time_to_withdraw(
    cast: Cast, meeting: Meeting, ada: Player, now: datetime, expected: Excuse
) -> None:
    row = withdraw(cast, meeting, now)
    assert row.state == "absent", "a late answer is kept"
    assert find_excuses([row], [meeting])[row.pk] == expected
    assert attendance_of(meeting).rows[-1].excuse == expected


def test_evening_without_a_time_has_no_time_to_withdraw(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    meeting.time = None
    meeting.save()
    row = withdraw(cast, meeting, START + SECOND)
    assert withdraw_until(meeting) is None
    assert find_excuses([row], [meeting])[row.pk] == Excuse(is_excused=True)


def test_time_to_withdraw_is_by_the_clock_of_the_club(event: Event, meeting: Meeting) -> None:
    event.club.time_zone = "Europe/Berlin"
    event.settings["withdraw_hours"] = 24
    meeting.date = datetime(2025, 10, 26, tzinfo=UTC).date()
    until = withdraw_until(meeting)
    assert until is not None
    assert until.isoformat() == "2025-10-25T19:30:00+02:00", "an hour is put in on that night"


@pytest.mark.parametrize(
    ("now", "before", "after"),
    [
        (
            UNTIL - SECOND,
            "You can withdraw until 6 Nov 2025, 16:30. A later answer that you do not come is late",
            "You are excused.",
        ),
        (
            UNTIL,
            "The time to withdraw ended at 6 Nov 2025, 16:30: a new answer that you do not come",
            "You answered after the time to withdraw, so you are not excused.",
        ),
    ],
)
def test_player_reads_it_before_and_after_the_answer(
    cast: Cast, event: Event, meeting: Meeting, ada: Player, now: datetime, before: str, after: str
) -> None:
    pages = (PATH.format(event.slug, "coming"), "/me")
    with time_machine.travel(now, tick=False):
        client = cast.client("piet")
        for page in pages:
            assert before in text_of(client.get(page)), page
        (evening,) = client.get("/api/v1/me").json()["evenings"]
        assert evening["withdraw_until"] == "2025-11-06T16:30:00Z"
        withdraw(cast, meeting, now)
        for page in pages:
            assert after in text_of(client.get(page)), page
        (evening,) = client.get("/api/v1/me").json()["evenings"]
    assert (evening["excused"], evening["answered_late"]) == (now < UNTIL, now >= UNTIL)


def test_player_reads_that_the_partner_answered_too_late(
    cast: Cast, event: Event, meeting: Meeting, ada: Player
) -> None:
    (ben,) = players(cast.riverside, "Ben B.")
    pairs(event, [ada, ben])
    link(ben, cast.users["hanna"])
    withdraw(cast, meeting, UNTIL)
    with time_machine.travel(UNTIL, tick=False):
        page = text_of(cast.client("hanna").get(PATH.format(event.slug, "coming")))
    assert "Ada A. gave this answer for you too." in page
    assert "Ada A. answered after the time to withdraw, so you are not excused." in page
    assert "You answered" not in page


def test_saved_answer_says_that_it_was_too_late(
    cast: Cast, event: Event, meeting: Meeting, ada: Player
) -> None:
    page = PATH.format(event.slug, "coming")
    with time_machine.travel(UNTIL, tick=False):
        answer = cast.client("piet").post(page, {"answer": "no"}, follow=True)
        assert "You answered too late to be excused." in text_of(answer)
        without_excuses(event)
        answer = cast.client("piet").post(page, {"answer": "no"}, follow=True)
        assert "You answered after the time to withdraw." in text_of(answer)


@pytest.mark.parametrize(
    ("now", "counts", "text"),
    [
        (UNTIL, True, "(answered too late: not excused)"),
        (UNTIL, False, "(answered late)"),
        (UNTIL - SECOND, False, ""),
    ],
)
def test_list_of_the_director_says_who_was_late(
    cast: Cast,
    event: Event,
    meeting: Meeting,
    ada: Player,
    now: datetime,
    *,
    counts: bool,
    text: str,
) -> None:
    withdraw(cast, meeting, now)
    if not counts:
        without_excuses(event)
    page = text_of(cast.client("dirk").get(PATH.format(event.slug, "attendance")))
    if text:
        assert text in page
    else:
        assert "(answered" not in page


def test_rule_sheet_says_until_when(cast: Cast, event: Event) -> None:
    page = cast.client("piet").get(f"/clubs/riverside/events/{event.slug}/how-it-counts")
    text = "You are excused only if you say so at least 3 hours before an evening."
    assert text in text_of(page)
