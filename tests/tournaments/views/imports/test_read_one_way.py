"""A file that is read in one way has one preview and one button; any other is asked about."""

from datetime import date
from pathlib import Path

import pytest
from django.test import Client

from tests.support.fixtures import cast_with
from tests.support.imports.other_programs import BY_HAND, NAMES, as_csv, hand_rows
from tests.support.imports.spreadsheets import xlsx
from tests.support.imports.uploads import IMPORTS, post_file, send_file
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Upload

cast_once, cast = cast_with(*NAMES, "Egon T.")

PREVIEW = f"{IMPORTS}/1"
COLUMNS = f"{IMPORTS}/1/columns"
HEADS = ("Wann", "Spiel", *NAMES)
ROWS = (
    ("13.11.2025", 1, 4, 1, 2, 19),
    ("13.11.2025", 2, 0, 13, 13, 0),
    ("13.11.2025", 3, 20, 0, 6, 0),
)


def sent(client: Client, folder: Path, heads: object = HEADS, rows: object = ROWS) -> str:
    return send_file(client, as_csv(folder / "night.csv", heads, rows))  # type: ignore[arg-type]


def changed(place: int, cells: tuple[object, ...]) -> tuple[tuple[object, ...], ...]:
    """Return the rows with the cells of one of them from the third on."""
    rows = [tuple(row) for row in ROWS]
    rows[place] = (*rows[place][:2], *cells)
    return tuple(rows)


def test_file_of_points_goes_straight_to_a_preview_with_three_hands_and_one_button(
    hanna: Client, tmp_path: Path
) -> None:
    assert sent(hanna, tmp_path) == PREVIEW
    page = hanna.get(PREVIEW)
    text = text_of(page)
    assert "3 hands in the file: 3 ready, 0 pending." in text
    assert "Alma D. (RL01) 4 · Bruno K. (RL02) 1 · Cleo S. (RL03) 2 · Dario D. (RL04) 19" in text
    assert page.content.decode().count('class="btn pri') == 1
    assert "Import 3 hands" in text
    assert not Hand.objects.exists()
    hanna.post(f"{PREVIEW}/confirm")
    assert Hand.objects.count() == 3


def test_row_of_cards_with_the_taker_of_the_queen_goes_straight_to_the_preview(
    hanna: Client, tmp_path: Path
) -> None:
    assert sent(hanna, tmp_path, BY_HAND, hand_rows()) == PREVIEW
    assert "3 hands in the file: 3 ready, 0 pending." in text_of(hanna.get(PREVIEW))


def test_rows_pasted_from_a_spreadsheet_go_straight_to_the_preview(
    hanna: Client, tmp_path: Path
) -> None:
    text = "\r\n".join("\t".join(map(str, row)) for row in (HEADS, *ROWS))
    answer = hanna.post(f"{IMPORTS}/new", {"text": text})
    assert answer["Location"] == PREVIEW
    assert "Import 3 hands" in text_of(hanna.get(PREVIEW))


def test_columns_can_be_changed_from_the_preview(hanna: Client, tmp_path: Path) -> None:
    sent(hanna, tmp_path)
    assert f'href="{COLUMNS}"' in hanna.get(PREVIEW).content.decode()
    form = hanna.get(COLUMNS).context["form"]
    assert [form[f"column-{n}"].value() for n in range(3)] == ["date", "hand", "player"]


def test_columns_that_are_not_read_are_named(hanna: Client, tmp_path: Path) -> None:
    rows = [[*row, "late"] for row in ROWS]
    assert sent(hanna, tmp_path, (*HEADS, "Notiz"), rows) == PREVIEW
    assert "Not read: Notiz." in text_of(hanna.get(PREVIEW))


def test_next_import_of_the_grown_file_counts_no_evening_twice(
    hanna: Client, tmp_path: Path
) -> None:
    hanna.post(f"{sent(hanna, tmp_path)}/confirm")
    rows = [*ROWS, *(("20.11.2025", *row[1:]) for row in ROWS)]
    assert sent(hanna, tmp_path, HEADS, rows) == f"{IMPORTS}/2"
    assert "6 hands in the file: 3 ready, 0 pending." in text_of(hanna.get(f"{IMPORTS}/2"))
    hanna.post(f"{IMPORTS}/2/confirm")
    assert sorted(Hand.objects.values_list("game__table__round__number", "number")) == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3),
    ]  # fmt: skip


