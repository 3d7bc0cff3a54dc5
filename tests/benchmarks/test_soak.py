"""The soak, with sizes that say nothing of memory; and how memory is looked at."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.load import Held, Looks, watched
from tests.benchmarks.test_bench import measured, told

GROWING = """
print("small", flush=True)
input()
kept = bytes(range(256)) * (40_000_000 // 256)
print("large", flush=True)
input()
"""


@pytest.mark.tier_long
@pytest.mark.worker
@pytest.mark.parametrize(
    ("database", "groups"),
    [
        pytest.param("sqlite", ["web and worker"]),
        pytest.param("postgresql", ["web", "worker"], marks=[pytest.mark.pg, pytest.mark.redis]),
    ],
)
def test_soak_enters_all_hands_and_a_replay_finds_no_difference(
    database: str, groups: list[str], project_root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bench.json"
    kept, _ = measured(database, project_root, out, "--part", "soak", "--rate", "370")
    assert told(kept, "hands entered") == 37  # a tenth of a minute
    assert told(kept, "hands not taken") == told(kept, "answered 5xx or not at all") == 0
    # Two clubs with two tables of eight hands each: 16 hands a round.
    assert told(kept, "rounds seated") == 4
    assert told(kept, "work given up") == told(kept, "exit status of replay --check") == 0
    assert told(kept, "publications") > 0
    assert all(told(kept, f"own memory of {name}, most") > 20 for name in groups)


def test_own_memory_grows_with_what_a_process_keeps() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", GROWING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found: list[Held] = []
        for said in ("small", "large"):
            assert process.stdout.readline().strip() == said
            with watched({"it": process.pid}, every_s=3600) as looks:
                pass
            found += looks["it"].held
            print(file=process.stdin, flush=True)
    small, large = found
    assert 40 <= large.own - small.own < 50
    assert 40 <= large.resident - small.resident < 50
    assert (small.processes, large.processes) == (1, 1)
    assert small.own < small.share <= small.resident


def test_growth_leaves_the_warm_up_out() -> None:
    cold = [Held(0.0, 1.0, 1.0, 1.0, 1), Held(30.0, 20.0, 20.0, 20.0, 1)]
    warm = [Held(60.0 + 30 * n, 50.0, 50.0, 50.0 + n, 1) for n in range(12)]
    growth = Looks([*cold, *warm]).growth("own", warm_up_s=60.0)
    assert (growth.first, growth.last, growth.most, growth.a_minute) == (52.0, 59.0, 61.0, 2.0)
