"""A plugin of pytest: which tests run which lines, and how long they take.

`MUTANTS_LINES` names a file with the lines that are asked for, and `MUTANTS_RUNS` the directory
that each process writes a file into. What a test's fixtures run counts too, as "setup". What ran
before the first test, at an import, is told apart: a fork (forking.py) comes too late for it.
"""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage

LINES: Final = "MUTANTS_LINES"
RUNS: Final = "MUTANTS_RUNS"
AFTER: Final = "after a test"


class Measuring:
    """Measures from when it is made, before the modules are imported, until the session ends."""

    def __init__(self) -> None:
        self.lines: dict[str, list[int]] = json.loads(Path(os.environ[LINES]).read_bytes())
        self.coverage = Coverage(data_file=None, config_file=False, include=list(self.lines))
        self.coverage.start()
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        self.coverage.switch_context(f"{item.nodeid}|setup")
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        self.coverage.switch_context(f"{item.nodeid}|call")
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        self.coverage.switch_context(AFTER)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        self.seconds[item.nodeid] = self.seconds.get(item.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append(item.nodeid)
        return report

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        reached: dict[str, dict[int, list[str]]] = {}
        imported: dict[str, list[int]] = {}
        for path, lines in self.lines.items():
            contexts = data.contexts_by_lineno(str(Path(path).resolve()))
            reached[path] = {
                line: [c for c in contexts.get(line, ()) if "|" in c] for line in lines
            }
            imported[path] = [line for line in lines if "" in contexts.get(line, ())]
        found = {
            "seconds": self.seconds,
            "failed": self.failed,
            "reached": reached,
            "imported": imported,
        }
        Path(os.environ[RUNS], f"{os.getpid()}.json").write_text(json.dumps(found))


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    if LINES in os.environ:
        early_config.pluginmanager.register(Measuring(), "blacklady-measuring")
    return (yield)
