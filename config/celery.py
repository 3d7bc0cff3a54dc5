"""The Celery application. Messages are hints; the database holds the queue."""

import gc
import os

from celery import Celery
from celery.signals import task_prerun, worker_before_create_process, worker_init

from config.database_connections import limit_database_time
from tournaments.delivery.priority import lower_priority

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("blacklady")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# By name: it reads models, which are not there yet when this module is imported.
app.steps["worker"].add("tournaments.delivery.dispatcher:DispatcherStep")
app.steps["worker"].add("tournaments.delivery.mail.sender:MailSenderStep")
app.steps["worker"].add("tournaments.delivery.webhooks.sender:WebhookSenderStep")


@task_prerun.connect
def lower_priority_of_task(**kwargs: object) -> None:
    """Lower the priority with the first task.

    Not earlier: on a busy machine a forked process might not be up before Celery takes it for dead.
    """
    lower_priority()


@worker_init.connect
def limit_worker(**kwargs: object) -> None:
    """Set the worker's time-outs before it, or a process that it forks, opens a connection."""
    limit_database_time("worker")


@worker_before_create_process.connect
def share_memory(**kwargs: object) -> None:
    """Keep the collector of a forked process from writing to, and so copying, what is loaded."""
    gc.collect()
    gc.freeze()
