"""Making and changing seasons of a club."""

from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.strict_fields import ChoiceTextField, TextField, TextListField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.events.seasons import ETAG, SeasonDetailSerializer, season_answer
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.seasons import season_at
from tournaments.services.events.seasons import (
    SEASON_PRESETS,
    change_season,
    make_season,
    retry_season,
)
from tournaments.services.permissions import require

IF_MATCH: Final = if_match_parameter("The ETag of the season that you read, or `*`")
ETAG_OF_NEW: Final = etag_parameter("Names exactly this season, for `PATCH`.", 201)
LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="The address of the season.",
)  # fmt: skip
_PRESET: Final[dict[str, Any]] = {
    "choices": SEASON_PRESETS,
    "allow_blank": True,
    "required": False,
    "help_text": "Of its own table over its public events, the answer's `table`; empty: none.",
}


class NewSeasonSerializer(StrictSerializer):
    """A season to create."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(
        required=False,
        help_text="Lowercase letters, digits and hyphens; made from the name where it is left out.",
    )
    starts_on = TextField(help_text="First day, as in 2025-09-01.")
    ends_on = TextField(help_text="Last day.")
    preset = ChoiceTextField(**_PRESET)


class SeasonChangeSerializer(StrictSerializer):
    """A change of a season; members that are left out stay."""

    name = TextField(required=False, left_out=None)
    starts_on = TextField(required=False, left_out=None, help_text="First day.")
    ends_on = TextField(required=False, left_out=None, help_text="Last day.")
    preset = ChoiceTextField(**_PRESET, left_out=None)
    events = TextListField(
        child=serializers.CharField(),
        required=False,
        left_out=None,
        help_text="Slugs of all its events from now on.",
    )


def _create_season(request: Request, club: str) -> HttpResponse:
    """Create a season without events; `PATCH` gives it some, and so does creating an event."""
    allow_only(request)
    actor = known_caller(request)
    home = club_at(actor, club)
    sent = validated(request, NewSeasonSerializer)
    made = make_season(actor=actor, club=home, now=timezone.now(), **sent)
    answer = _answer(actor, club, made.slug, status=201)
    answer["Location"] = reverse("read_season", args=[club, made.slug])
    return answer


def _change_season(request: Request, club: str, season: str) -> HttpResponse:
    """Change the name, the days, the standings or the events of a season.

    `If-Match` names the season that you read, or is `*`. Without it the answer is 428; if somebody
    changed the season meanwhile it is 412, with what is there now (`there`). `events` are all of
    its events: one that another season has moves to this one, one that is not listed leaves it.
    """
    allow_only(request)
    actor = known_caller(request)
    found = season_at(actor, club, season)
    based_on = if_match_tag_or_any(request, of="season")
    sent = validated(request, SeasonChangeSerializer)
    change_season(actor=actor, season=found, based_on=based_on or "", now=timezone.now(), **sent)
    return _answer(actor, club, season)


def _retry_season(request: Request, club: str, season: str) -> HttpResponse:
    """Have the standings of a season made again, where that was given up after an error."""
    allow_only(request)
    actor = known_caller(request)
    found = season_at(actor, club, season)
    require(actor, found.club, "manage_event")
    validated(request, EmptyBody)
    retry_season(actor=actor, season=found, now=timezone.now())
    return _answer(actor, club, season)


create_season_view = idempotent_write(
    _create_season,
    SeasonDetailSerializer,
    NewSeasonSerializer,
    status=201,
    tells=(LOCATION, ETAG_OF_NEW),
)
"""`POST C/seasons`."""
change_season_view = idempotent_write(
    _change_season,
    SeasonDetailSerializer,
    SeasonChangeSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH C/seasons/{season}`."""
retry_season_view = idempotent_write(
    _retry_season, SeasonDetailSerializer, EmptyBody, tells=(ETAG,)
)
"""`POST C/seasons/{season}/retry`."""


def _answer(actor: Actor, club: str, season: str, *, status: int = 200) -> HttpResponse:
    body, tag = season_answer(actor, season_at(actor, club, season))
    answer = json_answer(body, status=status)
    answer["ETag"] = tag
    return answer
