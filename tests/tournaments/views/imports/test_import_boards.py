"""Sheets of a duplicate event: each hand names its board, checked as where it is entered alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.answers import post_json
from tests.support.builders import by_tests, league, link
from tests.support.imports.imports import imported, written
from tests.support.imports.uploads import import_on_page, send_file
from tests.support.pages.text import text
from tests.support.scenarios.duplicate_nights import ROUNDS, DuplicateNight, E, duplicate_night
from tournaments.documents.sheet_files import sheet_lines
from tournaments.models.boards import Deal
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.services.boards import deal_boards

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HEADS = "round,table,hand,Brett,seat,player_id,hearts,queen_spades"


@pytest.fixture
def night(db: None) -> DuplicateNight:
    return duplicate_night()


def hand(
    night: DuplicateNight,
    number: int,
    board: object,
    *,
    round_: int = 1,
    table: int = 1,
    seats: Sequence[int] = (),
    hearts: Sequence[int] = (4, 1, 2, 6),
) -> list[str]:
    """The rows of a hand; the board is in the row of N alone."""
    people = [night.codes[one - 1] for one in seats or ROUNDS[round_ - 1][table - 1]]
    return [
        f"{round_},{table},{number},{'' if at else board},{'NESW'[at]},{code},{taken},{at // 3}"
        for at, (code, taken) in enumerate(zip(people, hearts, strict=True))
    ]


def codes(folder: Path, *hands: Sequence[str], heads: str = HEADS) -> list[str]:
    return [problem.code for problem in imported(written(folder, *hands, heads=heads)).problems]


def boards() -> list[tuple[str, int, int | None]]:
    hands = Hand.objects.order_by("game__table__code", "number")
    return [
        (code, number, board)
        for code, number, board in hands.values_list("game__table__code", "number", "board__number")
    ]


def test_boards_of_a_file_come_back_from_its_export(night: DuplicateNight, tmp_path: Path) -> None:
    first = [hand(night, 1, 2), hand(night, 2, 1), hand(night, 1, 2, table=2)]
    assert codes(tmp_path, *first) == []
    assert boards() == [("r1t1", 1, 2), ("r1t1", 2, 1), ("r1t2", 1, 2)]
    # An existing table takes a further hand, and the same hands are no others.
    assert codes(tmp_path, *first, hand(night, 3, 4)) == []
    assert boards()[2] == ("r1t1", 3, 4)
    lines = list(sheet_lines(night.event))
    assert lines[0].startswith("date,round,table,variant,hand,board,seat,")
    path = tmp_path / "export.csv"
    path.write_bytes("".join(lines).encode())
    again = imported(path)
    assert ([*again.problems], again.accepted, again.added) == ([], 4, 0)
    other = league(night.cast.riverside, slug="other", settings=night.event.settings)
    deal_boards(by_tests(), other, count=12, seed="another", boards_per_round=4)
    assert imported(path, event="other").added == 4
    assert list(sheet_lines(other)) == lines


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ({"board": ""}, "board_needed"),
        ({"board": "two"}, "bad_board"),
        ({"board": 99}, "no_such_board"),
        ({"board": 5}, "board_of_another_round"),
        ({"board": 1}, "board_played_at_table"),
        ({"board": 1, "number": 1, "table": 2}, ""),
    ],
)
def test_board_that_cannot_be_is_said_and_the_other_hand_goes_in(
    night: DuplicateNight, tmp_path: Path, second: dict[str, object], code: str
) -> None:
    facts: dict[str, Any] = {"number": 2, **second}
    report = imported(written(tmp_path, hand(night, 1, 1), hand(night, **facts), heads=HEADS))
    assert [problem.code for problem in report.problems] == ([code] if code else [])
    assert Hand.objects.count() == (1 if code else 2)


def test_player_plays_a_board_once_in_a_file_and_beside_the_event(
    night: DuplicateNight, tmp_path: Path
) -> None:
    deal_boards(by_tests(), night.event, count=1, seed="m", boards_per_round=0)
    night.seat(1)
    assert night.enter(1, 1, 1, 13).status_code == 201
    assert codes(tmp_path, hand(night, 1, 13, round_=2)) == ["board_played_by_player"]
    assert ImportProblem.objects.get().message.endswith("Nobody plays a board twice.")
    two = [hand(night, 1, 13, table=2), hand(night, 1, 13, round_=2, table=3)]
    assert codes(tmp_path, *two) == ["board_played_by_player"]
    assert Hand.objects.filter(board__number=13).count() == 2


def test_player_who_printed_deals_is_found_in_a_file(night: DuplicateNight, tmp_path: Path) -> None:
    body = {"commitment": Deal.objects.get().commitment}
    assert post_json(night.director, f"{E}/boards/print", body).status_code == 201
    link(Player.objects.get(player_id=night.codes[2]), night.cast.users["dirk"])
    assert codes(tmp_path, hand(night, 1, 1), hand(night, 1, 1, table=2)) == [
        "board_known_to_player"
    ]
    assert boards() == [("r1t2", 1, 1)]


def test_ordinary_event_ignores_the_column(night: DuplicateNight, tmp_path: Path) -> None:
    night.event.settings["duplicate"] = False
    night.event.save()
    assert codes(tmp_path, hand(night, 1, 99)) == ["unknown_column"]
    assert boards() == [("r1t1", 1, None)]


def test_board_is_corrected_on_the_page(night: DuplicateNight, tmp_path: Path) -> None:
    path = written(tmp_path, hand(night, 1, 1), hand(night, 2, 7), heads=HEADS)
    address = send_file(night.host, path)
    problem = ImportProblem.objects.get()
    assert (problem.code, problem.lines) == ("board_of_another_round", [6, 7, 8, 9])
    page = night.host.get(f"{address}/problems/{problem.position}").content.decode()
    assert "board 7 belongs to round 2" in page
    night.host.post(f"{address}/problems/{problem.position}", {"do": "mend", "c-6-3": "3"})
    night.host.post(f"{address}/confirm")
    assert boards() == [("r1t1", 1, 1), ("r1t1", 2, 3)]


def test_other_board_in_a_file_is_a_conflict_and_its_undoing_brings_the_first_back(
    night: DuplicateNight, tmp_path: Path
) -> None:
    night.seat(1)
    assert codes(tmp_path, hand(night, 1, 1)) == []
    path = written(tmp_path, hand(night, 1, 2), heads=HEADS, name="other.csv")
    address = import_on_page(night.host, path)
    problem = ImportProblem.objects.get()
    assert (problem.code, problem.found, problem.expected) == ("hand_exists", "board 2", "board 1")
    page = text(night.director.get(f"{address}/problems/{problem.position}"))
    assert "Board 1" in page
    assert "Board 2 (differs)" in page
    typed = {"do": "use-file", "based_on": 1, "why": "The slip says board 2."}
    night.director.post(f"{address}/problems/{problem.position}", typed)
    assert boards() == [("r1t1", 1, 2)]
    night.director.post(f"{address}/undo", {"why": "The wrong slip."})
    assert boards() == [("r1t1", 1, 1)]


def test_file_without_a_board_column_has_one_problem(night: DuplicateNight, tmp_path: Path) -> None:
    heads = HEADS.replace("Brett,", "")
    hands = [
        [",".join(one.split(",")[:3] + one.split(",")[4:]) for one in hand(night, number, 1)]
        for number in (1, 2, 3)
    ]
    report = imported(written(tmp_path, *hands, heads=heads))
    (only,) = report.problems
    assert (only.code, only.found, len(only.spot.lines)) == ("board_column_missing", "3", 12)
    assert "has no column for the board. Hands that need one: 3." in only.message
    assert len(only.rows) == 12
    assert (report.added, Hand.objects.count()) == (0, 0)
