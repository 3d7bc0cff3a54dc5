"""Deadlines in local days, absence and inactivity."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scoring.ladders.rules import (
    AbsencePeriod,
    LadderRules,
    away_problems,
    days_away,
    deadline,
    dropping,
    idleness,
    is_away_too_long,
    iso_week,
    weeks_due,
)


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


RULES = LadderRules()
MONDAY = date(2025, 3, 3)
SEASON = (date(2025, 1, 1), date(2025, 6, 30))


@pytest.mark.parametrize(
    ("days", "state"),
    [(0, "active"), (27, "active"), (28, "warned"), (34, "warned"), (35, "dropping")],
)
def test_idle_member_is_warned_after_28_days_and_drops_after_35(days: int, state: str) -> None:
    idle = idleness(MONDAY, [], MONDAY + timedelta(days=days), RULES)
    assert idle == (state, days, date(2025, 4, 7))


def test_days_away_do_not_count_as_idle() -> None:
    away = [AbsencePeriod(date(2025, 3, 10), date(2025, 3, 19))]
    idle = idleness(MONDAY, away, MONDAY + timedelta(days=35), RULES)
    assert idle == ("active", 25, date(2025, 4, 17))


def test_absence_from_the_day_of_the_last_game_on_counts_from_the_next_day() -> None:
    away = [AbsencePeriod(MONDAY, MONDAY + timedelta(days=2))]
    assert idleness(MONDAY, away, MONDAY + timedelta(days=2), RULES)[1] == 0
    assert idleness(MONDAY, away, MONDAY + timedelta(days=10), RULES)[1] == 8


def test_clock_that_stepped_back_makes_no_negative_days() -> None:
    assert idleness(MONDAY, [], MONDAY - timedelta(days=1), RULES)[1] == 0


def test_sweep_takes_the_idle_who_are_not_away() -> None:
    on = MONDAY + timedelta(days=35)
    rows: list[tuple[str, date, list[AbsencePeriod]]] = [
        ("A", MONDAY, []),
        ("B", MONDAY + timedelta(days=1), []),
        ("C", MONDAY - timedelta(days=40), [AbsencePeriod(on)]),
        ("D", MONDAY - timedelta(days=40), []),
    ]
    assert dropping(rows, on, RULES) == ("A", "D")


def test_absences_that_overlap_are_counted_once() -> None:
    away = [
        AbsencePeriod(date(2025, 3, 5), date(2025, 3, 9)),
        AbsencePeriod(date(2025, 3, 1), date(2025, 3, 6)),
    ]
    assert days_away(away, *SEASON) == 9
    assert days_away(away, date(2025, 3, 2), date(2025, 3, 7)) == 6


def test_thirty_days_a_season_and_not_one_more() -> None:
    before = [AbsencePeriod(date(2025, 2, 1), date(2025, 2, 20))]
    fits = AbsencePeriod(date(2025, 3, 1), date(2025, 3, 10))
    assert away_problems(fits, before, SEASON, RULES) == ()
    [problem] = away_problems(AbsencePeriod(fits.since, date(2025, 3, 11)), before, SEASON, RULES)
    assert (problem.code, dict(problem.facts)) == (
        "absence_too_long", {"found": 11, "left": 10, "most": 30}
    )  # fmt: skip
    assert (
        away_problems(AbsencePeriod(date(2025, 6, 25), date(2025, 8, 1)), before, SEASON, RULES)
        == ()
    )


def test_absence_that_ends_before_it_begins_is_refused() -> None:
    [problem] = away_problems(AbsencePeriod(MONDAY, date(2025, 3, 2)), [], SEASON, RULES)
    assert problem.code == "absence_backwards"


def test_open_absence_is_too_long_from_its_31st_day_on() -> None:
    away = [AbsencePeriod(date(2025, 2, 1))]
    assert not is_away_too_long(away, SEASON[0], date(2025, 3, 2), RULES)
    assert is_away_too_long(away, SEASON[0], date(2025, 3, 3), RULES)
    back = [AbsencePeriod(date(2025, 2, 1), date(2025, 3, 5))]
    assert not is_away_too_long(back, SEASON[0], date(2025, 3, 6), RULES)
