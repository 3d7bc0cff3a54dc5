"""Status says each fault in a sentence with what to do, and is never well while something is."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as conf
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config import health
from config.operation.backup.destination import LastBackup, write_last_backup
from config.operation.status import installation_status
from config.operation.status.explanations import EXPLANATIONS
from config.operation.status.installation_status import CERTIFICATE, read_status
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.webhooks import webhook_of
from tournaments.models.hands import Game
from tournaments.models.jobs import FINALISE, Deadline, Outbox
from tournaments.selectors.jobs.queue import WorkerPresence
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.jobs.queue import record_failure, record_heartbeat
from tournaments.services.notices.outbox import claim_mail, enqueue_sign_in_mail, retry_mail
from tournaments.services.outgoing import switch_outgoing
from tournaments.services.webhooks.delivery import Answer, claim_delivery, finish_delivery
from tournaments.tasks import publish_event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def well(
    clock: time_machine.Traveller,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    tmp_path: Path,
) -> None:
    """An installation that was backed up, with a worker that lives and room on its disk."""
    health.READINESS.forget()
    installation_status.WATCH.forget()
    CERTIFICATE.forget()
    monkeypatch.setattr(health, "KEPT_S", 0.0)
    monkeypatch.setattr(health, "DISK_LOW", 0)
    monkeypatch.setattr(
        installation_status, "_against_database", str
    )  # time stands still here only
    settings.VAR_DIR = tmp_path
    settings.SITE_URL = "http://127.0.0.1:8000"
    record_heartbeat(name="celery@one", now=NOW)
    write_last_backup(LastBackup(NOW, 12_345, tmp_path / "a.zip", is_verified=True))


def seated_table(cast: Cast) -> Game:
    names = ("Elsa D.", "Ilse K.", "Leo K.", "Anton S.")
    return table(league(cast.riverside), players(cast.riverside, *names))


@pytest.fixture
def olga(cast: Cast) -> Client:
    user = cast.users["olga"]
    user.is_superuser = user.is_staff = True
    user.save()
    return cast.client("olga")


def found() -> list[str]:
    return [finding.code for finding in read_status(timezone.now()).findings]


def told(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = 0
    try:
        call_command("status")
    except SystemExit as end:
        status = int(str(end.code))
    return status, capsys.readouterr().out


def test_installation_without_faults_is_well_on_the_page_and_in_the_command(
    olga: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    code, words = told(capsys)
    assert (code, words.splitlines()[0]) == (0, f"All is well. Blacklady {conf.VERSION}.")
    page = text_of(olga.get("/statusz"))
    assert "All is well." in page
    assert "celery@one last report 6 Nov 2025, 21:00 UTC Running" in page


def silent_worker(cast: Cast, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(seconds=31))
    record_heartbeat(name="celery@two", now=timezone.now())


def without_process(cast: Cast, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(seconds=31))
    record_heartbeat(name="celery@one", now=timezone.now(), without_process_since=NOW)


def all_silent(cast: Cast, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(seconds=31))


def late_mail(cast: Cast, clock: time_machine.Traveller) -> None:
    write_mail()
    clock.shift(timedelta(minutes=16))
    record_heartbeat(name="celery@one", now=timezone.now())


def refused_mail(cast: Cast, clock: time_machine.Traveller) -> None:
    late_mail(cast, clock)
    Outbox.objects.update(error="535 5.7.8 no dirk@riverside.example here")


def mail_without_server(cast: Cast, clock: time_machine.Traveller) -> None:
    late_mail(cast, clock)
    Outbox.objects.update(error="TimeoutError: t")


def late_webhook(cast: Cast, clock: time_machine.Traveller) -> None:
    webhook_of(cast.riverside)
    clock.shift(timedelta(minutes=16))
    record_heartbeat(name="celery@one", now=timezone.now())


def sends_nothing(cast: Cast, clock: time_machine.Traveller) -> None:
    """Nothing is late that waits on purpose."""
    switch_outgoing(is_on=False, now=NOW)
    write_mail()
    webhook_of(cast.riverside)
    clock.shift(timedelta(minutes=16))
    record_heartbeat(name="celery@one", now=timezone.now())


def old_backup(cast: Cast, clock: time_machine.Traveller) -> None:
    clock.shift(timedelta(hours=37))
    record_heartbeat(name="celery@one", now=timezone.now())


def worker_ahead(cast: Cast, clock: time_machine.Traveller) -> None:
    record_heartbeat(name="celery@one", now=NOW + timedelta(minutes=2))


def audit_ahead(cast: Cast, clock: time_machine.Traveller) -> None:
    clock.shift(-timedelta(minutes=2))
    record_heartbeat(name="celery@one", now=timezone.now())


def set_forward(cast: Cast, clock: time_machine.Traveller) -> None:
    read_status(timezone.now())
    clock.shift(timedelta(hours=1))
    record_heartbeat(name="celery@one", now=timezone.now())


def write_mail() -> None:
    enqueue_sign_in_mail(to="a@riverside.example", subject="Hello", text="Hello.", now=NOW)


State = Callable[[Cast, time_machine.Traveller], None]


@pytest.mark.parametrize(
    ("state", "codes", "sentence", "advice"),
    [
        (silent_worker, ["worker_silent"], "The worker celery@one does not work any more.",
         "Read its log and start it again."),
        (without_process, ["worker_without_process"],
         "No process of the worker celery@one lasts: they end, or do not start.",
         "Its dispatcher publishes standings meanwhile"),
        (all_silent, ["no_worker", "worker_silent"], "No worker is running.", "Start a worker"),
        (late_mail, ["mail_late"], "Mail is not sent: 1 mail waits.", "Check EMAIL_URL"),
        (refused_mail, ["mail_late"],
         "Mail is not sent: 1 mail waits, and the mail server answers 535 5.7.8 no … here.",
         "Check EMAIL_URL"),
        (mail_without_server, ["mail_late"],
         "Mail is not sent: 1 mail waits, and the mail server does not answer (TimeoutError: t).",
         "Check EMAIL_URL"),
        (late_webhook, ["webhook_late"], "Messages of webhooks are not sent: 1 message waits.",
         "Read the log of the workers."),
        (sends_nothing, ["outgoing_off"],
         "Nothing is sent: 1 mail and 1 message of webhooks wait.", "run the command outgoing on"),
        (old_backup, ["backup_old"], "The last backup is old: it holds 2025-11-06 21:00 UTC.",
         "Run the command backup"),
        (worker_ahead, ["clock_off"], "report of the worker celery@one is 120 s from now", "NTP"),
        (audit_ahead, ["clock_off"], "the newest line of the audit trail is 120 s from now", "NTP"),
        (set_forward, ["clock_off"], "it was set forward by 3600 s", "by NTP"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)  # fmt: skip
def test_each_state_has_its_sentence_on_the_page_and_in_the_command(
    cast: Cast,
    olga: Client,
    clock: time_machine.Traveller,
    capsys: pytest.CaptureFixture[str],
    state: State,
    codes: list[str],
    sentence: str,
    advice: str,
) -> None:
    state(cast, clock)
    assert found() == codes
    status, said = told(capsys)
    assert status == 1
    assert "All is well" not in said
    assert sentence in said
    assert advice in said
    page = text_of(olga.get("/statusz"))
    assert "All is well" not in page
    assert sentence in page
    assert advice in page


def test_installation_without_a_backup_is_degraded_once_it_holds_something(tmp_path: Path) -> None:
    (tmp_path / "last-backup.json").unlink()
    assert found() == []
    enter_the_cast()
    assert found() == ["backup_never"]


def test_mail_that_was_given_up_is_a_note_for_a_day(
    clock: time_machine.Traveller, capsys: pytest.CaptureFixture[str]
) -> None:
    write_mail()
    mail = claim_mail(now=NOW)
    assert mail is not None
    retry_mail(mail, error="no such mailbox", is_permanent=True, now=NOW)
    status, said = told(capsys)
    assert (status, said.splitlines()[0]) == (0, f"All is well. Blacklady {conf.VERSION}.")
    assert "Mail could not be delivered within the last day: 1 mail." in said
    assert "riverside.example" not in said
    clock.shift(timedelta(hours=25))
    installation_status.WATCH.forget()
    record_heartbeat(name="celery@one", now=timezone.now())
    assert found() == []
    assert Outbox.objects.filter(parked=True).count() == 1


def test_json_and_page_say_whether_anything_is_sent(
    olga: Client, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    on = {"is_on": True, "by_setting": False, "off_since": None}
    assert json_of(capsys)["outgoing"] == on
    assert "Sending OK On" in text_of(olga.get("/statusz"))
    switch_outgoing(is_on=False, now=NOW)
    off = {"is_on": False, "by_setting": False, "off_since": "2025-11-06T21:00:00Z"}
    assert json_of(capsys)["outgoing"] == off
    settings.OUTGOING = True
    assert json_of(capsys)["outgoing"] == {**on, "by_setting": True}
    assert "Sending OK On by the setting OUTGOING" in text_of(olga.get("/statusz"))


def test_missed_deadline_and_waiting_job_count(cast: Cast, clock: time_machine.Traveller) -> None:
    made = seated_table(cast)
    publish_event(made.event_id)
    before = read_status(timezone.now()).jobs
    assert before is not None
    assert before.latencies_s == (0.0,)
    set_deadline(made.event, FINALISE, NOW)
    hand(made, 1, [4, 1, 2, 6], queen=3)
    clock.shift(timedelta(seconds=31))
    after = read_status(timezone.now()).jobs
    assert after is not None
    assert (after.waiting - before.waiting, after.deadlines_missed, after.oldest) == (2, 1, NOW)
    deadline = Deadline.objects.get(kind=FINALISE)
    for _ in range(3):
        record_failure(f"deadline:{deadline.pk}", ValueError("no rule"), now=timezone.now())
    parked = read_status(timezone.now()).jobs
    assert parked is not None
    assert (parked.parked, parked.deadlines_missed) == (1, 0)


def test_worker_whose_lock_is_held_is_alive_and_one_that_ended_in_order_is_forgotten() -> None:
    presence = WorkerPresence("celery@one")
    presence.renew()
    presence.renew()
    assert found() == []
    presence.end()
    assert found() == []


def test_clock_that_differs_from_the_database_server_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    monkeypatch.undo()
    assert "behind the clock of the database server" in installation_status.clock_fault()


def test_json_names_every_finding_with_what_to_do(
    cast: Cast, clock: time_machine.Traveller, capsys: pytest.CaptureFixture[str]
) -> None:
    all_silent(cast, clock)
    with pytest.raises(SystemExit, match="1"):
        call_command("status", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["status"] == "degraded"
    assert said["workers"] == [
        {
            "name": "celery@one",
            "seen_at": "2025-11-06T21:00:00Z",
            "is_alive": False,
            "without_process_since": None,
        }
    ]
    first = said["findings"][0]
    assert first["advice"] == str(EXPLANATIONS["no_worker"].advice)
    assert (first["code"], first["severity"], first["since"]) == (
        "no_worker", "error", "2025-11-06T21:00:00Z",
    )  # fmt: skip


def test_database_away_leaves_rest_unchecked(olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    away = health.Fault("database_away", about="OperationalError")
    monkeypatch.setattr(health.Readiness, "faults", lambda *_: (away,))
    page = text_of(olga.get("/statusz"))
    assert "The database does not answer (OperationalError)." in page
    assert "Workers Not checked" in page
    assert "Background jobs Not checked" in page


def test_webhook_message_that_was_given_up_is_a_note_for_a_day(
    cast: Cast, clock: time_machine.Traveller, capsys: pytest.CaptureFixture[str]
) -> None:
    webhook_of(cast.riverside)
    assert json_of(capsys)["webhooks"] == {
        "waiting": 1, "due": 1, "oldest_due": "2025-11-06T21:00:00Z", "parked": 0,
    }  # fmt: skip
    answer_webhooks(Answer(error="The name has no address", is_permanent=True))
    status, said = told(capsys)
    assert status == 0
    assert "Messages of webhooks could not be delivered within the last day: 1 message." in said
    assert json_of(capsys)["webhooks"] == {
        "waiting": 0, "due": 0, "oldest_due": None, "parked": 1,
    }  # fmt: skip
    clock.shift(timedelta(hours=25))
    installation_status.WATCH.forget()
    record_heartbeat(name="celery@one", now=timezone.now())
    assert "webhook_given_up" not in found()


def test_webhook_whose_receiver_refuses_is_pending_and_not_late(
    cast: Cast, olga: Client, clock: time_machine.Traveller, capsys: pytest.CaptureFixture[str]
) -> None:
    webhook_of(cast.riverside)
    for minutes in (0, 1, 2, 4, 10):
        clock.move_to(NOW + timedelta(minutes=minutes))
        answer_webhooks(Answer(status=500, error="HTTP 500"))
    clock.move_to(NOW + timedelta(minutes=17))
    record_heartbeat(name="celery@one", now=timezone.now())
    installation_status.WATCH.forget()
    assert json_of(capsys)["webhooks"]["waiting"] == 1
    assert json_of(capsys)["webhooks"]["due"] == 0
    assert found() == []
    assert "Webhooks OK 1 pending" in text_of(olga.get("/statusz"))


def json_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    with suppress(SystemExit):
        call_command("status", "--json")
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


def answer_webhooks(answer: Answer) -> None:
    delivery = claim_delivery(now=timezone.now())
    assert delivery is not None
    finish_delivery(delivery, answer, now=timezone.now())
