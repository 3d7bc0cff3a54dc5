"""One entrance: a file or pasted rows, what it is and why, other kinds, other sheets, the steps."""

from pathlib import Path

import pytest
from django.test import Client

from tests.journeys.imports.test_files_of_clubs import RUNNING, TITLE, mapped, sent
from tests.journeys.imports.test_files_of_clubs import dirk as dirk
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.spreadsheets import book, sheet_xml, xlsx
from tests.support.imports.uploads import IMPORTS, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.models.clubs import Player
from tournaments.models.imports import ImportBatch

CHAT = """1. Ruth Winter ✅
2. Yann Sommer 0171 2345678
3. Ella Herbst?"""
LIST = "Nachname\tVorname\tHandy\nWinter\tRuth\t0171 2345678\nSommer\tYann\t\n"


def pasted(client: Client, content: str, **fields: str) -> tuple[str, str]:
    answer = client.post(f"{IMPORTS}/new", {"text": content, **fields}, follow=True)
    return answer.request["PATH_INFO"], text(answer)


def test_pasted_rows_are_read_like_a_file(dirk: Client) -> None:
    at, page = pasted(dirk, RUNNING.replace(",", "\t"))
    assert "Pasted rows" in page
    assert "Read as: Hands: its rows are running totals of hands" in page
    page = mapped(dirk, at, round="1")
    assert "4 hands in the file: 4 ready" in page
    assert "Line 3: round 1, table 1, hand 2: Ann Tarn (RL01) 0 · Cai Gale (RL03) 13" in page
    assert "Line 5: round" not in page  # three hands are shown


def test_neither_a_file_nor_rows_is_refused(dirk: Client) -> None:
    _, page = pasted(dirk, "")
    assert "The file is empty" in page
    assert not ImportBatch.objects.exists()


@pytest.mark.parametrize("content", [CHAT, LIST])
def test_list_of_people_leads_to_adding_them(dirk: Client, content: str) -> None:
    _, page = pasted(dirk, content)
    assert "Read as: Players: it has names of people and no points." in page
    assert "Ruth Winter" in page
    assert not ImportBatch.objects.exists()
    assert not Player.objects.filter(name="Ruth Winter").exists()


def test_people_of_a_workbook_are_shown_too(dirk: Client, tmp_path: Path) -> None:
    rows = [line.split("\t") for line in LIST.splitlines()]
    path = xlsx(tmp_path / "members.xlsx", rows)
    with path.open("rb") as file:
        page = text(dirk.post(f"{IMPORTS}/new", {"file": file}))
    assert "Ruth Winter" in page
    assert "Yann Sommer" in page


def test_what_looks_like_people_can_be_read_as_totals(dirk: Client) -> None:
    answer = dirk.post(f"{IMPORTS}/new", {"text": LIST, "holds": "totals"}, follow=True)
    assert "Column mapping" in text(answer)
    at = answer.request["PATH_INFO"]
    assert "Ruth Winter" in text(dirk.post(at, {"holds": "players"}))
    assert not ImportBatch.objects.exists()  # its rows are on the page now


def test_season_can_be_read_as_something_else(dirk: Client) -> None:
    season = "Name;6.10.2025;13.10.2025\nAnn Tarn;4;5\nCai Gale;3;2\n"
    answer = dirk.post(f"{IMPORTS}/new", {"text": season}, follow=True)
    assert "Read as: Season so far: it has each player once" in text(answer)
    assert 'name="holds" value="totals"' in answer.content.decode()
    at, page = pasted(dirk, season, holds="totals")
    assert "Column mapping" in page
    assert "Season so far" in text(dirk.post(at, {"holds": "season"}))


def test_sheet_that_was_not_read_is_read_by_its_button(dirk: Client, tmp_path: Path) -> None:
    heads: list[object] = ["Date", "Table", "Ann Tarn", "Cai Gale", "David Birk", "Gus Hale"]
    first = [heads, ["2025-10-06", 1, 13, 5, 8, 0], ["2025-10-06", 1, 0, 13, 13, 0]]
    other = [["Tag", *heads[1:]], ["2025-10-13", 1, 1, 0, 13, 12], ["2025-10-13", 1, 26, 0, 0, 0]]
    at = send_file(dirk, xlsx(tmp_path / "evenings.xlsx", first, other))
    sheets = dirk.get(at).context["other_sheets"]
    assert len(sheets) == 1
    assert f"Read sheet {sheets[0]}" in text(dirk.get(at))
    dirk.post(at, {"holds": "auto", "sheet": sheets[0]})
    assert "13 Oct 2025" in mapped(dirk, at, round="1")


