"""The ordinary Celery worker with a sweep every second.

Started by `celery -A tests.support.live.frequent_sweeps`.
"""

from datetime import timedelta

from celery.signals import worker_init

from config.celery import app

__all__ = ("PERIOD", "app")

PERIOD = timedelta(seconds=1)


@worker_init.connect
def hurry(**kwargs: object) -> None:
    """Shorten the period; the modules read models, which are there only now."""
    from tournaments.delivery import dispatcher
    from tournaments.services.jobs import queue

    queue.PERIOD = PERIOD  # type: ignore[misc]  # for this process alone
    dispatcher.LOOK_S = 0.05
