"""The transaction of one operation, repeated where the database gave it up; and its dry run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import structlog
from django.db import IntegrityError, OperationalError, connection, transaction

from tournaments.domain.faults import GIVEN_UP, sqlstate
from tournaments.errors import Conflict

log = structlog.get_logger(__name__)


P = ParamSpec("P")
R = TypeVar("R")

_FIRST_WRITE: Final[ContextVar[Callable[[], object] | None]] = ContextVar(
    "first_write", default=None
)


@dataclass(frozen=True, slots=True)
class _LastWrite:
    """The writes at the end of the outermost operation.

    They are queued among Django's on-commit callbacks, so that rolling back a savepoint drops them;
    they are removed from there before the commit.
    """

    order: tuple[int, ...]
    write: Callable[[], object]

    def __call__(self) -> None:
        raise AssertionError("is written before the commit")


_REHEARSING: Final[ContextVar[bool]] = ContextVar("rehearsing", default=False)


def atomic_step(step: Callable[P, R]) -> Callable[P, R]:
    """Run a step of a job or of the clock in a transaction, once more after a deadlock.

    For functions that reload everything they change. A nested call is not retried: the whole
    transaction is rolled back, and the outermost call retries.
    """

    @wraps(step)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        def attempt() -> R:
            with join_operations(step.__qualname__):
                return step(*args, **kwargs)

        return repeat_once(attempt, step.__qualname__)

    return run


@contextmanager
def join_operations(name: str) -> Iterator[None]:
    """Run a block as one operation: what the operations within it write last is written at its end.

    A database fault that leaves it carries the name as a note, for the log.
    """
    claim = None if current_operations() or is_dry_run() else _FIRST_WRITE.get()
    try:
        with ActBlock(name):
            if claim is not None:
                claim()
            yield
            if len(current_operations()) == 1 and not connection.needs_rollback:
                _write_last()
    except OperationalError as fault:
        fault.add_note(name)
        raise
    if claim is not None:
        _FIRST_WRITE.set(None)


@contextmanager
def first_write(claim: Callable[[], object]) -> Iterator[None]:
    """Run a block; `claim` is called first in each operation's transaction until one is stored."""
    token = _FIRST_WRITE.set(claim)
    try:
        yield
    finally:
        _FIRST_WRITE.reset(token)


class ActBlock(transaction.Atomic):
    """The block of an operation among the atomic blocks of a connection."""

    def __init__(self, name: str) -> None:
        super().__init__(using=None, savepoint=True, durable=False)
        self.name = name


def current_operations() -> list[str]:
    """Return the names of the operations that run now, the outermost first."""
    return [block.name for block in connection.atomic_blocks if isinstance(block, ActBlock)]


def write_last(write: Callable[[], object], *, order: tuple[int, ...]) -> None:
    """Call `write` when the outermost operation ends, by ascending `order`; at once outside."""
    if current_operations():
        transaction.on_commit(_LastWrite(order, write))
    else:
        write()


def _write_last() -> None:
    hooks = connection.run_on_commit
    lasts = [hook[1] for hook in hooks if isinstance(hook[1], _LastWrite)]
    connection.run_on_commit = [hook for hook in hooks if not isinstance(hook[1], _LastWrite)]
    for last in sorted(lasts, key=lambda last: last.order):
        last.write()


def repeat_once(attempt: Callable[[], R], name: str) -> R:
    """Run a function with its own transaction, and once more after a deadlock.

    `name`: its name in the log.
    """
    if connection.in_atomic_block:
        return attempt()
    try:
        return attempt()
    except OperationalError as fault:
        if not may_repeat(fault):
            raise
        log.warning("act_repeated", act=name, fault=type(fault.__cause__).__name__)
    return attempt()


def may_repeat(fault: OperationalError) -> bool:
    """Whether the database rolled back a whole transaction in favour of another one."""
    return sqlstate(fault) in GIVEN_UP and not connection.in_atomic_block


@contextmanager
def dry_run() -> Iterator[None]:
    """Run a block and roll back its writes."""
    token = _REHEARSING.set(True)
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        _REHEARSING.reset(token)


@contextmanager
def undoable() -> Iterator[Callable[[], None]]:
    """Run a block in a transaction; what it yields has the writes of the block rolled back."""
    with transaction.atomic():
        yield lambda: transaction.set_rollback(True)


def is_dry_run() -> bool:
    """Whether what is written now is rolled back in any case."""
    return _REHEARSING.get()


@contextmanager
def unless_taken(conflict: Conflict) -> Iterator[None]:
    """Write rows in a block; what a constraint of the database refuses is the conflict."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise conflict from error
