"""The lock files pin by hash and name no place to fetch from."""

import re
import tomllib
from pathlib import Path

import pytest

LOCKS = (
    "requirements.txt",
    "requirements-build.txt",
    "requirements-dev.txt",
    "requirements-uv.txt",
)


def pins(lock: Path) -> set[str]:
    return set(re.findall(r"^([a-z0-9.-]+==[^ \\]+)", lock.read_text(encoding="utf-8"), re.M))


@pytest.mark.parametrize("name", LOCKS)
def test_lock_file_holds_no_host_and_no_option(project_root: Path, name: str) -> None:
    text = (project_root / name).read_text(encoding="utf-8")
    assert not re.findall(r"://|^-|\bindex\b", text, re.M)


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_a_hash(project_root: Path, name: str) -> None:
    text = (project_root / name).read_text(encoding="utf-8").replace("\\\n", " ")
    assert [line for line in text.splitlines() if "--hash=sha256:" not in line] == []


def test_dev_lock_holds_every_pin_of_the_others(project_root: Path) -> None:
    runtime, build, dev, _uv = (pins(project_root / name) for name in LOCKS)
    assert runtime | build <= dev


def test_pyproject_states_the_direct_dependencies(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    lines = (project_root / "requirements.in").read_text(encoding="utf-8").splitlines()
    assert project["project"]["dependencies"] == [line for line in lines if line]
