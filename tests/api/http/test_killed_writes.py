"""A process that dies between its work and its kept answer: sent again, the work is done once."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from api.schema_views import document
from tests.support.builders import penalize
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.imports.imports import everything
from tests.support.lengths import short_or_long
from tests.support.rest.before_calls import evening
from tests.support.rest.call import CLUB
from tests.support.rest.keyed_calls import CALLS
from tests.support.rest.requests import refusal
from tournaments.errors import Conflict
from tournaments.models.audit import Reply
from tournaments.models.standings import LedgerLine
from tournaments.services.audit import idempotency

pytestmark = pytest.mark.usefixtures("clock")

FILES = {"set_logo", "remove_logo"}
"""Of the logo, which is stored again as it was (clubs/test_change_club.py)."""
NEEDS_A_MAIL = {"send_mail_again"}
"""A parked mail is sent again however often it is asked (people/test_notifications.py)."""
BY_ITS_HAND = {"enter_hand", "enter_totals", "revise_hand"}
"""The key stays with the revision, in one row (live/concurrency/test_hands.py)."""
NEEDS_A_CORRECTION = {
    *("answer_cut", "answer_playoff", "extend_playoff"),
    *("correct_import_problem", "resolve_import_problem"),
}
"""They answer what a correction or a file asked, or prolong a play-off; declared as the others."""


class Killed(BaseException):
    """The end of a process, which nothing in it can catch."""


def kill_between(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the process die where the answer is about to be kept; it tidies up nothing after that."""

    def die(*args: object, **more: object) -> None:
        raise Killed

    monkeypatch.setattr(idempotency, "store_answer", die)
    monkeypatch.setattr(idempotency, "release_key", lambda reply: None)
    return monkeypatch


def two_minutes_later() -> None:
    Reply.objects.update(started_at=timezone.now() - idempotency.PATIENCE - timedelta(seconds=1))


def keyed() -> dict[str, str]:
    """The operations that take a key, by id, with their method."""
    return {
        one["operationId"]: method
        for path in document()["paths"].values()
        for method, one in path.items()
        if any(each.get("name") == "Idempotency-Key" for each in one.get("parameters", ()))
    }


def test_each_address_that_takes_a_key_is_killed_here_or_named() -> None:
    assert set(keyed()) == {*(*CALLS, *BY_ITS_HAND, *NEEDS_A_CORRECTION, *FILES, *NEEDS_A_MAIL)}


@pytest.mark.parametrize("name", sorted(CALLS)[:: short_or_long(6, 1)])
def test_act_whose_process_died_before_its_answer_was_kept_is_done_once(
    cast: Cast, name: str, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    call = CALLS[name]
    call.prepare(cast)
    client, before = cast.client(call.who), everything()
    with pytest.MonkeyPatch.context() as patched, django_capture_on_commit_callbacks() as hints:
        kill_between(patched)
        with pytest.raises(Killed):
            call.send(client)
    if name == "import_sheets":  # it commits as it goes, and goes on where it was left
        assert everything()["Hand"] == before["Hand"] + 1
    else:
        assert everything() == {**before, "Reply": before["Reply"] + 1}
        assert hints == []
    assert refusal(call.send(client)) == (409, ["request_in_progress"])
    two_minutes_later()
    done = call.send(client)
    assert done.status_code == call.status, done.content
    assert "Idempotent-Replayed" not in done
    after = everything()
    assert after["AuditLine"] == before["AuditLine"] + call.lines
    again = call.send(client)
    assert (again.status_code, again.content) == (done.status_code, done.content)
    assert (again["Idempotent-Replayed"], again.get("ETag")) == ("true", done.get("ETag"))
    assert everything() == after


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("create_token", "token"),
        ("create_invitation", "url"),
        ("create_link", "url"),
        ("create_webhook", "secret"),
        ("rotate_webhook_secret", "secret"),
    ],
)
def test_secret_is_shown_again_by_key_and_stored_sealed(cast: Cast, name: str, member: str) -> None:
    call = CALLS[name]
    call.prepare(cast)
    client = cast.client(call.who)
    first, again = call.send(client), call.send(client)
    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    assert "no-store" in first["Cache-Control"]
    secret = first.json()[member].rpartition("/")[2]
    assert secret.encode() not in bytes(Reply.objects.get().body)


def test_import_that_died_brings_one_batch_with_what_waits(cast: Cast) -> None:
    call = CALLS["import_sheets"]
    evening(cast)
    hanna = cast.client("hanna")
    with pytest.MonkeyPatch.context() as patched:
        kill_between(patched)
        with pytest.raises(Killed):
            call.send(hanna)
    two_minutes_later()
    report = call.send(hanna).json()
    assert (report["hands"], report["accepted"]) == (2, 1)
    assert [problem["code"] for problem in report["problems"]] == ["seat_count"]
    listed = hanna.get(f"{CLUB}/events/league/imports").json()["results"]
    assert [(one["number"], one["state"], one["added"]) for one in listed] == [(1, "done", 1)]


def test_hints_of_a_keyed_act_are_sent_after_its_answer_is_kept(
    cast: Cast,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    evening(cast)
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    kept: list[int | None] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "tournaments.services.jobs.enqueue.send_hint",
            lambda app, task, event_id: kept.append(Reply.objects.get().status),
        )
        with django_capture_on_commit_callbacks(execute=True):
            CALLS["add_ledger_line"].send(cast.client("dirk"))
    assert kept == [201]


def test_request_that_was_overtaken_does_nothing(cast: Cast) -> None:
    """It took so long that another one under its key began: that one does the work."""
    event = evening(cast).event
    slow = idempotency.claim_key(caller="dirk", key="k", fingerprint="f", now=NOW)
    later = NOW + idempotency.PATIENCE + timedelta(seconds=1)
    second = idempotency.claim_key(caller="dirk", key="k", fingerprint="f", now=later)

    def work() -> None:
        penalize(event, "RL01", "2", "x")

    def kept(done: None) -> idempotency.StoredAnswer:
        return idempotency.StoredAnswer(201, {}, b"")

    with pytest.raises(Conflict, match="request_in_progress"):
        idempotency.store_answer_of(slow, work, kept)
    idempotency.release_key(slow)
    assert not LedgerLine.objects.exists()
    idempotency.store_answer_of(second, work, kept)
    assert (LedgerLine.objects.count(), Reply.objects.get().status) == (1, 201)


def test_refused_act_leaves_its_key_free(cast: Cast) -> None:
    evening(cast)
    dirk = cast.client("dirk")
    line = CALLS["add_ledger_line"]
    assert replace(line, body={**line.body, "amount": "none"}).send(dirk).status_code == 422
    assert not Reply.objects.exists()
    assert line.send(dirk).status_code == 201


class Deadlock(Exception):
    """What the driver says of a transaction that was ended so that another one could go on."""

    sqlstate = "40P01"


@pytest.mark.django_db(transaction=True)
def test_keyed_act_that_a_deadlock_ended_is_done_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = enter_the_cast()
    evening(cast)
    finish, tries = idempotency.store_answer, []

    def deadlocked(*args: Any) -> None:
        tries.append(LedgerLine.objects.count())
        if len(tries) == 1:
            raise OperationalError("deadlock detected") from Deadlock()
        finish(*args)

    monkeypatch.setattr(idempotency, "store_answer", deadlocked)
    answer = CALLS["add_ledger_line"].send(cast.client("dirk"))
    assert (answer.status_code, tries, LedgerLine.objects.count()) == (201, [1, 1], 1)
