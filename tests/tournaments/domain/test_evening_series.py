"""The dates of a series of evenings, and series that are refused."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from scoring.errors import Refused
from tournaments.domain.evening_series import (
    MOST_EVENINGS,
    Break,
    Series,
    moved_to_weekday,
    read_days_off,
    series_days,
)

THURSDAY = date(2026, 1, 8)
DAYS_OF_JANUARY = [date(2026, 1, number) for number in range(1, 32)]
EASTER = Break(date(2026, 4, 2), date(2026, 4, 9), "Easter")


def codes(refused: Refused) -> list[tuple[str, str]]:
    return [(problem.code, "/".join(map(str, problem.at))) for problem in refused.problems]


def days(series: Series) -> list[str]:
    return [f"{day:%d.%m.%y}" for day in series_days(series)]


def test_a_last_day_that_is_an_evening_is_one_and_the_day_before_it_is_not() -> None:
    series = Series(THURSDAY, last=date(2026, 1, 22))
    assert days(series) == ["08.01.26", "15.01.26", "22.01.26"]
    assert len(series_days(replace(series, last=date(2026, 1, 21)))) == 2
    assert days(Series(THURSDAY)) == ["08.01.26"]


@pytest.mark.parametrize(
    ("interval", "second"),
    [
        ("day", date(2026, 1, 9)),
        ("week", date(2026, 1, 15)),
        ("two_weeks", date(2026, 1, 22)),
        ("four_weeks", date(2026, 2, 5)),
        ("month", date(2026, 2, 12)),
    ],
)
def test_intervals(interval: str, second: date) -> None:
    assert series_days(Series(THURSDAY, interval, number=2)) == (THURSDAY, second)


@pytest.mark.parametrize(
    ("first", "months"),
    [
        (date(2026, 12, 3), ["03.12.26", "07.01.27", "04.02.27"]),
        (date(2026, 1, 28), ["28.01.26", "25.02.26", "25.03.26"]),
        (date(2026, 1, 29), ["29.01.26", "26.02.26", "26.03.26", "30.04.26"]),
    ],
)
def test_weekday_of_each_month(first: date, months: Sequence[str]) -> None:
    assert days(Series(first, "month", number=len(months))) == months


def test_monthly_series_ends_on_its_last_day_and_not_before() -> None:
    series = Series(date(2026, 1, 29), "month", last=date(2026, 4, 30))
    assert len(series_days(series)) == 4
    assert len(series_days(replace(series, last=date(2026, 4, 29)))) == 3


def test_number_counts_evenings_outside_of_breaks() -> None:
    series = Series(date(2026, 3, 26), number=2, breaks=[EASTER])
    assert days(series) == ["26.03.26", "02.04.26", "09.04.26", "16.04.26"]
    both = replace(series, last=date(2026, 4, 22))
    assert len(series_days(both)) == 4
    with pytest.raises(Refused) as refused:
        series_days(replace(both, number=3))
    assert codes(refused.value) == [("other_number_of_evenings", "number")]


def test_most_dates_are_planned_and_one_more_is_refused() -> None:
    most = MOST_EVENINGS
    assert len(series_days(Series(THURSDAY, number=most))) == most
    assert len(series_days(Series(THURSDAY, "day", last=date(2026, 4, 17)))) == most
    for series, at in (
        (Series(THURSDAY, "day", last=date(2026, 4, 18)), "last"),
        (Series(THURSDAY, number=most, breaks=[EASTER]), "number"),
    ):
        with pytest.raises(Refused) as refused:
            series_days(series)
        assert codes(refused.value) == [("too_many_evenings", at)]
        assert refused.value.problems[0].facts == {"found": 101, "expected": 100}


@pytest.mark.parametrize(
    ("series", "problems"),
    [
        (Series(date(1899, 12, 31)), [("bad_day", "first")]),
        (Series(THURSDAY, last=date(3000, 1, 1)), [("bad_day", "last")]),
        (Series(date(2999, 12, 26), number=2), [("bad_day", "number")]),
        (Series(THURSDAY, last=date(2026, 1, 7)), [("ends_before_it_starts", "last")]),
        (Series(THURSDAY, "year"), [("bad_setting", "interval")]),
        (Series(THURSDAY, number=0), [("bad_number_of_evenings", "number")]),
        (Series(THURSDAY, number=101), [("bad_number_of_evenings", "number")]),
        (
            Series(THURSDAY, breaks=[Break(THURSDAY, date(2026, 1, 7))]),
            [("ends_before_it_starts", "breaks/0/last")],
        ),
        (
            Series(THURSDAY, breaks=[EASTER, Break(date(2026, 3, 30), EASTER.first)]),
            [("day_in_two_breaks", "breaks/0/first")],
        ),
        (
            Series(
                THURSDAY, breaks=[Break(date(2026, 1, n), date(2026, 1, n)) for n in range(1, 32)]
            ),
            [("too_many_breaks", "breaks")],
        ),
    ],
)
def test_series_is_refused(series: Series, problems: list[tuple[str, str]]) -> None:
    with pytest.raises(Refused) as refused:
        series_days(series)
    assert codes(refused.value) == problems


def test_breaks_that_meet_at_no_day_are_two() -> None:
    before = Break(date(2026, 3, 30), date(2026, 4, 1))
    series = Series(date(2026, 3, 26), number=1, breaks=[EASTER, before])
    assert days(series) == ["26.03.26"]
    assert series.break_on(date(2026, 4, 1)) == before
    assert series.break_on(EASTER.first) == series.break_on(EASTER.last) == EASTER
    assert series.break_on(date(2026, 4, 10)) is None


def test_days_off_are_read_and_a_date_twice_is_named() -> None:
    breaks = read_days_off("2026-04-02; 2026-12-21 to 2027-01-04\n2026-05-01 – 2026-05-03,", "off")
    assert [(each.first.day, each.last.day) for each in breaks] == [(2, 2), (21, 4), (1, 3)]
    assert read_days_off("", "off") == ()
    for text, code in (
        ("2 April", "bad_day"),
        ("2026-04-31", "bad_day"),
        ("2026-04-02, 2026-04-02", "day_in_two_breaks"),
        ("2026-04-02 to 2026-04-01", "ends_before_it_starts"),
    ):
        with pytest.raises(Refused) as refused:
            read_days_off(text, "off")
        assert codes(refused.value) == [(code, "off")]


def test_day_of_the_week_is_that_of_the_same_week() -> None:
    assert moved_to_weekday(date(2026, 3, 5), 0) == date(2026, 3, 2)
    assert moved_to_weekday(date(2026, 3, 5), 6) == date(2026, 3, 8)
    assert moved_to_weekday(date(2026, 3, 5), 3) == date(2026, 3, 5)
