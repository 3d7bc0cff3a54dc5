"""docker-compose.yml is read without docker: what it starts exists, what it needs is said."""

import importlib.util
import re
from typing import Any

import pytest
import yaml

from tests.support.sources import ROOT

TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
LASTING = sorted(name for name, service in SERVICES.items() if service.get("restart") != "no")


@pytest.mark.parametrize("name", LASTING)
def test_lasting_service_has_a_health_check(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


def test_every_image_is_pinned_to_a_version() -> None:
    images = [service["image"] for service in SERVICES.values()]
    from_file = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)
    loose = [image for image in images + from_file if not re.search(r":\d+\.\d+", image)]
    assert loose == []


def test_every_variable_is_in_the_example() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", TEXT))
    assert set(re.findall(r"^(\w+)=", example, re.M)) == used


def test_settings_of_transport_and_time_outs_reach_the_service() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    listed = dict(
        re.findall(r"^\| `((?:HSTS|DATABASE)_(?!URL)\w+)` \| `?(\w+)`? \|", settings, re.M)
    )
    assert len(listed) == 8
    passed = SERVICES["web"]["environment"]
    for name, default in listed.items():
        usual = {"off": "0"}.get(default, default)
        assert passed[name] == f"${{{name}:-{usual}}}"


def test_every_variable_of_the_service_is_a_documented_setting() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in SERVICES["web"]["environment"] if f"`{name}`" not in settings] == []


@pytest.mark.parametrize("name", ["migrate", "web", "worker"])
def test_command_starts_something_that_is_there(name: str) -> None:
    python, *command = SERVICES[name]["command"]
    assert python == "python"
    there = (
        importlib.util.find_spec(command[1]) is not None
        if command[0] == "-m"
        else (ROOT / command[0]).is_file()
    )
    assert there


def test_image_serves_what_compose_serves() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    command = re.findall(r'"([^"]+)"', dockerfile[dockerfile.index("CMD") :])
    assert command == SERVICES["web"]["command"]
