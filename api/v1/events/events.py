"""Events of a club: read, created, changed, archived and deleted; the background jobs of one."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from typing import Any, TypeVar, get_args

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.lists import Filter, limited
from api.openapi_document import OptionsField
from api.resources import ResourceViewSet, changes, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    ClockField,
    DayListField,
    TextField,
)
from api.serializers.strict_serializers import StrictSerializer
from api.serializers.typed_documents import DocumentChangeField, DocumentField
from api.v1.fields import IntegerListField, MomentField, ReasonSerializer, RuleOptionsField
from scoring.errors import Problem, Refused
from tournaments.domain.evening_series import MOST_EVENINGS
from tournaments.domain.event_settings import PRESET_KEYS, Settings, settings_of
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind, EventState, Visibility
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event, listed_events
from tournaments.selectors.events.seasons import get_season
from tournaments.selectors.jobs.jobs import JOBS_RIGHT, Job, JobState, list_jobs
from tournaments.selectors.standings.publications import review_of
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    delete_event,
    event_tag,
    retry_jobs,
    unarchive_event,
    use_house_version,
)
from tournaments.services.events.create_event import copy_event, usual_visibility
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import club_of, require

Row = TypeVar("Row")


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
    playoffs = IntegerListField(help_text="Numbers of play-offs with an open question.")
    stages = IntegerListField(
        help_text="Numbers of stages into which other entrants would go on now."
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

    @extend_schema_field(DocumentField(Settings))
    def get_settings(self, event: Event) -> dict[str, Any]:
        """Return the settings, defaults filled in."""
        return asdict(settings_of(event))

    @extend_schema_field(UnderReviewSerializer(allow_null=True))
    def get_under_review(self, event: Event) -> dict[str, Any] | None:
        """Return the questions."""
        review = review_of(event)
        if review is None:
            return None
        return plain(UnderReviewSerializer)(review)


class NewEventSerializer(StrictSerializer):
    """An event to create."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(
        required=False,
        help_text="Lowercase letters, digits and hyphens; made from the name where it is left out.",
    )
    variant = TextField(
        help_text=(
            "Id of a variant (game), or of a version of the club's house rules. If the preset "
            "cannot be played with it, the game of the preset is used instead, without `options`."
        )
    )
    options = RuleOptionsField(left_out={}, help_text="Rule options of the variant, by name.")
    kind = ChoiceTextField(choices=EventKind.choices, left_out=EventKind.LEAGUE.value)
    preset = ChoiceTextField(
        choices=PRESET_KEYS,
        allow_blank=True,
        required=False,
        help_text="Preset for the first settings and stages, as on the page Create event.",
    )
    settings = DocumentChangeField(
        document=Settings,
        expected="an object of settings",
        left_out={},
        help_text="Settings that replace those of the preset.",
    )
    visibility = ChoiceTextField(
        choices=Visibility.choices,
        left_out=None,
        help_text="Readers of the event; by default `public`, in a private club `members`.",
    )
    season = TextField(required=False, help_text="Slug of the season that the event belongs to.")
    meetings = DayListField(
        child=serializers.DateField(),
        left_out=[],
        help_text=f"Local days of planned meetings, at most {MOST_EVENINGS}; not for a ladder.",
    )
    time = ClockField(
        required=False, allow_null=True, help_text="Local time at which each meeting begins."
    )
    entrants_of = TextField(
        required=False, help_text="Slug of an event whose entrants compete in the new one too."
    )


class EventCopySerializer(StrictSerializer):
    """The name of a copy of an event, and what it takes over."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(required=False, help_text="Slug of the copy; by default made from the name.")
    players = BooleanField(
        left_out=True,
        help_text="Whether the entrants who did not withdraw compete in the copy too.",
    )


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
    reason = TextField(required=False, help_text="Reason to reopen an event.")
    anyway = BooleanField(
        left_out=False, help_text="Whether to close a league that has planned evenings ahead."
    )


class ArchiveSerializer(ReasonSerializer):
    """The reason for archiving an event, or for listing it again."""


class DeletedEventSerializer(OutputSerializer):
    """The event that was deleted."""

    slug = serializers.CharField()


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

    resource = ("job", "jobs")
    read_right = JOBS_RIGHT
    hidden_as = "event"
    serializer_class = JobSerializer
    ordering = ()
    retry = performs(retry_jobs, "retry", detail=False, answer=RetriedJobsSerializer)

    def get_queryset(self) -> Sequence[Job]:
        return list_jobs(self.parent, now=timezone.now())


def _new_event(actor: Actor, club: Club, body: dict[str, Any]) -> dict[str, Any]:
    """Return what `create_event` takes, from the body of a request."""
    season, before = body.pop("season"), body.pop("entrants_of")
    days, starts_at = body.pop("meetings"), body.pop("time", None)
    return {
        **body,
        "evenings": days,
        "evening_time": starts_at,
        "visibility": body["visibility"] or usual_visibility(club),
        "season": _find("season", season, partial(get_season, actor, club.slug)),
        "entrants_of": _find("entrants_of", before, partial(get_event, actor, club.slug)),
    }


def _find(member: str, slug: str, find: Callable[[str], Row]) -> Row | None:
    """Return the row that a member of the body names; None where it names none."""
    try:
        return find(slug) if slug else None
    except Missing as missing:
        raise Refused(Problem(missing.problem.code, (member,), missing.problem.facts)) from missing


class EventViewSet(ResourceViewSet):
    """The events of a club that you may read, the newest first; archived ones are left out."""

    resource = ("event", "events")
    lookup_url_kwarg = "event"
    lookup_field = "slug"
    serializer_class, detail_serializer_class = EventSerializer, EventDetailSerializer
    tag_of_row = staticmethod(event_tag)
    etag_text = "Mark of the event as it is, for `If-Match` of a `PATCH`."
    location_text = "The address of the event."
    ordering = ("-created_at", "slug")
    filters = (
        Filter("state", "Only events in this state.", EventState.values),
        Filter("kind", "Only events of this kind.", EventKind.values),
        Filter("season", "Only events of the season with this slug."),
    )
    retrieve = reads("One event, with its settings.")
    create = creates(create_event, NewEventSerializer)
    partial_update = changes(change_event, EventChangeSerializer)
    destroy = writes(delete_event, None, answer=DeletedEventSerializer)
    state = performs(move_event, "state", body=EventMoveSerializer)
    use_version = performs(use_house_version, "use-version")
    copy = performs(copy_event, "copy", body=EventCopySerializer, status=201)
    archive = performs(archive_event, "archive", body=ArchiveSerializer)
    unarchive = performs(unarchive_event, "unarchive", body=ArchiveSerializer)

    @cached_property
    def parent(self) -> Any:
        """The club or the event; those who may not create events in it are refused at once."""
        parent = super().parent
        if self.declared.right == "create_event":
            require(self.actor, club_of(parent), "create_event")
        return parent

    def get_queryset(self, state: str = "", kind: str = "", season: str = "") -> QuerySet[Event]:
        return limited(
            listed_events(self.actor, self.parent), state=state, kind=kind, season__slug=season
        )

    def get_object(self) -> Event:
        event: Event = self.parent
        return event

    def get_arguments(self, body: dict[str, Any]) -> dict[str, Any]:
        is_new = self.action == "create"
        if not is_new:
            return body
        return _new_event(self.actor, self.parent, body)
