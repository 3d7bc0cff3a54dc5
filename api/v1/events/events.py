"""Events of a club: read, changed, archived and deleted; the background jobs of one."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, get_args

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import idempotent_write, json_answer
from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.openapi_document import OptionsField
from api.resources import ResourceViewSet, changes, creates, performs, removes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.events.create_event import (
    EventCopySerializer,
    NewEventSerializer,
    create_requested_event,
)
from api.v1.fields import MomentField
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Missing
from tournaments.models.events import Event, EventKind, EventState, Visibility
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event, listed_events
from tournaments.selectors.jobs.jobs import ACT, Job, JobState, list_jobs, may_see_jobs
from tournaments.selectors.standings.standings import review_of
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    delete_event,
    event_tag,
    retry_jobs,
    unarchive_event,
    use_house_version,
)
from tournaments.services.events.create_event import copy_event
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import club_of
from tournaments.services.permissions import require


def requested_event(
    request: Request, club: str, event: str, *, code: str = ""
) -> tuple[Actor, Event]:
    """Return who asks and the event, as they may see it; the address takes no parameters.

    Args:
        code: of the table that the address goes on to.
    """
    actor = known_caller(request)
    return actor, get_event(actor, club, event, code=code)


class EventSerializer(OutputSerializer):
    """An event: a competition with its own standings."""

    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=EventKind.choices)
    state = serializers.ChoiceField(choices=EventState.choices)
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    season = serializers.CharField(
        source="season.slug",
        default=None,
        allow_null=True,
        help_text="Slug of the season, or null.",
    )
    variant = serializers.CharField(help_text="Variant of the event; a table may have another.")


class UnderReviewSerializer(OutputSerializer):
    """Questions that directors answer before the standings are published again."""

    since = MomentField()
    playoffs = serializers.ListField(
        child=serializers.IntegerField(), help_text="Numbers of play-offs with an open question."
    )
    stages = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Numbers of stages into which other entrants would go on now.",
    )
    waiting = serializers.IntegerField(
        help_text=(
            "Number of corrections that are not published yet, including those that do not "
            "influence the questions."
        )
    )


class EventDetailSerializer(EventSerializer):
    """An event with its settings."""

    archived_at = MomentField(
        allow_null=True, help_text="Time at which the event was archived; null if it was not."
    )
    options = OptionsField(help_text="Rule options of the variant, by name.")
    settings = serializers.SerializerMethodField(help_text="Current settings, defaults included.")
    under_review = serializers.SerializerMethodField(
        help_text=(
            "Questions that a correction raised; directors answer them before the standings are "
            "published again. null if there are none."
        )
    )

    def get_settings(self, event: Event) -> dict[str, Any]:
        """Return the settings, defaults filled in."""
        return asdict(settings_of(event))

    @extend_schema_field(UnderReviewSerializer(allow_null=True))
    def get_under_review(self, event: Event) -> dict[str, Any] | None:
        """Return the questions."""
        review = review_of(event)
        return plain(UnderReviewSerializer)(review) if review is not None else None


class EventChangeSerializer(StrictSerializer):
    """A change of an event; fields that are left out stay as they are."""

    name = TextField(left_out=None, help_text="New name; the standings are published with it.")
    slug = TextField(left_out=None, help_text="New slug; the former one redirects to it (308).")
    visibility = ChoiceTextField(
        choices=Visibility.choices,
        left_out=None,
        help_text="Readers of the event and all its publications.",
    )


class EventMoveSerializer(StrictSerializer):
    """The state that an event goes to."""

    to = ChoiceTextField(choices=EventState.choices)
    reason = TextField(required=False, max_length=MOST_TEXT, help_text="Reason to reopen an event.")


class ArchiveSerializer(StrictSerializer):
    """The reason for archiving an event, or for listing it again."""

    reason = TextField(max_length=MOST_TEXT)


class DeletedEventSerializer(OutputSerializer):
    """The event that was deleted."""

    slug = serializers.CharField()


class EventViewSet(ResourceViewSet):
    """The events of a club that you may read, the newest first; archived ones are left out."""

    resource, lookup_url_kwarg, lookup_field = ("event", "events"), "event", "slug"
    serializer_class, detail_serializer_class = EventSerializer, EventDetailSerializer
    etag_text = "Mark of the event as it is, for `If-Match` of a `PATCH`."
    location_text = "The address of the event."
    ordering = ("-created_at", "slug")
    filters = MappingProxyType(
        {
            "state": Filter("Only events in this state.", EventState.values),
            "kind": Filter("Only events of this kind.", EventKind.values),
            "season": Filter("Only events of the season with this slug."),
        }
    )
    create = creates(
        create_event, NewEventSerializer, call=create_requested_event, location="read_event"
    )
    partial_update = changes(change_event, EventChangeSerializer)
    destroy = removes(delete_event, "event", answer=DeletedEventSerializer)
    state = performs(move_event, "state", body=EventMoveSerializer)
    use_version = performs(use_house_version, "use-version")
    copy = performs(copy_event, "copy", body=EventCopySerializer, status=201, location="read_event")
    archive = performs(archive_event, "archive", body=ArchiveSerializer)
    unarchive = performs(unarchive_event, "unarchive", body=ArchiveSerializer)

    def retrieve(self, request: Request, **address: str) -> HttpResponseBase:
        """One event, with its settings."""
        return self.read(request)

    @cached_property
    def home(self) -> Any:
        """The club or the event; those who may not create events in it are refused at once."""
        home = super().home
        if self.declared.right == "create_event":
            require(self.actor, club_of(home), "create_event")
        return home

    def get_queryset(self, state: str = "", kind: str = "", season: str = "") -> QuerySet[Event]:
        return limited(
            listed_events(self.actor, self.home), state=state, kind=kind, season__slug=season
        )

    def get_object(self) -> Event:
        event: Event = self.home
        return event

    def get_tag(self, row: Event) -> str:
        return event_tag(row)


class JobSerializer(OutputSerializer):
    """One computation of an event, or one job with a deadline."""

    kind = serializers.CharField(
        help_text=(
            "Kind of the job: `event` (standings), `ladder`, `playoffs`, `recount`, `companion` "
            "(history: tables by round, head-to-head, records), `import`, or the kind of a "
            "deadline such as `finalise`."
        )
    )
    key = serializers.CharField(
        allow_blank=True,
        help_text="Number of the file, round or challenge; empty for kinds with one job.",
    )
    state = serializers.ChoiceField(
        choices=get_args(JobState),
        help_text=(
            "State of the job. `stopped`: not tried again after three failures, until a director "
            "retries it or something changes."
        ),
    )
    ran_at = MomentField(allow_null=True, help_text="Time at which the last run ended.")
    took_ms = serializers.IntegerField(allow_null=True, help_text="Duration of the last run, ms.")
    outcome = serializers.CharField(allow_blank=True, help_text="Result of the last run, or empty.")
    waits_since = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="Time of the next start, if it is known.")
    done = serializers.IntegerField(allow_null=True, help_text="Progress of long work, up to `of`.")
    of = serializers.IntegerField(allow_null=True, help_text="Total that `done` has to reach.")
    attempts = serializers.IntegerField(help_text="Number of failed tries since the last run.")
    error = serializers.CharField(allow_blank=True, help_text="Error of the last failed try.")


def _jobs(actor: Actor, club: str, event: str) -> Sequence[Job]:
    """The background jobs of an event: last run, duration, pending work, errors. For directors."""
    current_event = get_event(actor, club, event)
    if not may_see_jobs(current_event):
        raise Missing("event")
    require(actor, current_event.club, ACT)
    return list_jobs(current_event, now=timezone.now())


JOBS: Final = Listing(
    name="jobs",
    shape=JobSerializer,
    rows=_jobs,
)


class RetriedJobsSerializer(OutputSerializer):
    """The failed jobs that are tried again."""

    retried = serializers.IntegerField(help_text="Number of jobs that are tried again.")


@idempotent_write(RetriedJobsSerializer, EmptyBody)
def retry_jobs_view(request: Request, club: str, event: str) -> HttpResponse:
    """Retry the jobs of an event that stopped after an error."""
    actor, current_event = requested_event(request, club, event)
    require(actor, current_event.club, ACT)
    validated(request, EmptyBody)
    return json_answer(
        {"retried": retry_jobs(actor=actor, event=current_event, now=timezone.now())}
    )
