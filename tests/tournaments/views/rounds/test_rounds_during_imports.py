"""A round is not closed while an import is about to bring hands into it, or to take them out."""

from datetime import date
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.builders import finished, league, table
from tests.support.cast import Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Round
from tournaments.services.imports import process_upload as job

pytestmark = pytest.mark.django_db
EVENT = "/clubs/riverside/events/league"
IMPORTS = f"{EVENT}/imports"
OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}
RUNNING = "Import 1 is still running. Wait until it is done."
WAITS = "Import 1 has hands for round 11 that are not imported yet."


cast_once, cast = cast_with(*EIGHT)


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    """A round 11 and a round 12 with a table each; both are played."""
    event = league(cast.riverside)
    people = list(cast.riverside.players.order_by("player_id"))[:4]
    for number in (11, 12):
        finished(table(event, people, round_number=number, on=date(2025, 11, 13)))
    return event


@pytest.fixture
def dirk(cast: Cast) -> Client:
    return cast.client("dirk")


def night(folder: Path) -> Path:
    return written(folder, rows(1, table=2, cast=OTHERS))


def send(client: Client, path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Send a file over REST that a worker brings in later."""
    with monkeypatch.context() as patch:
        patch.setattr("api.v1.imports.import_upload.AT_ONCE", 0)
        file = SimpleUploadedFile(path.name, path.read_bytes())
        assert client.post(f"/api/v1{IMPORTS}", {"file": file}).status_code == 202
    return ImportBatch.objects.latest("pk").pk


def close(client: Client, number: int = 11) -> str:
    return text_of(client.post(f"{EVENT}/rounds/{number}/direct", {"to": "closed"}, follow=True))


def state(number: int = 11) -> str:
    return Round.objects.get(number=number).state


def test_round_is_not_closed_while_a_file_waits_for_the_worker(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = send(dirk, night(tmp_path), monkeypatch)
    assert RUNNING in close(dirk)
    assert state() == "playing"
    tasks.work_on_import(batch)
    assert state() == "closed"  # the import closes what is over with it


def test_round_is_not_closed_while_its_hands_come_in_but_another_one_is(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    monkeypatch.setattr(job, "CHUNK", 1)
    two = (rows(1, table=2, cast=OTHERS), rows(1, table=2, cast=OTHERS, round_=13))
    batch = send(dirk, written(tmp_path, *two), monkeypatch)
    steps = job.upload_steps(batch, now=Round.objects.latest("pk").event.created_at)
    while ImportBatch.objects.get().file_rounds is None or state() == "draft":
        next(steps)
    assert RUNNING in close(dirk, 11)
    assert "Round closed." in close(dirk, 12)
    list(steps)
    assert ImportBatch.objects.get().state == "done"


def test_round_is_not_closed_before_a_file_is_imported_or_thrown_away(
    dirk: Client, tmp_path: Path
) -> None:
    with night(tmp_path).open("rb") as file:
        dirk.post(f"{IMPORTS}/new", {"file": file})
    assert WAITS in close(dirk)
    assert state() == "playing"
    assert "Round closed." in close(dirk, 12)
    dirk.post(f"{IMPORTS}/1/discard")
    assert "Round closed." in close(dirk)


def test_round_is_not_closed_while_its_hands_are_taken_out(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(night(tmp_path))
    dirk.post(f"{EVENT}/rounds/11/direct", {"to": "playing", "reason": "One late."})
    assert state() == "playing"
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.FEW", 0)
        dirk.post(f"{IMPORTS}/1/undo")
    assert "Import 1 is being undone. Wait until that is done." in close(dirk)
    tasks.work_on_import(ImportBatch.objects.get().pk)
    assert state() == "playing"
    assert "Round closed." in close(dirk)
