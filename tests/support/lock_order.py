"""Records in which order operations lock rows; another order than the documented one fails.

A row that an operation made itself is waited for by nobody, nor is a plain insert. What hangs on an
event (rounds, tables, play-offs …) is covered by the row of the event, where that is held.
"""

import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from django.db import connection, transaction

from tournaments.services.db.transactions import current_operations

ROOT: Final = Path(__file__).resolve().parents[2]
DECISION: Final = ROOT / "docs" / "decisions" / "0029-one-lock-order.md"
_STEP: Final = re.compile(r"^\| (\d+) \| ([^|]+) \|", re.MULTILINE)
_NAME: Final = re.compile(r"`(\w+)`")

_LOCKS: Final = re.compile(r" FOR (?:NO KEY )?UPDATE(?: OF (?P<of>[\w\", ]+))?")
_WRITES: Final = re.compile(r"(?:UPDATE|DELETE FROM) \"?(\w+)\"?(?= SET| WHERE|$)")
_UPSERTS: Final = re.compile(r"INSERT INTO \"?(\w+)\"?.* ON CONFLICT .*DO UPDATE", re.DOTALL)
_INSERTS: Final = re.compile(r"INSERT INTO \"?(\w+)\"?")
_SOURCES: Final = re.compile(r"(?:FROM|JOIN) \"(\w+)\"")
_BY_ID: Final = re.compile(r"\"id\" (?:= %s|IN \((?:%s(?:, )?)+\))\)?$")
_SCOPE: Final = re.compile(r"(\w+):(\d+)")
_TAKES_IDS: Final = re.compile(r"SELECT nextval\(pg_get_serial_sequence")
_ID_NAMES: Final = (b"id", b"pk", b"nextval")
_UNDONE: Final = re.compile(r"ROLLBACK TO SAVEPOINT \"?(\w+)\"?")


def read_order() -> tuple[dict[str, int], frozenset[str]]:
    """The step of each table in the documented order, and the tables that an event covers."""
    steps: dict[str, int] = {}
    covered: set[str] = set()
    for step, text in _STEP.findall(DECISION.read_text()):
        names = [_table(name) for name in _NAME.findall(text)]
        steps |= dict.fromkeys(names, int(step))
        if "covered" in text:
            covered |= set(names)
    return steps, frozenset(covered)


def _table(name: str) -> str:
    return name if name.startswith("auth_") or name.endswith("_dirty") else f"tournaments_{name}"


STEPS, COVERED = read_order()
EVENT: Final = "tournaments_event"
DIRTY: Final = "tournaments_dirty"


@dataclass(frozen=True, slots=True)
class Taken:
    """Rows that a statement locked; `ids` is empty where it does not say which."""

    table: str
    ids: frozenset[Any]
    savepoints: tuple[str | None, ...]
    place: str

    def __str__(self) -> str:
        return self.table.removeprefix("tournaments_")


