"""Imports that a worker brings in or undoes later, and what happened to their event meanwhile."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.answers import send_json
from tests.support.builders import by_tests, league
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.imports.uploads import import_on_page, send_file, send_to_worker
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.errors import Conflict
from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.jobs import Deadline, Dirty, import_scope
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.policy import command
from tournaments.services.imports import process_upload as job
from tournaments.services.imports.import_file import import_steps
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import correct_upload
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVENT = "/clubs/riverside/events/league"


DIRECT = f"{EVENT}/direct"


IMPORT = f"{EVENT}/imports/1"


REST = f"/api/v1{EVENT}/imports"


cast_once, cast = cast_with(*FOUR)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 0})


def undo_later(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.FEW", 0)
        client.post(f"{IMPORT}/undo")


def work(number: int = 1) -> ImportBatch:
    batch = ImportBatch.objects.get(number=number)
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    return batch


def table_of(event: Event) -> Mapping[str, int]:
    publish(event.pk, now=timezone.now())
    newest = Publication.objects.filter(event=event).order_by("-number")[0]
    return {row["player_id"]: row["points"] for row in json.loads(bytes(newest.body))["rows"]}


def test_event_does_not_close_while_an_import_is_undone_and_its_final_table_stays(
    dirk: Client, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    undo_later(dirk, monkeypatch)
    refused = dirk.post(DIRECT, {"to": "closed"})
    assert "Import 1 is being undone. Wait until that is done." in text_of(refused)
    assert Event.objects.get().state == "open"
    assert work().state == "undone"
    for to in ("closed", "final"):
        dirk.post(DIRECT, {"to": to})
    assert Event.objects.get().state == "final"
    assert table_of(event) == {}


def test_undoing_stops_where_the_event_was_closed_and_the_pages_say_why(
    dirk: Client, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a database in which an undoing was asked for and the event closed before the update."""
    imported(written(tmp_path, rows(1), rows(1, round_=12), rows(1, round_=13)))
    before = table_of(event)
    undo_later(dirk, monkeypatch)
    monkeypatch.setattr("tournaments.services.events.events.pending_imports", lambda event: ())
    monkeypatch.setattr(
        "tournaments.selectors.standings.correction_window.pending_imports", lambda event: ()
    )
    for to in ("closed", "final"):
        dirk.post(DIRECT, {"to": to})
    assert work().state == "done"
    assert table_of(event) == before
    assert "The event is final, so the import was not undone" in text_of(dirk.get(IMPORT))
    body = dirk.get(f"{REST}/1").json()
    assert (body["state"], body["finished"], body["accepted"]) == ("done", True, 3)
    assert body["error"].startswith("The event is final, so the import was not undone")


