"""End work that takes too long, in whichever thread it runs."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from django.db import DEFAULT_DB_ALIAS, Error, connections


class TooLong(Exception):
    """A computation ran longer than its bound."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    with _by_alarm(seconds) if is_main else _by_timer(seconds):
        yield


@contextmanager
def _by_alarm(seconds: float) -> Iterator[None]:
    """Bound a block of the main thread by a signal, which also interrupts waits.

    An alarm set before is restored afterwards.
    """

    def too_long(number: int, frame: FrameType | None) -> None:
        raise TooLong(_says(seconds))

    handler = signal.signal(signal.SIGALRM, too_long)
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, remaining, interval)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _by_timer(seconds: float) -> Iterator[None]:
    """Bound a block of any other thread: its computation stops, and its statement is cancelled.

    A wait for anything else than the database ends by itself first.
    """
    thread, database = threading.get_ident(), connections[DEFAULT_DB_ALIAS]
    changing, is_over, is_late = threading.Lock(), False, False

    def too_long() -> None:
        nonlocal is_late
        with changing:
            if is_over:
                return
            is_late = True
            _raise_in(thread, TooLong)
            if database.vendor == "postgresql" and database.connection is not None:
                with suppress(Error), database.wrap_database_errors:
                    database.connection.cancel()

    timer = threading.Timer(seconds, too_long)
    timer.daemon = True
    timer.start()
    try:
        yield
    except TooLong:
        if not is_late:
            raise
        raise TooLong(_says(seconds)) from None
    finally:
        timer.cancel()
        with changing:
            is_over = True
            if is_late:
                _raise_in(thread, None)
    if is_late:
        raise TooLong(_says(seconds))


def _raise_in(thread: int, fault: type[Exception] | None) -> None:
    """Make a thread raise `fault` before its next step; None cancels it."""
    exception = None if fault is None else ctypes.py_object(fault)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


def _says(seconds: float) -> str:
    return f"not finished after {seconds:g} s"
