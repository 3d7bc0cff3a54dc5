"""Deadlines of local days, over changes of the clock and with a clock that steps back."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scoring.ladders.absence_and_deadlines import deadline, iso_week, weeks_due


@pytest.mark.parametrize(
    ("zone", "since", "days", "over"),
    [
        ("Europe/Amsterdam", "2025-03-12T19:00", 3, "2025-03-15T23:00"),
        ("Europe/Amsterdam", "2025-03-28T19:00", 3, "2025-03-31T22:00"),
        ("Europe/Amsterdam", "2025-10-24T19:00", 3, "2025-10-27T23:00"),
        ("Europe/Amsterdam", "2025-03-12T23:30", 3, "2025-03-16T23:00"),
        ("America/Los_Angeles", "2025-03-12T05:00", 1, "2025-03-13T07:00"),
        ("Africa/Cairo", "2025-04-23T12:00", 1, "2025-04-24T22:00"),
        ("America/Havana", "2025-10-31T12:00", 1, "2025-11-02T04:00"),
    ],
    ids=[
        "winter", "to summer time", "to winter time", "after midnight in the zone", "west",
        "no midnight", "midnight twice",
    ],
)  # fmt: skip
def test_deadline_ends_with_the_last_local_day(zone: str, since: str, days: int, over: str) -> None:
    at = datetime.fromisoformat(since).replace(tzinfo=UTC)
    found = deadline(at, days, ZoneInfo(zone))
    assert found == datetime.fromisoformat(over).replace(tzinfo=UTC)
    last = (found - timedelta(microseconds=1)).astimezone(ZoneInfo(zone)).date()
    assert last == at.astimezone(ZoneInfo(zone)).date() + timedelta(days=days)


def test_sweep_of_a_week_is_keyed_by_the_week_across_new_year() -> None:
    assert [iso_week(date(2024, 12, day)) for day in (29, 30)] == ["2024-W52", "2025-W01"]
    assert [iso_week(day) for day in weeks_due(date(2024, 12, 18), date(2025, 1, 5))] == [
        "2024-W52", "2025-W01",
    ]  # fmt: skip


def test_sweep_runs_once_a_week_and_catches_up_with_the_weeks_it_missed() -> None:
    friday = date(2025, 9, 5)
    assert weeks_due(friday, friday) == []
    assert weeks_due(friday, date(2025, 9, 4)) == []
    assert weeks_due(date(2025, 9, 1), date(2025, 9, 15)) == [date(2025, 9, 8), date(2025, 9, 15)]
    assert weeks_due(date(2025, 9, 22), date(2025, 9, 15)) == []
