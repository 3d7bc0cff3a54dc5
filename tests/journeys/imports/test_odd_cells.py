"""Rows cut short or too long, dates and names as spreadsheets have them, formulas without values.

What is expected of odd_cells.csv is said in tests/sheets/odd_cells_expected.md.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import HEADS, SHEETS, hand_scores, imported, rows, said, written
from tests.support.imports.spreadsheets import book, sheet_xml
from tournaments.models.clubs import Club
from tournaments.models.imports import ImportProblem
from tournaments.services.imports.uploads import Report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ODD = SHEETS / "odd_cells.csv"
CAST = {"N": ",Alma Dahl", "E": ",Bruno Kern", "S": ",Petra Holm", "W": ",Dario Diaz"}
NAMES = (
    *("Alma Dahl", "Bruno Kern", "Petra Holm", "Dario Diaz"),
    *("Emil Eder", "Frida Falk", "Gesa Gruhn", "Hugo Hahn"),
)


@pytest.fixture(autouse=True)
def event() -> None:
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    league(cast.riverside)


def messages(report: Report) -> list[str]:
    return [problem.message for problem in report.problems]


def test_every_oddity_is_named_as_what_it_is() -> None:
    report = imported(ODD)
    assert said(report) == [
        ("date_format", "accept-note", [2, 3, 4, 5, 6, 7, 8, 9]),
        ("name_order", "accept-note", [4]),
        ("too_many_cells", "reject", [11]),
        ("too_few_cells", "reject", [16]),
        ("too_few_cells", "reject", [20]),
        ("unknown_player", "ask", [24]),
    ]
    assert (report.rows, report.hands, report.accepted) == (28, 7, 3)
    found = messages(report)
    assert 'Line 4: "Holm, Petra" is read as Petra Holm.' in found
    assert "Lines 2 to 9: 45964 is read as 2025-11-03." in found
    assert "Line 11 has 12 cells, there are 11 heads. Is a comma in a number?" in found
    assert "Line 16 has 7 cells, there are 11 heads. Is the row cut short?" in found
    assert "Line 20 has 9 cells, there are 11 heads. Is the row cut short?" in found
    unknown = next(problem for problem in report.problems if problem.code == "unknown_player")
    assert unknown.suggestion == "Gesa Gruhn (RL07)"


def test_hands_that_can_be_read_are_in_the_event_on_their_day() -> None:
    imported(ODD)
    found = hand_scores()
    assert {row[0] for row in found} == {"2025-11-03"}
    assert {(row[2], row[3]) for row in found} == {("1", "1"), ("1", "2"), ("2", "2")}
    assert ("2025-11-03", "12", "1", "1", "S", "RL03", "2") in found
    assert ImportProblem.objects.filter(code="too_few_cells", state="open").count() == 2


def test_empty_cells_that_a_program_left_out_at_the_end_are_no_mistake(tmp_path: Path) -> None:
    def cells(number: int) -> list[str]:
        return rows(number, (number, 7 - number, 0, 6), cast=CAST)

    hands = [[row.rstrip(",") for row in cells(number)] for number in (1, 2)]
    report = imported(written(tmp_path, *hands))
    assert (report.accepted, said(report)) == (2, [])
    one = [*cells(3)[:3], cells(3)[3].rstrip(",")]
    more = [cells(number) for number in (4, 5)]
    report = imported(written(tmp_path, *more, one, name="next.csv"))
    assert (report.accepted, said(report)) == (3, [])


def test_two_members_of_a_turned_name_are_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, rows(cast=CAST | {"N": ',"Dahl, Alma"'}))
    assert said(imported(path, dry_run=True)) == [("name_order", "accept-note", [2])]
    players(Club.objects.get(slug="riverside"), "Alma Dahl")
    assert said(imported(path, dry_run=True)) == [("ambiguous_name", "ask", [2])]


def with_formulas(path: Path, night: Sequence[Sequence[object]], cells: dict[str, str]) -> Path:
    text = sheet_xml(night)
    for address, formula in cells.items():
        before, _, after = text.partition(f'<c r="{address}"')
        rest = after[after.index("</c>") + 4 :]
        text = f'{before}<c r="{address}"><f>{formula}</f><v></v></c>{rest}'
    return book(path, [text])


def night_rows() -> list[list[object]]:
    hands = [rows(number, (5 - number, number, 2, 6), cast=CAST) for number in (1, 2, 3)]
    night = [row.split(",") for hand in hands for row in hand]
    listed = [HEADS.split(","), *night]
    return [[int(cell) if cell.isdecimal() else cell for cell in row] for row in listed]


def test_formula_without_a_value_is_named_with_its_cell(tmp_path: Path) -> None:
    path = with_formulas(tmp_path / "night.xlsx", night_rows(), {"I3": "13-I2-I4-I5", "C8": "C7"})
    report = imported(path)
    assert said(report) == [
        ("formula_without_value", "reject", [3]),
        ("formula_without_value", "reject", [8]),
    ]
    assert report.accepted == 1
    assert messages(report)[0] == (
        "Line 3: I3 has a formula without its value. Open the file in the spreadsheet program "
        "and save it there, or paste the values."
    )


def test_formula_with_its_value_or_in_a_column_not_read_is_no_matter(tmp_path: Path) -> None:
    night = night_rows()
    for row in night:
        row.append("sum" if row[0] == "date" else 1)
    text = sheet_xml(night).replace('<c r="I3">', '<c r="I3"><f>1+0</f>')
    text = text.replace('<c r="N3"><v>1</v></c>', '<c r="N3"><f>SUM(I3:J3)</f></c>')
    report = imported(book(tmp_path / "night.xlsx", [text]))
    assert (report.accepted, said(report)) == (3, [("unknown_column", "accept-note", [1])])
