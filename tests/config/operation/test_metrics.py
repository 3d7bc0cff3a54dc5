"""`/metrics`: who may read it, what its labels hold, and that its figures are those of the rows."""

from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from config import health
from config.env import networks
from config.operation.backup.destination import LastBackup, write_last_backup
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.prometheus_files import families_in
from tests.support.webhooks import webhook_of
from tournaments.models.hands import Game
from tournaments.models.jobs import event_scope
from tournaments.services.jobs.queue import record_failure, record_heartbeat
from tournaments.services.notices.outbox import enqueue_sign_in_mail
from tournaments.tasks import publish_event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_is_known(clock: time_machine.Traveller, settings: Settings, tmp_path: Path) -> None:
    health.READINESS.forget()
    settings.VAR_DIR = tmp_path


FORWARDED = [
    {"x-forwarded-for": "127.0.0.1"},
    {"x-forwarded-proto": "https"},
    {"x-forwarded-host": "club.example"},
    {"forwarded": "for=127.0.0.1"},
    {"x-real-ip": "127.0.0.1"},
    {"via": "1.1 proxy"},
]


@pytest.mark.parametrize(
    ("peer", "allowed", "status"),
    [
        ("127.0.0.1", "", 200),
        ("::1", "", 200),
        ("::ffff:127.0.0.1", "", 200),
        ("127.0.0.2", "", 404),
        ("", "", 404),
        ("10.1.2.3", "", 404),
        ("10.1.2.3", "10.1.0.0/16", 200),
        ("127.0.0.1", "10.1.0.0/16", 404),
    ],
)
def test_only_allowed_peers_read_metrics(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, peer: str, allowed: str, status: int
) -> None:
    if allowed:
        monkeypatch.setenv("METRICS_ALLOW", allowed)
        settings.METRICS_ALLOW = networks("METRICS_ALLOW", default=())
    answer = Client(REMOTE_ADDR=peer).get("/metrics", headers={"host": "10.1.2.3:8000"})
    assert answer.status_code == status if status == 200 else answer.status_code in {400, 404}
    assert (b"blacklady_" in answer.content) == (status == 200)


@pytest.mark.parametrize("headers", FORWARDED, ids=lambda one: next(iter(one)))
@pytest.mark.parametrize("proxies", [0, 1])
def test_request_that_came_through_a_proxy_is_refused_whatever_it_says(
    settings: Settings, headers: dict[str, str], proxies: int
) -> None:
    settings.TRUSTED_PROXIES = proxies
    is_told = proxies == 1 and "x-forwarded-for" in headers
    assert Client().get("/metrics", headers=headers).status_code == (200 if is_told else 404)


@pytest.mark.parametrize(
    ("peer", "written", "status"),
    [
        ("127.0.0.1", "127.0.0.1", 200),
        ("127.0.0.1", "192.0.2.7", 404),
        ("127.0.0.1", "127.0.0.1, 192.0.2.7", 404),
        ("192.0.2.7", "127.0.0.1", 404),
        ("127.0.0.1", "", 404),
    ],
)
def test_behind_a_trusted_proxy_both_addresses_must_be_allowed(
    settings: Settings, peer: str, written: str, status: int
) -> None:
    settings.TRUSTED_PROXIES = 1
    client = Client(REMOTE_ADDR=peer)
    assert client.get("/metrics", headers={"x-forwarded-for": written}).status_code == status


def test_metrics_are_only_read() -> None:
    assert Client().post("/metrics").status_code == 404


def values() -> dict[str, float]:
    """The figures without the counters, by name and labels as they are written."""
    text = Client().get("/metrics").content.decode()
    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_worker_without_a_process_is_not_counted_as_alive(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    record_heartbeat(name="celery@one", now=NOW)
    long_ago = NOW - timedelta(minutes=1)
    record_heartbeat(name="celery@two", now=NOW, without_process_since=long_ago)
    record_heartbeat(name="celery@three", now=long_ago, without_process_since=long_ago)
    figures = values()
    states = ("alive", "without_process", "dead")
    assert [figures[f"blacklady_workers {state}"] for state in states] == [1, 1, 1]
    assert figures["blacklady_finding worker_without_process error"] == 1


def test_figures_are_those_of_the_rows(cast: Cast, tmp_path: Path) -> None:
    record_heartbeat(name="celery@one", now=NOW)
    made = seated_table(cast)
    publish_event(made.event_id)
    write_last_backup(LastBackup(NOW, 12_345, tmp_path / "a.zip", is_verified=False))
    quiet = values()
    assert quiet["blacklady_workers alive"] == 1
    assert quiet["blacklady_publications_recent"] == 1
    assert quiet["blacklady_last_backup_age_seconds"] == 0
    hand(made, 1, [4, 1, 2, 6], queen=3)
    for _ in range(3):
        record_failure(event_scope(made.event_id), ValueError("no rule"), now=NOW)
    enqueue_sign_in_mail(to="a@riverside.example", subject="Hello", text="Hello.", now=NOW)
    webhook_of(cast.riverside)
    health.READINESS.forget()
    after = values()
    assert after["blacklady_jobs_parked"] == 1
    assert after["blacklady_mails_waiting"] == quiet["blacklady_mails_waiting"] + 1
    assert after["blacklady_webhook_messages_waiting"] == 1
    assert after["blacklady_webhook_messages_due"] == 1
    assert after["blacklady_webhook_messages_parked"] == 0
    assert after["blacklady_finding job_parked warning"] == 1
    assert after["blacklady_healthy"] == 0


def test_labels_hold_no_names_and_are_bounded(cast: Cast, dirk: Client) -> None:
    publish_event(seated_table(cast).event_id)
    for path in (
        "/riverside", "/clubs/riverside", "/clubs/riverside/events/league",
        "/api/v1/clubs/riverside",
        "/t/a-secret-token", "/invitations/a-secret-token", "/no/such/address", "/static/none.css",
    ):  # fmt: skip
        dirk.get(path)
    dirk.generic("BREW", "/clubs/riverside")
    text = Client().get("/metrics").content.decode().lower()
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    for private in ("riverside", "league", "elsa", "dirk", "a-secret", "brew", "/"):
        assert [line for line in samples if private in line] == [], private
    names = {label for _, labels in families_in(text) for label in labels}
    assert names <= {
        "route", "method", "status", "le", "source", "code", "severity", "place", "state",
        "statistic", "version",
    }  # fmt: skip
    assert 'method="other",route="tournaments:club"' in text
    assert 'route="unknown"' in text
    assert 'route="static"' in text


def seated_table(cast: Cast) -> Game:
    names = ("Elsa D.", "Ilse K.", "Leo K.", "Anton S.")
    return table(league(cast.riverside), players(cast.riverside, *names))
