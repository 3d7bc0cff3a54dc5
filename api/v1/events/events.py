"""Events of a club: read, changed, archived and deleted; the background jobs of one."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, get_args

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.openapi import reading
from api.openapi_document import OptionsField
from api.resources import ResourceViewSet, performs
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.fields import MomentField
from tournaments.domain.etags import etag
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event, EventKind, EventState, Visibility
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event, listed_events
from tournaments.selectors.jobs.jobs import ACT, Job, JobState, list_jobs
from tournaments.selectors.rules.house_rules import find_newer_house_version
from tournaments.selectors.standings.standings import review_of
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    delete_event,
    event_tag,
    retry_jobs,
    use_version,
)
from tournaments.services.events.events import move_event
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


ETAG: Final = etag_parameter("Mark of the event as it is, for `If-Match` of a `PATCH`.", 200)


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


def _events(
    actor: Actor, club: str, state: str = "", kind: str = "", season: str = ""
) -> QuerySet[Event]:
    """The events of a club that you may read, the newest first; archived ones are left out."""
    rows = listed_events(actor, get_club(actor, club))
    return limited(rows, state=state, kind=kind, season__slug=season)


EVENTS = Listing(
    name="events",
    shape=EventSerializer,
    rows=_events,
    order=("-created_at", "slug"),
    filters={
        "state": Filter("Only events in this state.", EventState.values),
        "kind": Filter("Only events of this kind.", EventKind.values),
        "season": Filter("Only events of the season with this slug."),
    },
)


@reading("read_event", EventDetailSerializer, parameters=(ETAG,))
def read_event(request: Request, club: str, event: str) -> HttpResponseBase:
    """One event, with its settings."""
    current_event = get_event(caller(request), club, event)
    body = plain(EventDetailSerializer)(current_event)
    return Response(body, headers={"ETag": etag(event_tag(current_event))})


IF_MATCH: Final = if_match_parameter("The ETag of the event that you read, or `*`")


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


@idempotent_write(
    EventDetailSerializer, EventChangeSerializer, method="PATCH", asks=(IF_MATCH,), tells=(ETAG,)
)
def change_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Change the name, slug or visibility of an event, at any time, even if it is final.

    `If-Match` names the event that you read, or is `*`. Without it the answer is 428; if somebody
    changed the event meanwhile it is 412, with the current values (`there`). For everybody who may
    no longer read it, the event with all older publications answers 404 at once.
    """
    actor, current_event = requested_event(request, club, event)
    based_on = if_match_tag_or_any(request, of="event")
    body = validated(request, EventChangeSerializer)
    changed = change_event(
        actor=actor, event=current_event, based_on=based_on or "", now=timezone.now(), **body
    )
    return event_answer(actor, club, changed.slug)


@idempotent_write(EventDetailSerializer, EventMoveSerializer, tells=(ETAG,))
def move_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Open an event, make it a draft again, close it, make it final, or open it again.

    `draft` → `open` → `closed` → `final`; `open` → `draft` while no hand is entered. With a
    `reason` a closed event is opened again by a director, a final one by an owner. An obstacle
    is answered with 409: `state_not_allowed` with the states that are possible,
    `rounds_still_open`, `window_not_over`, `disputes_open`, `playoffs_undecided` and others.
    """
    actor, current_event = requested_event(request, club, event)
    require(actor, current_event.club, "manage_event")  # before the state of the event is shown
    body = validated(request, EventMoveSerializer)
    move_event(
        actor=actor, event=current_event, to=body["to"], reason=body["reason"], now=timezone.now()
    )
    return event_answer(actor, club, event)


@idempotent_write(EventDetailSerializer, EmptyBody, tells=(ETAG,))
def use_house_version_view(request: Request, club: str, event: str) -> HttpResponse:
    """Use the newest version of the house rules in an event from now on.

    Existing tables keep their rules. An event that plays the newest version already, or no house
    rules, stays as it is.
    """
    actor, current_event = requested_event(request, club, event)
    require(actor, current_event.club, "manage_event")
    validated(request, EmptyBody)
    version = find_newer_house_version(current_event)
    if version is not None:
        use_version(actor=actor, event=current_event, version=version, now=timezone.now())
    return event_answer(actor, club, event)


def _set_archived(request: Request, club: str, event: str, *, archived: bool) -> HttpResponse:
    actor, current_event = requested_event(request, club, event)
    body = validated(request, ArchiveSerializer)
    archive_event(actor=actor, event=current_event, archived=archived, now=timezone.now(), **body)
    return event_answer(actor, club, event)


@idempotent_write(EventDetailSerializer, ArchiveSerializer)
def archive_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Take an event out of the club's lists. Its addresses stay; `unarchive` puts it back."""
    return _set_archived(request, club, event, archived=True)


@idempotent_write(EventDetailSerializer, ArchiveSerializer)
def unarchive_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Put an archived event back into the club's lists."""
    return _set_archived(request, club, event, archived=False)


@idempotent_write(DeletedEventSerializer, None, method="DELETE")
def delete_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Delete a draft in which no hand was entered; any other event is archived instead."""
    actor, current_event = requested_event(request, club, event)
    delete_event(actor=actor, event=current_event, now=timezone.now())
    return json_answer({"slug": event})


def event_answer(actor: Actor, club: str, event: str) -> HttpResponse:
    """Return an event as the answers of writes have it."""
    current_event = get_event(actor, club, event)
    body = plain(EventDetailSerializer)(current_event)
    return json_answer(body, tag=etag(event_tag(current_event)))


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


class RetriedJobsSerializer(OutputSerializer):
    """The failed jobs that are tried again."""

    retried = serializers.IntegerField(source="*", help_text="Number of jobs that are tried again.")


class JobViewSet(ResourceViewSet):
    """The background jobs of an event: last run, duration, pending work, errors. For directors."""

    resource, read_right, hidden_as = ("job", "jobs"), ACT, "event"
    serializer_class = JobSerializer
    ordering = ()
    retry = performs(retry_jobs, "retry", detail=False, answer=RetriedJobsSerializer)

    def get_queryset(self) -> Sequence[Job]:
        return list_jobs(self.home, now=timezone.now())
