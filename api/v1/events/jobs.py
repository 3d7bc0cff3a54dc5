"""The background jobs of an event, for directors: last runs, pending and failed work."""

from collections.abc import Sequence
from typing import Any, Final, get_args

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.strict_serializers import EmptyBody, validated
from api.v1.events.requested_event import requested_event
from api.v1.fields import MomentField
from tournaments.errors import Missing
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.selectors.jobs.jobs import ACT, Job, JobState, jobs_of, may_see_jobs
from tournaments.services.events.retry_jobs import retry_jobs
from tournaments.services.permissions import require


class JobSerializer(serializers.Serializer[Any]):
    """One computation of an event, or one job with a deadline."""

    kind = serializers.CharField(
        help_text=(
            "`event` (standings), `ladder`, `playoffs`, `recount`, `companion` (history: tables "
            "by round, head-to-head, records), `import`, or the kind of a deadline such as "
            "`finalise`."
        )
    )
    key = serializers.CharField(
        allow_blank=True,
        help_text="Number of the file, round or challenge, for kinds with several jobs.",
    )
    state = serializers.ChoiceField(
        choices=get_args(JobState),
        help_text=(
            "`stopped`: given up after three tries, until a director retries it or something "
            "changes."
        ),
    )
    ran_at = MomentField(allow_null=True, help_text="When its last run ended.")
    took_ms = serializers.IntegerField(allow_null=True, help_text="Duration of that run.")
    outcome = serializers.CharField(allow_blank=True, help_text="Result of that run.")
    waits_since = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="When it starts, where that is known.")
    done = serializers.IntegerField(allow_null=True, help_text="Progress of long work …")
    of = serializers.IntegerField(allow_null=True, help_text="… of this total.")
    attempts = serializers.IntegerField(help_text="Failed tries since the last run.")
    error = serializers.CharField(allow_blank=True, help_text="The last error.")


def _jobs(actor: Actor, club: str, event: str) -> Sequence[Job]:
    """The background jobs of an event: last run, duration, pending work, errors. For directors.

    Raises:
        Missing: the actor does not direct here.
    """
    found = event_at(actor, club, event)
    if not may_see_jobs(found):
        raise Missing("event")
    require(actor, found.club, ACT)
    return jobs_of(found, now=timezone.now())


JOBS: Final = Listing(
    name="jobs",
    shape=JobSerializer,
    rows=_jobs,
    columns=(
        *("kind", "key", "state", "ran_at", "took_ms", "outcome", "waits_since", "due_at"),
        *("done", "of", "attempts", "error"),
    ),
)


class RetriedJobsSerializer(serializers.Serializer[Any]):
    """The failed jobs that are tried again."""

    retried = serializers.IntegerField(help_text="How many there were.")


def _retry_jobs(request: Request, club: str, event: str) -> HttpResponse:
    """Try the jobs of an event again that were given up after an error."""
    actor, found = requested_event(request, club, event)
    require(actor, found.club, ACT)
    validated(request, EmptyBody)
    return json_answer({"retried": retry_jobs(actor=actor, event=found, now=timezone.now())})


retry_jobs_view = idempotent_write(_retry_jobs, RetriedJobsSerializer, EmptyBody)
"""`POST E/jobs/retry`."""
