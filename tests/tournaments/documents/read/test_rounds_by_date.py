"""The rounds and tables of the rows of a file that has dates and no rounds."""

from collections.abc import Sequence
from datetime import date

import pytest

from tournaments.documents.read.rounds_by_date import RoundsByDate
from tournaments.domain.imports.evenings import Evenings

FIRST = date(2026, 11, 5)
SECOND = date(2026, 11, 12)
SECOND_TABLE = [5, 6, 7, 8]
SEATED = {(1, 1): {1, 2, 3, 4}, (1, 2): set(SECOND_TABLE)}


def noted(
    evenings: Evenings,
    *rows: tuple[str, str, Sequence[int]],
    first: int = 1,
    is_named: bool = False,
) -> RoundsByDate:
    rounds = RoundsByDate(evenings, first)
    for written, table, people in rows:
        rounds.note(written, table, people, is_named=is_named)
    rounds.number()
    return rounds


def place(
    rounds: RoundsByDate,
    written: str,
    people: Sequence[int],
    table: str,
    *,
    is_named: bool = False,
) -> tuple[str, str]:
    return rounds.place(written, people, table, is_named=is_named)


def test_new_dates_are_numbered_by_the_calendar_and_not_by_the_file() -> None:
    rounds = noted(
        Evenings(), ("19.11.2026", "1", [1]), ("5.11.2026", "1", [1]), ("later", "1", [1])
    )
    numbers = [
        place(rounds, written, [1], "1")[0] for written in ("5.11.2026", "19.11.2026", "later")
    ]
    assert numbers == ["1", "2", "3"]


def test_file_without_any_date_is_numbered_as_it_is_written() -> None:
    rounds = noted(Evenings({2: FIRST}), ("week B", "1", [1]), (" week A ", "1", [1]), first=2)
    assert [place(rounds, written, [1], "1")[0] for written in ("week B", " week A ")] == ["2", "3"]


def test_words_that_differ_in_spaces_around_them_are_one_round() -> None:
    rounds = noted(Evenings(), ("week A", "1", [1]), ("week A ", "1", [1]), ("week B", "1", [1]))
    numbers = [place(rounds, written, [1], "1")[0] for written in ("week A", "week A ", "week B")]
    assert numbers == ["1", "1", "2"]


def test_people_of_a_date_are_told_apart_by_the_tables_that_the_rows_name() -> None:
    rounds = noted(
        Evenings(), ("5.11.2026", "1", [1, 2]), ("5.11.2026", "2", [3]), ("5.11.2026", "1", [4])
    )
    assert rounds.people("5.11.2026", "1") == {1, 2, 4}
    assert rounds.people("5.11.2026", "2") == {3}
    assert rounds.people("5.11.2026", "3") == ()


def test_strangers_of_an_evening_get_a_free_table_and_the_seated_theirs() -> None:
    rounds = noted(Evenings({1: FIRST}, SEATED), ("5.11.2026", "1", [9]))
    assert place(rounds, "5.11.2026", [5, 6, 7, 8], "1") == ("1", "2")
    assert place(rounds, "5.11.2026", [9, 10, 11, 12], "1") == ("1", "3")
    assert place(rounds, "5.11.2026", [9, 10, 11, 12], "1.5") == ("1", "1.5")


THIRD_TABLE = [9, 10, 11, 12]
FOURTH_TABLE = [13, 14, 15, 16]


@pytest.mark.parametrize(("first", "tables"), [(1, ("3", "4")), (3, ("3", "4")), (4, ("4", "5"))])
def test_two_new_sheets_never_get_one_free_table(first: int, tables: tuple[str, str]) -> None:
    given = (str(first), str(first + 1))
    people = (THIRD_TABLE, FOURTH_TABLE)
    rows = [("5.11.2026", table, seated) for table, seated in zip(given, people, strict=True)]
    rounds = noted(Evenings({1: FIRST}, SEATED), *rows)
    placed = [place(rounds, written, seated, table) for written, table, seated in rows]
    assert placed == [("1", table) for table in tables]


def test_new_people_get_the_first_table_that_nobody_has_in_the_event_or_the_file() -> None:
    seated = {(1, 1): {7}, (1, 2): set[int](), (1, 3): {6}}
    rows = [("5.11.2026", "2", [6, 20]), ("5.11.2026", "1", [9])]
    rounds = noted(Evenings({1: FIRST}, seated), *rows)
    assert [place(rounds, day, seats, table) for day, table, seats in rows] == [
        ("1", "2"),
        ("1", "4"),
    ]


@pytest.mark.parametrize(("people", "table"), [(THIRD_TABLE, "3"), ([1, 10, 11, 12], "1")])
def test_table_that_a_file_names_is_its_own_unless_others_sat_there(
    people: Sequence[int], table: str
) -> None:
    """The other sheet of the file is table 2, where the event has nobody else."""
    rows = [("5.11.2026", "1", people), ("5.11.2026", "2", SECOND_TABLE)]
    rounds = noted(Evenings({1: FIRST}, SEATED), *rows, is_named=True)
    placed = [place(rounds, day, seats, named, is_named=True) for day, named, seats in rows]
    assert placed == [("1", table), ("1", "2")]


def test_second_sheet_of_the_same_people_is_not_put_on_the_first() -> None:
    rows = [("5.11.2026", "2", SECOND_TABLE), ("5.11.2026", "4", SECOND_TABLE)]
    rounds = noted(Evenings({1: FIRST}, SEATED), *rows)
    assert [place(rounds, day, seats, table) for day, table, seats in rows] == [
        ("1", "2"),
        ("1", "4"),
    ]


def test_hand_with_a_substitute_stays_with_its_sheet() -> None:
    rows = [("5.11.2026", "1", SECOND_TABLE), ("5.11.2026", "1", [5, 6, 20, 21])]
    rounds = noted(Evenings({1: FIRST}, SEATED), *rows)
    assert [place(rounds, day, seats, table) for day, table, seats in rows] == [("1", "2")] * 2


def test_strangers_on_a_day_of_two_rounds_are_unclear_and_on_a_day_of_one_are_not() -> None:
    evenings = Evenings({1: FIRST, 2: SECOND, 3: SECOND}, SEATED)
    rounds = noted(evenings, ("5.11.2026", "1", [9]), ("12.11.2026", "1", [9]))
    assert place(rounds, "5.11.2026", [9], "1") == ("1", "3")
    assert rounds.unclear == {}
    assert place(rounds, "12.11.2026", [9], "1") == ("4", "1")
    assert rounds.unclear == {4: (2, 3)}
