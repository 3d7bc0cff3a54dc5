"""Cells: nothing is coerced; what is left out is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.documents.read.cells import count, day, mark, plain, seat, whole
from tournaments.domain.imports.imported_sheets import MoonMark


@pytest.mark.parametrize(
    ("text", "value", "notes"),
    [
        ("12", 12, ()), ("0", 0, ()), ("-26", -26, ()), (" 7 ", 7, ("trimmed",)),
        ("7,0", 7, ("decimal_comma",)), ("-26,00", -26, ("decimal_comma",)),
        ("\x007", 7, ("nul_byte",)),
        ("7,5", None, ()), ("7.0", None, ()), ("+7", None, ()), ("07", None, ()), ("1e3", None, ()),
        ("NaN", None, ()), ("1e309", None, ()), ("٣", None, ()), ("７", None, ()), ("O", None, ()),
        ("−7", None, ()), ("1 000", None, ()), ("-0", None, ()), ("12345678901", None, ()),
        ("", None, ()),
    ],
)  # fmt: skip
def test_only_a_plain_whole_number_is_a_number(
    text: str, value: int | None, notes: tuple[str, ...]
) -> None:
    cell = whole(text)
    assert (cell.value, cell.notes) == (value, notes)


@given(st.text(max_size=12))
def test_any_other_text_stays_text(text: str) -> None:
    cell = count(text)
    if isinstance(cell.value, int):
        assert cell.text in {str(cell.value), *(f"{cell.value},{'0' * n}" for n in range(1, 12))}
    else:
        assert cell.value == (cell.text or None)


@pytest.mark.parametrize("text", ["=1+1", "+49", "-x", "@x", "\tx", "＝x"])
def test_apostrophe_before_a_formula_is_left_out(text: str) -> None:
    assert plain("'" + text).text == text
    assert plain("'" + text).notes == ("apostrophe",)


def test_other_apostrophes_stay() -> None:
    assert plain("'Enri' K.").text == "'Enri' K."


@pytest.mark.parametrize(
    ("text", "index"),
    [
        (" n ", 0), ("North", 0), ("Ost", 1), ("süd", 2), ("W", 3), ("1", 0), ("7", 6),
        ("NE", None), ("0", None), ("14", None),
    ],
)  # fmt: skip
def test_seat_is_a_letter_a_word_or_a_number(text: str, index: int | None) -> None:
    assert seat(text).value == index


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("2025-11-13", ["2025-11-13"]), ("2025-11-13 00:00:00", ["2025-11-13"]),
        ("13.11.2025", ["2025-11-13"]), ("5.11.2025", ["2025-11-05"]),
        ("13/11/2025", ["2025-11-13"]),
        ("11/13/2025", ["2025-11-13"]), ("5/11/2025", ["2025-11-05", "2025-05-11"]),
        ("5/5/2025", ["2025-05-05"]), ("13.11.25", ["2025-11-13"]),
        ("11/13/25", ["2025-11-13"]), ("2025/11/13", ["2025-11-13"]),
        ("11/13/2025 19:31:12", ["2025-11-13"]), ("13.11.2025 19:31", ["2025-11-13"]),
        ("11/13/2025 7:31 PM", ["2025-11-13"]), ("2025-11-13T19:31:12", ["2025-11-13"]),
        ("25-11-13", []), ("13.11.0025", ["0025-11-13"]), ("13.11.2025 noon", []),
        ("13.11.2025 19", []), ("2025.13.11", []),
        ("2025-13-45", []), ("31.02.2025", []), ("Total", []), ("", []),
    ],
)  # fmt: skip
def test_date_is_every_day_that_it_may_mean(text: str, options: list[str]) -> None:
    assert [one.isoformat() for one in day(text).value.options] == options


@pytest.mark.parametrize(
    ("text", "moon"),
    [
        ("others+26", MoonMark("others+26", "others", 26)),
        ("self-26", MoonMark("self-26", "self", 26)),
        ("Opponents", MoonMark("Opponents", "others")),
        ("self", MoonMark("self", "self")), ("x", MoonMark("x")), ("", None), ("0", None),
        ("self+26", MoonMark("self+26", "self", 26, is_read=False)),
        ("maybe", MoonMark("maybe", is_read=False)),
    ],
)  # fmt: skip
def test_moon_mark_says_how_it_was_settled(text: str, moon: MoonMark | None) -> None:
    assert mark(text).value == moon
