"""Hands of a file that repeat the one before: one is noted, several of a sheet are asked about."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.cast import NOW
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import hand_scores, imported, rows, said, written
from tests.support.imports.uploads import send_file
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.services.imports.process_upload import process_upload

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
cast_once, cast = cast_with(*FOUR)

A = (4, 1, 2, 6)
B = (1, 4, 6, 2)
ASKS = (
    "Table 1 of round 11: hands 4 and 5 are each the same as the hand before. "
    "Were they dealt twice? The sheet is pending."
)


def sheet(*hearts: Iterable[int]) -> list[list[str]]:
    return [rows(number, each) for number, each in enumerate(hearts, start=1)]


def numbers() -> list[int]:
    return list(Hand.objects.order_by("number").values_list("number", flat=True))


def codes(said_: list[tuple[str, str, list[int]]]) -> list[tuple[str, str]]:
    return [(code, severity) for code, severity, _lines in said_]


def test_one_repeated_hand_is_stored_with_a_note(event: Event, tmp_path: Path) -> None:
    report = imported(written(tmp_path, *sheet(A, B, B, A)))
    assert said(report) == [("hand_repeated", "accept-note", [10, 11, 12, 13])]
    assert report.problems[0].message == (
        "Table 1, hand 3: it is the same as hand 2. Was it dealt twice?"
    )
    assert numbers() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("hands", "found"),
    [
        ((A, B, B, B), "3 and 4"),
        ((A, A, B, B, B), "2, 4 and 5"),
        ((A, A, A, A), "2, 3 and 4"),
    ],
    ids=["three equal", "a pair and three", "four equal"],
)
def test_sheet_on_which_hands_repeat_one_after_another_waits_whole(
    event: Event, tmp_path: Path, hands: tuple[tuple[int, ...], ...], found: str
) -> None:
    report = imported(written(tmp_path, *sheet(*hands), rows(1, B, table=2, round_=12)))
    assert codes(said(report)) == [("hands_repeated", "ask")]
    assert report.problems[0].found == found
    assert {row[1] for row in hand_scores()} == {"12"}, "another sheet is stored"


@pytest.mark.parametrize("hands", [(A, B, A, B), (A, B), (A,)])
def test_hands_that_repeat_another_than_the_one_before_are_nothing(
    event: Event, tmp_path: Path, hands: tuple[tuple[int, ...], ...]
) -> None:
    assert said(imported(written(tmp_path, *sheet(*hands)))) == []


def test_two_pairs_of_equal_hands_are_noted(event: Event, tmp_path: Path) -> None:
    report = imported(written(tmp_path, *sheet(A, A, B, B, A)))
    assert codes(said(report)) == [("hand_repeated", "accept-note")] * 2
    assert numbers() == [1, 2, 3, 4, 5]


def test_one_repeat_on_each_of_two_sheets_is_noted(event: Event, tmp_path: Path) -> None:
    two = [[rows(1, A, round_=n), rows(2, A, round_=n)] for n in (11, 12)]
    report = imported(written(tmp_path, *two[0], *two[1]))
    assert codes(said(report)) == [("hand_repeated", "accept-note")] * 2
    assert len(numbers()) == 4


def test_hands_in_which_nothing_counts_never_repeat(event: Event, tmp_path: Path) -> None:
    Event.objects.filter(pk=event.pk).update(variant="hearts-chip-pool")
    heads = "round,table,hand,seat,player_id,clean"
    lines = [
        f"1,1,{number},{seat},RL0{at},{'x' * (at == 2)}"
        for number in (1, 2, 3)
        for at, seat in enumerate("NESW", start=1)
    ]
    assert said(imported(written(tmp_path, lines, heads=heads))) == []
    assert numbers() == [1, 2, 3]


def test_answer_on_the_page_stores_the_sheet_whole(hanna: Client, tmp_path: Path) -> None:
    address = send_file(hanna, written(tmp_path, *sheet(A, B, B, B, A)))
    problem = ImportProblem.objects.get(code="hands_repeated")
    page = text_of(hanna.get(f"{address}/problems/{problem.position}"))
    assert "hands 3 and 4 are each the same as the hand before" in page
    assert "Dealt twice: store the sheet" in page
    assert numbers() == []
    answered = hanna.post(f"{address}/problems/{problem.position}", {"do": "offer-0"}, follow=True)
    assert "Import 5 hands" in text_of(answered)
    hanna.post(f"{address}/confirm")
    assert numbers() == [1, 2, 3, 4, 5]
    problem.refresh_from_db()
    assert (problem.state, problem.reason) == ("settled", "Dealt twice.")
    assert AuditLine.objects.get(act="confirm_repeats").facts == {"code": "hands_repeated"}
    assert ImportProblem.objects.filter(code="hand_repeated").count() == 2


def test_answer_after_the_import_stores_the_sheet_too(hanna: Client, tmp_path: Path) -> None:
    other = rows(1, B, table=1, round_=12)
    address = send_file(hanna, written(tmp_path, *sheet(A, A, A), other))
    hanna.post(f"{address}/confirm")
    assert numbers() == [1]
    problem = ImportProblem.objects.get(code="hands_repeated")
    hanna.post(f"{address}/problems/{problem.position}", {"do": "offer-0"})
    assert numbers() == [1, 1, 2, 3]
    again = hanna.post(f"{address}/problems/{problem.position}", {"do": "offer-0"})
    assert again.status_code == 422, "it is answered"


def test_question_that_a_correction_took_away_is_not_answered_by_it(
    hanna: Client, tmp_path: Path
) -> None:
    address = send_file(hanna, written(tmp_path, *sheet(A, A, A)))
    problem = ImportProblem.objects.get(code="hands_repeated")
    page = f"{address}/problems/{problem.position}"
    cells = dict(zip(range(6, 10), B, strict=True))
    hanna.post(page, {"do": "rows", **{f"c-{line}-8": str(n) for line, n in cells.items()}})
    problem.refresh_from_db()
    assert problem.state == "settled"
    assert not ImportProblem.objects.filter(state="open").exists()
    back = dict(zip(range(6, 10), A, strict=True))
    rows_now = {f"c-{line}-8": str(n) for line, n in back.items()}
    hanna.post(page, {"do": "rows", **rows_now})
    problem.refresh_from_db()
    assert problem.state == "open"


def test_program_answers_by_the_offer(hanna: Client, tmp_path: Path) -> None:
    address = send_file(hanna, written(tmp_path, *sheet(A, A, A)))
    problem = ImportProblem.objects.get(code="hands_repeated")
    number = address.rpartition("/")[2]
    path = f"/api/v1/clubs/riverside/events/league/imports/{number}/problems/{problem.position}"
    shown: Json = hanna.get(path).json()
    assert [offer["text"] for offer in shown["offers"]] == ["Dealt twice: store the sheet"]
    answer = post_json(hanna, f"{path}/correct", {"offer": 0})
    assert answer.status_code == 202
    process_upload(problem.batch_id, now=NOW)
    hanna.post(f"{address}/confirm")
    assert numbers() == [1, 2, 3]


def test_sheet_of_a_command_is_answered_on_its_page(
    hanna: Client, event: Event, tmp_path: Path
) -> None:
    path = written(tmp_path, *sheet(A, A, A))
    assert codes(said(imported(path))) == [("hands_repeated", "ask")]
    problem = ImportProblem.objects.get(code="hands_repeated")
    page = f"/clubs/riverside/events/league/imports/{problem.batch.number}"
    hanna.post(f"{page}/problems/{problem.position}", {"do": "offer-0"})
    assert numbers() == [1, 2, 3]
    assert "hands_repeated" not in {code for code, _ in codes(said(imported(path)))}


def test_stored_hand_before_a_later_file_counts_with_its_own_players(
    event: Event, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1, A)))
    assert codes(said(imported(written(tmp_path, rows(2, A), name="b.csv")))) == [
        ("hand_repeated", "accept-note")
    ]
    assert codes(said(imported(written(tmp_path, rows(3, A), rows(4, A), name="c.csv")))) == [
        ("hands_repeated", "ask")
    ]
