"""The variant of docs/variant-files.md can be checked and scored as the page says."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "variant-files.md").read_text(encoding="utf-8")


def scorer(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoring", *arguments]
    return subprocess.run(
        command, cwd=ROOT, input=typed, capture_output=True, text=True, check=False
    )


def test_variant_of_the_guide_is_checked_and_scored(tmp_path: Path) -> None:
    match = re.search(r"```toml\n(.*?)```", PAGE, re.S)
    case = re.search(r"echo '(.*)' \|", PAGE)
    assert match is not None
    assert case is not None
    file = tmp_path / "jack-hearts.toml"
    file.write_text(textwrap.dedent(match[1]), encoding="utf-8")
    checked = scorer("check", str(file))
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["deal_total"]["4"] == 31
    scored = scorer("score", "--variants", str(tmp_path), typed=case[1])
    assert json.loads(scored.stdout)[0]["totals"] == [9, 1, 2, 19]


def test_mistake_in_a_variant_file_is_named_with_its_line(tmp_path: Path) -> None:
    match = re.search(r"```toml\n(.*?)```", PAGE, re.S)
    assert match is not None
    file = tmp_path / "jack-hearts.toml"
    file.write_text(textwrap.dedent(match[1]).replace("values =", "worth ="), encoding="utf-8")
    checked = scorer("check", str(file))
    assert checked.returncode == 2
    assert re.search(r"jack-hearts\.toml:9: bad_rules: ", checked.stderr)
