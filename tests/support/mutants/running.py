"""Runs the tests of mutants in a copy of the tree."""

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
from pathlib import Path
from typing import Any, Final

from tests.support.mutants import measuring
from tests.support.mutants.drawing import Mutant
from tests.support.mutants.faults import function_lines
from tests.support.mutants.subjects import files_for
from tests.support.services import SHARED
from tests.support.sources import ROOT, tracked

PYTEST: Final = (
    *("-q", "--timeout=60", "-p", "no:cacheprovider"),
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

    def add(self, found: Mapping[str, Any]) -> None:
        """Add what one process of pytest wrote (measuring.py)."""
        self.seconds |= found["seconds"]
        self.failed |= set(found["failed"])
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


class Copy:
    """A copy of the tree, in which one mutant after the other is tried."""

    def __init__(self, tree: Path, *, limit_s: float) -> None:
        self.tree = tree
        self.limit_s = limit_s
        self.reach = Reach()
        self.killers: Counter[str] = Counter()

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
                list(files), *("-p", measuring.__name__, "-n", str(jobs)), environment=names
            )
            for file in runs.iterdir():
                self.reach.add(json.loads(file.read_bytes()))
        if not self.reach.seconds:
            raise RuntimeError(log)

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
        """Return the first test that fails with a mutant, "time limit" or None."""
        path = self.tree / mutant.path
        source = path.read_bytes()
        usual_s = sum(self.reach.seconds[test] for test in tests)
        write(path, mutant.written_into(source))
        try:
            passed, log = self._pytest(tests, "-x", "-n0", limit_s=START_S + SLOWER * usual_s)
        except subprocess.TimeoutExpired:
            return "time limit"
        finally:
            write(path, source)
            # Examples that another mutant failed with would help to kill the next one.
            shutil.rmtree(self.tree / ".hypothesis", ignore_errors=True)
        if passed:
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", log, re.MULTILINE)
        return failed[1] if failed else "tests that do not start"

    def _pytest(
        self,
        tests: Sequence[str],
        *words: str,
        limit_s: float | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> tuple[bool, str]:
        """Run tests of the copy; return whether they passed, and what was printed."""
        with tempfile.NamedTemporaryFile("w", prefix="mutants-", suffix=".txt") as names:
            names.write("\n".join(tests))
            names.flush()
            run = subprocess.run(
                [sys.executable, "-m", "pytest", *PYTEST, *words, f"@{names.name}"],
                cwd=self.tree,
                env=os.environ | {"BLACKLADY_SHARED": str(SHARED)} | dict(environment or {}),
                timeout=limit_s,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        return run.returncode == 0, run.stdout


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
