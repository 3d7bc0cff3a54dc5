"""`make bench`, with sizes that say nothing of speed: every figure is there and well formed."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.full_evening import answered, delays, percentile, waits
from benchmarks.phones import Look, Post, Seen
from benchmarks.report import GOALS, as_table
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.live.project import PATIENCE_S, tree_of

FIGURES = Counter(
    {
        **{"import": 5, "posting a hand": 7, "reading standings": 5, "summing on read": 1},
        **{
            "lists": 7,
            "pages": 4,
            "corrections": 3,
            "publishing a correction": 1,
            "publishing evening points": 1,
        },
        **{"burst": 7, "evening": 38},
    }
)
OVER_HTTP = Counter({"evening": 15})
"""More of them where an installation of several processes can be had."""


def measured(database: str, project_root: Path, out: Path, *more: str) -> tuple[Json, list[str]]:
    """Run the benchmarks on one database; returns what they kept and what they printed."""
    command = [sys.executable, "-m", "benchmarks", "--sizes", "tiny", "--database", database]
    ended = subprocess.run(
        [*command, "--out", str(out), *more],
        cwd=project_root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(out.read_text(encoding="utf-8")), ended.stdout.splitlines()


def told(kept: Json, name: str) -> float:
    return next(float(figure["value"]) for figure in kept["figures"] if figure["name"] == name)


def test_engine_is_measured_without_a_database(project_root: Path, tmp_path: Path) -> None:
    kept, lines = measured("none", project_root, tmp_path / "bench.json", "--variants")
    figures = kept["figures"]
    assert [figure["goal_of"] for figure in figures] == ["scoring counts"] * (
        3 + len(catalogue().ids)
    ) + ["scoring cards"] * 2
    assert {figure["database"] for figure in figures} == {"-"}
    assert len([line for line in lines if line.startswith(GOALS)]) == len(figures)
    assert all(figure["ratio"] > 0 and figure["goal"] for figure in figures)


@pytest.mark.tier_long
@pytest.mark.worker
@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=[pytest.mark.pg, pytest.mark.redis])]
)
def test_each_figure_is_printed_and_kept(database: str, project_root: Path, tmp_path: Path) -> None:
    out, markdown = tmp_path / "build" / "bench.json", tmp_path / "table.md"
    kept, lines = measured(database, project_root, out, "--markdown", str(markdown))
    figures = kept["figures"]
    more = OVER_HTTP if database == "postgresql" else Counter()
    assert Counter(figure["goal_of"] for figure in figures) == FIGURES + more
    assert {figure["database"] for figure in figures} == {database}
    assert len([line for line in lines if line.startswith(GOALS)]) == len(figures)
    assert all(figure["ratio"] > 0 for figure in figures if figure["against"])
    assert all((figure["reached"] is None) == (figure["goal"] is None) for figure in figures)
    table = markdown.read_text(encoding="utf-8").splitlines()
    assert len(table) == 2 + len(figures)
    assert all(line.count(" | ") == 5 for line in table if "---" not in line)
    # What is counted, not timed, is the same at every size.
    assert told(kept, "queries of a 200") == told(kept, "queries of a 304") == 1
    assert told(kept, "bad lines reported") == 4
    assert told(kept, "publications of 16 posts from 4 clients") <= 16
    writes = {"postgresql": 11, "sqlite": 12}[database]
    assert told(kept, "statements of a POST") == writes
    assert told(kept, "statements of a POST with a table's link") == writes


def test_one_measurement_is_its_own_percentile() -> None:
    assert percentile([7.0], 95) == 7


def test_what_is_posted_is_followed_to_the_read_that_has_it() -> None:
    posts = [Post(0.0, 0.2, 5), Post(1.0, 1.1, 6), Post(1.0, 1.6, 7)]
    looks = [
        Look(0.1, 0.15, 4, 1),
        Look(0.3, 0.35, 0, 0),
        Look(0.4, 0.5, 5, 2),
        Look(1.4, 1.5, 7, 3),
    ]
    seen = Seen(posts, looks)
    assert waits(posts) == pytest.approx([200, 100, 600])
    assert delays(seen, of="sent") == pytest.approx([500, 500, 500])
    assert delays(seen, of="answered") == pytest.approx([300, 400, 0])
    assert answered([Post(0.0, 0.5, 1), Post(0.1, 0.4, 2), *posts[1:]], 2) == pytest.approx(
        3.667, rel=1e-3
    )


@pytest.mark.tier_long
@pytest.mark.worker
def test_whoever_has_had_enough_finds_nothing_behind(project_root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--sizes", "tiny", "--database", "sqlite"]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "bench.json")],
        cwd=project_root,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as bench:
        assert bench.stderr is not None
        bench.stderr.readline()  # it measures something
        below = set(tree_of(bench.pid)) - {bench.pid}
        assert below
        bench.terminate()
        bench.communicate(timeout=PATIENCE_S)
    assert bench.returncode == 128 + signal.SIGTERM
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
    assert list(tmp_path.iterdir()) == []


def test_table_says_what_was_missed_and_leaves_out_what_was_not_measured() -> None:
    in_ms = {"goal_of": "posting a hand", "name": "POST", "unit": "ms", "goal": "<= 5"}
    alone = {"database": "sqlite", "against": "", "ratio": None, "reached": True}
    beside = {"against": "raw SQL", "against_value": 2.0, "ratio": 6.01, "reached": False}
    statements = {"name": "statements", "unit": "statements", "goal": "<= 12", "value": 11}
    figures: list[dict[str, Any]] = [
        {**in_ms, **alone, "goal_of": "burst", "value": 3},
        {**in_ms, **alone, **beside, "value": 12},
        {**in_ms, **alone, **statements, "database": "postgresql"},
        {**in_ms, **alone, "goal_of": "publishing a correction", "value": 4},
    ]
    assert as_table(figures).splitlines()[2:] == [
        "| posting a hand | POST | raw SQL | ≤ 5x | – | **missed** 6.01x (12 / 2 ms) |",
        "| posting a hand | statements | – | ≤ 12 | 11 statements | – |",
        "| publishing a correction | POST | – | ≤ 5 | – | 4 ms |",
        "| burst | POST | – | ≤ 5 | – | 3 ms |",
    ]
