"""Files of others, by the command: a mapping is given, kept, used again; entries are as of ours."""

import io
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_with
from tests.support.imports.imports import everything, hand_scores, imported
from tests.support.imports.other_programs import (
    BY_HAND,
    BY_SEAT,
    HANDS_PLAN,
    NAMES,
    SEATS_PLAN,
    as_csv,
    as_xlsx,
    hand_rows,
    ours,
    seat_rows,
)
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Hand
from tournaments.models.imports import ColumnMap, ImportProblem

Write = Callable[[Path, Sequence[str], Sequence[Sequence[object]]], Path]
cast_once, cast = cast_with(*NAMES, with_league=True)


def run(
    path: Path, *words: str, status: int = 0, event: str = "league", club: str = "riverside"
) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    begin = ("--club", club, "--event", event, str(path))
    ends: AbstractContextManager[object]
    ends = pytest.raises(SystemExit, match=str(status)) if status else nullcontext()
    with ends:
        call_command("import_sheets", *begin, *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def plan_file(folder: Path, plan: object) -> str:
    path = folder / "mapping.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return str(path)


def test_kept_mapping_reads_the_next_file_by_its_heads_and_the_same_file_adds_nothing(
    cast: Cast, tmp_path: Path
) -> None:
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    mapping = plan_file(tmp_path, HANDS_PLAN)
    run(path, "--map-file", mapping, "--keep-mapping", "Tuesdays", "--round", "11")
    kept = ColumnMap.objects.get()
    assert (kept.name, kept.club.slug, kept.plan) == ("Tuesdays", "riverside", HANDS_PLAN)
    line = AuditLine.objects.get(act="keep_mapping")
    assert (line.subject, line.actor) == ("club:riverside/mapping:1", "command:import_sheets")
    said, _ = run(path, "--round", "11")
    assert "Read with the mapping Tuesdays." in said
    assert "3 are in the event, 0 of them new." in said
    fewer = [name for name in BY_HAND if name != NAMES[3]]
    next_week = as_csv(tmp_path / "next.csv", fewer, [])
    with next_week.open("a") as file:
        file.write("20.11.2025;1;1;4;1;8;Alma;;\r\n")
    said, _ = run(next_week, "--round", "12", "--json")
    assert json.loads(said)["mapping"] == "Tuesdays"
    assert json.loads(said)["accepted"] == 1


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_title_above_the_heads_of_others_is_passed_over_and_lines_stay_those_of_the_file(
    cast: Cast, tmp_path: Path, write: Write
) -> None:
    first, second, third = hand_rows()
    short = [*second[:3], 12, *second[4:]]
    path = write(tmp_path / "night.csv", ["Club night"], [BY_HAND, first, short, third])
    mapping = plan_file(tmp_path, HANDS_PLAN)
    said, _ = run(path, "--map-file", mapping, "--round", "11", "--json", status=1)
    report = json.loads(said)
    assert (report["rows"], report["hands"], report["accepted"]) == (3, 3, 2)
    lines = {problem["code"]: problem["lines"] for problem in report["problems"]}
    assert (lines["not_a_hand_row"], lines["too_many_copies"]) == ([1], [4])


@pytest.mark.parametrize("first", [["Summe", "", ""], ["", "", "Total:"], ["", "Gesamt", ""]])
def test_row_of_sums_is_no_hand(cast: Cast, tmp_path: Path, first: list[str]) -> None:
    sums = [*first, 6, 16, 10, 7, "", "", ""]
    path = as_csv(tmp_path / "night.csv", BY_HAND, [*hand_rows(), sums])
    mapping = plan_file(tmp_path, HANDS_PLAN)
    said, _ = run(path, "--map-file", mapping, "--round", "11", "--json")
    report = json.loads(said)
    assert (report["hands"], report["accepted"]) == (3, 3)
    last = next(problem for problem in report["problems"] if problem["lines"] == [5])
    assert (last["code"], last["class"]) == ("not_a_hand_row", "skip")


def test_seats_of_the_event_stay_where_a_file_names_none(cast: Cast, tmp_path: Path) -> None:
    imported(ours(tmp_path))
    other_way = [*BY_HAND[:3], *reversed(NAMES), *BY_HAND[7:]]
    cells = [[*row[:3], *reversed(row[3:7]), *row[7:]] for row in hand_rows()]
    path = as_csv(tmp_path / "night.csv", other_way, cells)
    said, _ = run(path, "--map-file", plan_file(tmp_path, HANDS_PLAN), "--round", "11")
    assert "3 are in the event, 0 of them new." in said


def test_columns_not_understood_end_with_2_and_how_to_map_them(cast: Cast, tmp_path: Path) -> None:
    before = everything()
    out, err = run(as_csv(tmp_path / "night.csv", BY_HAND, hand_rows()), status=2)
    assert out == ""
    assert "Unknown columns: Wann, Spiel, Alma D., Bruno K., Cleo S., Dario D., Dame bei" in err
    assert "print a mapping with --show-mapping" in err
    assert everything() == before


def test_shown_mapping_guesses_and_can_be_read_again(cast: Cast, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    shown, _ = run(path, "--show-mapping")
    plan = json.loads(shown)
    ids = dict(zip(NAMES, ("RL01", "RL02", "RL03", "RL04"), strict=True))
    assert plan == {**HANDS_PLAN, "players": ids, "given": {"round": "dates"}}
    run(path, "--map-file", plan_file(tmp_path, plan), "--round", "11")
    assert Hand.objects.count() == 3


def test_guess_knows_a_game_by_its_numbers(cast: Cast, tmp_path: Path) -> None:
    cells = [[game, name, 5] for game in (1, 2) for name in NAMES]
    path = as_xlsx(tmp_path / "scores.xlsx", ("Game", "Player", "Score"), cells)
    shown, _ = run(path, "--show-mapping")
    assert json.loads(shown) == {
        "rows": "seats",
        "columns": {"Game": "hand", "Player": "player", "Score": "points"},
        "given": {"table": "1"},
    }


def test_guess_knows_a_date_by_what_stands_in_the_column(cast: Cast, tmp_path: Path) -> None:
    cells = [["11/13/2025 19:31:12", "13.11.2025", *hand[3:]] for hand in hand_rows()]
    heads = ("Timestamp", "Entered", *BY_HAND[3:])
    shown, _ = run(as_csv(tmp_path / "form.csv", heads, cells), "--show-mapping")
    columns = json.loads(shown)["columns"]
    assert (columns["Timestamp"], columns["Entered"]) == ("date", "ignore")


@pytest.mark.parametrize(
    ("change", "say"),
    [
        (
            {"Bemerkung": "hearts"},
            "Two columns are read as Hearts taken: Herzen, Bemerkung. Choose one",
        ),
        ({"Spieler": "ignore"}, "No column gives the player."),
        ({"Herzen": "ignore", "Pik-Dame": "ignore"}, "No column gives the counts."),
        ({"Uhrzeit": "date"}, "This file no longer has a column Uhrzeit."),
        ({"Tisch": "ignore"}, "The file does not give the table."),
        ({"Tisch": "tabel"}, "Tisch cannot be tabel"),
    ],
)
def test_mapping_that_does_not_fit_is_refused_and_nothing_is_written(
    cast: Cast, tmp_path: Path, change: dict[str, str], say: str
) -> None:
    before = everything()
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    columns = {**SEATS_PLAN["columns"], **change}
    mapping = plan_file(tmp_path, {**SEATS_PLAN, "columns": columns})
    words = ("--map-file", mapping, "--round", "11", "--keep-mapping", "Bad")
    _, err = run(path, *words, status=2)
    assert say in err
    assert everything() == before


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("{", "is not JSON"),
        ("[]", "mapping cannot be a list"),
        ('{"rows": "columns", "columns": {"a": "b"}}', "rows cannot be"),
        ('{"columns": {}}', "columns cannot be 0"),
        ('{"colums": {}}', "mapping cannot be"),
        ('{"rows": "hands", "cells": "aces", "columns": {"a": "date"}}', "cells cannot be"),
    ],
)
def test_file_of_no_mapping_is_refused(cast: Cast, tmp_path: Path, text: str, say: str) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    (tmp_path / "mapping.json").write_text(text)
    _, err = run(path, "--map-file", str(tmp_path / "mapping.json"), status=2)
    assert say in err


