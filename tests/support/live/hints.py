"""Messages to workers that a test sends itself: too many, too late, in any order."""

from celery import Celery


def sender(broker: str, queue: str) -> Celery:
    """A Celery application that only sends."""
    app = Celery(broker=broker, set_as_current=False)
    app.conf.task_default_queue = queue
    app.conf.task_ignore_result = True
    return app
