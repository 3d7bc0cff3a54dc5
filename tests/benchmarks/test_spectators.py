"""The benchmark of spectators, with sizes that say nothing of speed."""

from pathlib import Path

import pytest

from tests.benchmarks.test_bench import measured, told


@pytest.mark.worker
@pytest.mark.tier_long
def test_spectators_read_beside_hands(project_root: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    kept, lines = measured("sqlite", project_root, out, "--part", "spectators")
    assert len(lines) == len(kept["figures"]) + 1 == 15
    for name in ("REST", "page"):
        assert told(kept, f"neither 200 nor 304, {name}") == 0
        assert told(kept, f"reads a second, {name}") > 0
    assert [figure["ratio"] > 0 for figure in kept["figures"] if figure["against"]] == [True, True]
