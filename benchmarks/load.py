"""The load of processors, the database's sessions and the memory of processes during a run."""

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, median
from types import TracebackType
from typing import Final, NamedTuple, Self

import psycopg

from benchmarks.measure import say
from tests.support.live.project import tree_of

LOOK_S: Final = 0.02
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
IDLE: Final = slice(3, 5)
"""Columns of /proc/stat with the idle time: idle, and idle while a disk was busy."""

SESSIONS: Final = """
    SELECT CASE
        WHEN state LIKE 'idle in transaction%' THEN 'python'
        WHEN wait_event_type = 'Lock' THEN 'row'
        WHEN wait_event_type = 'IO' OR wait_event = 'WALWrite' THEN 'disk'
        ELSE 'database' END, count(*)
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
    GROUP BY 1
"""


class Meanwhile:
    """Watches a machine for a block; afterwards `processors` and `sessions` say what they did.

    Args:
        processes: by name, those whose share of the processors is wanted, with all they started.
        database: the URL of a PostgreSQL database; without one nothing is said of sessions.
    """

    def __init__(self, processes: Mapping[str, int], database: str | None) -> None:
        self._processes = processes
        self._ending = threading.Event()
        self._connection = psycopg.connect(database, autocommit=True) if database else None
        self._looks = 0
        self._counted: Counter[str] = Counter()
        self._looking = threading.Thread(target=self._look_on, daemon=True)
        self.processors: Mapping[str, float] = {}
        """Average number of busy processors, in all (`all`) and by name."""
        self.sessions: Mapping[str, float] = {}
        """How many sessions, on average, waited for a `row` that another had locked or for the
        `disk`, were worked on by the `database`, or held a transaction open for `python`."""

    def __enter__(self) -> Self:
        self._begun, self._before = time.monotonic(), self._seconds()
        self._looking.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        self._looking.join()
        if self._connection is not None:
            self._connection.close()
        taken = time.monotonic() - self._begun
        self.processors = {
            name: (seconds - self._before[name]) / taken
            for name, seconds in self._seconds().items()
        }
        looks = max(1, self._looks)
        kinds = ("row", "disk", "database", "python") if self._connection is not None else ()
        self.sessions = {kind: self._counted[kind] / looks for kind in kinds}

    def _look_on(self) -> None:
        while self._connection is not None and not self._ending.wait(LOOK_S):
            self._looks += 1
            for kind, number in self._connection.execute(SESSIONS).fetchall():
                self._counted[kind] += number

    def _seconds(self) -> dict[str, float]:
        return {
            "all": _of_machine(),
            **{name: sum(map(_of_process, tree_of(pid))) for name, pid in self._processes.items()},
        }


def _of_machine() -> float:
    """Return the seconds that all processors together have been busy."""
    line = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    ticks = [int(word) for word in line.split()[1:9]]
    return (sum(ticks) - sum(ticks[IDLE])) * TICK_S


def _of_process(pid: int) -> float:
    """Return the seconds that a process has had of a processor; 0 where it has ended."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) * TICK_S


ENDS: Final = 5
"""Number of samples averaged at each end, since one sample may fall into a piece of work."""
MB_UNIT: Final = "MB"
KB: Final = 1e3
"""Kilobytes of a megabyte."""
KIB: Final = 1.024
"""Kilobytes of what /proc calls kB."""


class Held(NamedTuple):
    """What the processes of a group have at one moment, in MB.

    `resident` (RSS) counts memory that several processes share once for each, `share` (PSS) once in
    all. `own` is the part of the share that no file on the disk has: what a leak adds to.
    """

    at_s: float
    resident: float
    share: float
    own: float
    processes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """What became of one kind of a group's memory (MB) after a warm-up."""

    first: float
    last: float
    most: float
    a_minute: float
    """The slope of the straight line that fits best, in MB a minute."""


@dataclass(slots=True)
class Looks:
    """The looks at one group, in order."""

    held: list[Held] = field(default_factory=list)

    def growth(self, kind: str, warm_up_s: float) -> Growth:
        """Return what became of it after so many seconds; of all looks where too few came then.

        `kind`: `resident`, `share` or `own`.

        >>> looks = Looks([Held(60.0 * n, 90.0, 80.0, 8.0 + n, 1) for n in range(20)])
        >>> looks.growth("own", warm_up_s=300.0)
        Growth(first=15.0, last=25.0, most=27.0, a_minute=1.0)
        """
        warm = [one for one in self.held if one.at_s >= warm_up_s]
        warm = warm if len(warm) > 1 else self.held
        sizes: list[float] = [getattr(one, kind) for one in warm]
        slope = linear_regression([one.at_s / 60 for one in warm], sizes).slope
        ends = min(ENDS, max(1, len(sizes) // 2))
        return Growth(median(sizes[:ends]), median(sizes[-ends:]), max(sizes), round(slope, 6))


@contextmanager
def watched(groups: Mapping[str, int], every_s: float) -> Iterator[Mapping[str, Looks]]:
    """Look at groups of processes, each with all that its first one started, until the block ends.

    `groups`: the id of each group's first process, by name.
    """
    looks = {name: Looks() for name in groups}
    ending, begun = threading.Event(), time.monotonic()

    def look_on() -> None:
        while True:
            for name, pid in groups.items():
                held = _held(tree_of(pid), time.monotonic() - begun)
                looks[name].held.append(held)
                say(
                    f"{name}: {held.resident:.1f} MB resident, {held.share:.1f} MB share,"
                    f" {held.own:.1f} MB own, {held.processes} processes"
                )
            if ending.wait(every_s):
                return

    looking = threading.Thread(target=look_on, daemon=True)
    looking.start()
    try:
        yield looks
    finally:
        ending.set()
        looking.join()


def _held(pids: Iterable[int], at_s: float) -> Held:
    found = [one for one in map(_memory_of_process, pids) if one]
    resident, share, anonymous, shared = (
        sum(one[name] for one in found) * KIB / KB
        for name in ("Rss", "Pss", "Pss_Anon", "Pss_Shmem")
    )
    return Held(at_s, resident, share, anonymous + shared, len(found))


def _memory_of_process(pid: int) -> Mapping[str, int]:
    """Return what /proc says of a process' memory in KiB, by name; nothing where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return {}
    words = [line.split() for line in lines]
    return {word[0].rstrip(":"): int(word[1]) for word in words}
