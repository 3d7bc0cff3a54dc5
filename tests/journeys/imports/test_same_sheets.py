"""A sheet that the event has already, in another spelling: one question, never counted twice."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json, post_json
from tests.support.builders import TESTS, league, players
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.imports import AFTERWARDS
from tests.support.imports.uploads import IMPORTS, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.documents.read.apply_plan import PlanRequest
from tournaments.documents.read.column_plan import plan_from
from tournaments.domain.imports.imported_sheets import SentHand
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import Holds, ImportProblem
from tournaments.policy import command
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.paper_sheets import enter_paper_sheet
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation

NAMES: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
DAY: Final = date(2025, 11, 13)
HANDS: Final = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12), (2, 3, 6, 15), (26, 0, 26, 26))
ONE_SHEET: Final = "offer-0"
ANOTHER_GAME: Final = "offer-1"

Points = Sequence[Sequence[int]]


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *NAMES)
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def people(names: Sequence[str] = NAMES) -> list[Player]:
    by_name = {player.name: player for player in Player.objects.filter(name__in=names)}
    return [by_name[name] for name in names]


def enter_on_paper(event: Event, hands: Points = HANDS, *, place: int = 1) -> None:
    """Enter a sheet as Enter from paper does."""
    enter_entries(event, [{"points": list(points)} for points in hands], place=place)


def enter_entries(event: Event, entries: Sequence[Json], *, place: int = 1) -> None:
    event = Event.objects.select_related("club").get(pk=event.pk)
    sent = [SentHand(number, entry) for number, entry in enumerate(entries, start=1)]
    enter_paper_sheet(
        Operation(TESTS, AFTERWARDS), event, day=DAY, place=place, players=people(), hands=sent
    )


def written(
    folder: Path,
    hands: Points = HANDS,
    *,
    day: str = "",
    table: str = "",
    names: Sequence[str] = NAMES,
    numbered: bool = True,
    name: str = "sheet.csv",
) -> Path:
    heads = [*names]
    lines = [list(map(str, points)) for points in hands]
    if numbered:
        heads.insert(0, "Hand")
        lines = [[str(number), *line] for number, line in enumerate(lines, start=1)]
    for head, cell in (("Table", table), ("Date", day)):
        if cell:
            heads.insert(0, head)
            lines = [[cell, *line] for line in lines]
    path = folder / name
    rows = [heads, *lines]
    path.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return path


def send(client: Client, path: Path, **changed: str) -> str:
    """Send a file on the page with all that is proposed; return the address of its import."""
    at = send_file(client, path)
    if at.endswith("/columns"):
        page = client.get(at)
        answer = client.post(at, {**as_shown(page.context["form"]), **changed})
        assert answer.status_code == 302, text(answer)
        at = at.removesuffix("/columns")
    client.post(f"{at}/confirm")
    return at


def stored() -> list[tuple[str, int]]:
    """Return the code of each table with hands, and how many it has."""
    codes = Hand.objects.filter(state="accepted").values_list("game__table__code", flat=True)
    return [(code, list(codes).count(code)) for code in sorted(set(codes))]


def questions() -> list[ImportProblem]:
    return list(ImportProblem.objects.filter(state="open"))


def answer(client: Client, at: str, button: str) -> None:
    (problem,) = questions()
    client.post(f"{at}/problems/{problem.position}", {"do": button})
    client.post(f"{at}/confirm")


def test_sheet_without_a_date_that_was_entered_from_paper_is_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path))
    assert stored() == [("r1t1", 5)]
    (problem,) = questions()
    assert (problem.code, problem.lines) == ("sheet_elsewhere", [2, 3, 4, 5, 6])
    shown = dirk.get(f"{at}/problems/{problem.position}")
    assert 'href="/clubs/riverside/events/league/tables/r1t1"' in shown.content.decode()
    page = text(shown)
    assert "table 1 of round 1 has the same people, and 5 of 5 hands are equal" in page
    assert "It is one sheet: add only what is new" in page
    assert "Another game: add it" in page


def test_one_sheet_adds_only_what_is_new(dirk: Client, event: Event, tmp_path: Path) -> None:
    enter_on_paper(event, HANDS[:3])
    at = send(dirk, written(tmp_path))
    answer(dirk, at, ONE_SHEET)
    assert stored() == [("r1t1", 5)]
    assert questions() == []


def test_another_game_is_added(dirk: Client, event: Event, tmp_path: Path) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path))
    answer(dirk, at, ANOTHER_GAME)
    assert stored() == [("r1t1", 5), ("r2t1", 5)]
    assert questions() == []


@pytest.mark.parametrize("day", ["2025-11-13", "13.11.2025", "13 Nov 2025"])
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1]], ids=["order of the sheet", "another"])
def test_sheet_with_its_date_is_the_one_from_paper(
    dirk: Client, event: Event, tmp_path: Path, day: str, names: Sequence[str]
) -> None:
    enter_on_paper(event, HANDS[:4])
    hands = HANDS if names == NAMES else [hand[::-1] for hand in HANDS]
    send(dirk, written(tmp_path, hands, day=day, names=names))
    assert stored() == [("r1t1", 5)]
    assert questions() == []


@pytest.mark.parametrize(
    ("name", "day"), [("hearts_2025-11-13.csv", ""), ("sheet.csv", "2025-11-13")]
)
def test_only_date_of_a_sheet_may_be_its_files_name_or_typed(
    dirk: Client, event: Event, tmp_path: Path, name: str, day: str
) -> None:
    enter_on_paper(event)
    typed = {"day": day} if day else {}
    send(dirk, written(tmp_path, name=name), round="1", **typed)
    assert stored() == [("r1t1", 5)]
    assert questions() == []


def test_same_people_in_another_order_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event, HANDS[:4])
    at = send(dirk, written(tmp_path, [hand[::-1] for hand in HANDS], names=NAMES[::-1]))
    assert stored() == [("r1t1", 4)]
    answer(dirk, at, ONE_SHEET)
    assert (stored(), questions()) == ([("r1t1", 5)], [])


@pytest.mark.parametrize(
    ("button", "expected"),
    [(ONE_SHEET, [("r1t1", 5)]), (ANOTHER_GAME, [("r1t1", 5), ("r2t2", 5)])],
)
def test_file_with_another_table_number_is_one_question(
    dirk: Client, event: Event, tmp_path: Path, button: str, expected: list[tuple[str, int]]
) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path, day="2025-11-13", table="2"))
    assert [problem.code for problem in questions()] == ["sheet_elsewhere"]
    answer(dirk, at, button)
    assert (stored(), questions()) == (expected, [])


def test_corrected_figure_is_asked_about_after_the_sheet(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path, [(13, 4, 9, 0), *HANDS[1:]]))
    answer(dirk, at, ONE_SHEET)
    (problem,) = questions()
    assert (problem.code, problem.hand) == ("hand_exists", 1)
    fields = {"do": "use-file", "based_on": "1", "why": "as in the file"}
    dirk.post(f"{at}/problems/{problem.position}", fields)
    assert (stored(), questions()) == ([("r1t1", 5)], [])
    hand = Hand.objects.select_related("entry").get(number=1)
    assert hand.entry is not None
    assert hand.entry.typed == {"points": [13, 4, 9, 0]}


OTHER_HANDS: Final = ((20, 1, 2, 3), (4, 4, 5, 13), (7, 1, 2, 16))


@pytest.mark.parametrize(("n_same", "is_asked"), [(2, False), (3, True)])
def test_more_than_half_of_the_hands_are_equal(
    dirk: Client, event: Event, tmp_path: Path, n_same: int, is_asked: bool
) -> None:
    enter_on_paper(event, HANDS[:4])
    send(dirk, written(tmp_path, [*HANDS[:n_same], *OTHER_HANDS[: 5 - n_same]]))
    assert bool(questions()) is is_asked
    assert stored() == [("r1t1", 4)] + [("r2t1", 5)] * (not is_asked)


def test_other_date_is_another_game(dirk: Client, event: Event, tmp_path: Path) -> None:
    enter_on_paper(event)
    send(dirk, written(tmp_path, day="2025-11-06"))
    assert (stored(), questions()) == ([("r1t1", 5), ("r2t1", 5)], [])


def test_other_people_played_another_game(
    dirk: Client, event: Event, cast: Cast, tmp_path: Path
) -> None:
    players(cast.riverside, "Ester Dorn")
    enter_on_paper(event)
    send(dirk, written(tmp_path, names=[*NAMES[:3], "Ester Dorn"]))
    assert (stored(), questions()) == ([("r1t1", 5), ("r2t1", 5)], [])


def test_answer_holds_when_the_import_is_undone_and_the_file_sent_again(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event, HANDS[:4])
    path = written(tmp_path)
    at = send(dirk, path)
    answer(dirk, at, ONE_SHEET)
    dirk.post(f"{at}/undo")
    assert stored() == [("r1t1", 4)]
    send(dirk, path)
    assert (stored(), questions()) == ([("r1t1", 5)], [])


def test_answer_changes_once_the_import_is_undone(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    path = written(tmp_path)
    at = send(dirk, path)
    (problem,) = questions()
    dirk.post(f"{at}/problems/{problem.position}", {"do": ANOTHER_GAME})
    assert stored() == [("r1t1", 5), ("r2t1", 5)]
    dirk.post(f"{at}/problems/{problem.position}", {"do": ONE_SHEET})
    assert stored() == [("r1t1", 5), ("r2t1", 5)], "it was imported by this answer"
    dirk.post(f"{at}/undo")
    dirk.post(f"{at}/problems/{problem.position}", {"do": ONE_SHEET})
    send(dirk, path)
    assert (stored(), questions()) == ([("r1t1", 5)], [])


def test_answer_holds_for_the_same_file_with_a_kept_mapping(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    path = written(tmp_path)
    at = send(dirk, path)
    answer(dirk, at, ANOTHER_GAME)
    dirk.post(f"{at}/keep-mapping", {"name": "Sheets"})
    with path.open("rb") as file:
        answered = dirk.post(f"/api/v1{IMPORTS}", {"file": file, "round": "3", "table": "1"})
    assert answered.status_code == 200, answered.content
    assert (stored(), questions()) == ([("r1t1", 5), ("r2t1", 5)], [])


def test_rest_offers_both_answers(dirk: Client, event: Event, tmp_path: Path) -> None:
    send(dirk, written(tmp_path, [(20, 1, 2, 3)], name="hearts_2025-11-06.csv"))
    dirk.post("/clubs/riverside/events/league/imports/1/keep-mapping", {"name": "Sheets"})
    enter_on_paper(event)
    with written(tmp_path).open("rb") as file:
        sent = dirk.post(f"/api/v1{IMPORTS}", {"file": file, "round": "3", "table": "1"})
    assert sent.status_code == 200, sent.content
    (problem,) = questions()
    url = f"/api/v1{IMPORTS}/{problem.batch.number}/problems/{problem.position}"
    shown = dirk.get(url).json()
    assert [offer["text"] for offer in shown["offers"]] == [
        "It is one sheet: add only what is new",
        "Another game: add it",
    ]
    corrected = post_json(dirk, f"{url}/correct", {"offer": 0})
    assert corrected.status_code == 202, corrected.content
    process_upload(problem.batch_id, now=AFTERWARDS)
    assert (stored(), questions()) == ([("r1t1", 1), ("r2t1", 5)], [])


PLAN: Final = {
    "rows": "hands",
    "columns": {"Hand": "hand", **dict.fromkeys(NAMES, "player")},
    "cells": "points",
    "given": {"table": "1"},
}


def by_command(path: Path, *options: str) -> tuple[int, str, str]:
    plan = path.parent / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")
    at = ("--club", "riverside", "--event", "league", "--map-file", str(plan), "--round", "2")
    return run_command("import_sheets", *at, str(path), *options)


@pytest.mark.parametrize(
    ("option", "expected"),
    [("--one-sheet", [("r1t1", 5)]), ("--another-game", [("r1t1", 4), ("r2t1", 5)])],
)
def test_command_prints_both_answers_and_takes_them(
    event: Event, tmp_path: Path, option: str, expected: list[tuple[str, int]]
) -> None:
    enter_on_paper(event, HANDS[:4])
    path = written(tmp_path)
    status, out, err = by_command(path)
    assert (status, out.splitlines()[:4]) == (
        1,
        [
            "Pending:",
            "  Lines 2 to 6: table 1 of round 1 has the same people, and 4 of 4 hands are equal. "
            "Is it one sheet? It is pending.",
            "    --one-sheet 2: It is one sheet: add only what is new",
            "    --another-game 2: Another game: add it",
        ],
    )
    assert stored() == [("r1t1", 4)]
    status, out, err = by_command(path, option, "2")
    assert (status, err) == (0, ""), out
    assert (stored(), questions()) == (expected, [])
    assert by_command(path)[0] == 0
    assert (stored(), questions()) == (expected, [])


def test_command_says_of_the_copy_of_a_sheet_that_it_may_be_another_game(
    event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    path = tmp_path / "copies.csv"
    lines = ["Table,Hand," + ",".join(NAMES)]
    for table in (2, 3):
        for number, points in enumerate(HANDS, start=1):
            lines.append(",".join(map(str, [table, number, *points])))
    path.write_text("\n".join(lines), encoding="utf-8")
    plan = tmp_path / "plan.json"
    columns = {"Table": "table", "Hand": "hand"}
    columns |= dict.fromkeys(NAMES, "player")
    plan.write_text(json.dumps({"rows": "hands", "columns": columns, "cells": "points"}))
    at = ["--club", "riverside", "--event", "league", "--round", "2"]
    at += ["--map-file", str(plan), str(path)]
    _status, out, _err = run_command("import_sheets", *at)
    answers = [line.strip() for line in out.splitlines() if line.strip().startswith("--")]
    assert [answer.partition(":")[0] for answer in answers] == [
        "--one-sheet 2",
        "--another-game 2",
        "--another-game 7",
    ]
    status, _out, err = run_command("import_sheets", *at, "--one-sheet", "7")
    assert (status, stored()) == (2, [("r1t1", 5)])
    assert "Another sheet of the file is that table, so the one of line 7 is not." in err


def test_command_refuses_an_answer_to_no_question(event: Event, tmp_path: Path) -> None:
    enter_on_paper(event)
    path = written(tmp_path)
    status, _out, err = by_command(path, "--another-game", "2")
    assert (status, stored()) == (2, [("r1t1", 5)])
    assert "Import the file first. There is no question about line 2 yet." in err


def test_points_of_hands_that_were_entered_with_cards_are_nothing_new(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    cards = [
        {"hearts": [0, 5, 8, 0], "taken": [["QS"], [], [], []]},
        {"hearts": [0, 0, 13, 0], "taken": [[], ["QS"], [], []]},
    ]
    enter_entries(event, cards)
    send(dirk, written(tmp_path, HANDS[:3], day="2025-11-13"))
    assert (stored(), questions()) == ([("r1t1", 3)], [])


INSERTED: Final = (20, 1, 2, 3)
CORRECTED: Final = (0, 12, 14, 0)


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_row_that_was_inserted_into_a_file_without_numbers_is_one_new_hand(
    dirk: Client, event: Event, tmp_path: Path, at: int
) -> None:
    send(dirk, written(tmp_path, HANDS[:3], day="2025-11-13", numbered=False))
    hands = [*HANDS[:at], INSERTED, *HANDS[at:3]]
    for _ in range(2):
        send(dirk, written(tmp_path, hands, day="2025-11-13", numbered=False))
        assert (stored(), questions()) == ([("r1t1", 4)], [])
    new = Hand.objects.select_related("entry").get(number=4)
    assert new.entry is not None
    assert new.entry.typed == {"points": [*INSERTED]}


def test_row_that_was_removed_from_a_file_without_numbers_changes_nothing(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    send(dirk, written(tmp_path, HANDS[:4], day="2025-11-13", numbered=False))
    send(dirk, written(tmp_path, [HANDS[0], *HANDS[2:]], day="2025-11-13", numbered=False))
    assert (stored(), questions()) == ([("r1t1", 5)], [])


def test_corrected_row_of_a_file_without_numbers_is_one_question(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    send(dirk, written(tmp_path, HANDS[:3], day="2025-11-13", numbered=False))
    hands = [INSERTED, HANDS[0], CORRECTED, HANDS[2]]
    send(dirk, written(tmp_path, hands, day="2025-11-13", numbered=False))
    assert [(problem.code, problem.hand) for problem in questions()] == [("hand_exists", 2)]
    assert stored() == [("r1t1", 4)]


def test_row_that_is_new_or_corrected_waits(dirk: Client, event: Event, tmp_path: Path) -> None:
    send(dirk, written(tmp_path, HANDS[:3], day="2025-11-13", numbered=False))
    hands = [HANDS[0], INSERTED, CORRECTED, HANDS[2]]
    at = send(dirk, written(tmp_path, hands, day="2025-11-13", numbered=False))
    codes = [(problem.code, problem.lines) for problem in questions()]
    assert codes == [("hand_unclear", [3]), ("hand_exists", [4])]
    assert stored() == [("r1t1", 3)]
    dirk.post(f"{at}/problems/{questions()[0].position}", {"do": "offer-0"})
    assert [problem.code for problem in questions()] == ["hand_exists"]
    assert stored() == [("r1t1", 4)]


def test_hand_without_a_row_keeps_its_number_for_the_correction(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    wrong = [HANDS[0], (0, 0, 0, 1), HANDS[2]]
    send(dirk, written(tmp_path, wrong, day="2025-11-13", numbered=False))
    assert stored() == [("r1t1", 2)]
    send(dirk, written(tmp_path, HANDS[:3], day="2025-11-13", numbered=False))
    assert stored() == [("r1t1", 3)]
    hand = Hand.objects.select_related("entry").get(number=2)
    assert hand.entry is not None
    assert hand.entry.typed == {"points": [*HANDS[1]]}


def evening(folder: Path, groups: Sequence[Sequence[str]], n_hands: int) -> Path:
    """Write the sheets of several tables, without a date: a row a player and hand."""
    lines = ["Table,Hand,Name,Points"]
    for table, names in enumerate(groups, start=1):
        for number in range(1, n_hands + 1):
            points = HANDS[number % 4]
            lines += [
                f"{table},{number},{name},{score}"
                for name, score in zip(names, points, strict=True)
            ]
    path = folder / f"evening-{len(groups)}-{n_hands}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def import_evening(path: Path, number: str, *, dry_run: bool = False) -> Report:
    actor = command("import_sheets")
    target = find_target(actor=actor, club="riverside", event="league")
    columns = {"Table": "table", "Hand": "hand", "Name": "player", "Points": "points"}
    plan = plan_from({"rows": "seats", "columns": columns})
    wanted = PlanRequest(plan, values={"round": number})
    request = ImportRequest(path, path.name, dry_run=dry_run, wanted=wanted)
    return import_file(Operation(actor, AFTERWARDS), target, request)


def test_number_of_queries_does_not_grow_with_the_sheets_or_their_hands(
    event: Event, cast: Cast, tmp_path: Path
) -> None:
    groups = [[f"{name} {letter}" for name in ("Uma", "Vic", "Wim", "Xia")] for letter in "FGHK"]
    for names in groups:
        players(cast.riverside, *names)
    import_evening(evening(tmp_path, groups, 6), "1")
    counts = []
    for n_tables, n_hands in ((1, 4), (4, 6)):
        path = evening(tmp_path, groups[:n_tables], n_hands)
        with CaptureQueriesContext(connection) as queries:
            report = import_evening(path, "2", dry_run=True)
        asked = [problem.code for problem in report.problems]
        assert asked == ["sheet_elsewhere"] * n_tables
        counts.append(len(queries))
    assert counts[0] == counts[1]


TOTALS_OF_HANDS: Final = (42, 21, 66, 53)
"""What each of NAMES has after HANDS."""


def totals(folder: Path, games: Sequence[tuple[str, Sequence[int]]], name: str) -> Path:
    heads = ",".join(f"Player {n},Score {n}" for n in range(1, 5))
    lines = [f"Date,{heads}"]
    for day, points in games:
        pairs = zip(NAMES, points, strict=True)
        lines.append(",".join([day, *(f"{player},{score}" for player, score in pairs)]))
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def import_totals(path: Path) -> Report:
    actor = command("import_results")
    target = find_target(actor=actor, club="riverside", event="league")
    request = ImportRequest(path, path.name)
    return import_file(Operation(actor, AFTERWARDS), target, request, Holds.TOTALS)


def codes_of(report: Report) -> list[str]:
    return [problem.code for problem in report.problems if problem.waits]


def test_totals_that_grow_add_the_new_game_only(event: Event, tmp_path: Path) -> None:
    games = [
        ("2025-11-06", (42, 21, 66, 53)),
        ("2025-11-13", (30, 40, 60, 52)),
        ("2025-11-20", (20, 50, 60, 52)),
    ]
    for n_games in (1, 2, 3, 3):
        report = import_totals(totals(tmp_path, games[:n_games], f"week-{n_games}.csv"))
        assert (codes_of(report), Hand.objects.count()) == ([], n_games)


def test_totals_with_another_spelling_of_the_date_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    import_totals(totals(tmp_path, [("2025-11-13", TOTALS_OF_HANDS)], "iso.csv"))
    path = totals(tmp_path, [("13.11.2025", TOTALS_OF_HANDS)], "dotted.csv")
    assert codes_of(import_totals(path)) == ["sheet_elsewhere"]
    (problem,) = questions()
    at = f"{IMPORTS}/{problem.batch.number}/problems/{problem.position}"
    dirk.post(at, {"do": ONE_SHEET})
    assert (stored(), questions()) == ([("r1t1", 1)], [])
    assert codes_of(import_totals(path)) == []
    assert stored() == [("r1t1", 1)]


@pytest.mark.parametrize(
    ("button", "expected"),
    [(ONE_SHEET, [("r1t1", 5)]), (ANOTHER_GAME, [("r1t1", 5), ("r2t1", 1)])],
)
def test_totals_of_hands_from_paper_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path, button: str, expected: list[tuple[str, int]]
) -> None:
    enter_on_paper(event)
    path = totals(tmp_path, [("2025-11-13", TOTALS_OF_HANDS)], "totals.csv")
    assert codes_of(import_totals(path)) == ["sheet_elsewhere"]
    (problem,) = questions()
    dirk.post(f"{IMPORTS}/{problem.batch.number}/problems/{problem.position}", {"do": button})
    assert (stored(), questions()) == (expected, [])


def test_hands_of_totals_that_the_event_has_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    import_totals(totals(tmp_path, [("2025-11-13", TOTALS_OF_HANDS)], "totals.csv"))
    at = send(dirk, written(tmp_path))
    answer(dirk, at, ONE_SHEET)
    assert (stored(), questions()) == ([("r1t1", 1)], [])


def test_other_totals_of_the_same_people_are_another_game(event: Event, tmp_path: Path) -> None:
    enter_on_paper(event)
    report = import_totals(totals(tmp_path, [("2025-11-13", (42, 20, 67, 53))], "totals.csv"))
    assert codes_of(report) == []
    assert stored() == [("r1t1", 5), ("r2t1", 1)]


def test_marked_moon_of_the_sheet_is_no_other_hand(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    marked = {"points": [*HANDS[4]], "shooter": 1, "slam_choice": "others"}
    enter_entries(event, [*({"points": [*points]} for points in HANDS[:4]), marked])
    send(dirk, written(tmp_path, day="2025-11-13"))
    assert (stored(), questions()) == ([("r1t1", 5)], [])


def test_other_points_of_a_marked_moon_are_another_hand(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_entries(event, [{"points": [*HANDS[4]], "shooter": 1, "slam_choice": "others"}])
    send(dirk, written(tmp_path, [(0, 26, 26, 26)], day="2025-11-13"))
    assert [problem.code for problem in questions()] == ["hand_exists"]


def in_seats(folder: Path, order: Sequence[int], hands: Points) -> Path:
    """Write a sheet with a row a seat; `order` has the places of NAMES around the table."""
    lines = ["Date,Hand,Seat,Name,Points"]
    for number, points in enumerate(hands, start=1):
        for seat, place in zip("NESW", order, strict=True):
            lines.append(f"2025-11-13,{number},{seat},{NAMES[place]},{points[place]}")
    path = folder / "seats.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("order", [(1, 2, 3, 0), (3, 1, 0, 2)])
def test_written_seats_may_be_turned(
    dirk: Client, event: Event, tmp_path: Path, order: tuple[int, ...]
) -> None:
    enter_on_paper(event, HANDS[:4])
    send(dirk, in_seats(tmp_path, order, HANDS))
    assert (stored(), questions()) == ([("r1t1", 5)], [])
    hand = Hand.objects.select_related("entry").get(number=5)
    assert hand.entry is not None
    assert hand.entry.typed == {"points": [*HANDS[4]]}


OTHERS: Final = ("Ester Dorn", "Füsun Öz", "Gus Hale", "Holly Brook")
HANDS_OF_OTHERS: Final = ((4, 4, 5, 13), (7, 1, 2, 16), (13, 13, 0, 0), (1, 1, 4, 20))


class TestTwoTablesOfOneEvening:
    """A file has the tables 1 and 2; table 1 of the event are the people of its table 2."""

    @pytest.fixture(autouse=True)
    def others(self, event: Event) -> None:
        players(event.club, *OTHERS)
        enter_on_paper(event)

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return self.write(tmp_path, {1: (OTHERS, HANDS_OF_OTHERS), 2: (NAMES, HANDS)})

    @staticmethod
    def write(folder: Path, tables: Mapping[int, tuple[Sequence[str], Points]]) -> Path:
        rows: list[list[object]] = []
        for number, (names, hands) in tables.items():
            rows += [[f"Tisch {number}"], ["Spiel", *names]]
            rows += [[at, *points] for at, points in enumerate(hands, start=1)]
        path = folder / "abend.csv"
        path.write_text("".join(f"{';'.join(map(str, row))}\n" for row in rows), encoding="utf-8")
        return path

    def test_each_is_on_one_table_once_one_sheet_is_said(self, dirk: Client, path: Path) -> None:
        at = send(dirk, path, round="1")
        assert [problem.code for problem in questions()] == ["players_disagree", "sheet_elsewhere"]
        number = questions()[1].position
        dirk.post(f"{at}/problems/{number}", {"do": ONE_SHEET})
        dirk.post(f"{at}/confirm")
        assert (stored(), questions()) == ([("r1t1", 5), ("r1t3", 4)], [])

    def test_date_gives_new_people_a_free_table(self, dirk: Client, path: Path) -> None:
        at = send(dirk, path, round="1", day=DAY.isoformat())
        assert stored() == [("r1t1", 5), ("r1t3", 4)]
        answer(dirk, at, ONE_SHEET)
        assert (stored(), questions()) == ([("r1t1", 5), ("r1t3", 4)], [])

    def test_hands_beyond_those_of_others_are_not_put_behind_them(
        self, dirk: Client, tmp_path: Path
    ) -> None:
        longer = (*HANDS_OF_OTHERS, (5, 5, 3, 13), (26, 26, 26, 0))
        send(dirk, self.write(tmp_path, {1: (OTHERS, longer)}), round="1", table="1")
        assert stored() == [("r1t1", 5)]
        (question,) = questions()
        assert question.code == "players_disagree"
        assert question.found.count(OTHERS[0]) == 1, "the head of a column is not a seat"

    def test_copy_of_a_sheet_is_not_said_to_be_the_same_table(
        self, dirk: Client, tmp_path: Path
    ) -> None:
        at = send(dirk, self.write(tmp_path, {1: (NAMES, HANDS), 2: (NAMES, HANDS)}))
        asked = [problem for problem in questions() if problem.code == "sheet_elsewhere"]
        assert [[offer["alike"] for offer in problem.offers] for problem in asked] == [
            ["one_sheet", "another_game"],
            ["another_game"],
        ]
        assert "Each is one sheet" not in text(dirk.get(at))
        assert stored() == [("r1t1", 5)]