def test_mapping_is_asked_for_by_name_and_belongs_to_its_club(cast: Cast, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    mapping = plan_file(tmp_path, SEATS_PLAN)
    run(path, "--map-file", mapping, "--keep-mapping", "Abend", "--round", "11")
    run(path, "--mapping", "ABEND", "--round", "11")
    _, err = run(path, "--mapping", "Morgen", "--round", "11", status=2)
    assert "No mapping is called Morgen. Kept in this club: Abend." in err
    league(cast.hilltop)
    _, err = run(path, "--mapping", "Abend", status=2, club="hilltop")
    assert "Kept in this club: none." in err


def test_round_that_no_column_says_is_asked_for(cast: Cast, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    mapping = plan_file(tmp_path, SEATS_PLAN)
    _, err = run(path, "--map-file", mapping, status=2)
    assert "The file does not give the round." in err
    assert "Say it with --round." in err
    _, err = run(path, "--map-file", mapping, "--round", "0", status=2)
    assert "round cannot be 0. Expected: a number from 1 up." in err


def test_each_new_date_is_the_next_round_if_the_mapping_says(cast: Cast, tmp_path: Path) -> None:
    cells = [*seat_rows((0,)), *([f"20{row[0][2:]}", *row[1:]] for row in seat_rows((2,)))]  # type: ignore[index]
    path = as_csv(tmp_path / "season.csv", BY_SEAT, cells)
    mapping = plan_file(tmp_path, {**SEATS_PLAN, "given": {"round": "dates"}})
    run(path, "--map-file", mapping, "--round", "4")
    assert [row[:4] for row in hand_scores()][::4] == [
        ("2025-11-13", "4", "1", "1"),
        ("2025-11-20", "5", "1", "1"),
    ]


def test_problems_are_at_lines_and_under_heads_of_the_file(cast: Cast, tmp_path: Path) -> None:
    cells = hand_rows()
    cells[0][3] = 3
    cells[1][7] = "Zoe"
    cells[2][4] = ""
    cells.append(["13.11.2025", "x", 4, 4, 1, 2, 6, "Alma D.", "", ""])
    cells.append(["13.11.2025", 1, 5, 4, "I", 2, 6, "alma", "", ""])
    cells.append(["13.11.2025", 1, 6, 4, 1, 2, 6, "Alma", "", "", "what"])
    path = as_csv(tmp_path / "night.csv", BY_HAND, cells)
    mapping = plan_file(tmp_path, HANDS_PLAN)
    said, _ = run(path, "--map-file", mapping, "--round", "11", "--json", status=1)
    report = json.loads(said)
    found = [
        (problem["code"], problem["class"], problem["lines"], problem["message"])
        for problem in report["problems"]
        if problem["class"] in ("ask", "reject")
    ]
    assert found == [
        ("missing_cards", "reject", [2], "Table 1, hand 1: the hearts total 12, expected 13."),
        (
            "not_at_the_table", "ask", [3],
            "Table 1, hand 2: Dame bei: Zoe is not one of the players at the table.",
        ),
        (
            "seat_count", "reject", [4],
            "Table 1, hand 3: there are 3 players, expected 4 players.",
        ),
        (
            "bad_number", "reject", [5],
            'Line 5: the table ("Tisch") is written as "x". A number from 1 up is expected.',
        ),
        (
            "bad_count", "reject", [6],
            "Table 1, hand 5: Bruno K.: hearts are written as I. "
            "It must be a whole number from 0 to 13.",
        ),
        (
            "too_many_cells", "reject", [7],
            "Line 7 has 11 cells, there are 10 heads. Is a comma in a number?",
        ),
    ]  # fmt: skip
    assert (report["rows"], report["hands"], report["accepted"]) == (6, 5, 0)
    problem = ImportProblem.objects.get(code="not_at_the_table")
    assert problem.rows == [[3, [str(cell) for cell in cells[1]]]]


def test_new_player_takes_the_seat_of_the_one_who_left(cast: Cast, tmp_path: Path) -> None:
    players(cast.riverside, "Enno F.")
    heads = ("Wann", "Tisch", "Spiel", "Enno F.", *NAMES)
    cells = [["13.11.2025", 1, 1, "", 14, 2, 4, 6], ["13.11.2025", 1, 2, 14, 2, "-", 4, 6]]
    path = as_csv(tmp_path / "night.csv", heads, cells)
    columns = {**dict.fromkeys(heads, "player"), "Wann": "date", "Tisch": "table", "Spiel": "hand"}
    plan = {"rows": "hands", "cells": "points", "columns": columns}
    said, _ = run(path, "--map-file", plan_file(tmp_path, plan), "--round", "11", status=0)
    assert "2 are in the event, 2 of them new." in said
    scores = [(row[3], row[5], row[4]) for row in hand_scores()]
    assert [who for hand, who, seat in scores if seat == "E"] == ["RL02", "RL05"]


def test_game_of_sides_needs_to_know_who_sits_where(cast: Cast, tmp_path: Path) -> None:
    league(cast.riverside, slug="sides", variant="partnership-hearts")
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    mapping = plan_file(tmp_path, HANDS_PLAN)
    words = ("--map-file", mapping, "--round", "11", "--json")
    said, _ = run(path, *words, status=1, event="sides")
    problems = json.loads(said)["problems"]
    assert [problem["code"] for problem in problems if problem["class"] == "reject"] == [
        "sides_unknown"
    ]


def test_column_of_a_member_is_known_without_accents_only(cast: Cast, tmp_path: Path) -> None:
    players(cast.riverside, "Zoë Ł.")
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    run(path, "--map-file", plan_file(tmp_path, HANDS_PLAN), "--keep-mapping", "T", "--round", "11")
    cells = hand_rows()[:1]
    cells[0][6:8] = [6, "ZOE"]
    heads = [head.replace("Dario D.", "zoe  l.") for head in BY_HAND]
    said, _ = run(as_csv(tmp_path / "next.csv", heads, cells), "--round", "12")
    assert "1 is in the event, 1 of them new." in said
    assert [row[5] for row in hand_scores() if row[1] == "12"] == ["RL02", "RL01", "RL03", "RL05"]
    heads = [head.replace("Dario D.", "Vera") for head in BY_HAND]
    _, err = run(as_csv(tmp_path / "next.csv", heads, cells), "--round", "13", status=2)
    assert "Unknown columns: Wann" in err


def test_cards_are_named_or_in_cells_as_the_game_has_them(cast: Cast, tmp_path: Path) -> None:
    league(cast.riverside, slug="omnibus", variant="omnibus-hearts")
    heads = ("Wann", *NAMES, "Q♠", "JD")
    columns = {"Wann": "date", **dict.fromkeys(NAMES, "player")}
    columns |= {"Q♠": "queen_spades", "JD": "jack_diamonds"}
    plan = {"rows": "hands", "cells": "hearts", "columns": columns, "given": {"table": "1"}}
    path = as_csv(tmp_path / "a.csv", heads, [["13.11.2025", 4, 1, 2, 6, "Alma", "Dario"]])
    run(path, "--map-file", plan_file(tmp_path, plan), "--round", "1", event="omnibus")
    assert [row[6] for row in hand_scores("omnibus")] == ["1", "17", "2", "-4"]
    hearts = [f"{rank}H" for rank in "23456789TJQKA"]
    piles = [" ".join([*hearts[:4], "QS"]), hearts[4], " ".join(hearts[5:]), "0"]
    path = as_csv(tmp_path / "b.csv", heads, [["13.11.2025", *piles, "", "Dario"]])
    plan["cells"] = "cards"
    run(path, "--map-file", plan_file(tmp_path, plan), "--round", "2", event="omnibus")
    scores = [row[5:] for row in hand_scores("omnibus") if row[1] == "2"]
    assert scores == [("RL02", "1"), ("RL01", "17"), ("RL03", "8"), ("RL04", "-10")]


def test_mapping_that_is_not_kept_is_used_once(cast: Cast, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    run(path, "--map-file", plan_file(tmp_path, SEATS_PLAN), "--round", "11")
    assert not ColumnMap.objects.exists()
    run(path, status=2)
    run(path, "--keep-mapping", "Abend", status=2)
    run(path, "--mapping", "Abend", "--map-file", str(path), status=2)
