"""Files as clubs have them, not as a program writes them: a title, other heads, running totals."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.spreadsheets import xlsx
from tests.support.imports.uploads import post_file, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text, text_of
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Upload
from tournaments.models.standings import OpeningValue

PEOPLE = (
    *("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Ester Dorn", "Füsun Öz"),
    *("Gus Hale", "Holly Brook", "Ivo Sand", "Jana Kast", "Kees de Vries", "Łukasz Żak"),
    *("Mo O'Hara", "Nell Linde", "Otto Dove", "Pia Harm"),
)
TOTALS = """SID,GID,Date,E,S,W,N,Scr-E,Scr-S,Scr-W,Scr-N,Rk-E,Rk-S,Rk-W,Rk-N
4,3,25-10-13,Ann Tarn,Cai Gale,David Birk,Gus Hale,41,102,68,49,1,4,3,2
4,2,25-10-13,Holly Brook,Ivo Sand,Jana Kast,Nell Linde,77,30,101,52,3,1,4,2
4,1,25-10-06,Ann Tarn,Holly Brook,Pia Harm,Otto Dove,100,66,58,36,4,3,2,1"""
RUNNING = """Date,Table,Ann Tarn,Cai Gale,David Birk,Gus Hale
2025-10-13,1,13,5,8,0
2025-10-13,1,13,18,21,0
2025-10-13,1,14,18,34,12
2025-10-13,1,40,44,34,38"""
TITLE = """Herzabend 13.10.2025;;;;
Spiel;Ann Tarn;Cai Gale;David Birk;Gus Hale
1;13;5;8;0
2;0;13;13;0
3;1;0;13;12"""


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *PEOPLE)
    league(cast.riverside, settings={"primary": "placement_points"})
    return cast.client("dirk")


def sent(client: Client, folder: Path, content: str, name: str = "file.csv", **fields: str) -> str:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return send_file(client, path, **fields)


def mapped(client: Client, at: str, **changed: str) -> str:
    """Leave the page of column mapping as it is, and return the page that comes next.

    A file that can be read in one way only is there already.
    """
    page = client.get(at)
    if "form" not in page.context:
        return text(page)
    return text(client.post(at, {**as_shown(page.context["form"]), **changed}, follow=True))


def scores() -> list[list[int]]:
    hands = Hand.objects.filter(state="accepted").order_by("game__table__code", "number")
    return [hand.entry.typed["points"] for hand in hands.select_related("entry") if hand.entry]


def test_totals_with_other_heads_are_mapped(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, TOTALS)
    page = text(dirk.get(at))
    assert "the points of a row do not have the total of a hand" in page
    assert "One row per game, names and points in pairs" in page
    page = mapped(dirk, at)
    assert "3 results in the file: 3 ready, 0 pending" in page
    assert "6 Oct 2025 – 13 Oct 2025" in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert sorted(scores()) == [[41, 102, 68, 49], [77, 30, 101, 52], [100, 66, 58, 36]]


def test_totals_with_a_column_a_player(dirk: Client, tmp_path: Path) -> None:
    content = "Abend;Ann Tarn;Cai Gale;David Birk;Gus Hale;Ivo Sand\n6. Okt. 2025;41;102;68;49;\n"
    at = sent(dirk, tmp_path, content)
    assert "1 result in the file: 1 ready, 0 pending" in mapped(dirk, at)
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert scores() == [[41, 102, 68, 49]]


def test_totals_below_other_heads_are_not_those_of_the_first_players(
    dirk: Client, tmp_path: Path
) -> None:
    heads = ";Ann Tarn;Cai Gale;David Birk;Gus Hale\n"
    content = (
        f"Evening of 13.10.2025;;;;\n{heads}1;41;102;68;49\n"
        "20.10.2025 and 27.10.2025;;;;\n"
        f";Holly Brook;Ivo Sand;Jana Kast;Nell Linde\n1;77;30;101;52\n{heads}2;26;78;52;104\n"
    )
    at = sent(dirk, tmp_path, content, holds="totals")
    page = mapped(dirk, at)
    assert "2 results in the file: 2 ready" in page, page[300:1500]
    problem = ImportProblem.objects.get(state="open")
    assert (problem.code, problem.lines) == ("other_heads", [5, 6])
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert scores() == [[41, 102, 68, 49], [26, 78, 52, 104]]


def test_totals_that_do_not_tell_games_apart_are_asked_about(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, "Wer;Minus\nAnn Tarn;41\nCai Gale;102\n", holds="totals")
    page = mapped(dirk, at, **{"column-0": "player", "column-1": "points"})
    assert "Column mapping" in page
    assert "No column for Which game (round and table, or date and table" in page
    assert "entry_id" not in page


def test_file_is_read_as_something_else_by_choice(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, RUNNING)
    at = f"{at}/columns"
    assert "its rows are running totals of hands" in text(dirk.get(at))
    page = text(dirk.post(at, {"holds": "totals"}, follow=True))
    assert "Read as: Totals of whole games." in page
    assert "One row per game, players as columns" in page
    page = text(dirk.post(at, {"holds": "hands"}, follow=True))
    assert "Read as: Hands: its rows are running totals of hands." in page


def test_sheets_of_equal_heads_with_totals_are_read_as_one(dirk: Client, tmp_path: Path) -> None:
    heads = ["Date", "Table", *(f"{what} {n}" for n in range(1, 5) for what in ("Player", "Score"))]
    names = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale")
    evenings: list[list[list[object]]] = [
        [[*heads], [f"2025-10-{day:02}", 1, *(cell for name, points in
                 zip(names, (41, 102, 68, 49), strict=True) for cell in (name, points))]]
        for day in (6, 13, 20)
    ]  # fmt: skip
    at = send_file(dirk, xlsx(tmp_path / "evenings.xlsx", *evenings))
    assert "3 results in the file: 3 ready" in text(dirk.get(at))


def test_running_totals_are_proposed_and_read_as_hands(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, RUNNING)
    assert as_shown(dirk.get(f"{at}/columns").context["form"])["cells"] == "running"
    assert "4 hands in the file: 4 ready" in text(dirk.get(at))
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert scores() == [[13, 5, 8, 0], [0, 13, 13, 0], [1, 0, 13, 12], [26, 26, 0, 26]]


def test_slip_in_one_running_total_names_that_cell(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, RUNNING.replace("13,18,21,0", "13,18,12,0"))
    page = mapped(dirk, at, round="1")
    assert "4 hands in the file: 2 ready, 2 pending" in page
    assert "with these running totals two hands are impossible" in page
    assert "David Birk 12" in page
    assert "David Birk 21" in page


def test_running_totals_that_two_hands_explain_are_asked_about(
    dirk: Client, tmp_path: Path
) -> None:
    options = {"resets": "50-to-0,100-to-50"}
    Event.objects.update(variant="dirty-nasty-filthy", options=options)
    lines = ("3,7,28,29", "10,10,56,58", "0,0,76,75")
    heads = RUNNING.splitlines()[0]
    content = "\n".join([heads, *(f"2025-10-13,1,{line}" for line in lines)])
    at = sent(dirk, tmp_path, content)
    page = mapped(dirk, at, round="1", reading="running")
    assert "3 hands in the file: 2 ready, 1 pending" in page
    assert "can come from several hands: -10, 40, 20, 17 / 40, -10, 20, 17" in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert scores() == [[3, 7, 28, 29], [7, 3, 28, 29]]


def test_points_of_hands_are_no_running_totals(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, TITLE)
    assert as_shown(dirk.get(f"{at}/columns").context["form"])["cells"] == "points"


def test_title_above_unknown_heads(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, TITLE, day="2025-10-13")
    assert "3 hands in the file: 3 ready" in mapped(dirk, at, round="1", table="1")


def test_players_as_rows_are_turned(dirk: Client, tmp_path: Path) -> None:
    rows = "Name;1;2;3;Total\nAnn Tarn;13;0;1;14\nCai Gale;5;13;0;18\nDavid Birk;8;13;13;34\n"
    at = sent(dirk, tmp_path, f"{rows}Gus Hale;0;0;12;12\nTotal;26;26;26;78\n", day="2025-10-13")
    page = mapped(dirk, at, round="1", table="1")
    assert "3 hands in the file: 3 ready" in page
    assert "The players are rows of the file." in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    assert scores() == [[13, 5, 8, 0], [0, 13, 13, 0], [1, 0, 13, 12]]


@pytest.mark.parametrize("gap", ["", ","])
def test_two_tables_side_by_side(dirk: Client, tmp_path: Path, gap: str) -> None:
    content = f"""Table 3,,,,,{gap}Table 5,,,,
