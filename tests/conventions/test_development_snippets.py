"""What docs/development.md and docs/variant-files.md tell to type works as they say."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.services import missing
from tests.support.sources import ROOT

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


GUIDE = (ROOT / "docs" / "variant-files.md").read_text(encoding="utf-8")


def scorer(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoring", *arguments]
    return subprocess.run(
        command, cwd=ROOT, input=typed, capture_output=True, text=True, check=False
    )


def test_variant_of_the_guide_is_checked_and_scored(tmp_path: Path) -> None:
    match = re.search(r"```toml\n(.*?)```", GUIDE, re.S)
    case = re.search(r"echo '(.*)' \|", GUIDE)
    assert match is not None
    assert case is not None
    file = tmp_path / "jack-hearts.toml"
    file.write_text(textwrap.dedent(match[1]), encoding="utf-8")
    checked = scorer("check", str(file))
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["deal_total"]["4"] == 31
    scored = scorer("score", "--variants", str(tmp_path), typed=case[1])
    assert json.loads(scored.stdout)[0]["totals"] == [9, 1, 2, 19]