def test_undoing_stops_where_who_asked_has_no_role_any_more_and_somebody_else_may_ask(
    cast: Cast, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna, dirk = cast.client("hanna"), cast.client("dirk")
    imported(written(tmp_path, rows(1), rows(1, round_=12)))
    undo_later(hanna, monkeypatch)
    batch = ImportBatch.objects.get()
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    next(iter(job.upload_steps(batch.pk, now=timezone.now())))
    Membership.objects.filter(user=cast.users["hanna"]).update(role="player")
    assert work().state == "done"
    assert Hand.objects.filter(state="accepted").count() == 1
    why = "The person who asked for the undo may no longer import into this event"
    assert why in text_of(dirk.get(IMPORT))
    assert dirk.get(f"{REST}/1").json()["error"].startswith(why)
    undo_later(dirk, monkeypatch)
    assert work().state == "undone"
    assert why not in text_of(dirk.get(IMPORT))
    assert dirk.get(f"{REST}/1").json()["error"] is None
    assert not Hand.objects.filter(state="accepted").exists()


def test_import_goes_no_further_where_who_brought_it_has_no_role_any_more(
    cast: Cast, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna, dirk = cast.client("hanna"), cast.client("dirk")
    send_to_worker(hanna, written(tmp_path, rows(1)), monkeypatch)
    Membership.objects.filter(user=cast.users["hanna"]).delete()
    assert work().state == "preview"
    assert not Hand.objects.exists()
    why = "The person who uploaded this file may no longer import into this event"
    assert why in text_of(dirk.get(IMPORT))
    assert dirk.get(f"{REST}/1").json()["error"].startswith(why)


def test_import_into_an_event_that_became_a_draft_meanwhile_brings_nothing(
    dirk: Client, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_to_worker(dirk, written(tmp_path, rows(1)), monkeypatch)
    assert dirk.post(DIRECT, {"to": "draft"}).status_code == 302
    assert work().state == "preview"
    assert not Hand.objects.exists()
    assert "The event is not open: draft. Hands can be entered while it is open." in text_of(
        dirk.get(IMPORT)
    )


def test_import_undone_meanwhile_brings_no_more(dirk: Client, event: Event, tmp_path: Path) -> None:
    """A command that was ended is undone on its page; the one that ran on all the same is told."""
    steps = command_steps(written(tmp_path, *[rows(1, round_=number) for number in (11, 12, 13)]))
    next(steps)
    while not Hand.objects.exists():
        next(steps)
    batch = ImportBatch.objects.get()
    assert "Import 1 is still running." in text_of(dirk.post(DIRECT, {"to": "closed"}))
    assert f"{IMPORT}/undo" in dirk.get(IMPORT).content.decode()
    dirk.post(f"{IMPORT}/undo")
    batch.refresh_from_db()
    assert batch.state == "undone"
    with pytest.raises(Conflict, match="import_moved_on"):
        list(steps)
    assert not Hand.objects.filter(state="accepted").exists()
    assert dirk.post(DIRECT, {"to": "closed"}).status_code == 302


def test_import_that_the_workers_gave_up_can_be_undone(
    dirk: Client, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_to_worker(dirk, written(tmp_path, rows(1)), monkeypatch)
    batch = ImportBatch.objects.get()

    def odd(*_: object, **__: object) -> None:
        raise ValueError("odd")

    with monkeypatch.context() as patch:
        patch.setattr("tournaments.services.imports.process_upload.import_steps", odd)
        for _ in range(3):
            tasks.work_on_import(batch.pk)
            Dirty.objects.filter(scope=import_scope(batch.pk)).update(due_at=None)
    assert "Import stopped" in text_of(dirk.get(IMPORT))
    dirk.post(f"{IMPORT}/undo")
    assert ImportBatch.objects.get().state == "undone"
    assert dirk.post(DIRECT, {"to": "closed"}).status_code == 302


def test_event_is_not_final_while_it_is_counted_again(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside, settings={"correction_window_h": 1})
    dirk = cast.client("dirk")
    imported(written(tmp_path, rows(1)))
    dirk.post(DIRECT, {"to": "closed"})
    settings = f"/api/v1{EVENT}/settings"
    wanted = {"settings": {"drop_worst": 1}, "reason": "As agreed."}
    changed = send_json(dirk, "PATCH", settings, wanted, If_Match=dirk.get(settings)["ETag"])
    assert changed.status_code == 200, changed.content
    late = timezone.now() + timedelta(hours=2)
    deadline = Deadline.objects.get(event=event, kind="finalise")
    assert Event.objects.get().state == "closed"
    assert run_deadline_job(deadline.pk, now=late) is False
    assert Event.objects.get().state == "closed"
    tasks.recount_event(event.pk)
    assert run_deadline_job(deadline.pk, now=late + timedelta(minutes=2)) is True
    assert Event.objects.get().state == "final"


MISSPELT = {**CAST, "N": ",Alma X."}


@pytest.fixture
def windowed(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@pytest.fixture
def step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a worker yield after each step, and read one table a step."""
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    monkeypatch.setattr(job, "CHUNK", 1)


def upload(client: Client, path: Path, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """Upload a file on its page; a worker looks it through later."""
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.is_small", lambda content: False)
        send_file(client, path)
    return ImportBatch.objects.latest("pk")


def command_steps(path: Path) -> Iterator[object]:
    op = Operation(command("import_sheets"), NOW)
    target = find_target(actor=op.actor, club="riverside", event="league")
    return import_steps(op, target, ImportRequest(path, path.name, chunk=1))


def end_window(event: Event) -> None:
    for deadline in Deadline.objects.filter(event=event, kind="finalise_round"):
        assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    assert set(Game.objects.values_list("state", flat=True)) == {"final"}


@pytest.mark.usefixtures("windowed", "step_by_step")
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


@pytest.mark.usefixtures("windowed", "step_by_step")
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


@pytest.mark.usefixtures("windowed", "step_by_step")
def test_page_of_an_undone_import_names_no_fault_of_the_worker_that_came_late(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, *(rows(1, round_=number) for number in (11, 12, 13)))
    batch = send_to_worker(dirk, path, monkeypatch)
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


@pytest.mark.usefixtures("windowed")
def test_import_that_ends_while_undoing_is_asked_for_is_undone(cast: Cast, tmp_path: Path) -> None:
    steps = command_steps(written(tmp_path, rows(1), rows(1, round_=12)))
    while not Hand.objects.exists():
        next(steps)
    seen = ImportBatch.objects.select_related("event").get()
    list(steps)
    request_undo(cast.operation("dirk"), seen)
    tasks.work_on_import(seen.pk)
    assert ImportBatch.objects.get().state == "undone"


@pytest.mark.usefixtures("windowed")
def test_undoing_a_file_that_is_gone_is_refused(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna = cast.client("hanna")
    batch = upload(hanna, written(tmp_path, rows(1)), monkeypatch)
    hanna.post(f"{IMPORT}/discard")
    with pytest.raises(Conflict, match="import_moved_on"):
        request_undo(cast.operation("dirk"), batch)


@pytest.mark.usefixtures("windowed")
def test_line_mended_while_its_file_is_confirmed_joins_it(cast: Cast, tmp_path: Path) -> None:
    hanna = cast.client("hanna")
    send_file(hanna, written(tmp_path, rows(1, cast=MISSPELT), rows(1, round_=12)))
    seen = ImportBatch.objects.select_related("event", "club").get()
    hanna.post(f"{IMPORT}/confirm")
    cells = rows(1)[0].split(",")
    correct_upload(cast.operation("hanna"), seen, lines={2: cells})
    tasks.work_on_import(seen.pk)
    batch = ImportBatch.objects.get()
    assert (batch.state, batch.accepted) == ("done", 2)


def test_import_that_was_left_behind_keeps_no_closed_event_from_being_final(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dirk: Client
) -> None:
    """As of a database whose event was closed while a command was ended half-way."""
    league(cast.riverside, settings={"correction_window_h": 0})
    steps = command_steps(written(tmp_path, rows(1), rows(1, round_=12)))
    while not Hand.objects.exists():
        next(steps)
    assert "Import 1 is still running." in text_of(dirk.post(DIRECT, {"to": "closed"}))
    with monkeypatch.context() as patch:
        patch.setattr(
            "tournaments.services.rounds.rounds.pending_imports_of_round", lambda round_: ()
        )
        move_round(by_tests(), Round.objects.get(), to="closed")
        patch.setattr("tournaments.services.events.events.pending_imports", lambda event: ())
        dirk.post(DIRECT, {"to": "closed"})
    assert Event.objects.get().state == "closed"
    dirk.post(DIRECT, {"to": "final"})
    assert Event.objects.get().state == "final"


def test_undoing_stops_where_tables_became_final_before_the_worker_came(
    cast: Cast, windowed: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(written(tmp_path, rows(1)))
    undo_later(cast.client("hanna"), monkeypatch)
    end_window(windowed)
    batch = ImportBatch.objects.get()
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, Hand.objects.get().state) == ("done", "accepted")
    assert "Some tables of this import are now final" in text_of(cast.client("hanna").get(IMPORT))


@pytest.mark.usefixtures("windowed")
def test_page_names_no_stopped_undo_any_more_once_the_import_goes_on(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanna = cast.client("hanna")
    import_on_page(hanna, written(tmp_path, rows(1, cast=MISSPELT), rows(1, round_=12)))
    undo_later(hanna, monkeypatch)
    memberships = Membership.objects.filter(user=cast.users["hanna"])
    memberships.update(role="player")
    batch = ImportBatch.objects.get()
    tasks.work_on_import(batch.pk)
    memberships.update(role="host")
    assert "Undo stopped" in text_of(hanna.get(IMPORT))
    batch = ImportBatch.objects.select_related("event", "club").get()
    cells = rows(1)[0].split(",")
    correct_upload(cast.operation("hanna"), batch, lines={2: cells})
    tasks.work_on_import(batch.pk)
    assert ImportBatch.objects.get().accepted == 2
    assert "Undo stopped" not in text_of(hanna.get(IMPORT))