Hand,Ann Tarn,Cai Gale,David Birk,Gus Hale,{gap}Hand,Holly Brook,Ivo Sand,Jana Kast,Nell Linde
1,13,5,8,0,{gap}1,0,26,0,0
2,0,13,13,0,{gap}2,20,6,0,0
3,1,0,13,12,{gap},,,,
"""
    at = sent(dirk, tmp_path, content, day="2025-10-13")
    page = mapped(dirk, at, round="1")
    assert "5 hands in the file: " in page
    assert "2 tables are side by side." in page
    dirk.post(f"{at.removesuffix('/columns')}/confirm")
    codes = Hand.objects.values_list("game__table__code", flat=True).distinct().order_by("pk")
    assert sorted(set(codes)) == ["r1t3", "r1t5"]


HEADS = "date,player 1,score 1,player 2,score 2,player 3,score 3,player 4,score 4\n"


def test_lines_of_another_encoding_are_named_the_rest_is_read(dirk: Client, tmp_path: Path) -> None:
    rows = [
        f"2025-10-{day:02},{name},41,Cai Gale,102,David Birk,68,Gus Hale,49\n"
        for day, name in ((6, "Béatrice Müller"), (13, "Łukasz Żak"), (20, "Füsun Öz"))
    ]
    path = tmp_path / "mixed.csv"
    lines = [HEADS.encode(), *(row.encode() for row in rows[:2]), rows[2].encode("cp1252")]
    path.write_bytes(b"".join(lines))
    page = text(dirk.get(send_file(dirk, path)))
    assert "3 results in the file: 3 ready" in page
    assert "Some lines are not UTF-8: 4." in page


def test_text_encoded_twice_is_read_in_the_right_spelling(dirk: Client, tmp_path: Path) -> None:
    row = "2025-10-06,Béatrice Müller,41,Łukasz Żak,102,David Birk,68,Gus Hale,49\n"
    path = tmp_path / "twice.csv"
    path.write_bytes((HEADS + row).encode().decode("latin-1").encode())
    page = text(dirk.get(send_file(dirk, path)))
    assert "1 result in the file: 1 ready" in page
    assert "is read as “Béatrice Müller”" in page or 'is read as "Béatrice Müller"' in page


@pytest.mark.parametrize(
    ("content", "ready"),
    [
        (HEADS + "2025-10-06,Ann Tarn,4O,Cai Gale,103,David Birk,68,Gus Hale,49\n", "1 result"),
        (TITLE.replace("2;0;13;13;0", "2;0;13;13;0\n4;1O;13;3;0"), "4 hands"),
    ],
)
def test_letter_o_among_points_is_told_apart_by_a_button(
    dirk: Client, tmp_path: Path, content: str, ready: str
) -> None:
    at = sent(dirk, tmp_path, content, day="2025-10-13")
    if at.endswith("/columns"):
        mapped(dirk, at, round="1", table="1")
        at = at.removesuffix("/columns")
    problem = ImportProblem.objects.get(state="open")
    assert "O → " in text(dirk.get(at))
    page = text(dirk.post(f"{at}/problems/{problem.position}", {"do": "offer-0"}, follow=True))
    assert f"{ready} in the file: {ready[0]} ready" in page


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"%PDF-1.7", "a PDF file"), (b"<html>", "HTML or XML"), (b"% PBN 2.1\n[Event", "a PBN file"),
     (b"\x89PNG\r\n", "a picture (PNG)")],
)  # fmt: skip
def test_other_kinds_of_files_are_refused_before_they_are_stored(
    dirk: Client, tmp_path: Path, content: bytes, kind: str
) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(content + b" " * 100_000)
    assert kind in text_of(post_file(dirk, path), 422)
    assert not ImportBatch.objects.exists()


@pytest.mark.parametrize(
    "heads",
    [
        "datum,ronde,tafel,spel,speler,punten",
        "date,manche,table,donne,joueur,points",
        "Datum,Runde,Tisch,Blatt,Spieler,Punkte",
    ],
)
def test_heads_in_other_languages_are_known(dirk: Client, tmp_path: Path, heads: str) -> None:
    rows = "".join(
        f"2025-10-13,1,1,1,{name},{points}\n"
        for name, points in zip(PEOPLE[:4], (13, 5, 8, 0), strict=True)
    )
    at = sent(dirk, tmp_path, f"{heads}\n{rows}")
    page = mapped(dirk, at) if at.endswith("columns") else text(dirk.get(at))
    assert "1 hand in the file: 1 ready" in page


@pytest.mark.parametrize("holds", ["hands", "totals"])
def test_merged_cells_and_rows_of_sums(dirk: Client, tmp_path: Path, holds: str) -> None:
    points = ["13;5;8;0", "0;13;13;0"] if holds == "hands" else ["41;102;68;49", "77;30;101;52"]
    content = f"""Wann;Ann Tarn;Cai Gale;David Birk;Gus Hale
