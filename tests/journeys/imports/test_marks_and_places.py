"""Marks in cells are asked once for a file, and problems name the sheet and the row of the file."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.spreadsheets import book, sheet_xml, xlsx
from tests.support.imports.uploads import (
    IMPORTS,
    post_file,
    read_by_default,
    send_file,
    stored_points,
)
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.models.clubs import Club
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.rounds import Meeting

pytestmark = pytest.mark.django_db

ONE = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
OTHER = ("Holly Brook", "Ivo Sand", "Jana Kast", "Nell Linde")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
OTHER_HANDS = ((4, 4, 5, 13), (7, 1, 2, 16))


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *ONE, *OTHER)
    league(cast.riverside)
    return cast.client("dirk")


def written(folder: Path, *rows: Sequence[object]) -> Path:
    path = folder / "file.csv"
    lines = [";".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def confirmed(client: Client, path: Path, **fields: str) -> str:
    """Import a file as its pages propose it; return the address of its import."""
    at = read_by_default(client, path, **fields)
    client.post(f"{at}/confirm")
    return at


def open_ones() -> list[tuple[str, str, list[dict[str, object]]]]:
    problems = ImportProblem.objects.filter(state="open").order_by("position")
    return [(problem.code, problem.message, problem.places) for problem in problems]


HEARTS = (("0Q", 5, 8, 0), (0, 13, "Q", 0), (1, 0, "Q", 12))


def test_hearts_with_the_queen_are_proposed_and_taken_for_all_by_one_press(
    dirk: Client, tmp_path: Path
) -> None:
    path = written(tmp_path, ONE, *HEARTS)
    at = send_file(dirk, path, day="2025-10-13")
    page = text(dirk.get(at))
    assert "Numbers with a letter or a star, such as “0Q”" in page
    assert "This player took the queen of spades" in page
    confirmed(dirk, path, day="2025-10-13")
    typed = [hand.entry.typed for hand in Hand.objects.order_by("number") if hand.entry]
    assert [entry["hearts"] for entry in typed] == [[0, 5, 8, 0], [0, 13, 0, 0], [1, 0, 0, 12]]
    assert [entry["taken"].index(["QS"]) for entry in typed] == [0, 2, 2]
    assert ImportBatch.objects.filter(upload__plan__given__marks="queen").count() == 1


def test_marks_are_refused_if_somebody_says_that_they_mean_nothing(
    dirk: Client, tmp_path: Path
) -> None:
    at = send_file(dirk, written(tmp_path, ONE, *HEARTS), day="2025-10-13")
    form = as_shown(dirk.get(at).context["form"])
    assert form["marks-queen"] == "queen"
    answer = dirk.post(at, {**form, "marks-queen": ""})
    assert answer.status_code == 302
    assert {code for code, _, _ in open_ones()} == {"bad_count", "missing_cards"}


def test_cross_that_may_be_nobody_has_to_be_chosen(dirk: Client, tmp_path: Path) -> None:
    rows = [(13, 5, 8, "x"), (1, "x", 13, 12)]
    at = send_file(dirk, written(tmp_path, ONE, *rows), day="2025-10-13")
    form = as_shown(dirk.get(at).context["form"])
    assert form["marks-cross"] == ""
    assert dirk.post(at, form).status_code == 422
    dirk.post(at, {**form, "marks-cross": "cross_is_zero"})
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert stored_points() == [("r1t1", [13, 5, 8, 0]), ("r1t1", [1, 0, 13, 12])]


def test_moon_in_a_cell_is_a_moon(dirk: Client, tmp_path: Path) -> None:
    rows = [*HANDS, (26, "moon", 26, 26)]
    confirmed(dirk, written(tmp_path, ONE, *rows), day="2025-10-13")
    assert stored_points()[-1] == ("r1t1", [26, 0, 26, 26])
    assert not ImportProblem.objects.filter(code="moon_mark_missing").exists()


@pytest.mark.parametrize("word", ["Sum", "Σ", "Total", ""])
def test_sum_beside_the_points_of_each_player_is_left_out(
    dirk: Client, tmp_path: Path, word: str
) -> None:
    heads = [head for name in ONE for head in (name, word)]
    sums = [tuple(map(sum, zip(*HANDS[: n + 1], strict=True))) for n in range(len(HANDS))]
    rows = [
        [cell for pair in zip(hand, so_far, strict=True) for cell in pair]
        for hand, so_far in zip(HANDS, sums, strict=True)
    ]
    confirmed(dirk, written(tmp_path, heads, *rows), day="2025-10-13")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]
    assert open_ones() == []


def test_running_sums_in_a_block_of_their_own_are_no_points_and_that_is_said(
    dirk: Client, tmp_path: Path
) -> None:
    sums = [tuple(map(sum, zip(*HANDS[: n + 1], strict=True))) for n in range(len(HANDS))]
    rows = [(n, *HANDS[n - 1], "", *sums[n - 1]) for n in (1, 2, 3)]
    at = confirmed(dirk, written(tmp_path, ("Hand", *ONE, "", *ONE), *rows), day="2025-10-13")
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]
    said = "The running totals beside the points are only compared with them."
    assert said in text(dirk.get(at))


def test_hands_with_a_row_for_each_player_are_hands_under_the_word_spiel(
    dirk: Client, tmp_path: Path
) -> None:
    rows = [
        ("13.10.2025", 1, number, name, points)
        for number, hand in enumerate(HANDS, start=1)
        for name, points in zip(ONE, hand, strict=True)
    ]
    path = written(tmp_path, ("Datum", "Tisch", "Spiel", "Spieler", "Punkte"), *rows)
    confirmed(dirk, path)
    assert stored_points() == [("r1t1", list(hand)) for hand in HANDS]


def test_problem_of_joined_sheets_names_sheet_and_row_as_the_person_sees_them(
    dirk: Client, tmp_path: Path
) -> None:
    sheets = [
        sheet_xml([["Club night 13.10.2025"], ["Spiel", *names], *numbered])
        for names, numbered in (
            (ONE, [[n, *hand] for n, hand in enumerate(HANDS, start=1)]),
            (OTHER, [[1, *OTHER_HANDS[0]], ["two", *OTHER_HANDS[1]]]),
        )
    ]
    path = book(tmp_path / "two.xlsx", sheets, ["Tisch 1", "Tisch 2"])
    at = read_by_default(dirk, path)
    place = {"sheet": "Tisch 2", "row": 4, "column": None}
    problem = ImportProblem.objects.get(state="open")
    assert (problem.code, problem.places) == ("bad_number", [place])
    assert problem.message.startswith("Sheet “Tisch 2”, row 4: the hand")
    assert "Sheet “Tisch 2”, row 4: the hand" in text(dirk.get(at))
    assert "Sheet “Tisch 2”, row 4" in text(dirk.get(f"{at}/problems/{problem.position}"))
    rest = dirk.get(f"/api/v1{at}/problems/{problem.position}").json()
    assert (rest["lines"], rest["places"]) == ([6], [place])


def test_problem_of_tables_side_by_side_names_its_line(dirk: Client, tmp_path: Path) -> None:
    rows = [(1, *HANDS[0], "", *OTHER_HANDS[0]), (2, *HANDS[1], "", 7, 1, 2, 15)]
    at = read_by_default(
        dirk, written(tmp_path, ("Hand", *ONE, "", *OTHER), *rows), day="2025-10-13"
    )
    assert [(code, places) for code, _, places in open_ones()] == [
        ("wrong_total", [{"sheet": "", "row": 3, "column": None}])
    ]
    assert "Line 3" in text(dirk.get(at))


def test_problem_of_a_turned_table_names_its_column(dirk: Client, tmp_path: Path) -> None:
    columns = zip(ONE, *HANDS[:2], (1, 0, 13, 11), strict=True)
    path = xlsx(tmp_path / "night.xlsx", [["Name", 1, 2, 3], *map(list, columns)])
    at = read_by_default(dirk, path, day="2025-10-13")
    assert [(code, places) for code, _, places in open_ones()] == [
        ("wrong_total", [{"sheet": "S1", "row": None, "column": "D"}])
    ]
    assert "Sheet “S1”, column D" in text(dirk.get(at))


def test_sheets_named_by_the_week_are_rounds(dirk: Client, tmp_path: Path) -> None:
    sheets = [
        sheet_xml([["Hand", *ONE], *([n, *hand] for n, hand in enumerate(hands, start=1))])
        for hands in (HANDS[:2], OTHER_HANDS)
    ]
    confirmed(dirk, book(tmp_path / "weeks.xlsx", sheets, ["Week 1", "Week 2"]))
    assert [table for table, _ in stored_points()] == ["r1t1", "r1t1", "r2t1", "r2t1"]


def test_sheets_alike_without_a_date_are_said_not_to_be_read(dirk: Client, tmp_path: Path) -> None:
    sheets = [sheet_xml([["Hand", *ONE], [1, *HANDS[0]]]) for _ in range(2)]
    at = read_by_default(dirk, book(tmp_path / "two.xlsx", sheets, ["Home", "Away"]))
    page = text(dirk.get(at))
    assert "nothing says which evenings they are: “Away”." in page
    assert "other heads" not in page


def test_letters_are_tables(dirk: Client, tmp_path: Path) -> None:
    rows = [
        ("13.10.2025", "A", 1, *HANDS[0], *[""] * 4),
        ("13.10.2025", "C", 1, *[""] * 4, *OTHER_HANDS[0]),
    ]
    at = confirmed(dirk, written(tmp_path, ("Date", "Table", "Hand", *ONE, *OTHER), *rows))
    assert [table for table, _ in stored_points()] == ["r1t1", "r1t3"]
    assert "the table A is read as table 1." in text(dirk.get(at))


def test_times_become_days_in_the_zone_of_the_club(dirk: Client, tmp_path: Path) -> None:
    Club.objects.filter(slug="riverside").update(time_zone="Europe/Berlin")
    rows = [("2025-10-12T22:00:00Z", 1, *HANDS[0]), ("2025-10-13T21:59:59Z", 2, *HANDS[1])]
    confirmed(dirk, written(tmp_path, ("Date", "Hand", *ONE), *rows))
    assert [meeting.date.isoformat() for meeting in Meeting.objects.order_by("date")] == [
        "2025-10-13"
    ]


def test_bounds_are_said_before_the_upload(dirk: Client) -> None:
    page = text(dirk.get(f"{IMPORTS}/new"))
    assert "up to 20 MB. A spreadsheet may unpack to 48 MB: save a larger one as CSV." in page
    assert "A file has at most 1000 columns, and one of totals at most 10000 rows." in page
    assert "At most 1000 lines" in text(dirk.get("/clubs/riverside/add-players"))


def test_hands_in_a_chat_are_refused_with_the_next_step(dirk: Client, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    lines = [f"[13.10.25, 22:1{n}] Ann: Ann 13 Cai 5 David 8 Gus 0" for n in range(3)]
    path.write_text("\n".join(lines), encoding="utf-8")
    page = text(post_file(dirk, path))
    assert "These are messages of a chat, not a table. Copy the points into a table" in page
