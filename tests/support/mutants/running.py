"""Runs the tests of mutants in a copy of the tree, each in a fork of one process if that can be."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, Final

from tests.support.mutants import forking, measuring
from tests.support.mutants.drawing import Mutant
from tests.support.mutants.faults import function_lines
from tests.support.mutants.forking import FAILED, PASSED, TIME_LIMIT, Answer, Asked, Change
from tests.support.mutants.subjects import ON_POSTGRESQL, files_for
from tests.support.services import SHARED
from tests.support.sources import ROOT, tracked

PYTEST: Final = (
    *("-q", "--timeout=60"),
    *("--randomly-seed=34", "--randomly-dont-reorganize"),
    *("-m", "not (worker or browser or proxies or pgbouncer or pg or redis or rabbitmq)"),
)
START_S: Final = 60
"""Time for pytest to start on a busy machine."""
SLOWER: Final = 10
"""A mutant whose tests take so many times as long as without it counts as killed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: by what it was killed, if at all, and how many tests it met."""

    mutant: Mutant
    killer: str | None
    n_tests: int
    n_left_out: int = 0

    def __str__(self) -> str:
        if self.killer:
            return f"killed  {self.mutant}  by {self.killer}"
        beyond = f", {self.n_left_out} more left out" if self.n_left_out else ""
        return f"lived   {self.mutant}  with {self.n_tests} tests{beyond}"


@dataclass(slots=True)
class Reach:
    """Which tests run which lines, how long each takes, and which fail without a mutant."""

    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    called: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    prepared: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    imported: set[tuple[str, int]] = field(default_factory=set)
    """The lines that ran before any test."""

    def add(self, found: Mapping[str, Any]) -> None:
        """Add what one process of pytest wrote (measuring.py)."""
        self.seconds |= found["seconds"]
        self.failed |= set(found["failed"])
        self.imported |= {(path, line) for path, each in found["imported"].items() for line in each}
        for path, lines in found["reached"].items():
            for line, contexts in lines.items():
                for context in contexts:
                    test, _bar, phase = context.rpartition("|")
                    where = self.called if phase == "call" else self.prepared
                    where.setdefault((path, int(line)), set()).add(test)

    def tests(self, path: str, lines: Iterable[int]) -> list[str]:
        """Return the tests that run a line, the quickest first; then those of its fixtures.

        A fixture of a module runs in the first of its tests only.
        """
        called = {test for line in lines for test in self.called.get((path, line), ())}
        prepared = {test for line in lines for test in self.prepared.get((path, line), ())}
        files = {test.partition("::")[0] for test in prepared}
        others = {test for test in self.seconds if test.partition("::")[0] in files} - called
        return [*self.in_order(called), *self.in_order(others)]

    def in_order(self, tests: Iterable[str]) -> list[str]:
        well = (test for test in tests if test not in self.failed)
        return sorted(well, key=lambda test: (self.seconds[test], test))


class Forks:
    """A process that has collected tests and tries mutants in forks of itself (forking.py)."""

    def __init__(self, tree: Path, files: Sequence[str]) -> None:
        self.socket, theirs = Pipe()
        self.folder = tempfile.TemporaryDirectory(prefix="mutants-")
        self.log = Path(self.folder.name, "log")
        words = ("-p", forking.__name__, "-n0", f"--basetemp={self.folder.name}/tests")
        with self.log.open("wb") as log, theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *PYTEST, *words, *files],
                cwd=tree,
                env=environment() | {forking.SOCKET: str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._answer()

    def ask(self, asked: Asked) -> Answer:
        self.socket.send(asked)
        return self._answer()

    def close(self) -> None:
        self.socket.close()
        self.process.wait()
        self.folder.cleanup()

    def _answer(self) -> Answer:
        try:
            answer: Answer = self.socket.recv()
        except EOFError as error:
            raise RuntimeError(self.log.read_text()) from error
        return answer


class Copy:
    """A copy of the tree, in which one mutant after the other is tried."""

    def __init__(self, tree: Path, *, limit_s: float) -> None:
        self.tree = tree
        self.limit_s = limit_s
        self.reach = Reach()
        self.killers: Counter[str] = Counter()
        self.forks: Forks | None = None
        self.n_forked = 0
        self.passes_in_a_fork: dict[str, bool] = {}
        self.passes_on_postgresql: dict[str, bool] = {}

    def measure(
        self, mutants: Sequence[Mutant], *, jobs: int = 0, nearest: int | None = None
    ) -> None:
        """Run the tests of all these mutants once, without one; of a module so many files."""
        lines: dict[str, set[int]] = {}
        for mutant in mutants:
            lines.setdefault(mutant.path, set()).update(self._lines(mutant))
        files = dict.fromkeys(
            name for path in lines for name in files_for(self.tree, path)[:nearest]
        )
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            asked = Path(folder, "lines")
            asked.write_text(json.dumps({path: sorted(each) for path, each in lines.items()}))
            runs = Path(folder, "runs")
            runs.mkdir()
            names = {measuring.LINES: str(asked), measuring.RUNS: str(runs)}
            _passed, log = self._pytest(
                list(files), *("-p", measuring.__name__, "-n", str(jobs)), further=names
            )
            for file in runs.iterdir():
                self.reach.add(json.loads(file.read_bytes()))
        if not self.reach.seconds or not re.search(r"\b[0-9]+ passed", log):
            raise RuntimeError(log)
        self.forks = Forks(self.tree, list(files))

    def close(self) -> None:
        if self.forks is not None:
            self.forks.close()

    def try_out(self, mutant: Mutant) -> Outcome:
        tests = self._tests(mutant)
        chosen: list[str] = []
        seconds = 0.0
        for test in tests:
            seconds += self.reach.seconds[test]
            if chosen and seconds > self.limit_s:
                break
            chosen.append(test)
        killer = self._killer(mutant, chosen) if chosen else None
        if killer is None and mutant.path in ON_POSTGRESQL:
            killer = self._killer_on_postgresql(mutant, ON_POSTGRESQL[mutant.path])
        if killer:
            self.killers[killer] += 1
        return Outcome(mutant, killer, len(chosen), len(tests) - len(chosen))

    def _tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the line of a mutant, first those that killed others."""
        tests = self.reach.tests(mutant.path, self._lines(mutant))
        if not tests and mutant.fault.lines is None:
            files = set(files_for(self.tree, mutant.path))
            ours = {test for test in self.reach.seconds if test.partition("::")[0] in files}
            tests = self.reach.in_order(ours)
        return sorted(tests, key=lambda test: -self.killers[test])

    def _lines(self, mutant: Mutant) -> set[int]:
        """Return the lines whose tests may notice a mutant: of an import, all functions'."""
        if mutant.fault.lines is not None:
            return set(mutant.fault.lines)
        source = (self.tree / mutant.path).read_bytes()
        return {mutant.fault.line, *(line for each in function_lines(source) for line in each)}

    def _killer(self, mutant: Mutant, tests: Sequence[str]) -> str | None:
        """Return the first test that fails with a mutant, `TIME_LIMIT` or None."""
        path = self.tree / mutant.path
        source = path.read_bytes()
        limit_s = START_S + SLOWER * sum(self.reach.seconds[test] for test in tests)
        write(path, mutant.written_into(source))
        try:
            answer = self._answer_of_fork(mutant, source, tests, limit_s)
            if answer is not None:
                self.n_forked += 1
                return {PASSED: None, FAILED: answer.detail}.get(answer.ending, TIME_LIMIT)
            passed, log = self._pytest(tests, "-x", "-n0", limit_s=limit_s)
        except subprocess.TimeoutExpired:
            return TIME_LIMIT
        finally:
            write(path, source)
            # Examples that another mutant failed with would help to kill the next one.
            shutil.rmtree(self.tree / ".hypothesis", ignore_errors=True)
        return None if passed else first_failed(log, mutant.path)

    def _killer_on_postgresql(self, mutant: Mutant, file: str) -> str | None:
        """Return the first test of a file that fails on PostgreSQL with a mutant, if any.

        A file that fails without a mutant as well kills none. Without a server none of it runs.
        """
        words = ("-x", "-n0", "-m", "pg")
        if file not in self.passes_on_postgresql:
            self.passes_on_postgresql[file], _log = self._pytest([file], *words)
        if not self.passes_on_postgresql[file]:
            return None
        path = self.tree / mutant.path
        source = path.read_bytes()
        write(path, mutant.written_into(source))
        try:
            passed, log = self._pytest([file], *words, limit_s=SLOWER * self.limit_s)
        except subprocess.TimeoutExpired:
            return TIME_LIMIT
        finally:
            write(path, source)
        return None if passed else first_failed(log, mutant.path)

    def _answer_of_fork(
        self, mutant: Mutant, source: bytes, tests: Sequence[str], limit_s: float
    ) -> Answer | None:
        """Return how a fork with a mutant ends, None where only a pytest of its own can tell.

        What has run at an import keeps what it made, and a test may fail in a fork for being there.
        """
        lines = mutant.fault.lines
        if self.forks is None or lines is None:
            return None
        if any((mutant.path, line) in self.reach.imported for line in lines):
            return None
        module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        change = Change(module, source, mutant.written_into(source), mutant.fault.line)
        answer = self.forks.ask(Asked(tests, limit_s, change))
        if answer.ending == FAILED:
            if answer.detail not in self.passes_in_a_fork:
                write(self.tree / mutant.path, source)
                alone = self.forks.ask(Asked([answer.detail], limit_s, None))
                write(self.tree / mutant.path, change.new)
                self.passes_in_a_fork[answer.detail] = alone.ending == PASSED
            if not self.passes_in_a_fork[answer.detail]:
                return None
        return None if answer.ending == forking.FRESH else answer

    def _pytest(
        self,
        tests: Sequence[str],
        *words: str,
        limit_s: float | None = None,
        further: Mapping[str, str] | None = None,
    ) -> tuple[bool, str]:
        """Run tests of the copy; return whether they passed, and what was printed."""
        with tempfile.NamedTemporaryFile("w", prefix="mutants-", suffix=".txt") as names:
            names.write("\n".join(tests))
            names.flush()
            run = subprocess.run(
                [sys.executable, "-m", "pytest", *PYTEST, *words, f"@{names.name}"],
                cwd=self.tree,
                env=environment() | dict(further or {}),
                timeout=limit_s,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        return run.returncode == 0, run.stdout


def first_failed(log: str, path: str) -> str:
    """Return the test that pytest's output names first as failed.

    Args:
        path: of the mutant, which may keep its module from being imported at all.
    """
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", log, re.MULTILINE)
    if failed is not None:
        return failed[1]
    is_import = f'{path}", line ' in log
    if not is_import and "while loading conftest" not in log:
        raise RuntimeError(log)  # a fault of this runner kills no mutant
    return "tests that do not start"


def environment() -> dict[str, str]:
    return os.environ | {"BLACKLADY_SHARED": str(SHARED)}


def copy_to(tree: Path) -> None:
    """Copy what git knows of the project, and what it does not ignore."""
    for file in tracked():
        copy = tree / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)


def write(path: Path, source: bytes) -> None:
    """Write a module without what was compiled of it: its size and time may be the same."""
    compile(source, path, "exec")
    path.write_bytes(source)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