13.10.2025;{points[0]}
;{points[1]}
Summe;118;132;169;101
"""
    at = sent(dirk, tmp_path, content)
    given = {"round": "1", "table": "1"} if holds == "hands" else {}
    page = mapped(dirk, at, **given)
    assert f"2 {'hands' if holds == 'hands' else 'results'} in the file: 2 ready" in page
    assert "Line 4 is not a row of a hand (Summe" in page


MATRIX = """Name;6 Oct;13 Oct;20 Oct;27 Oct;Total
Ann Tarn;5;3;;5;13
Béatrice Müller;3;5;2;1;11
Cai Gale;1;;5;3;9
David Birk;2;2;3;;7
Ester Dorn;;1;1;2;5
Zoe Newman;1;;;;1
"""


def test_import_page_names_what_a_file_may_hold(dirk: Client) -> None:
    page = text_of(dirk.get("/clubs/riverside/events/league/imports/new"))
    assert "Choose a file, or paste rows: score sheets, results" in page
    assert "in English, German, Dutch or French." in page


def test_season_so_far_is_shown_and_added_with_new_players(dirk: Client, tmp_path: Path) -> None:
    path = tmp_path / "season.csv"
    path.write_text(MATRIX, encoding="utf-8")
    answer = post_file(dirk, path)
    page = text(answer)
    assert "6 players, values: 17" in page
    assert "The values total 4, the list has 5." in page
    assert "1 person of this list is not in the club." in page
    assert ">Cancel</a>" in answer.content.decode()
    form = {**as_shown(answer.context["form"]), "reason": "From our sheet.", "add": "yes"}
    at = "/clubs/riverside/events/league/opening-values/list"
    refused = dirk.post(at, form)
    assert refused.status_code == 422
    assert "Zoe Newman" in text(refused)
    page = text(dirk.post(at, {**form, "add_missing": "on"}, follow=True))
    assert "17 values added." in page
    values = OpeningValue.objects.filter(withdrawn_at=None)
    assert values.count() == 17
    assert {str(day)[5:] for day in values.values_list("date", flat=True)} == {
        "10-06", "10-13", "10-20", "10-27"
    }  # fmt: skip
    assert "0 values added." in text(dirk.post(at, form, follow=True))


def test_list_of_totals_is_a_season_of_one_day(dirk: Client) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    lines = "Platz;Name;Punkte;Spiele;Siege\n1;Ann Tarn;13;4;2\n2;Cai Gale;9;3;1\n"
    form = {"text": lines, "until": "2025-10-27", "reason": "From our sheet.", "add": "yes"}
    assert "2 values added." in text(dirk.post(at, form, follow=True))
    assert list(OpeningValue.objects.values_list("games", "wins")) == [(4, 2), (3, 1)]


def test_list_of_totals_that_grows_is_not_counted_beside_itself(dirk: Client) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    lines = "Platz;Name;Punkte;Spiele;Siege\n1;Ann Tarn;13;4;2\n2;Cai Gale;9;3;1\n"
    form = {"text": lines, "until": "2025-10-27", "reason": "From our sheet.", "add": "yes"}
    dirk.post(at, form)
    grown = form | {"text": lines.replace("13;4", "15;5"), "until": "2025-11-03"}
    checked = text(dirk.post(at, {key: grown[key] for key in ("text", "until")}))
    assert "Count beside earlier values" in checked
    refused = dirk.post(at, grown)
    assert refused.status_code == 422
    assert "Ann Tarn already has a value from before, of" in text(refused)
    assert OpeningValue.objects.count() == 2
    assert "0 values added." in text(dirk.post(at, form, follow=True)), "the same list again"
    answer = dirk.post(at, grown | {"beside": "on"}, follow=True)
    assert "2 values added." in text(answer)


def test_evenings_of_a_list_count_beside_those_of_other_days(dirk: Client) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    form = {"reason": "From our sheet.", "add": "yes", "evenings": "each"}
    first = "Name;06.10.2025;13.10.2025\nAnn Tarn;3;1\nCai Gale;2;4\n"
    grown = "Name;06.10.2025;13.10.2025;20.10.2025\nAnn Tarn;3;1;2\nCai Gale;2;4;1\n"
    assert "4 values added." in text(dirk.post(at, form | {"text": first}, follow=True))
    assert "2 values added." in text(dirk.post(at, form | {"text": grown}, follow=True))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (
            "Ann Tarn;Cai Gale;David Birk;Gus Hale;Dame\n4;1;2;6;Ann Tarn\n0;13;0;0;Gus Hale\n",
            "Hands",
        ),
        ("Ann Tarn;Cai Gale;David Birk;Gus Hale\n4;1;2;6\n0;5;8;0\n", "Hands"),
        ("Ann Tarn;Cai Gale;David Birk;Gus Hale\n41;102;68;49\n", "Totals of whole games"),
        ("Wer;Minus\nAnn Tarn;4\n", "Hands"),
    ],
)
def test_kind_of_a_file(dirk: Client, tmp_path: Path, content: str, kind: str) -> None:
    assert f"Read as: {kind}" in text(dirk.get(sent(dirk, tmp_path, content)))


def test_mapping_of_the_club_says_what_a_file_holds(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, TOTALS)
    mapped(dirk, at)
    dirk.post(f"{at.removesuffix('/columns')}/keep-mapping", {"name": "Evenings"})
    low = "4,1,25-10-20,Ann Tarn,Cai Gale,David Birk,Gus Hale,13,5,8,0,4,2,3,1"
    again = sent(dirk, tmp_path, f"{TOTALS.splitlines()[0]}\n{low}\n", name="later.csv")
    assert "Read as: Totals of whole games" in text(dirk.get(again))


@pytest.mark.parametrize(
    ("heads", "values"),
    [("Name;2025-10-06;2025-10-13", 4), ("Name;2025-10-20;2025-10-27", 0), ("Name;;", 0)],
)
def test_values_below_other_heads_are_not_those_of_the_first_evenings(
    dirk: Client, heads: str, values: int
) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    rows = f"Name;2025-10-06;2025-10-13\nAnn Tarn;5;3\nCai Gale;1;2\n{heads}\n"
    answer = dirk.post(at, {"text": rows, "reason": "From our sheet.", "add": "yes"}, follow=True)
    assert ("Line 4 has the heads of another list." in text(answer)) == (values == 0)
    assert OpeningValue.objects.count() == values


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ("Zoe  Newman;5;3", 2),
        ("Zoe\u00a0Newman;5;3", 2),
        ("Zoe Newman;5;\nNewman, Zoe;;3", 2),
        ("Zoe Newman;5;3\nZOE NEWMAN;5;3", 0),
        ("Ann Tarn;5;\nAnn Tarn;5;", 0),
    ],
)
def test_person_spelled_otherwise_is_one_player(dirk: Client, rows: str, values: int) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    form = {"text": f"Name;2025-10-06;2025-10-13\n{rows}\n", "reason": "From our sheet."}
    answer = dirk.post(at, {**form, "add": "yes", "add_missing": "on"})
    assert answer.status_code == (302 if values else 422)
    assert OpeningValue.objects.count() == values


@pytest.mark.parametrize(
    ("heads", "says"),
    [
        ("2025-10-06;6.10.2025", "Two columns have the date 2025-10-06."),
        ("25-10-26;26-10-25", "The head 25-10-26 can mean several dates."),
    ],
)
def test_dates_of_a_season_not_told_are_refused(dirk: Client, heads: str, says: str) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    assert says in text(dirk.post(at, {"text": f"Name;{heads}\nAnn Tarn;5;5\nCai Gale;1;2\n"}))


def test_order_of_a_date_in_a_season_is_that_of_the_other_dates(dirk: Client) -> None:
    at = "/clubs/riverside/events/league/opening-values/list"
    lines = "Name;10/6/2025;10/13/2025\nAnn Tarn;5;3\n"
    dirk.post(at, {"text": lines, "reason": "From our sheet.", "add": "yes"})
    assert {str(on) for on in OpeningValue.objects.values_list("date", flat=True)} == {
        "2025-10-06", "2025-10-13"
    }  # fmt: skip


def test_total_of_a_season_without_games_is_refused_where_they_are_needed(dirk: Client) -> None:
    Event.objects.update(settings={"primary": "beaten_mean"})
    at = "/clubs/riverside/events/league/opening-values/list"
    lines = "Name;Total\nAnn Tarn;13\nCai Gale;9\n"
    form = {"text": lines, "until": "2025-10-27", "reason": "From our sheet.", "add": "yes"}
    assert "Enter the number of games" in text(dirk.post(at, form))
    assert not OpeningValue.objects.exists()


def test_list_of_a_season_that_is_too_long_says_so(dirk: Client, tmp_path: Path) -> None:
    path = tmp_path / "season.csv"
    path.write_text("Name;Total\n" + "".join(f"A{n};1\n" for n in range(1001)), encoding="utf-8")
    assert "The list has 1001 players. The maximum is 1000." in text(post_file(dirk, path))


def test_two_columns_of_one_name_are_not_put_together(dirk: Client, tmp_path: Path) -> None:
    content = "Hand;Ann Tarn;Ann Tarn;Cai Gale;;Hand;Ivo Sand;Jana Kast\n1;13;5;8;;1;0;26\n"
    sent(dirk, tmp_path, content, day="2025-10-13")
    heads = Upload.objects.get().heads
    assert heads.count("Ann Tarn") == 2


def test_season_names_the_days_that_the_event_has_hands_of(dirk: Client, tmp_path: Path) -> None:
    at = sent(
        dirk, tmp_path, f"{HEADS}2025-10-13,Ann Tarn,41,Cai Gale,102,David Birk,68,Gus Hale,49"
    )
    dirk.post(f"{at}/confirm")
    lines = "Name;6.10.2025;13.10.2025\nAnn Tarn;5;3\nCai Gale;1;2\n"
    page = dirk.post("/clubs/riverside/events/league/opening-values/list", {"text": lines})
    assert "The event has hands of these days, and both count: Monday 13 October 2025" in text(page)
