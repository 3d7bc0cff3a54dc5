"""Until six in the morning, today is the day of the evening that is still on."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.events.meetings import (
    day_to_play,
    evening_day,
    find_evening_on,
    meeting_on,
)
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.events.events import enter_players
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import change_meeting, plan_meeting, start_evening
from tournaments.services.rounds.rounds import move_round

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ZONE = ZoneInfo("America/New_York")
TONIGHT = date(2025, 11, 6)
TOMORROW = TONIGHT + timedelta(days=1)
PLAYED_AT = datetime.combine(TONIGHT, time(21), ZONE)


def at(clock: str, day: date = TOMORROW) -> datetime:
    return datetime.combine(day, time.fromisoformat(clock), ZONE)


@pytest.fixture
def event(cast: Cast) -> Event:
    Club.objects.filter(pk=cast.riverside.pk).update(time_zone="America/New_York")
    cast.riverside.refresh_from_db()
    return league(cast.riverside)


def plan(event: Event, day: date = TONIGHT) -> Meeting:
    return plan_meeting(by_tests(at("12:00", TONIGHT)), event, day=day)


def play(event: Event, day: date = TONIGHT, *, posted_at: datetime = PLAYED_AT) -> Round:
    """Play a round of an evening to its end, and close it."""
    people = list(event.club.players.order_by("player_id")[:4])
    people = people or players(event.club, *"ABCD")
    number = Round.objects.filter(event=event).count() + 1
    game = table(event, people, round_number=number, on=day)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(posted_at), game, to="complete")
    move_round(by_tests(posted_at), Round.objects.get(event=event, number=number), to="closed")
    Round.objects.filter(event=event, number=number).update(posted_at=posted_at)
    return Round.objects.get(event=event, number=number)


NIGHT = [("23:59", TONIGHT), ("00:00", TOMORROW), ("05:59", TOMORROW)]


@pytest.mark.parametrize("is_played", [True, False])
def test_evening_that_is_not_over_is_today_until_six(event: Event, *, is_played: bool) -> None:
    plan(event)
    if is_played:
        play(event)
    for clock, day in NIGHT:
        assert evening_day(event, at(clock, day)) == TONIGHT, clock
        assert find_evening_on(event, at(clock, day)) == meeting_on(event, TONIGHT), clock
        assert day_to_play(event, at(clock, day)) == TONIGHT, clock
    assert evening_day(event, at("06:00")) == TOMORROW
    assert find_evening_on(event, at("06:00")) is None


def test_evening_that_is_over_is_not_today_after_midnight(event: Event) -> None:
    plan(event)
    play(event)
    end_evening(by_tests(at("23:30", TONIGHT)), meeting_on(event, TONIGHT))
    assert evening_day(event, at("23:59", TONIGHT)) == TONIGHT
    assert find_evening_on(event, at("23:59", TONIGHT)) is None
    for clock in ("00:00", "05:59", "06:00"):
        assert evening_day(event, at(clock)) == TOMORROW, clock
    assert start_evening(by_tests(at("00:30")), event).date == TOMORROW


def test_round_that_takes_the_end_back_makes_it_today_again(event: Event) -> None:
    plan(event)
    play(event)
    end_evening(by_tests(at("23:30", TONIGHT)), meeting_on(event, TONIGHT))
    play(event, posted_at=at("23:40", TONIGHT))
    assert evening_day(event, at("00:00")) == TONIGHT


def test_day_without_an_evening_is_the_calendars(event: Event) -> None:
    for clock, day in NIGHT:
        assert evening_day(event, at(clock, day)) == day, clock
        assert find_evening_on(event, at(clock, day)) is None


def test_cancelled_evening_and_a_date_of_sheets_are_not_on(event: Event) -> None:
    meeting = plan(event)
    change_meeting(by_tests(PLAYED_AT), meeting, state="cancelled", reason="Snow.")
    assert evening_day(event, at("00:00")) == TOMORROW
    assert find_evening_on(event, at("23:59", TONIGHT)) is None
    Meeting.objects.filter(pk=meeting.pk).update(state="planned", gathers=False)
    assert evening_day(event, at("00:00")) == TOMORROW


def test_new_evening_of_the_day_is_today_once_it_has_begun(event: Event) -> None:
    plan(event)
    plan(event, TOMORROW)
    play(event)
    assert evening_day(event, at("00:10")) == TONIGHT
    play(event, TOMORROW, posted_at=at("00:05"))
    assert evening_day(event, at("00:10")) == TOMORROW
    assert find_evening_on(event, at("00:10")) == meeting_on(event, TOMORROW)


def test_round_that_is_played_keeps_the_evening_beyond_six(event: Event) -> None:
    plan(event)
    round_ = play(event)
    Round.objects.filter(pk=round_.pk).update(state="playing", posted_at=at("23:00", TONIGHT))
    assert evening_day(event, at("06:00")) == TONIGHT
    assert evening_day(event, at("10:59")) == TONIGHT
    assert evening_day(event, at("11:00")) == TOMORROW


@pytest.mark.parametrize(("clock", "is_there"), [("05:59", True), ("06:00", False)])
def test_who_comes_at_night_checks_in_at_the_evening_without_a_round(
    cast: Cast, event: Event, clock: str, *, is_there: bool
) -> None:
    meeting = plan(event)
    (person,) = players(event.club, "Ada")
    Player.objects.filter(pk=person.pk).update(user=cast.users["piet"])
    op = Operation(actor_of(cast.users["piet"]), at(clock))
    if is_there:
        assert state_own_attendance(op, meeting_on(event, meeting.date), state="here")
        return
    with pytest.raises(Conflict, match="meeting_is_another_day"):
        state_own_attendance(op, meeting_on(event, meeting.date), state="here")


@pytest.mark.parametrize(("clock", "day"), [("05:59", TONIGHT), ("06:00", TOMORROW)])
def test_evening_that_was_planned_starts_after_midnight(
    event: Event, clock: str, day: date
) -> None:
    plan(event)
    assert start_evening(by_tests(at(clock)), event).date == day


@pytest.mark.parametrize(("clock", "day"), [("05:59", TONIGHT), ("06:00", TOMORROW)])
def test_manage_proposes_attendance_and_penalties_of_the_evening_that_is_on(
    event: Event, dirk: Client, clock: str, day: date
) -> None:
    plan(event)
    enter_players(event=event, players=players(event.club, "Ada"))
    with time_machine.travel(at(clock), tick=False):
        manage = dirk.get("/clubs/riverside/events/league/direct").content.decode()
        penalties = dirk.get("/clubs/riverside/events/league/ledger").content.decode()
        sheets = dirk.get("/clubs/riverside/events/league/paper-sheets").content.decode()
    is_night = day == TONIGHT
    assert ("nobody is checked in yet" in manage) is is_night
    assert ("Start tonight" in manage) is not is_night
    assert ('<option value="2025-11-06" selected' in penalties) is is_night
    assert f'value="{TONIGHT}"' in sheets, "the evening has no sheets yet"


def test_evening_of_yesterday_takes_three_queries_at_most(event: Event) -> None:
    plan(event)
    play(event)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        evening_day(event, at("00:00"))
    assert len(queries) == 3
    with CaptureQueriesContext(connection) as queries:
        evening_day(event, at("23:59", TONIGHT))
    assert len(queries) == 1
