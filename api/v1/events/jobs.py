"""The work on an event that runs by itself, for directors: last runs, what waits, what failed."""

from collections.abc import Sequence
from typing import Any, Final, get_args

from django.utils import timezone
from rest_framework import serializers

from api.pagination import Listing
from api.v1.fields import MomentField
from tournaments.errors import Missing
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.selectors.jobs.jobs import ACT, Job, JobState, jobs_of, may_see_jobs
from tournaments.services.access.permissions import require


class JobSerializer(serializers.Serializer[Any]):
    """One computation of an event, or one job that the clock starts."""

    kind = serializers.CharField(
        help_text="`event` (standings), `ladder`, `playoffs`, `recount`, `companion` (what stands "
        "beside the standings), `import`, or the kind of a deadline, `finalise` say."
    )
    key = serializers.CharField(
        allow_blank=True, help_text="Which of its kind: the number of a file, a round, a challenge."
    )
    state = serializers.ChoiceField(
        choices=get_args(JobState),
        help_text="`stopped`: given up after three tries, until a director has it tried again or "
        "something changes.",
    )
    ran_at = MomentField(allow_null=True, help_text="When its last run was over.")
    took_ms = serializers.IntegerField(allow_null=True, help_text="How long that took.")
    outcome = serializers.CharField(allow_blank=True, help_text="What came of it.")
    waits_since = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="When it is started, where that is known.")
    done = serializers.IntegerField(allow_null=True, help_text="How far long work has come …")
    of = serializers.IntegerField(allow_null=True, help_text="… of so much.")
    attempts = serializers.IntegerField(help_text="Tries that went wrong since it last ran.")
    error = serializers.CharField(allow_blank=True, help_text="What went wrong last.")


def _jobs(actor: Actor, club: str, event: str) -> Sequence[Job]:
    """What works on an event by itself: when it ran last and how long, what waits, what was given
    up and why. For directors.

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
