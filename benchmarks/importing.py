"""A file of 25,000 hands beside the bare rows it writes; a bad file; a large one."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.databases import Rows, clear, on_postgresql, put_back, read_out
from benchmarks.leagues import bring_in, write_bad, write_league
from benchmarks.measure import Figure, Goal, compared, in_turn, once, say
from benchmarks.sizes import Sizes

EVENT = "league"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Import, replay and import again, each time into empty tables."""
    good = write_league(folder / "good.csv", players=sizes.import_players, hands=sizes.import_hands)
    bad = folder / "bad.csv"
    spoilt = write_bad(good, bad)
    kept: list[Rows] = []
    reported: list[int] = []

    def import_good() -> float:
        clear()
        taken = once(lambda: bring_in(good, EVENT))
        kept[:] = [read_out()]
        return taken

    def bare() -> float:
        clear()
        return once(lambda: put_back(kept[0]))

    def import_bad() -> float:
        clear()
        begun = time.perf_counter()
        report = bring_in(bad, EVENT)
        taken = time.perf_counter() - begun
        reported.append(report.waiting)
        return taken

    mine, rows, poor = in_turn(sizes.repeats, "importing a file", import_good, bare, import_bad)
    yield compared(
        "import", f"import of {sizes.import_hands:,} hands", mine, _bare(), rows, Goal(2.0), "s"
    )
    yield compared(
        "import", "the same with 1 % bad lines", poor, "the good file", mine, Goal(1.3), "s"
    )
    yield Figure(
        "import",
        "bad lines reported",
        min(reported),
        "lines",
        "lines spoilt",
        spoilt,
        min(reported) / spoilt,
        Goal(1.0, at_least=True),
    )
    small = _in_own_process(good)
    yield from _large(sizes, folder, small)
    clear()


def _large(sizes: Sizes, folder: Path, small: tuple[float, float]) -> Iterator[Figure]:
    say(f"importing {sizes.large_import_hands:,} hands")
    file = write_league(
        folder / "large.csv", players=sizes.import_players, hands=sizes.large_import_hands
    )
    taken, memory = _in_own_process(file)
    rows = read_out()
    clear()
    bare = once(lambda: put_back(rows))
    name = f"import of {sizes.large_import_hands:,} hands, once"
    yield compared("import", name, [taken], _bare(), [bare], Goal(2.0), "s")
    yield Figure(
        "import",
        f"peak memory of the import of {sizes.large_import_hands:,}",
        memory,
        "MB",
        f"of {sizes.import_hands:,}",
        small[1],
        memory / small[1],
    )


def _in_own_process(file: Path) -> tuple[float, float]:
    """Import into empty tables in a new process; returns its seconds and its peak megabytes."""
    clear()
    command = [sys.executable, "-m", "benchmarks.child", "importing", str(file)]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    taken, memory = json.loads(ended.stdout.splitlines()[-1])
    return taken, memory


def main(arguments: Sequence[str]) -> None:
    """Import one file, and print seconds and megabytes."""
    seconds = once(lambda: bring_in(Path(arguments[0]), EVENT))
    print(json.dumps([seconds, peak_memory()]))


def peak_memory() -> float:
    """Return the most memory that this process has had, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def _bare() -> str:
    return "COPY of the same rows" if on_postgresql() else "bare INSERTs of the same rows"
