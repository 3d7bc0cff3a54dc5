"""The commands of docs/development.md work in a copy of the repository."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.services import ROOT, missing

TEXT = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
SNIPPETS = [
    (heading, snippet)
    for heading, body in re.findall(r"(?ms)^## ([^\n]+)$(.*?)(?=^## |\Z)", TEXT)
    for snippet in re.findall(r"(?ms)^```sh\n(.*?)^```", body)
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy") / "blacklady"
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def test_commands_succeed_in_their_order(copy: Path) -> None:
    assert "See the SQL" in dict(SNIPPETS)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "DATABASE_", "DJANGO_"))
    }
    for heading, snippet in SNIPPETS:
        if "makemessages" in snippet and not shutil.which("msgfmt"):
            continue  # gettext is a package of the system
        lines = snippet.splitlines()
        if missing("pg"):
            lines = [line for line in lines if "postgresql" not in line]
        done = subprocess.run(
            ["bash", "-euc", "\n".join(lines)],  # noqa: S607
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (heading, done.stdout[-2000:], done.stderr[-2000:])
        if heading == "See the SQL":
            assert "SELECT" in done.stdout
