"""A file that grows by an evening a week and comes whole each time: no evening counts twice."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.imports import AFTERWARDS
from tests.support.imports.spreadsheets import book, sheet_xml
from tests.support.imports.uploads import IMPORTS, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.documents.read.apply_plan import PlanRequest
from tournaments.documents.read.column_plan import plan_from
from tournaments.domain.imports.import_report import Finding
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Hand
from tournaments.models.imports import ColumnMap, ImportProblem
from tournaments.models.rounds import Meeting, Round
from tournaments.policy import command
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation

ONE: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
OTHER: Final = ("Ester Dorn", "Füsun Öz", "Gus Hale", "Holly Brook")
WEEKS: Final = (
    (date(2025, 11, 5), ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))),
    (date(2025, 11, 12), ((4, 4, 5, 13), (7, 1, 2, 16), (13, 13, 0, 0))),
    (date(2025, 11, 19), ((20, 1, 2, 3), (2, 3, 6, 15), (0, 0, 13, 13))),
)
PLAN: Final[Json] = {
    "rows": "hands",
    "columns": {"Date": "date", "Hand": "hand", **dict.fromkeys((*ONE, *OTHER), "player")},
    "cells": "points",
    "players": {},
    "given": {"round": "dates", "table": "1"},
}

Points = Sequence[Sequence[object]]
Write = Callable[[Path, int], Path]


def workbook(folder: Path, weeks: int) -> Path:
    """A sheet an evening, named by its date."""
    sheets = [
        sheet_xml([["Hand", *ONE], *([n, *line] for n, line in enumerate(hands, start=1))])
        for _, hands in WEEKS[:weeks]
    ]
    names = [f"{day.day} Nov 2025" for day, _ in WEEKS[:weeks]]
    return book(folder / f"week{weeks}.xlsx", sheets, names)


def listing(folder: Path, weeks: int) -> Path:
    """One list with a column of dates."""
    return written(folder, [(day.isoformat(), hands) for day, hands in WEEKS[:weeks]])


def written(
    folder: Path,
    evenings: Iterable[tuple[str, Points]],
    people: Sequence[str] = ONE,
    name: str = "list.csv",
) -> Path:
    lines = [
        [day, str(number), *map(str, points)]
        for day, hands in evenings
        for number, points in enumerate(hands, start=1)
    ]
    path = folder / name
    rows = [["Date", "Hand", *people], *lines]
    path.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return path


def by_seat(folder: Path, weeks: int) -> Path:
    """One list with a row a player and hand."""
    lines = ["Date,Hand,Name,Points"]
    for day, hands in WEEKS[:weeks]:
        for number, points in enumerate(hands, start=1):
            pairs = zip(ONE, points, strict=True)
            lines += [f"{day},{number},{name},{score}" for name, score in pairs]
    path = folder / "seats.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def in_pairs(folder: Path, weeks: int) -> Path:
    """One list with names and points in pairs."""
    heads = ",".join(f"Player {n},Points {n}" for n in range(1, 5))
    lines = [f"Date,Hand,{heads}"]
    for day, hands in WEEKS[:weeks]:
        for number, points in enumerate(hands, start=1):
            pairs = zip(ONE, points, strict=True)
            cells = ",".join(f"{name},{score}" for name, score in pairs)
            lines.append(f"{day},{number},{cells}")
    path = folder / "pairs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


FILES: Final = pytest.mark.parametrize("file", [workbook, listing, by_seat, in_pairs])


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *ONE, *OTHER)
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


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


def by_command(path: Path, number: str = "1", *, dry_run: bool = False, chunk: int = 200) -> Report:
    actor = command("import_sheets")
    target = find_target(actor=actor, club="riverside", event="league")
    values = {"round": number, "table": "1"}
    people = {name for name in (*ONE, *OTHER) if name in path.read_text(encoding="utf-8")}
    columns = {
        head: means
        for head, means in PLAN["columns"].items()
        if means != "player" or head in people
    }
    wanted = PlanRequest(plan_from({**PLAN, "columns": columns}), values=values)
    request = ImportRequest(path, path.name, dry_run=dry_run, chunk=chunk, wanted=wanted)
    return import_file(Operation(actor, AFTERWARDS), target, request)


def evenings() -> list[tuple[int, str, int]]:
    """The number of each round with hands, its date, and how many hands it has."""
    rounds = Round.objects.order_by("number").select_related("meeting")
    counted = [
        (round_, Hand.objects.filter(game__table__round=round_, state="accepted").count())
        for round_ in rounds
    ]
    return [
        (round_.number, str(round_.meeting and round_.meeting.date), hands)
        for round_, hands in counted
        if hands
    ]


EACH_ONCE: Final = [(1, "2025-11-05", 3), (2, "2025-11-12", 3), (3, "2025-11-19", 3)]


@FILES
def test_file_that_grows_adds_its_new_evening_only(
    dirk: Client, tmp_path: Path, file: Write
) -> None:
    for weeks in (1, 2, 3, 3):
        send(dirk, file(tmp_path, weeks))
        assert evenings() == EACH_ONCE[:weeks]


@FILES
def test_kept_mapping_gives_the_same_rounds(dirk: Client, tmp_path: Path, file: Write) -> None:
    for weeks in (1, 2, 3, 3):
        at = send(dirk, file(tmp_path, weeks))
        dirk.post(f"{at}/keep-mapping", {"name": "Wednesdays"})
    assert ColumnMap.objects.exists()
    assert evenings() == EACH_ONCE


@FILES
def test_evening_that_was_undone_comes_again_with_the_next_file(
    dirk: Client, tmp_path: Path, file: Write
) -> None:
    send(dirk, file(tmp_path, 1))
    at = send(dirk, file(tmp_path, 2))
    dirk.post(f"{at}/undo")
    assert evenings() == EACH_ONCE[:1]
    send(dirk, file(tmp_path, 3))
    assert evenings() == EACH_ONCE


def test_command_gives_the_same_rounds_whatever_round_it_names(
    event: Event, tmp_path: Path
) -> None:
    for weeks, number in ((1, "1"), (2, "1"), (3, "2"), (3, "1")):
        by_command(listing(tmp_path, weeks), number)
    assert evenings() == EACH_ONCE


@FILES
def test_rest_with_a_kept_mapping_gives_the_same_rounds(
    dirk: Client, tmp_path: Path, file: Write
) -> None:
    at = send(dirk, file(tmp_path, 1))  # a workbook with one sheet has no column of dates yet
    dirk.post(f"{at}/keep-mapping", {"name": "Wednesdays"})
    for weeks in (2, 3, 3):
        with file(tmp_path, weeks).open("rb") as content:
            answer = dirk.post(f"/api/v1{IMPORTS}", {"file": content, "round": "1", "table": "1"})
        assert answer.status_code == 200, answer.content
        assert evenings() == EACH_ONCE[:weeks]


@FILES
def test_command_with_a_kept_mapping_gives_the_same_rounds(
    dirk: Client, tmp_path: Path, file: Write
) -> None:
    at = send(dirk, file(tmp_path, 1))  # a workbook with one sheet has no column of dates yet
    dirk.post(f"{at}/keep-mapping", {"name": "Wednesdays"})
    options = ("--club", "riverside", "--event", "league", "--round", "1", "--table", "1")
    for weeks in (2, 3, 3):
        path = file(tmp_path, weeks)
        status, out, err = run_command("import_sheets", *options, str(path))
        assert (status, err) == (0, ""), out
        assert evenings() == EACH_ONCE[:weeks]


def test_sheet_that_was_entered_from_paper_is_the_same_evening(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    day, hands = WEEKS[0]
    by_command(written(tmp_path, [(str(day), hands[:2])], name="paper.csv"))
    send(dirk, written(tmp_path, [(str(day), hands)]))
    assert evenings() == [(1, str(day), 3)]


def test_new_dates_are_numbered_in_their_order_and_pass_over_taken_numbers(
    event: Event, tmp_path: Path
) -> None:
    first, second, third = WEEKS
    by_command(written(tmp_path, [(str(second[0]), second[1])]), "2")
    newest_first = [third, second, first]
    by_command(written(tmp_path, [(str(day), hands) for day, hands in newest_first]))
    assert evenings() == [(1, "2025-11-05", 3), (2, "2025-11-12", 3), (3, "2025-11-19", 3)]


def test_evening_before_the_first_one_gets_the_next_number(dirk: Client, tmp_path: Path) -> None:
    _, second, _ = WEEKS
    send(dirk, written(tmp_path, [(str(second[0]), second[1])]))
    send(dirk, listing(tmp_path, 2))
    assert evenings() == [(1, "2025-11-12", 3), (2, "2025-11-05", 3)]


def people(names: Sequence[str]) -> list[Player]:
    by_name = {player.name: player for player in Player.objects.filter(name__in=names)}
    return [by_name[name] for name in names]


DAY, HANDS = WEEKS[0]


def test_round_of_two_of_one_day_is_that_where_the_people_sat(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    table(event, people(OTHER), round_number=1, on=DAY)
    table(event, people(ONE), round_number=2, table_number=3, on=DAY)
    send(dirk, listing(tmp_path, 1))
    assert evenings() == [(2, str(DAY), 3)]
    assert set(Hand.objects.values_list("game__table__code", flat=True)) == {"r2t3"}


@pytest.mark.parametrize(
    ("offer", "expected"), [(1, (2, str(DAY), 3)), (2, (3, str(DAY), 3))], ids=["round 2", "own"]
)
def test_people_who_sat_in_none_of_two_rounds_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path, offer: int, expected: tuple[int, str, int]
) -> None:
    for number in (1, 2):
        table(event, people(OTHER), round_number=number, on=DAY)
    path = written(tmp_path, [(str(DAY), HANDS)])
    at = send(dirk, path)
    assert evenings() == []
    problem = ImportProblem.objects.get(code="which_round")
    page = text(dirk.get(f"{at}/problems/{problem.position}"))
    assert "the event has rounds 1 and 2 on this date" in page
    assert [each["text"] for each in problem.offers] == ["Round 1", "Round 2", "A round of its own"]
    dirk.post(f"{at}/problems/{problem.position}", {"do": f"offer-{offer}"})
    assert evenings() == [expected]
    assert ImportProblem.objects.get(code="which_round").state == "settled"
    send(dirk, written(tmp_path, [(str(DAY), [*HANDS, (2, 3, 6, 15)])], name="later.csv"))
    assert evenings() == [(*expected[:2], 4)], "now they sat in one of them"


def test_same_people_in_two_rounds_of_a_day_are_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    for number in (1, 2):
        table(event, people(ONE), round_number=number, on=DAY)
    send(dirk, listing(tmp_path, 1))
    assert evenings() == []
    assert ImportProblem.objects.filter(code="which_round", state="open").count() == 1


def test_other_people_of_an_evening_get_a_free_table_of_its_round(
    dirk: Client, tmp_path: Path
) -> None:
    send(dirk, listing(tmp_path, 1))
    for _ in range(2):
        send(dirk, written(tmp_path, [(str(DAY), HANDS)], OTHER, "other.csv"))
        assert evenings() == [(1, str(DAY), 6)]
    codes = Hand.objects.values_list("game__table__code", flat=True)
    assert sorted(set(codes)) == ["r1t1", "r1t2"]


def test_hand_with_another_person_stays_on_its_sheet(dirk: Client, tmp_path: Path) -> None:
    heads = [*ONE, "Ester Dorn"]
    by_hands: list[list[object]] = [[*hand, ""] for hand in HANDS]
    by_hands.append([13, 5, 8, "", 0])
    for hands in (by_hands[:3], by_hands, by_hands):
        send(dirk, written(tmp_path, [(str(DAY), hands)], heads))
    assert evenings() == [(1, str(DAY), 4)]


@pytest.mark.parametrize("number", ["1", "2"])
def test_import_that_was_interrupted_goes_on_with_the_same_rounds(
    event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    newest_first = [(str(day), hands) for day, hands in reversed(WEEKS)]
    path = written(tmp_path, newest_first)
    by_command(written(tmp_path, [("2025-10-29", HANDS)], name="before.csv"))
    stored = SheetImport.take

    def die(*args: Any) -> list[Finding]:
        if Hand.objects.count() > 3:
            raise KeyboardInterrupt
        return stored(*args)

    with monkeypatch.context() as patch:
        patch.setattr(SheetImport, "take", die)
        with pytest.raises(KeyboardInterrupt):
            by_command(path, number, chunk=1)
    assert evenings() == [(1, "2025-10-29", 3), (4, "2025-11-19", 3)]
    by_command(path, number)
    later = [(n + 1, day, hands) for n, day, hands in EACH_ONCE]
    assert evenings() == [(1, "2025-10-29", 3), *later]


def test_round_of_a_playoff_is_never_that_of_a_new_date(event: Event, tmp_path: Path) -> None:
    stage = Stage.objects.create(club=event.club, event=event, number=2, kind="playoff")
    Round.objects.create(club=event.club, event=event, number=1, stage=stage)
    by_command(listing(tmp_path, 2))
    assert evenings() == [(2, "2025-11-05", 3), (3, "2025-11-12", 3)]


def test_drafted_round_is_that_of_its_date_for_those_who_may_know_it(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    table(event, people(ONE), round_number=1, table_number=2, on=DAY)
    Round.objects.update(state="draft")
    send(cast.client("hanna"), listing(tmp_path, 1))
    assert evenings() == [(2, str(DAY), 3)]


def test_hands_of_a_cancelled_evening_without_rounds_wait(event: Event, tmp_path: Path) -> None:
    Meeting.objects.create(
        club=event.club, event=event, date=DAY, state="cancelled", cancel_reason="Snow"
    )
    by_command(listing(tmp_path, 1), "4")
    assert evenings() == []
    assert ImportProblem.objects.filter(code="evening_cancelled", state="open").exists()


def test_dates_of_two_forms_are_one_evening(event: Event, tmp_path: Path) -> None:
    by_command(listing(tmp_path, 1))
    by_command(written(tmp_path, [("5.11.2025", HANDS)], name="other.csv"))
    assert evenings() == [(1, "2025-11-05", 3)]


def test_file_without_any_date_has_the_round_that_is_given(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    table(event, people(OTHER), round_number=1, on=DAY)
    path = tmp_path / "evening.csv"
    path.write_text(f"Hand,{','.join(ONE)}\n1,13,5,8,0\n", encoding="utf-8")
    send(dirk, path)
    assert evenings() == [(2, "None", 1)]


@pytest.mark.parametrize("name", ["hearts_2025-11-05.csv", "Herz (5.11.2025).csv"])
def test_date_of_a_file_may_be_its_name(dirk: Client, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(f"Hand,{','.join(ONE)}\n1,13,5,8,0\n", encoding="utf-8")
    send(dirk, path)
    assert evenings() == [(1, str(DAY), 1)]
    path.write_text(f"Hand,{','.join(ONE)}\n1,13,5,8,0\n2,0,13,13,0\n", encoding="utf-8")
    send(dirk, path)
    assert evenings() == [(1, str(DAY), 2)]


def test_number_of_queries_does_not_grow_with_the_rows(event: Event, tmp_path: Path) -> None:
    counts = []
    by_command(listing(tmp_path, 3))
    for hands in (1, 300):
        lines = [(str(DAY), [(13, 5, 8, 0), (0, 13, 13, 0)] * hands)]
        path = written(tmp_path, lines, OTHER, name=f"{hands}.csv")
        with CaptureQueriesContext(connection) as queries:
            assert by_command(path, dry_run=True).hands == 2 * hands
        counts.append(len(queries))
    assert counts[0] == counts[1]


def one_sheet(folder: Path, name: str, people: Sequence[str] = ONE) -> Path:
    lines = [f"{number},{','.join(map(str, hand))}" for number, hand in enumerate(HANDS, start=1)]
    path = folder / name
    path.write_text("\n".join([f"Hand,{','.join(people)}", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "typed"),
    [("hearts_2025-11-05.csv", {}), ("sheet.csv", {"day": "2025-11-05", "round": "3"})],
    ids=["name of the file", "typed"],
)
def test_only_date_of_a_sheet_asks_which_of_its_rounds_is_meant(
    dirk: Client, event: Event, tmp_path: Path, name: str, typed: dict[str, str]
) -> None:
    for number in (1, 2):
        table(event, people(OTHER), round_number=number, on=DAY)
    send(dirk, one_sheet(tmp_path, name), **typed)
    assert evenings() == []
    assert [problem.code for problem in ImportProblem.objects.filter(state="open")] == [
        "which_round"
    ]


@pytest.mark.parametrize(
    ("rounds", "typed", "expected"),
    [
        ((1, 2), "2", 2),  # one of the rounds of that date
        ((1,), "4", 4),  # a further round of that date
        ((), "4", 4),  # the first round of a new date
    ],
)
def test_round_that_is_typed_with_a_date_is_used(
    dirk: Client,
    event: Event,
    tmp_path: Path,
    rounds: tuple[int, ...],
    typed: str,
    expected: int,
) -> None:
    for number in rounds:
        table(event, people(OTHER), round_number=number, on=DAY)
    send(dirk, one_sheet(tmp_path, "sheet.csv"), day=str(DAY), round=typed)
    assert evenings() == [(expected, str(DAY), 3)]


def test_round_of_another_date_is_not_that_of_a_sheet(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    table(event, people(OTHER), round_number=1, on=WEEKS[1][0])
    for _ in range(2):
        send(dirk, one_sheet(tmp_path, "sheet.csv"), day=str(DAY), round="1")
        assert evenings() == [(2, str(DAY), 3)]


def test_preview_tells_what_is_new_from_what_the_event_has(dirk: Client, tmp_path: Path) -> None:
    (day, hands), _, _ = WEEKS
    send(dirk, written(tmp_path, [(day.isoformat(), hands[:2])]))
    page = text(dirk.get(send_file(dirk, listing(tmp_path, 2))))
    assert "The import makes 1 evening (12 Nov 2025), 1 table, new round 2." in page
    assert "It adds to what the event has: 1 evening (5 Nov 2025), 1 table, round 1." in page
    page = text(dirk.get(send_file(dirk, listing(tmp_path, 1))))
    assert "The import makes" not in page
    assert "It adds to what the event has: 1 evening (5 Nov 2025), 1 table, round 1." in page
