"""Imports that somebody took further meanwhile or left behind, or whose tables are final."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.support.builders import TESTS, league
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.errors import Conflict
from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.meetings import Round
from tournaments.models.outbox import Deadline, Dirty, import_scope
from tournaments.policy import command
from tournaments.services.imports import process_upload as job
from tournaments.services.imports.import_sheets import ImportRequest, import_steps
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import correct_upload
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENT = "/clubs/riverside/events/league"
DIRECT = f"{EVENT}/direct"
IMPORTS = f"{EVENT}/imports"
IMPORT = f"{IMPORTS}/1"
REST = f"/api/v1{IMPORTS}"
MISSPELT = {**CAST, "N": ",Alma X."}


cast_once, cast = cast_with(*FOUR)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@pytest.fixture
def step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a worker yield after each step, and read one table a step."""
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    monkeypatch.setattr(job, "CHUNK", 1)


def send(client: Client, path: Path, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """Send a file over REST that a worker brings in later."""
    with monkeypatch.context() as patch:
        patch.setattr("api.v1.imports.import_upload.AT_ONCE", 0)
        sent = client.post(REST, {"file": SimpleUploadedFile(path.name, path.read_bytes())})
    assert sent.status_code == 202
    return ImportBatch.objects.latest("pk")


def upload(client: Client, path: Path, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """Upload a file on its page; a worker looks it through later."""
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.is_small", lambda content: False)
        with path.open("rb") as file:
            assert client.post(f"{IMPORTS}/new", {"file": file}).status_code == 302
    return ImportBatch.objects.latest("pk")


def undo_later(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.FEW", 0)
        client.post(f"{IMPORT}/undo")


def command_steps(path: Path) -> Iterator[object]:
    target = find_target(actor=command("import_sheets"), club="riverside", event="league")
    return import_steps(target=target, request=ImportRequest(path, path.name, chunk=1), now=NOW)


def end_window(event: Event) -> None:
    """Have the clock make the games of the event's closed rounds final."""
    for deadline in Deadline.objects.filter(event=event, kind="finalise_round"):
        assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    assert set(Game.objects.values_list("state", flat=True)) == {"final"}


@pytest.mark.usefixtures("event", "step_by_step")
def test_file_that_is_thrown_away_while_it_is_read_leaves_nothing(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna = cast.client("hanna")
    path = written(tmp_path, rows(1, cast=MISSPELT), rows(1, round_=12))
    steps = job.upload_steps(upload(hanna, path, monkeypatch).pk, now=timezone.now())
    next(steps)
    assert "was discarded" in text_of(hanna.post(f"{IMPORT}/discard", follow=True))
    list(steps)
    assert not ImportBatch.objects.exists()
    assert not ImportProblem.objects.exists()


@pytest.mark.usefixtures("event", "step_by_step")
def test_file_that_is_confirmed_while_another_worker_reads_it_stays_so(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two workers is late: its claim was over, and the first one is at the end."""
    hanna = cast.client("hanna")
    batch = upload(hanna, written(tmp_path, rows(1), rows(1, round_=12)), monkeypatch)
    late = job.upload_steps(batch.pk, now=timezone.now())
    next(late)
    tasks.work_on_import(batch.pk)
    hanna.post(f"{IMPORT}/confirm")
    list(late)
    batch.refresh_from_db()
    assert (batch.state, batch.accepted) == ("done", 2)


@pytest.mark.usefixtures("event", "step_by_step")
def test_page_of_an_undone_import_names_no_fault_of_the_worker_that_came_late(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dirk = cast.client("dirk")
    path = written(tmp_path, *(rows(1, round_=number) for number in (11, 12, 13)))
    batch = send(dirk, path, monkeypatch)
    late = job.upload_steps(batch.pk, now=timezone.now())
    while not Hand.objects.exists():
        next(late)
    Dirty.objects.filter(scope=import_scope(batch.pk)).update(parked=True, error="OSError")
    dirk.post(f"{IMPORT}/undo")
    tasks.work_on_import(batch.pk)
    list(late)
    batch.refresh_from_db()
    assert batch.state == "undone"
    assert "Import stopped" not in text_of(dirk.get(IMPORT))
    assert not Hand.objects.exists()


@pytest.mark.usefixtures("event")
def test_import_that_ends_while_its_undoing_is_asked_for_is_undone(
    cast: Cast, tmp_path: Path
) -> None:
    steps = command_steps(written(tmp_path, rows(1), rows(1, round_=12)))
    while not Hand.objects.exists():
        next(steps)
    seen = ImportBatch.objects.select_related("event").get()
    list(steps)
    request_undo(actor=cast.actor("dirk"), batch=seen, now=NOW)
    tasks.work_on_import(seen.pk)
    assert ImportBatch.objects.get().state == "undone"


@pytest.mark.usefixtures("event")
def test_undoing_a_file_that_is_gone_is_refused(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna = cast.client("hanna")
    batch = upload(hanna, written(tmp_path, rows(1)), monkeypatch)
    hanna.post(f"{IMPORT}/discard")
    with pytest.raises(Conflict, match="import_moved_on"):
        request_undo(actor=cast.actor("dirk"), batch=batch, now=NOW)


@pytest.mark.usefixtures("event")
def test_line_that_is_mended_while_its_file_is_confirmed_joins_the_import(
    cast: Cast, tmp_path: Path
) -> None:
    hanna = cast.client("hanna")
    path = written(tmp_path, rows(1, cast=MISSPELT), rows(1, round_=12))
    with path.open("rb") as file:
        hanna.post(f"{IMPORTS}/new", {"file": file})
    seen = ImportBatch.objects.select_related("event", "club").get()
    hanna.post(f"{IMPORT}/confirm")
    cells = rows(1)[0].split(",")
    correct_upload(actor=cast.actor("hanna"), batch=seen, lines={2: cells}, now=NOW)
    tasks.work_on_import(seen.pk)
    batch = ImportBatch.objects.get()
    assert (batch.state, batch.accepted) == ("done", 2)


def test_import_that_was_left_behind_keeps_no_closed_event_from_being_final(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a database whose event was closed while a command was ended half-way."""
    league(cast.riverside, settings={"correction_window_h": 0})
    dirk = cast.client("dirk")
    steps = command_steps(written(tmp_path, rows(1), rows(1, round_=12)))
    while not Hand.objects.exists():
        next(steps)
    assert "Import 1 is still running." in text_of(dirk.post(DIRECT, {"to": "closed"}))
    with monkeypatch.context() as patch:
        patch.setattr(
            "tournaments.services.rounds.rounds.pending_imports_of_round", lambda round_: ()
        )
        move_round(actor=TESTS, round_=Round.objects.get(), to="closed", now=NOW)
        patch.setattr("tournaments.services.events.events.pending_imports", lambda event: ())
        dirk.post(DIRECT, {"to": "closed"})
    assert Event.objects.get().state == "closed"
    dirk.post(DIRECT, {"to": "final"})
    assert Event.objects.get().state == "final"


def test_host_does_not_undo_an_import_whose_tables_are_final(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1)))
    end_window(event)
    refused = cast.client("hanna").post(f"{IMPORT}/undo")
    assert refused.status_code == 403
    assert "Your role does not allow this." in text_of(refused)
    assert Hand.objects.get().state == "accepted"
    cast.client("dirk").post(f"{IMPORT}/undo")
    assert ImportBatch.objects.get().state == "undone"


def test_undoing_stops_where_tables_became_final_before_the_worker_came(
    cast: Cast, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(written(tmp_path, rows(1)))
    undo_later(cast.client("hanna"), monkeypatch)
    end_window(event)
    batch = ImportBatch.objects.get()
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, Hand.objects.get().state) == ("done", "accepted")
    assert "Some tables of this import are now final" in text_of(cast.client("hanna").get(IMPORT))


@pytest.mark.usefixtures("event")
def test_page_names_no_stopped_undo_any_more_once_the_import_goes_on(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna = cast.client("hanna")
    path = written(tmp_path, rows(1, cast=MISSPELT), rows(1, round_=12))
    with path.open("rb") as file:
        hanna.post(f"{IMPORTS}/new", {"file": file})
    hanna.post(f"{IMPORT}/confirm")
    undo_later(hanna, monkeypatch)
    memberships = Membership.objects.filter(user=cast.users["hanna"])
    memberships.update(role="player")
    batch = ImportBatch.objects.get()
    tasks.work_on_import(batch.pk)
    memberships.update(role="host")
    assert "Undo stopped" in text_of(hanna.get(IMPORT))
    batch = ImportBatch.objects.select_related("event", "club").get()
    cells = rows(1)[0].split(",")
    correct_upload(actor=cast.actor("hanna"), batch=batch, lines={2: cells}, now=NOW)
    tasks.work_on_import(batch.pk)
    assert ImportBatch.objects.get().accepted == 2
    assert "Undo stopped" not in text_of(hanna.get(IMPORT))
