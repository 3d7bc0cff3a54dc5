"""A Celery worker that kills itself at a chosen point of its work.

`celery -A tests.support.live.crashing_worker worker` is the ordinary worker; every statement of
its main thread, where the tasks run, is counted and written down. The file DYING_WORKER names
holds the point: `12 before` dies as the thirteenth statement is about to be sent, `12 after` when
it has been carried out.
"""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from config.celery import app

PLACE = Path(os.environ["DYING_WORKER"])
STATEMENTS = PLACE.with_suffix(".statements")

__all__ = ("app",)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watched(execute: Callable[..., object], sql: str, *rest: object) -> object:
    if threading.current_thread() is not threading.main_thread():
        return execute(sql, *rest)
    lines = STATEMENTS.read_text(encoding="utf-8").splitlines() if STATEMENTS.exists() else []
    point = PLACE.read_text(encoding="utf-8").split() if PLACE.exists() else ["never", ""]
    if point == [str(len(lines)), "before"]:
        _die()
    with STATEMENTS.open("a", encoding="utf-8") as file:
        file.write(" ".join(sql.split()) + "\n")
    result = execute(sql, *rest)
    if point == [str(len(lines)), "after"]:
        _die()
    return result


def _watch(connection: BaseDatabaseWrapper, **kwargs: object) -> None:
    if _watched not in connection.execute_wrappers:
        connection.execute_wrappers.append(_watched)


connection_created.connect(_watch)
