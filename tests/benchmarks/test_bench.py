"""`make bench`, with sizes that say nothing of speed: every figure is there and well formed."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FIGURES = Counter({"P4": 5, "P5": 4, "P6": 5, "P7": 1, "P8": 6})


def measured(database: str, project_root: Path, out: Path) -> tuple[dict[str, Any], list[str]]:
    """Run the benchmarks on one database; returns what they kept and what they printed."""
    command = [sys.executable, "-m", "benchmarks", "--sizes", "tiny", "--database", database]
    ended = subprocess.run(
        [*command, "--out", str(out)], cwd=project_root, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(out.read_text(encoding="utf-8")), ended.stdout.splitlines()


def told(kept: dict[str, Any], name: str) -> float:
    """Return the value of the figure of that name."""
    return next(float(one["value"]) for one in kept["figures"] if one["name"] == name)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.pg)])
def test_each_figure_is_printed_on_a_line_and_kept(
    database: str, project_root: Path, tmp_path: Path
) -> None:
    kept, lines = measured(database, project_root, tmp_path / "build" / "bench.json")
    figures = kept["figures"]
    assert Counter(one["goal_of"] for one in figures) == FIGURES
    assert {one["database"] for one in figures} == {database}
    assert len([line for line in lines if line.startswith("P")]) == len(figures)
    assert all(one["ratio"] > 0 for one in figures if one["against"])
    assert all((one["reached"] is None) == (one["goal"] is None) for one in figures)
    # What is counted, not timed, is the same at every size.
    assert told(kept, "queries of a 200") == told(kept, "queries of a 304") == 1
    assert told(kept, "bad lines reported") == 4
