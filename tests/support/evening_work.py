"""What workers do for the evenings of an event at one moment: tables, ends, results."""

from datetime import datetime

from django.db.models import F

from tests.support.history import make_all
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline, Dirty, history_scope, playoffs_scope
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.tasks import run_deadline_job


def make_tables_of(event: Event, now: datetime) -> None:
    """Publish the event and make its history; no deadline runs."""
    publish(event.pk, now=now)
    make_all(event.pk, now=now)
    if event.is_ladder:
        publish_ladder(event.pk, now=now)
    done = Dirty.objects.filter(scope__in=[history_scope(event.pk), playoffs_scope(event.pk)])
    done.update(done=F("version"), done_at=now)


def work_on_evenings(event: Event, now: datetime) -> None:
    """Do all that is due; the end of an evening makes its result due."""
    for _ in range(3):
        make_tables_of(event, now)
        due = Deadline.objects.filter(event=event, done_at=None, due_at__lte=now)
        for deadline in due.order_by("pk"):
            run_deadline_job(deadline.pk, now=now)
