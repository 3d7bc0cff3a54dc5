"""The transaction of one act, made once more where the database gave it up for another one.

Locks are taken in one order (`event_lock.py`), so that this is rare: rows that the database locks
by itself, such as those that a foreign key points at, keep to no order of ours.
"""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import structlog
from django.db import OperationalError, connection, transaction

from scoring.errors import Refused
from tournaments.counters import count_refusal
from tournaments.errors import Conflict, Forbidden

log = structlog.get_logger(__name__)

GIVEN_UP: Final = frozenset({"40001", "40P01"})
"""SQLSTATE of a transaction that could not be serialised, and of one that a deadlock ended."""

P = ParamSpec("P")
R = TypeVar("R")


def atomic_act(act: Callable[P, R]) -> Callable[P, R]:
    """Run a service in a transaction, and once more where a deadlock ended the first.

    For services that read anew all that they change. Within somebody else's transaction there is no
    second try: it is gone as a whole, and whoever began it begins again. A refusal is counted where
    the act is the outermost.
    """
    attempt = transaction.atomic(act)

    @wraps(act)
    def acted(*args: P.args, **kwargs: P.kwargs) -> R:
        if connection.in_atomic_block:
            return attempt(*args, **kwargs)
        try:
            return repeat_once(lambda: attempt(*args, **kwargs), act.__qualname__)
        except (Refused, Conflict, Forbidden) as refusal:
            count_refusal(refusal_codes(refusal))
            raise

    return acted


def refusal_codes(refusal: Refused | Conflict | Forbidden) -> tuple[str, ...]:
    """Return the codes of a refusal's problems."""
    if isinstance(refusal, Refused):
        return tuple(problem.code for problem in refusal.problems)
    return (refusal.problem.code,)


def repeat_once(attempt: Callable[[], R], name: str) -> R:
    """Run what begins and ends a transaction, and once more where it was given up for another one.

    Args:
        name: what the log calls it.
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
    """Whether the database ended a transaction so that another one could go on, all of it."""
    given_up = getattr(fault.__cause__, "sqlstate", None) in GIVEN_UP
    return given_up and not connection.in_atomic_block
