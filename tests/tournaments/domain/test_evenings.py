"""By which round and table the rows of a file are those of an evening that an event has."""

from collections.abc import Collection
from datetime import date

import pytest

from tournaments.domain.imports.evenings import Evenings, Place

FIRST = date(2026, 11, 5)
SECOND = date(2026, 11, 12)
THIRD = date(2026, 11, 19)


@pytest.mark.parametrize(
    ("days", "known"),
    [
        ([THIRD], None),
        ([FIRST, THIRD], FIRST),
        ([FIRST, SECOND], None),
        ([FIRST, FIRST], FIRST),
        ([], None),
    ],
)
def test_date_of_two_readings_is_the_one_of_them_that_the_event_has(
    days: Collection[date], known: date | None
) -> None:
    assert Evenings({1: FIRST, 2: SECOND, 3: None}).known(days) == known


@pytest.mark.parametrize(
    ("people", "table"),
    [
        ({7}, 1),
        ({7, 8, 9}, 1),
        ({7, 9}, 4),
        ({7, 5}, 4),
        ({7, 8, 5}, 1),
        ({7, 8, 5, 6}, 4),
    ],
)
def test_more_than_half_of_the_people_make_a_table_theirs(
    people: Collection[int], table: int
) -> None:
    evenings = Evenings({1: FIRST}, {(1, 1): {7, 8}, (1, 2): {5, 6}})
    assert evenings.table_in(1, people, 4) == table
    place = evenings.place(FIRST, people)
    assert place == Place(1, table if table == 1 else None)


@pytest.mark.parametrize(("given", "table"), [(1, 3), (2, 3), (3, 3), (4, 5), (5, 5)])
def test_people_who_sat_at_none_get_the_first_free_table_from_the_given_one_on(
    given: int, table: int
) -> None:
    tables = {(1, 1): {7}, (1, 2): {8}, (1, 3): set[int](), (1, 4): {6}, (2, 3): {5}}
    assert Evenings({1: FIRST, 2: SECOND}, tables).table_in(1, {9}, given) == table


def test_who_sat_in_another_round_sat_at_no_table_of_this_one() -> None:
    evenings = Evenings({1: FIRST, 2: SECOND}, {(1, 1): {7, 8}, (2, 1): {5, 6}})
    assert evenings.table_in(2, {7, 8}, 1) == 2
    assert evenings.place(SECOND, {7, 8}) == Place(2, None)


def test_new_dates_pass_over_rounds_of_other_dates_and_closed_ones() -> None:
    evenings = Evenings({1: FIRST, 2: None, 3: SECOND}, closed={4, 6})
    assert evenings.numbers(["a", "b", "c"], 1) == {"a": 2, "b": 5, "c": 7}
    assert evenings.numbers(["a"], 6) == {"a": 7}
    assert evenings.numbers([], 1) == {}
