"""What the processors and the database's sessions do while something runs."""

import os
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psycopg

from tests.support.live.project import tree_of

LOOK_S: Final = 0.02
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
IDLE: Final = slice(3, 5)
"""Where /proc/stat counts what processors did not do: idle, and idle while a disk was busy."""

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
        """How many processors were busy on average, in all (`all`) and by name."""
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
