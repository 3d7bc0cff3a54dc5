"""Evenings that are not planned, changed or removed, and why."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event, Stage
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.selectors.events.meetings import cancelled_ahead, meeting_on
from tournaments.services.rounds.meetings import change_meeting, plan_meeting, remove_meeting

pytestmark = pytest.mark.django_db

DAY = date(2025, 11, 20)
OP = by_tests()
BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"day": date(1899, 12, 31)}, "bad_day"),
    ({"day": date(3000, 1, 1)}, "bad_day"),
    ({"place": "x" * 121}, "place_too_long"),
    ({"day": date(2025, 11, 27)}, "meeting_exists"),
]


@pytest.fixture
def meeting(cast: Cast) -> Meeting:
    event = league(cast.riverside)
    plan_meeting(OP, event, day=date(2025, 11, 27))
    return plan_meeting(OP, event, day=DAY)


@pytest.mark.parametrize(("values", "code"), BAD_VALUES)
def test_evening_is_not_planned(meeting: Meeting, values: dict[str, Any], code: str) -> None:
    with pytest.raises((Refused, Conflict), match=code):
        plan_meeting(OP, meeting.event, **{"day": date(2025, 12, 4), **values})


@pytest.mark.parametrize(
    ("values", "code"),
    [
        *BAD_VALUES,
        ({"state": "running"}, "state_not_allowed"),
        ({"state": "cancelled"}, "reason_required"),
        ({"state": "cancelled", "reason": "x" * 501}, "bad_text"),
        ({"based_on": "other"}, "meeting_outdated"),
    ],
)
def test_evening_is_not_changed(meeting: Meeting, values: dict[str, Any], code: str) -> None:
    with pytest.raises((Refused, Conflict), match=code):
        change_meeting(OP, meeting, **values)
    assert meeting_on(meeting.event, DAY).place == ""


def test_table_of_a_new_round_is_seated_on_no_cancelled_evening(meeting: Meeting) -> None:
    people = players(meeting.club, *"ABCD")
    change_meeting(OP, meeting, state="cancelled", reason="Snow.")
    with pytest.raises(Conflict) as refused:
        table(meeting.event, people, on=DAY)
    assert refused.value.problem.code == "meeting_is_cancelled"
    assert not Round.objects.exists()
    table(meeting.event, people, on=DAY + timedelta(days=1))
    change_meeting(OP, meeting_on(meeting.event, DAY), state="planned")
    table(meeting.event, people, round_number=2, on=DAY)
    assert Round.objects.get(number=2).meeting == meeting


def close(meeting: Meeting) -> None:
    Event.objects.filter(pk=meeting.event_id).update(state="closed")


def play(meeting: Meeting) -> None:
    stage = Stage.objects.get(event=meeting.event)
    Round.objects.create(
        club=meeting.club, event=meeting.event, stage=stage, meeting=meeting, number=1
    )


def drop(meeting: Meeting) -> None:
    Meeting.objects.filter(pk=meeting.pk).delete()


def answer(meeting: Meeting) -> None:
    (ada,) = players(meeting.club, "Ada A.")
    Attendance.objects.create(
        club=meeting.club, meeting=meeting, player=ada, state="absent", stated_at=NOW
    )


@pytest.mark.parametrize(
    ("prepare", "code"), [(close, "event_is_over"), (play, "meeting_has_rounds"), (drop, "meeting")]
)
@pytest.mark.parametrize(
    "operation",
    [
        lambda meeting: change_meeting(OP, meeting, day=date(2025, 12, 4)),
        lambda meeting: remove_meeting(OP, meeting),
    ],
)
def test_evening_stays_where_it_was_played_or_is_over(
    meeting: Meeting,
    operation: Callable[[Meeting], object],
    prepare: Callable[[Meeting], None],
    code: str,
) -> None:
    prepare(meeting)
    with pytest.raises((Conflict, Missing), match=code):
        operation(meeting)


def test_evening_is_not_removed_unseen(meeting: Meeting) -> None:
    with pytest.raises(Conflict, match="meeting_outdated"):
        remove_meeting(OP, meeting, based_on="other")
    answer(meeting)
    with pytest.raises(Conflict, match="meeting_has_attendance"):
        remove_meeting(OP, meeting)


def test_event_that_is_over_has_no_new_evening(meeting: Meeting) -> None:
    close(meeting)
    with pytest.raises(Conflict, match="event_is_over"):
        plan_meeting(OP, meeting.event, day=date(2025, 12, 4))


@pytest.mark.parametrize(
    "values",
    [{"day": date(1900, 1, 1)}, {"day": date(2999, 12, 31)}, {"place": "x" * 120}],
)
def test_evening_is_planned_at_the_bounds(meeting: Meeting, values: dict[str, Any]) -> None:
    planned = plan_meeting(OP, meeting.event, **{"day": date(2025, 12, 4), **values})
    assert planned.place == values.get("place", "")


@pytest.mark.parametrize("length", [200, 201])
def test_reason_of_a_cancelled_evening_is_kept_as_far_as_its_line_goes(
    meeting: Meeting, length: int
) -> None:
    cancelled = change_meeting(OP, meeting, state="cancelled", reason="x" * length)
    assert cancelled.cancel_reason == "x" * 200


@pytest.mark.parametrize(("n_cancelled", "n_named"), [(3, 3), (4, 3)])
def test_three_cancelled_evenings_are_named(
    meeting: Meeting, n_cancelled: int, n_named: int
) -> None:
    event = meeting.event
    for week in range(n_cancelled):
        later = plan_meeting(OP, event, day=date(2025, 12, 4) + timedelta(days=7 * week))
        change_meeting(OP, later, state="cancelled", reason="No hall.")
    assert len(cancelled_ahead([event], NOW.date(), None)) == n_named


@pytest.mark.parametrize(("days", "is_named"), [(28, True), (29, False)])
def test_cancelled_evening_after_the_next_one_is_named_four_weeks_before(
    meeting: Meeting, days: int, is_named: bool
) -> None:
    event = meeting.event
    later = plan_meeting(OP, event, day=NOW.date() + timedelta(days=days))
    change_meeting(OP, later, state="cancelled", reason="No hall.")
    assert list(cancelled_ahead([event], NOW.date(), meeting)) == [later] * is_named
