"""A forgotten hand that a secretary inserts in a file of last week: no hand counts twice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.journeys.imports.test_same_sheets import HANDS, NAMES, answer, send
from tests.support.answers import post_json
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.uploads import IMPORTS, stored_points
from tests.support.pages.text import text
from tournaments.models.imports import ImportProblem

Points = Sequence[Sequence[int]]

NEW: Final = (13, 1, 2, 10)
NEWER: Final = (1, 1, 11, 13)
A, B, C, D, E = HANDS


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def evening(folder: Path, hands: Points, name: str = "evening.csv") -> Path:
    heads = ("Round", "Table", "Hand", *NAMES)
    rows = [(1, 1, number, *points) for number, points in enumerate(hands, start=1)]
    path = folder / name
    path.write_text("".join(f"{','.join(map(str, row))}\n" for row in (heads, *rows)))
    return path


def contents() -> list[tuple[object, ...]]:
    return [tuple(points) for _, points in stored_points()]


def open_codes() -> list[str]:
    problems = ImportProblem.objects.filter(state="open").order_by("position")
    return list(problems.values_list("code", flat=True))


@pytest.mark.parametrize(
    ("hands", "added"),
    [
        ((A, B, NEW, C, D, E), [NEW]),
        ((NEW, A, B, C, D, E), [NEW]),
        ((A, B, C, D, NEW, E), [NEW]),
        ((A, NEW, B, C, NEWER, D, E), [NEW, NEWER]),
        ((A, NEW, NEWER, B, C, D, E), [NEW, NEWER]),
        ((A, A, B, C, D, E), [A]),
        ((A, B, NEW, C, D, E, NEWER), [NEW, NEWER]),
    ],
    ids=["middle", "first", "before the last", "two", "two together", "equal", "and one more"],
)
def test_inserted_hand_is_asked_about_and_added_once(
    dirk: Client, tmp_path: Path, hands: Points, added: Points
) -> None:
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, hands))
    assert (open_codes(), contents()) == (["hand_inserted"], list(HANDS))
    answer(dirk, at, "offer-0")
    assert open_codes() == []
    assert contents() == [*HANDS, *added]
    for name in ("evening.csv", "again.csv"):
        send(dirk, evening(tmp_path, hands, name))
        assert (open_codes(), len(contents())) == ([], len(hands))


def test_hand_inserted_last_is_new(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    send(dirk, evening(tmp_path, (*HANDS, NEW)))
    assert (open_codes(), contents()) == ([], [*HANDS, NEW])


def test_question_says_where_the_hand_was_inserted(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, (A, B, NEW, C, D, E)))
    (problem,) = ImportProblem.objects.filter(state="open")
    page = text(dirk.get(f"{at}/problems/{problem.position}"))
    assert "inserted in the file: 3" in page
    assert "hand 3 is now 4" in page
    assert "Add it as hand 6" in page
    assert problem.lines == [4]


@pytest.mark.parametrize("hands", [(A, C, D, E), (B, C, D, E), (A, B, E)])
def test_hand_that_the_file_lacks_is_asked_about(
    dirk: Client, tmp_path: Path, hands: Points
) -> None:
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, hands))
    assert (open_codes(), contents()) == (["hand_not_in_file"], list(HANDS))
    answer(dirk, at, "offer-0")
    assert (open_codes(), contents()) == ([], list(HANDS))


def test_corrected_figure_and_an_inserted_hand_are_two_questions(
    dirk: Client, tmp_path: Path
) -> None:
    corrected = (2, 11, 13, 0)
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, (A, corrected, C, NEW, D, E)))
    assert sorted(open_codes()) == ["hand_exists", "hand_inserted"]
    problem = ImportProblem.objects.get(state="open", code="hand_inserted")
    dirk.post(f"{at}/problems/{problem.position}", {"do": "offer-0"})
    assert open_codes() == ["hand_exists"]
    assert ImportProblem.objects.get(state="open").hand == 2
    assert contents() == [*HANDS, NEW]


def test_hands_in_another_order_are_the_same_hands(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    send(dirk, evening(tmp_path, (A, C, B, D, E)))
    assert (open_codes(), contents()) == ([], list(HANDS))


def test_new_hand_that_equals_one_the_file_changed_waits(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, (A, NEW, C, NEWER, E, B)))
    assert sorted(open_codes()) == ["hand_exists", "hand_exists", "hand_twice"]
    assert contents() == list(HANDS)
    problem = ImportProblem.objects.get(state="open", code="hand_twice")
    dirk.post(f"{at}/problems/{problem.position}", {"do": "offer-0"})
    assert (open_codes(), contents()) == (["hand_exists", "hand_exists"], [*HANDS, B])


def test_corrected_hands_keep_their_numbers(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    send(dirk, evening(tmp_path, (A, NEW, C, NEWER, E)))
    assert open_codes() == ["hand_exists", "hand_exists"]


def test_rest_asks_and_takes_the_answer(dirk: Client, tmp_path: Path) -> None:
    send(dirk, evening(tmp_path, HANDS))
    at = send(dirk, evening(tmp_path, (A, B, NEW, C, D, E)))
    number = at.rsplit("/", 1)[1]
    body = {"code": "hand_inserted", "answer": "is_right"}
    reply = post_json(dirk, f"/api/v1{IMPORTS}/{number}/answers", body)
    assert reply.status_code == 202, reply.content
    assert open_codes() == []


def test_command_asks_and_takes_the_answer(dirk: Client, tmp_path: Path) -> None:
    at = send(dirk, evening(tmp_path, HANDS))
    dirk.post(f"{at}/keep-mapping", {"name": "Evenings"})
    path = str(evening(tmp_path, (A, B, NEW, C, D, E)))
    options = ("--club", "riverside", "--event", "league")
    status, out, _ = run_command("import_sheets", *options, path)
    assert status == 1
    assert "inserted in the file: 3" in out
    assert contents() == list(HANDS)
    run_command("import_sheets", *options, path, "--answer", "hand_inserted=is_right")
    assert contents() == [*HANDS, NEW]
