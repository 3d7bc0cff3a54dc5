"""The messy night as a secretary brings it in: settle, dismiss, confirm, undo, and once more."""

import csv

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.cast import enter_the_cast
from tests.support.imports.imports import SHEETS, hand_scores, imported, season
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem
from tournaments.models.standings import Publication
from tournaments.services.publishing import publications

pytestmark = pytest.mark.django_db
ADDRESS = "/clubs/riverside/events/league/imports"


def send(client: Client) -> str:
    with (SHEETS / "messy.csv").open("rb") as file:
        return str(client.post(f"{ADDRESS}/new", {"file": file})["Location"])


def settle(client: Client, address: str, code: str, line: int, **typed: str) -> None:
    problems = ImportProblem.objects.filter(code=code, state="open")
    one = next(problem for problem in problems if problem.lines[0] == line)
    assert client.post(f"{address}/problems/{one.position}", typed).status_code == 302


def digest() -> str:
    event = Event.objects.get(slug="league")
    publications.publish(event.pk, now=timezone.now())
    return Publication.objects.filter(event=event).order_by("-number")[0].digest


def night() -> list[tuple[str, ...]]:
    return [row[2:] for row in hand_scores() if row[1] == "11"]


def test_settled_confirmed_undone_and_sent_again_it_gives_what_the_command_gives() -> None:
    cast = enter_the_cast()
    season()
    before = digest()
    hanna = cast.client("hanna")
    address = send(hanna)
    settle(hanna, address, "unknown_player", 54, do="offer-0")
    settle(hanna, address, "choice_required", 116, do="offer-0")
    settle(hanna, address, "repeated_hand_number", 91, do="offer-0")
    settle(hanna, address, "wrong_total", 128, do="dismiss", reason="Both ways at once.")
    assert "Import 16 hands" in hanna.get(address).content.decode()
    hanna.post(f"{address}/confirm")
    assert len(night()) == 16 * 4
    hanna.post(f"{address}/undo")
    assert digest() == before
    hanna.post(f"{send(hanna)}/confirm")
    with (SHEETS / "expected/messy_clean_scores.csv").open(newline="") as file:
        assert night() == sorted(tuple(row) for row in list(csv.reader(file))[1:])
    on_the_page = digest()
    imported(SHEETS / "messy.csv")
    assert digest() == on_the_page
