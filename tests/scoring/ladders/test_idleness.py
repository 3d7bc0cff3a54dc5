"""Away keeps the place; idle is warned first and then drops once a week."""

from datetime import date, timedelta

import pytest

from scoring.ladders.absence_and_deadlines import (
    AbsencePeriod,
    away_problems,
    days_away,
    dropping,
    idleness,
    is_away_too_long,
)
from scoring.ladders.rules import LadderRules

RULES = LadderRules()
MONDAY = date(2025, 3, 3)
SEASON = (date(2025, 1, 1), date(2025, 6, 30))


@pytest.mark.parametrize(
    ("days", "state"),
    [(0, "active"), (27, "active"), (28, "warned"), (34, "warned"), (35, "dropping")],
)
def test_idle_member_is_warned_after_28_days_and_drops_after_35(days: int, state: str) -> None:
    found = idleness("A", MONDAY, [], MONDAY + timedelta(days=days), RULES)
    assert (found.days, found.state, found.drops_from) == (days, state, date(2025, 4, 7))


def test_days_away_do_not_count_as_idle() -> None:
    away = [AbsencePeriod(date(2025, 3, 10), date(2025, 3, 19))]
    found = idleness("A", MONDAY, away, MONDAY + timedelta(days=35), RULES)
    assert (found.days, found.state, found.drops_from) == (25, "active", date(2025, 4, 17))


def test_absence_from_the_day_of_the_last_game_on_counts_from_the_next_day() -> None:
    away = [AbsencePeriod(MONDAY, MONDAY + timedelta(days=2))]
    assert idleness("A", MONDAY, away, MONDAY + timedelta(days=2), RULES).days == 0
    assert idleness("A", MONDAY, away, MONDAY + timedelta(days=10), RULES).days == 8


def test_clock_that_stepped_back_makes_no_negative_days() -> None:
    assert idleness("A", MONDAY, [], MONDAY - timedelta(days=1), RULES).days == 0


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
