"""docker-compose.yml is read without docker: what it starts exists, what it needs is said."""

import os
import re
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from tests.support.sources import ROOT

TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
LASTING = sorted(name for name, service in SERVICES.items() if service.get("restart") != "no")


@pytest.mark.parametrize("name", LASTING)
def test_lasting_service_has_a_health_check_and_limits(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert set(SERVICES[name]["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}


@pytest.mark.parametrize(
    ("age_s", "files", "is_healthy"),
    [
        (30, ["one@{host}-1a.lock"], True),
        (30, ["one@{host}-1a.lock", "one@elsewhere-1a.without-process"], True),
        (30, ["one@{host}-1a.lock", "one@{host}-1a.without-process"], False),
        (30, ["one@elsewhere-1a.lock"], False),
        (150, ["one@{host}-1a.lock"], False),
        (30, [], False),
    ],
)
def test_worker_is_healthy_while_it_touches_its_lock_and_has_a_process(
    tmp_path: Path, age_s: int, files: list[str], is_healthy: bool
) -> None:
    workers = tmp_path / "workers"
    workers.mkdir()
    touched = time.time() - age_s
    for name in files:
        file = workers / name.format(host=socket.gethostname())
        file.touch()
        os.utime(file, (touched, touched))
    [form, check] = SERVICES["worker"]["healthcheck"]["test"]
    assert form == "CMD-SHELL"
    command = check.replace("$$", "$").replace("/var/lib/blacklady", str(tmp_path))
    checked = subprocess.run(["/bin/sh", "-c", command], check=False)
    assert (checked.returncode == 0) is is_healthy


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
        re.findall(
            r"^\| `((?:HSTS|DATABASE)_(?!URL|POOLER|REPLICA|READ_ONLY)\w+)` \| `?(\w+)`? \|",
            settings,
            re.M,
        )
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
    assert re.findall(r"^USER (\S+)", last_stage, re.M) == ["blacklady"]
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
