"""The Celery application. Messages are hints; what there is to do stands in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("blacklady")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# By name: it reads models, which are not there yet when this module is imported.
app.steps["worker"].add("tournaments.pump:PumpStep")