@dataclass(slots=True)
class LockRecorder:
    """An execute wrapper: what the running operation has locked so far, and what came too late."""

    faults: list[str] = field(default_factory=list)
    _held: list[Taken] = field(default_factory=list)
    _new: dict[str, set[Any]] = field(default_factory=dict)
    _thread: int = field(default_factory=threading.get_ident)

    def __call__(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        result = execute(sql, params, many, context)
        text = sql if isinstance(sql, str) else str(sql)
        if undone := _UNDONE.match(text):
            self._held = [lock for lock in self._held if undone[1] not in lock.savepoints]
        elif is_running():
            self._note(text, params, context["cursor"])
        return result

    def end(self) -> None:
        if threading.get_ident() == self._thread and not is_running():
            self._held.clear()
            self._new.clear()

    def _note(self, sql: str, params: Any, cursor: Any) -> None:
        if _TAKES_IDS.match(sql):  # of rows that COPY writes
            self._new.setdefault(params[0], set()).update(_first_column(cursor))
        tables = tables_locked(sql)
        if not tables and (match := _INSERTS.match(sql)):
            ids = _scope(params)[1] if match[1] == DIRTY else _first_column(cursor)
            self._new.setdefault(match[1], set()).update(ids)
        if not any(table in STEPS or table == DIRTY for table in tables) or cursor.rowcount == 0:
            return
        for table in tables:
            ids = _ids(sql, params, cursor)
            name = table
            if table == DIRTY:
                name, ids = _scope(params)
            fresh = ids - self._new.get(table, set()) - self._ids_held(name)
            is_known = not fresh if ids else any(lock.table == name for lock in self._held)
            if name in STEPS and not is_known:
                self._take(Taken(name, fresh, tuple(connection.savepoint_ids), _place()))

    def _ids_held(self, table: str) -> set[Any]:
        return {pk for lock in self._held if lock.table == table for pk in lock.ids}

    def _take(self, taken: Taken) -> None:
        late = next((lock for lock in self._held if self._is_later(lock, taken)), None)
        if late is not None:
            operations = current_operations()
            self.faults.append(
                f"{operations[0] if operations else 'a transaction'} holds {late} and takes {taken}"
                f" (docs/decisions/0029-one-lock-order.md)\n"
                f"  {late} taken at:\n{late.place}\n  {taken} taken at:\n{taken.place}"
            )
        self._held.append(taken)

    def _is_later(self, held: Taken, taken: Taken) -> bool:
        if STEPS[held.table] == STEPS[taken.table]:
            one_table = held.table == taken.table == "event_dirty"
            return one_table and bool(held.ids and taken.ids) and max(held.ids) > min(taken.ids)
        is_covered = taken.table in COVERED and any(lock.table == EVENT for lock in self._held)
        return STEPS[held.table] > STEPS[taken.table] and not is_covered


def is_running() -> bool:
    return not all(id(block) in _OF_TESTS or block._from_testcase for block in blocks())


def blocks_of_tests() -> list[Any]:
    """The blocks that count as a test's own."""
    return list(_OF_TESTS.values())


def blocks() -> list[Any]:
    """The blocks of transactions that run now, the outermost first."""
    return list(connection.atomic_blocks)


def tables_locked(sql: str) -> list[str]:
    """The tables of which a statement locks rows that are there.

    >>> tables_locked('SELECT 1 FROM "a" INNER JOIN "b" ON (1) WHERE 1 FOR NO KEY UPDATE OF "a"')
    ['a']
    >>> tables_locked('SELECT 1 FROM "a" WHERE "a"."x" IN (SELECT 1 FROM "b") FOR UPDATE')
    ['a']
    >>> tables_locked('WITH h AS ( UPDATE a SET n = 1 ) INSERT INTO b SELECT 1')
    ['a']
    """
    if sql.startswith("SELECT"):
        if not (locks := _LOCKS.search(sql)):
            return []
        if locks["of"]:
            return re.findall(r"\w+", locks["of"])
        return _SOURCES.findall(sql.partition(" WHERE ")[0])
    if upsert := _UPSERTS.search(sql):
        return [upsert[1]]
    return _WRITES.findall(sql)


def _ids(sql: str, params: Any, cursor: Any) -> frozenset[Any]:
    if sql.startswith("SELECT"):
        return frozenset(_first_column(cursor))
    if by_id := _BY_ID.search(sql):
        return frozenset(params[-by_id[0].count("%s") :])
    return frozenset()


def _first_column(cursor: Any) -> list[int]:
    result = cursor.cursor.pgresult
    if result is None or not result.nfields or result.fname(0) not in _ID_NAMES:
        return []
    return [int(result.get_value(row, 0)) for row in range(result.ntuples)]


def _scope(params: Any) -> tuple[str, frozenset[Any]]:
    texts = [_SCOPE.fullmatch(param) for param in params if isinstance(param, str)]
    scopes = [text for text in texts if text]
    kind = "event_dirty" if any(scope[1] == "event" for scope in scopes) else "other_dirty"
    return kind, frozenset((scope[1], int(scope[2])) for scope in scopes)


def _place() -> str:
    frames = [
        f"    {frame.filename.removeprefix(f'{ROOT}/')}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_stack(limit=60)
        if frame.filename.startswith((f"{ROOT}/tournaments/", f"{ROOT}/api/"))
        and not frame.filename.endswith("services/db/transactions.py")
    ]
    return "\n".join(frames[-6:])


_OF_TESTS: Final[dict[int, Any]] = {}
"""Blocks that a test opened itself, by their `id`: what it does within them are several operations.

It holds the blocks themselves: the `id` of one that is gone is soon that of an operation's block.
"""


@pytest.fixture(autouse=True)
def locks_in_order() -> Iterator[LockRecorder | None]:
    """Fail a test on PostgreSQL in which an operation takes locks in another order."""
    if connection.vendor != "postgresql":
        yield None
        return
    recorder = LockRecorder()
    _OF_TESTS.clear()
    _OF_TESTS.update((id(block), block) for block in blocks())  # those around a module's tests
    enter, leave = transaction.Atomic.__enter__, transaction.Atomic.__exit__

    def entered(self: transaction.Atomic) -> None:
        if sys._getframe(1).f_code.co_filename.startswith(f"{ROOT}/tests/"):
            _OF_TESTS[id(self)] = self
        enter(self)

    def left(self: transaction.Atomic, *how: Any) -> None:
        try:
            leave(self, *how)
        finally:
            _OF_TESTS.pop(id(self), None)
            recorder.end()

    with (
        patch.object(transaction.Atomic, "__enter__", entered),
        patch.object(transaction.Atomic, "__exit__", left),
        connection.execute_wrapper(recorder),
    ):
        yield recorder
    if recorder.faults:
        pytest.fail("\n".join(recorder.faults), pytrace=False)
