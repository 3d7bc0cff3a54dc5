"""Sheets of a file whose evening is cancelled are asked about, and stored once somebody says so."""

from datetime import date
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import by_tests
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import imported, rows, said, written
from tests.support.imports.uploads import send_file
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
cast_once, cast = cast_with(*FOUR)

CANCELLED = date(2025, 11, 13)


@pytest.fixture(autouse=True)
def cancelled(event: Event) -> None:
    meeting = plan_meeting(by_tests(), event, day=CANCELLED)
    change_meeting(by_tests(), meeting, state="cancelled", reason="Snow.")


def both_days() -> list[list[str]]:
    return [rows(1), rows(1, round_=12, day="2025-11-20")]


def rounds() -> list[int]:
    return list(Hand.objects.order_by("game").values_list("game__table__round__number", flat=True))


def test_sheet_of_a_cancelled_evening_waits_and_others_are_stored(tmp_path: Path) -> None:
    report = imported(written(tmp_path, *both_days()))
    assert [(code, severity) for code, severity, _lines in said(report)] == [
        ("evening_cancelled", "ask")
    ]
    assert report.problems[0].message == (
        "Table 1 of round 11 is dated 2025-11-13, and that evening is cancelled. Was the sheet "
        "played all the same? It is pending."
    )
    assert rounds() == [12]


def test_answer_stores_the_sheet_and_holds_for_the_next_import(
    hanna: Client, tmp_path: Path
) -> None:
    path = written(tmp_path, *both_days())
    address = send_file(hanna, path)
    problem = ImportProblem.objects.get(code="evening_cancelled")
    page = text_of(hanna.get(f"{address}/problems/{problem.position}"))
    assert "Played all the same: store the sheet" in page
    hanna.post(f"{address}/problems/{problem.position}", {"do": "offer-0"})
    hanna.post(f"{address}/confirm")
    assert rounds() == [11, 12]
    problem.refresh_from_db()
    assert (problem.state, problem.reason) == ("settled", "Played all the same.")
    assert said(imported(path)) == []


def test_evening_that_was_held_although_it_was_cancelled_is_not_asked_about(
    hanna: Client, tmp_path: Path
) -> None:
    address = send_file(hanna, written(tmp_path, *both_days()))
    position = ImportProblem.objects.get(code="evening_cancelled").position
    hanna.post(f"{address}/problems/{position}", {"do": "offer-0"})
    hanna.post(f"{address}/confirm")
    assert said(imported(written(tmp_path, rows(1), rows(2, (1, 4, 6, 2))))) == []
    assert rounds() == [11, 11, 12]
