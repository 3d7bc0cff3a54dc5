"""A Celery worker whose pool processes need a while until they are up.

`celery -A tests.support.live.slow_pool worker` is the ordinary worker, as on a machine that gives
it little processor time. A process that starts waits SLOW_POOL_S, then writes its id to the file
that SLOW_POOL names.
"""

import os
import time
from pathlib import Path

from celery.signals import worker_process_init

from config.celery import app

__all__ = ("app",)

STARTED = Path(os.environ["SLOW_POOL"])
STARTS_AFTER_S = float(os.environ["SLOW_POOL_S"])


@worker_process_init.connect
def start_slowly(**kwargs: object) -> None:
    time.sleep(STARTS_AFTER_S)
    with STARTED.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
