"""Events of a club and their settings."""

from dataclasses import asdict
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter
from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.openapi import reading
from api.openapi_document import OptionsField
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.v1.fields import MomentField
from tournaments.domain.etags import etag
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event, EventKind, EventState, Visibility
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.events import event_at, listed_events
from tournaments.selectors.standings.reviews import review_of
from tournaments.services.events.change_event import event_tag

ETAG: Final = etag_parameter("Names exactly this name and visibility, for `PATCH`.", 200)


class EventSerializer(serializers.Serializer[Any]):
    """A competition."""

    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=EventKind.choices)
    state = serializers.ChoiceField(choices=EventState.choices)
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    season = serializers.CharField(
        source="season.slug", default=None, allow_null=True, help_text="Slug of its season."
    )
    variant = serializers.CharField(help_text="Default rules; a table may have its own.")


class UnderReviewSerializer(serializers.Serializer[Any]):
    """Questions that directors answer before the standings are published again."""

    since = MomentField()
    playoffs = serializers.ListField(
        child=serializers.IntegerField(), help_text="Finished play-offs: `POST …/answer`."
    )
    stages = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Cuts from which other entrants would have gone on.",
    )
    waiting = serializers.IntegerField(
        help_text=(
            "Number of corrections that are not published yet, those without an influence on the "
            "question included."
        )
    )


class EventDetailSerializer(EventSerializer):
    """A competition with its settings."""

    archived_at = MomentField(
        allow_null=True, help_text="An archived event is in no list; its addresses stay."
    )
    options = OptionsField(help_text="House rules over the variant.")
    settings = serializers.SerializerMethodField(help_text="The settings in force.")
    under_review = serializers.SerializerMethodField(
        help_text=(
            "Questions of a correction that directors answer before the standings are published "
            "again; null where there are none."
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
    rows = listed_events(actor, club_at(actor, club))
    return limited(rows, state=state, kind=kind, season__slug=season)


EVENTS = Listing(
    name="events",
    shape=EventSerializer,
    rows=_events,
    columns=("slug", "name", "kind", "state", "visibility", "season", "variant"),
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
    allow_only(request)
    found = event_at(caller(request), club, event)
    shown = plain(EventDetailSerializer)(found)
    return Response(shown, headers={"ETag": etag(event_tag(found))})