def test_explicit_kind_is_asked_about(hanna: Client, tmp_path: Path) -> None:
    answer = post_file(hanna, as_csv(tmp_path / "night.csv", HEADS, ROWS), holds="hands")
    assert answer["Location"] == COLUMNS


ASKED = {
    "a hand that is impossible": (HEADS, changed(2, (20, 0, 5, 0))),
    "somebody unknown": ((*HEADS[:2], "Alma D.", "Bruno K.", "Cleo S.", "Xaver Q."), ROWS),
    "no date anywhere": (HEADS[1:], [row[1:] for row in ROWS]),
    "numbers of nobody": ((*HEADS, "Omi"), [(*row, 3) for row in ROWS]),
    "rounds that may count the hands": (("Wann", "Runde", *NAMES), ROWS),
    "an empty cell and no 0": (
        HEADS,
        [("13.11.2025", 1, 4, "", 3, 19), ("13.11.2025", 2, "", 13, 13, "")],
    ),
    "a date in two ways": (
        HEADS,
        [("10/11/2025", 1, 4, 1, 2, 19), ("10/11/2025", 2, 0, 13, 13, 0)],
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_file_with_something_open_is_asked_about(hanna: Client, tmp_path: Path, name: str) -> None:
    heads, rows = ASKED[name]
    assert sent(hanna, tmp_path, heads, rows) == COLUMNS
    assert ImportBatch.objects.get().state == "mapping"
    assert not ImportProblem.objects.exists()
    upload = Upload.objects.get()
    assert (upload.plan, upload.given) == (None, {})
    assert "Read file</button>" in hanna.get(COLUMNS).content.decode()


def test_empty_cell_where_others_have_a_0_is_nobody(hanna: Client, tmp_path: Path) -> None:
    heads = ("Wann", "Spiel", *NAMES, "Egon T.")
    rows = [("13.11.2025", 1, 4, 1, 2, 19, ""), ("13.11.2025", 2, 0, 13, "", 13, 0)]
    assert sent(hanna, tmp_path, heads, rows) == PREVIEW
    text = text_of(hanna.get(PREVIEW))
    assert "Alma D. (RL01) 4 · Bruno K. (RL02) 1 · Cleo S. (RL03) 2 · Dario D. (RL04) 19" in text
    assert "Alma D. (RL01) 0 · Bruno K. (RL02) 13 · Egon T. (RL05) 0 · Dario D. (RL04) 13" in text


def test_running_totals_that_are_nothing_else_go_straight_to_the_preview(
    hanna: Client, tmp_path: Path
) -> None:
    rows = [("13.11.2025", 1, 4, 1, 2, 19), ("13.11.2025", 2, 4, 14, 15, 19)]
    assert sent(hanna, tmp_path, HEADS, rows) == PREVIEW
    text = text_of(hanna.get(PREVIEW))
    assert "The cells are read as running totals." in text
    assert "Alma D. (RL01) 0 · Bruno K. (RL02) 13 · Cleo S. (RL03) 13 · Dario D. (RL04) 0" in text


def test_date_of_the_files_name_is_that_of_the_evening(
    hanna: Client, event: Event, tmp_path: Path
) -> None:
    path = as_csv(tmp_path / "hearts_2025-11-13.csv", HEADS[1:], [row[1:] for row in ROWS])
    assert send_file(hanna, path) == PREVIEW
    hanna.post(f"{PREVIEW}/confirm")
    dates = Hand.objects.values_list("game__table__round__meeting__date", flat=True)
    assert set(dates) == {date(2025, 11, 13)}


def test_totals_of_games_are_asked_about(hanna: Client, tmp_path: Path) -> None:
    heads = ("Wann", *NAMES)
    rows = [("13.11.2025", 40, 61, 70, 90), ("20.11.2025", 31, 62, 71, 99)]
    assert sent(hanna, tmp_path, heads, rows) == COLUMNS
    assert Upload.objects.get().holds == "totals"


def test_workbook_with_sheets_that_are_left_out_is_asked_about(
    hanna: Client, tmp_path: Path
) -> None:
    other: list[list[object]] = [["Tag", *HEADS[1:]], ["20.11.2025", 1, 4, 1, 2, 19]]
    path = xlsx(tmp_path / "evenings.xlsx", [HEADS, *ROWS], other)
    assert send_file(hanna, path) == COLUMNS
    path = xlsx(tmp_path / "evening.xlsx", [HEADS, *ROWS])
    assert send_file(hanna, path) == f"{IMPORTS}/2"
