"""Doing something for trial: the very service, in a transaction that is always rolled back.

The rollback and the mark that says so are one: nothing that was done unmarked goes, nothing that
was marked stays. What everybody waits for, the head of the club's audit chain and the event's dirty
row, is left alone meanwhile, so that a trial keeps nobody from entering; hints to the workers go
with the transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from django.db import transaction

_REHEARSING: Final[ContextVar[bool]] = ContextVar("rehearsing", default=False)


@contextmanager
def dry_run() -> Iterator[None]:
    """Run a block whose writes are seen within it, and are gone after it."""
    token = _REHEARSING.set(True)
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        _REHEARSING.reset(token)


def is_dry_run() -> bool:
    """Whether what is written now is rolled back in any case."""
    return _REHEARSING.get()
