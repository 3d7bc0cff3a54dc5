"""A plugin of pytest: a process that collects tests once and tries each mutant in a fork of itself.

It runs no test itself, so that a fork finds nothing that one has kept. A fork gives the functions
of the mutant's module their new code: all that have bound one, by an import or as a decorator, have
the same function. What that does not reach, the process leaves to a pytest of its own (`FRESH`).
"""

import gc
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from types import CodeType, FunctionType
from typing import Final, NamedTuple

import pytest

SOCKET: Final = "MUTANTS_SOCKET"
"""The variable with the number of the socket on which mutants are asked for."""
FRESH: Final = "fresh"
PASSED: Final = "passed"
FAILED: Final = "failed"
TIME_LIMIT: Final = "time limit"
POLL_S: Final = 0.02


class Change(NamedTuple):
    """A module, its source without and with a mutant, and the line of the mutant."""

    module: str
    old: bytes
    new: bytes
    line: int


class Asked(NamedTuple):
    """Tests to run in a fork until one fails, with a mutant or without."""

    tests: Sequence[str]
    limit_s: float
    change: Change | None


class Answer(NamedTuple):
    """How a fork ended, and of FAILED the test, of FRESH the reason."""

    ending: str
    detail: str = ""


class Forking:
    """Answers what is asked for until the other end is closed."""

    def __init__(self, socket: Connection) -> None:
        self.socket = socket
        self.failed = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        # The first test with a database makes the file that those of all forks are copies of.
        with_database = [
            item for item in session.items if "db" in getattr(item, "fixturenames", ())
        ]
        self._forked(with_database[:1], limit_s=600, change=None)
        self.socket.send(Answer(PASSED))
        while True:
            try:
                asked: Asked = self.socket.recv()
            except EOFError:
                return True
            items = ordered(session.items, asked.tests)
            self.socket.send(self._forked(items, limit_s=asked.limit_s, change=asked.change))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def _forked(
        self, items: Sequence[pytest.Item], *, limit_s: float, change: Change | None
    ) -> Answer:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            try:
                answer = self._tried(items, change)
            except BaseException as error:  # a fault of the fork kills no mutant
                answer = Answer(FRESH, repr(error))
            os.write(writing, "\n".join(answer).encode())
            os._exit(0)
        os.close(writing)
        is_over = waited(pid, limit_s)
        with open(reading, encoding="utf-8") as pipe:
            ending, _, detail = pipe.read().partition("\n")
        return Answer(ending or FRESH, detail) if is_over else Answer(TIME_LIMIT)

    def _tried(self, items: Sequence[pytest.Item], change: Change | None) -> Answer:
        if change is not None and (reason := changed(change)):
            return Answer(FRESH, reason)
        for item, following in zip(items, [*items[1:], None], strict=False):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return Answer(FAILED, self.failed)
        return Answer(PASSED)


def waited(pid: int, limit_s: float) -> bool:
    """Wait for a fork to end, and end it with what it started when its time is over."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
        time.sleep(POLL_S)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def ordered(items: Sequence[pytest.Item], tests: Sequence[str]) -> list[pytest.Item]:
    """Return tests file by file as asked for, those of a file as collected.

    What a module makes once is made once then.
    """
    files = {name: at for at, name in enumerate(dict.fromkeys(map(_file, tests)))}
    wanted = set(tests)
    chosen = [item for item in items if item.nodeid in wanted]
    if len(chosen) < len(wanted):
        raise LookupError(sorted(wanted.difference(item.nodeid for item in chosen))[0])
    return sorted(chosen, key=lambda item: files[_file(item.nodeid)])


def _file(test: str) -> str:
    return test.partition("::")[0]


def changed(change: Change) -> str:
    """Give the functions of a module the code of a mutant; return why that cannot be, if so."""
    module = sys.modules.get(change.module)
    if module is None:
        return ""  # a test imports it from the file, which has the mutant
    file = str(module.__file__)
    old, new = (list(functions_of(compile(s, file, "exec"))) for s in (change.old, change.new))
    pairs = {_place(a): b for a, b in zip(old, new, strict=True)}
    around = max((c for c in old if c.co_firstlineno <= change.line), key=_first_line)
    gc.unfreeze()  # tests/conftest.py hides from it what was there before the tests
    ours = [
        each
        for each in gc.get_objects()
        if type(each) is FunctionType and each.__code__.co_filename == file
    ]
    inner = f"{around.co_qualname}.<locals>."
    if made := [each for each in ours if each.__code__.co_qualname.startswith(inner)]:
        return f"{made[0].__qualname__} was made by an import"
    if not any(_place(each.__code__) == _place(around) for each in ours):
        return f"no function {around.co_qualname}"
    for each in ours:
        code = pairs.get(_place(each.__code__))
        if code is not None:
            each.__code__ = code
    return ""


def functions_of(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions of a module and its classes, without those inside them.

    Lambdas and comprehensions there are left out: what is in them is run, or made, by an import.
    """
    for each in code.co_consts:
        if isinstance(each, CodeType) and not each.co_name.startswith("<"):
            is_function = each.co_flags & inspect.CO_OPTIMIZED
            yield from [each] if is_function else functions_of(each)


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _first_line(code: CodeType) -> int:
    return code.co_firstlineno


def pytest_configure(config: pytest.Config) -> None:
    if SOCKET in os.environ:
        socket = Connection(int(os.environ.pop(SOCKET)))
        config.pluginmanager.register(Forking(socket), "blacklady-forking")
