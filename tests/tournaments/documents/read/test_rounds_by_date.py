"""The rounds and tables of the rows of a file that has dates and no rounds."""

from collections.abc import Sequence
from datetime import date

from tournaments.documents.read.rounds_by_date import RoundsByDate
from tournaments.domain.imports.evenings import Evenings

FIRST = date(2026, 11, 5)
SECOND = date(2026, 11, 12)
SEATED = {(1, 1): {1, 2, 3, 4}, (1, 2): {5, 6, 7, 8}}


def noted(
    evenings: Evenings, *rows: tuple[str, str, Sequence[int]], first: int = 1
) -> RoundsByDate:
    rounds = RoundsByDate(evenings, first)
    for written, table, people in rows:
        rounds.note(written, table, people)
    rounds.number()
    return rounds


def test_new_dates_are_numbered_by_the_calendar_and_not_by_the_file() -> None:
    rounds = noted(
        Evenings(), ("19.11.2026", "1", [1]), ("5.11.2026", "1", [1]), ("later", "1", [1])
    )
    numbers = [
        rounds.place(written, [1], "1")[0] for written in ("5.11.2026", "19.11.2026", "later")
    ]
    assert numbers == ["1", "2", "3"]


def test_file_without_any_date_is_numbered_as_it_is_written() -> None:
    rounds = noted(Evenings({2: FIRST}), ("week B", "1", [1]), (" week A ", "1", [1]), first=2)
    assert [rounds.place(written, [1], "1")[0] for written in ("week B", " week A ")] == ["2", "3"]


def test_words_that_differ_in_spaces_around_them_are_one_round() -> None:
    rounds = noted(Evenings(), ("week A", "1", [1]), ("week A ", "1", [1]), ("week B", "1", [1]))
    numbers = [rounds.place(written, [1], "1")[0] for written in ("week A", "week A ", "week B")]
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
    assert rounds.place("5.11.2026", [5, 6, 7, 8], "1") == ("1", "2")
    assert rounds.place("5.11.2026", [9, 10, 11, 12], "1") == ("1", "3")
    assert rounds.place("5.11.2026", [9, 10, 11, 12], "1.5") == ("1", "1.5")


def test_strangers_on_a_day_of_two_rounds_are_unclear_and_on_a_day_of_one_are_not() -> None:
    evenings = Evenings({1: FIRST, 2: SECOND, 3: SECOND}, SEATED)
    rounds = noted(evenings, ("5.11.2026", "1", [9]), ("12.11.2026", "1", [9]))
    assert rounds.place("5.11.2026", [9], "1") == ("1", "3")
    assert rounds.unclear == {}
    assert rounds.place("12.11.2026", [9], "1") == ("4", "1")
    assert rounds.unclear == {4: (2, 3)}
