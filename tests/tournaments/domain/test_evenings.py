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
        ({7, 9}, None),
        ({7, 5}, None),
        ({7, 8, 5}, 1),
        ({7, 8, 5, 6}, None),
    ],
)
def test_more_than_half_of_the_people_make_a_table_theirs(
    people: Collection[int], table: int | None
) -> None:
    evenings = Evenings({1: FIRST}, {(1, 1): {7, 8}, (1, 2): {5, 6}})
    assert evenings.table_of(1, people) == table
    assert evenings.place(FIRST, people) == Place(1, table)


@pytest.mark.parametrize(("people", "is_of_others"), [({5, 6}, True), ({5, 7}, False)])
def test_table_is_of_others_where_nobody_of_these_sat(
    people: Collection[int], is_of_others: bool
) -> None:
    evenings = Evenings({1: FIRST}, {(1, 1): {7, 8}, (1, 2): set[int]()})
    assert evenings.is_of_others((1, 1), people) is is_of_others
    assert not evenings.is_of_others((1, 2), people)
    assert evenings.tables_in(1) == {1}


def test_who_sat_in_another_round_sat_at_no_table_of_this_one() -> None:
    evenings = Evenings({1: FIRST, 2: SECOND}, {(1, 1): {7, 8}, (2, 1): {5, 6}})
    assert evenings.table_of(2, {7, 8}) is None
    assert (evenings.knows(1, {7, 9}), evenings.knows(2, {7, 8})) == (True, False)
    assert evenings.place(SECOND, {7, 8}) == Place(2, None)


def test_new_dates_pass_over_rounds_of_other_dates_and_closed_ones() -> None:
    evenings = Evenings({1: FIRST, 2: None, 3: SECOND}, closed={4, 6})
    assert evenings.numbers(["a", "b", "c"], 1) == {"a": 2, "b": 5, "c": 7}
    assert evenings.numbers(["a"], 6) == {"a": 7}
    assert evenings.numbers([], 1) == {}
