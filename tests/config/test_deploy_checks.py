"""Settings of a server: what the deploy checks and the containers need."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
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
    "COLLECTED",
    "DEBUG",
    "CELERY_BROKER_TRANSPORT_OPTIONS",
]


def settings_under(**environment: str) -> dict[str, object]:
    """The settings of a process that starts with this environment and nothing else."""
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
        "SECURE_HSTS_SECONDS": 3600,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": False,
        "SECURE_HSTS_PRELOAD": False,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
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
    assert [found.id for found in checks.broker_keeps_messages()] == ids


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
def test_host_that_others_reach_is_named(
    settings: Settings, hosts: list[str], ids: list[str]
) -> None:
    settings.ALLOWED_HOSTS, settings.EMBEDDED = hosts, False
    assert [found.id for found in checks.hosts_are_named()] == ids


def test_static_files_are_collected_on_a_server(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT, settings.COLLECTED = tmp_path, True
    assert [found.id for found in checks.static_files_are_collected()] == ["blacklady.W003"]
    (tmp_path / "staticfiles.json").touch()
    assert list(checks.static_files_are_collected()) == []


@pytest.mark.parametrize(("said", "waits_ms"), [("", "10000"), ("?timeout=3", "3000")])
def test_sqlite_keeps_what_it_acknowledged_and_lets_writers_wait(
    tmp_path: Path, said: str, waits_ms: str
) -> None:
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


TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
LASTING = sorted(name for name, service in SERVICES.items() if service.get("restart") != "no")


@pytest.mark.parametrize("name", LASTING)
def test_lasting_service_has_a_health_check_and_limits(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert set(SERVICES[name]["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}


def test_every_image_is_pinned_to_a_version() -> None:
    images = [service["image"] for service in SERVICES.values()]
    from_file = re.findall(r"^FROM (\S+)", DOCKERFILE, re.M)
    assert len(from_file) == 2
    loose = [image for image in images + from_file if not re.search(r":\d+\.\d+", image)]
    assert loose == []


def test_every_variable_is_in_the_example() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", TEXT))
    assert set(re.findall(r"^(\w+)=", example, re.M)) == used


def test_settings_of_transport_and_time_outs_reach_the_service() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    listed = dict(
        re.findall(r"^\| `((?:HSTS|DATABASE)_(?!URL|POOLER)\w+)` \| `?(\w+)`? \|", settings, re.M)
    )
    assert len(listed) == 8
    passed = SERVICES["web"]["environment"]
    for name, default in listed.items():
        usual = {"off": "0"}.get(default, default)
        assert passed[name] == f"${{{name}:-{usual}}}"


def test_every_variable_of_the_service_is_a_documented_setting() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in SERVICES["web"]["environment"] if f"`{name}`" not in settings] == []


def test_each_role_runs_a_command_of_blacklady_and_the_image_serves_what_compose_serves() -> None:
    assert OURS == ["backup", "migrate", "web", "worker"]
    for name in OURS:
        words = " ".join(SERVICES[name]["command"]).split()
        assert words[words.index("blacklady") + 1] in get_commands()
    command = re.findall(r'"([^"]+)"', DOCKERFILE[DOCKERFILE.index("\nCMD") :])
    assert command == SERVICES["web"]["command"]


def test_no_port_of_the_host_keeps_web_from_scaling() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert [name for name, service in SERVICES.items() if "container_name" in service] == []


@pytest.mark.parametrize("name", OURS)
def test_service_of_ours_can_change_nothing_but_its_volumes(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    last_stage = DOCKERFILE[DOCKERFILE.rindex("\nFROM") :]
    user = re.findall(r"^USER (\S+)", last_stage, re.M)
    assert user == ["blacklady"]
    assert "uninstall --yes pip setuptools wheel" in last_stage


def test_log_of_each_service_is_rotated() -> None:
    logging = [service["logging"]["options"].keys() for service in SERVICES.values()]
    assert logging == [{"max-size", "max-file"}] * len(SERVICES)


def test_secrets_are_files_and_never_variables() -> None:
    named = yaml.safe_load(TEXT)["secrets"]
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert not re.findall(r"^\w*(?:SECRET|PASSWORD|KEY|TOKEN|_URL)\w*=", example, re.M)
    for service in SERVICES.values():
        variables = service.get("environment", {})
        files = {name: value for name, value in variables.items() if name.endswith("_FILE")}
        mounted = {f"/run/secrets/{name}" for name in service.get("secrets", [])}
        assert set(files.values()) == mounted
        assert not {name.removesuffix("_FILE") for name in files} & set(variables)
    mentioned = {one for service in SERVICES.values() for one in service.get("secrets", [])}
    assert mentioned == set(named)
    ignored = subprocess.run(
        ["git", "check-ignore", *(one["file"] for one in named.values())],  # noqa: S607  # git of the machine
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert len(ignored.stdout.splitlines()) == len(named)
    assert "secrets" in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