def test_sheet_that_is_read_by_its_button_has_its_own_date(dirk: Client, tmp_path: Path) -> None:
    names: list[object] = ["Ann Tarn", "Cai Gale", "David Birk", "Gus Hale"]
    first = sheet_xml([["Ort", *names], ["x", 13, 5, 8, 0], ["x", 0, 13, 13, 0]])
    other = sheet_xml(
        [
            ["Wer", "Was"],
            *([name, points] for name, points in zip(names, (1, 0, 13, 12), strict=True)),
        ]
    )
    at = send_file(dirk, book(tmp_path / "b.xlsx", [first, other], ["05.11.2025", "06.11.2025"]))
    assert str(as_shown(dirk.get(at).context["form"])["day"]) == "2025-11-05"
    dirk.post(at, {"holds": "hands", "sheet": ""})  # another kind of the same sheet
    assert str(as_shown(dirk.get(at).context["form"])["day"]) == "2025-11-05"
    dirk.post(at, {"holds": "auto", "sheet": "06.11.2025"})
    assert str(as_shown(dirk.get(at).context["form"])["day"]) == "2025-11-06"


def test_date_of_the_title_is_that_of_the_file(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, TITLE, holds="hands")
    assert str(as_shown(dirk.get(at).context["form"])["day"]) == "2025-10-13"
    assert "1 evening (13 Oct 2025)" in mapped(dirk, at, round="1", table="1")


def test_title_with_two_dates_gives_none(dirk: Client, tmp_path: Path) -> None:
    title = TITLE.replace("Herzabend 13.10.2025", "Herzabend 13.10.2025 (from 6.10.2025)")
    assert "day" not in as_shown(dirk.get(sent(dirk, tmp_path, title)).context["form"])


def test_steps_say_what_is_left(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, RUNNING.replace("Gus Hale", "Nobody Known"))
    assert "People" in text(dirk.get(at))
    steps = dirk.get(at).context["steps"]
    assert [(name, state) for name, _, state in steps] == [
        ("Columns", "now"), ("People", ""), ("Rows", ""), ("Import", ""),
    ]  # fmt: skip
    mapped(dirk, at, round="1")
    steps = dirk.get(at.removesuffix("/columns")).context["steps"]
    assert steps[0] == ("Columns", 0, "done")


def test_sheet_is_named_over_rest(cast: Cast, dirk: Client, tmp_path: Path) -> None:
    heads: list[object] = ["round", "table", "hand", "seat", "player_id", "hearts", "cards"]
    rows: list[list[object]] = [
        [day, 1, 1, seat, f"RL0{n}", hearts, cards]
        for day in (1, 2)
        for n, (seat, hearts, cards) in enumerate(
            [("N", 3, "QS"), ("E", 10, ""), ("S", 0, ""), ("W", 0, "")], start=1
        )
    ]
    sheets: list[list[list[object]]] = [[heads, *rows[:4]], [["x"], [1]], [heads, *rows[4:]]]
    path = xlsx(tmp_path / "book.xlsx", *sheets)
    for name, says in (("Gone", "No sheet of the file is called"), ("Sheet2", "")):
        with path.open("rb") as file:
            answer = cast.client("dirk").post(
                f"/api/v1{IMPORTS}", {"file": file, "sheet": name, "dry_run": "true"}
            )
        assert answer.status_code == 422
        assert says in answer.json()["detail"]


def test_draft_is_opened_from_the_imports(dirk: Client) -> None:
    at = f"{IMPORTS.removesuffix('/imports')}/direct"
    dirk.post(at, {"to": "draft"})
    page = dirk.get(IMPORTS)
    assert page.context["may_open"]
    assert f'action="{at}"' in page.content.decode()
    assert f"{IMPORTS}/new" not in page.content.decode()
    dirk.post(at, {"to": "open"})
    assert f"{IMPORTS}/new" in dirk.get(IMPORTS).content.decode()


def test_evening_that_a_value_from_before_has_too_is_named(dirk: Client, tmp_path: Path) -> None:
    season = {"text": "Name;13.10.2025\nAnn Tarn;5\n", "reason": "The list.", "add": "yes"}
    league = IMPORTS.removesuffix("/imports")
    dirk.post(f"{league}/opening-values/list", season)
    page = mapped(dirk, sent(dirk, tmp_path, RUNNING), round="1")
    assert "values from before of these days, and both count: Monday 13 October 2025" in page
