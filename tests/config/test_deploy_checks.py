"""config/checks.py says what is unsafe; production settings are what they should be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks.security.base import check_sts_include_subdomains
from pytest_django import Settings

from config import checks
from tests.support.sources import ROOT

SERVER = {
    "DATABASE_URL": "postgres://blacklady@127.0.0.1/blacklady",
    "BROKER_URL": "redis://127.0.0.1/0",
    "SECRET_KEY": "long-enough-and-made-up-for-this-test-alone-0123456789",
    "ALLOWED_HOSTS": "club.example",
    "EMAIL_URL": "consolemail://",
}
SHOWN = [
    "EMBEDDED",
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "SECURE_HSTS_INCLUDE_SUBDOMAINS",
    "SECURE_HSTS_PRELOAD",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "SESSION_COOKIE_NAME",
    "CSRF_COOKIE_NAME",
    "COLLECTED",
    "DEBUG",
    "CELERY_BROKER_TRANSPORT_OPTIONS",
]


def settings_under(**environment: str) -> dict[str, object]:
    code = (
        "import json; from config import settings;"
        f"print(json.dumps({{name: getattr(settings, name, None) for name in {SHOWN}}}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    shown: dict[str, object] = json.loads(result.stdout)
    return shown


def test_server_stands_behind_tls(tmp_path: Path) -> None:
    assert settings_under(**SERVER, STATIC_ROOT=str(tmp_path)) == {
        "EMBEDDED": False,
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": False,
        "SECURE_HSTS_PRELOAD": False,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
        "COLLECTED": True,
        "DEBUG": False,
        "CELERY_BROKER_TRANSPORT_OPTIONS": {
            "max_retries": 0,
            "interval_start": 0,
            "unacked_restore_throttle": 1,
            "socket_timeout": 0.3,
            "socket_connect_timeout": 0.3,
        },
    }


def test_own_machine_speaks_plain_http(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'club.sqlite3'}"
    assert settings_under(DATABASE_URL=database, STATIC_ROOT=str(tmp_path), SECRET_KEY="x") == {
        "EMBEDDED": True,
        "SECURE_SSL_REDIRECT": False,
        "SECURE_HSTS_SECONDS": 0,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": False,
        "SECURE_HSTS_PRELOAD": False,
        "SESSION_COOKIE_SECURE": False,
        "CSRF_COOKIE_SECURE": False,
        "SESSION_COOKIE_NAME": "sessionid",
        "CSRF_COOKIE_NAME": "csrftoken",
        "COLLECTED": False,
        "DEBUG": False,
        "CELERY_BROKER_TRANSPORT_OPTIONS": {
            "max_retries": 0,
            "interval_start": 0,
            "polling_interval": 0.05,
        },
    }


@pytest.mark.parametrize(
    ("url", "embedded", "ids"),
    [
        ("redis://127.0.0.1/0", False, []),
        ("amqp://127.0.0.1//", False, []),
        ("memory://", True, []),
        ("memory://", False, ["blacklady.E002"]),
        ("filesystem://", False, ["blacklady.E001"]),
        ("sqla+sqlite:///queue", False, ["blacklady.E001"]),
        ("sqlalchemy+postgresql://127.0.0.1/queue", False, ["blacklady.E001"]),
    ],
)
def test_broker_that_loses_messages_is_refused(
    settings: Settings, url: str, embedded: bool, ids: list[str]
) -> None:
    settings.BROKER_URL, settings.EMBEDDED = url, embedded
    assert [message.id for message in checks.broker_keeps_messages()] == ids


def test_eager_tasks_are_refused(settings: Settings) -> None:
    assert list(checks.tasks_run_in_a_worker()) == []
    settings.CELERY_TASK_ALWAYS_EAGER = True
    assert [found.id for found in checks.tasks_run_in_a_worker()] == ["blacklady.E003"]


@pytest.mark.parametrize(
    ("hosts", "ids"),
    [
        (["club.example"], []),
        (["club.example", "localhost"], []),
        (["*"], ["blacklady.W001"]),
        (["127.0.0.1", "localhost"], ["blacklady.W002"]),
    ],
)
def test_host_others_reach_is_named(settings: Settings, hosts: list[str], ids: list[str]) -> None:
    settings.ALLOWED_HOSTS, settings.EMBEDDED = hosts, False
    assert [found.id for found in checks.hosts_are_named()] == ids


@pytest.mark.parametrize(("required", "ids"), [("nobody", ["blacklady.W005"]), ("owners", [])])
def test_owners_have_a_second_factor_on_a_server(
    settings: Settings, required: str, ids: list[str]
) -> None:
    settings.EMBEDDED, settings.REQUIRE_SECOND_FACTOR = False, required
    assert [found.id for found in checks.owners_need_a_second_factor()] == ids
    settings.EMBEDDED = True
    assert list(checks.owners_need_a_second_factor()) == []


def test_static_files_are_collected_on_a_server(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT, settings.COLLECTED = tmp_path, True
    assert [found.id for found in checks.static_files_are_collected()] == ["blacklady.W003"]
    (tmp_path / "staticfiles.json").touch()
    assert list(checks.static_files_are_collected()) == []


@pytest.mark.parametrize(("said", "waits_ms"), [("", "10000"), ("?timeout=3", "3000")])
def test_sqlite_is_durable_and_lets_writers_wait(tmp_path: Path, said: str, waits_ms: str) -> None:
    code = (
        "import django; django.setup(); from django.db import connection, transaction\n"
        "cursor = connection.cursor()\n"
        "for name in ('journal_mode', 'synchronous', 'busy_timeout'):\n"
        "    print(cursor.execute(f'PRAGMA {name}').fetchone()[0])\n"
        "print(connection.transaction_mode)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"sqlite:///{tmp_path / 'club.sqlite3'}{said}",
            "SECRET_KEY": "x",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    full = "2"
    assert result.stdout.split() == ["wal", full, waits_ms, "IMMEDIATE"]


def test_longer_and_wider_insistence_on_tls_is_the_operators_to_say(tmp_path: Path) -> None:
    said = settings_under(
        **SERVER,
        STATIC_ROOT=str(tmp_path),
        HSTS_SECONDS="31536000",
        HSTS_SUBDOMAINS="on",
        HSTS_PRELOAD="on",
    )
    assert said["SECURE_HSTS_SECONDS"] == 365 * 24 * 3600
    assert (said["SECURE_HSTS_INCLUDE_SUBDOMAINS"], said["SECURE_HSTS_PRELOAD"]) == (True, True)


@pytest.mark.parametrize(("covered", "ids"), [(False, ["security.W005"]), (True, [])])
def test_hosts_below_are_warned_of_until_they_are_covered(
    settings: Settings, covered: bool, ids: list[str]
) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = 31_536_000, covered
    found = check_sts_include_subdomains(None)
    assert [f.id for f in found if f.id not in settings.SILENCED_SYSTEM_CHECKS] == ids
