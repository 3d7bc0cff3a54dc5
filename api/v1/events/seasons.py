"""Seasons of a club: read, created and changed, and their standings as published."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import (
    conditional,
    etag_parameter,
    if_match_parameter,
    if_match_tag_or_any,
    location_parameter,
)
from api.idempotency import created, idempotent_write, json_answer
from api.lists.pagination import Listing, csv_response
from api.openapi import reading
from api.problems import BadRequest
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import ChoiceTextField, TextField, TextListField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.serializers.typed_documents import DocumentField
from api.v1.addresses import requested_club
from api.v1.standings.standings import PublicationHeadSerializer
from scoring.errors import Problem
from tournaments.domain.etags import etag
from tournaments.domain.standings.standings_documents import (
    ClubName,
    ColumnDocument,
    ProgressDocument,
    SchemeDocument,
    SeasonAbout,
    StandingsDocumentRow,
)
from tournaments.models.events import Season
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.seasons import (
    divisions,
    get_season,
    is_for_everybody,
    newest_number,
    season_publication,
    seasons_of,
)
from tournaments.services.events.seasons import (
    SEASON_PRESETS,
    change_season,
    make_season,
    preset_of,
    retry_season,
    season_tag,
)
from tournaments.services.permissions import require

ETAG: Final = etag_parameter("Mark of the season and its events, for `If-Match` of a `PATCH`.", 200)


class SeasonSerializer(OutputSerializer):
    """A span of local dates that groups events."""

    slug = serializers.CharField()
    name = serializers.CharField()
    starts_on = serializers.DateField()
    ends_on = serializers.DateField()


class SeasonDetailSerializer(SeasonSerializer):
    """A season with its events."""

    table = serializers.CharField(
        allow_blank=True, help_text="Preset of the season standings; empty if there are none."
    )
    events = serializers.ListField(
        child=serializers.CharField(), help_text="Slugs of the events that you may read."
    )
    publication = serializers.IntegerField(
        allow_null=True, help_text="Number of the newest publication of the season standings."
    )


class SeasonStandings(OutputSerializer):
    """The standings of a season, over the games of its public events."""

    publication = PublicationHeadSerializer()
    club = DocumentField(ClubName)
    season = DocumentField(SeasonAbout)
    as_of = DocumentField(ProgressDocument)
    scheme = DocumentField(SchemeDocument)
    columns = serializers.ListField(child=DocumentField(ColumnDocument))
    rows = serializers.ListField(child=DocumentField(StandingsDocumentRow))
    provisional_rows = serializers.ListField(child=DocumentField(StandingsDocumentRow))


def _seasons(actor: Actor, club: str) -> QuerySet[Season]:
    """The seasons of a club, the newest first."""
    return seasons_of(get_club(actor, club))


SEASONS = Listing(
    name="seasons",
    shape=SeasonSerializer,
    rows=_seasons,
    order=("-starts_on", "slug"),
)


def season_answer(actor: Actor, season: Season) -> tuple[dict[str, Any], str]:
    """Return a season as its answers have it, and its ETag."""
    columns = {
        "slug": season.slug,
        "name": season.name,
        "starts_on": season.starts_on,
        "ends_on": season.ends_on,
        "table": preset_of(season),
        "events": [event.slug for event in divisions(actor, season)],
        "publication": newest_number(season) or None,
    }
    return dict(plain(SeasonDetailSerializer)(columns)), etag(season_tag(season))


@reading("read_season", SeasonDetailSerializer, parameters=(ETAG,))
def read_season(request: Request, club: str, season: str) -> HttpResponseBase:
    """One season with its events, the highest division first."""
    actor = caller(request)
    body, tag = season_answer(actor, get_season(actor, club, season))
    return Response(body, headers={"ETag": tag})


@reading("read_season_standings", SeasonStandings, has_etag=True)
def read_season_standings(request: Request, club: str, season: str) -> HttpResponseBase:
    """The season standings, byte for byte as published; 304 if they are unchanged."""
    return _published(request, club, season, None, "body")


@reading("read_season_standings_csv", media_type="text/csv", has_etag=True)
def read_season_standings_csv(request: Request, club: str, season: str) -> HttpResponseBase:
    """The season standings (not those of its events) as CSV."""
    return _published(request, club, season, None, "csv")


@reading("read_season_publication", SeasonStandings, has_etag=True)
def read_season_publication(
    request: Request, club: str, season: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the season standings; it never changes."""
    return _published(request, club, season, number, "body")


@reading("read_season_publication_csv", media_type="text/csv", has_etag=True)
def read_season_publication_csv(
    request: Request, club: str, season: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the season standings (not those of its events), as CSV."""
    return _published(request, club, season, number, "csv")


def _published(
    request: Request, club: str, season: str, number: int | None, form: str
) -> HttpResponse:
    actor = caller(request)
    current_season = get_season(actor, club, season)
    publication = season_publication(actor, current_season, number, as_stored=True)
    if publication is None:
        raise BadRequest(Problem("not_published", facts={"event": season}), status=404)

    def content() -> HttpResponse:
        if form == "csv":
            return csv_response(bytes(publication.csv), "standings")
        return HttpResponse(bytes(publication.body), content_type="application/json")

    is_public = is_for_everybody(current_season, publication)
    return conditional(request, publication.etag, content, is_public=is_public)


IF_MATCH: Final = if_match_parameter("The ETag of the season that you read, or `*`")
ETAG_OF_NEW: Final = etag_parameter("Mark of the season, for `If-Match`.", 201)
LOCATION: Final = location_parameter("The address of the season.")
_PRESET: Final[dict[str, Any]] = {
    "choices": SEASON_PRESETS,
    "allow_blank": True,
    "required": False,
    "help_text": (
        "Preset of the season standings, over the public events (`table` of the answer); empty for "
        "no standings."
    ),
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
    """A change of a season; fields that are left out stay as they are."""

    name = TextField(left_out=None)
    starts_on = TextField(left_out=None, help_text="First day.")
    ends_on = TextField(left_out=None, help_text="Last day.")
    preset = ChoiceTextField(**_PRESET, left_out=None)
    events = TextListField(
        child=serializers.CharField(),
        left_out=None,
        help_text="Slugs of all events that belong to the season from now on.",
    )


@idempotent_write(
    SeasonDetailSerializer, NewSeasonSerializer, status=201, tells=(LOCATION, ETAG_OF_NEW)
)
def create_season_view(request: Request, club: str) -> HttpResponse:
    """Create a season without events; add them by `PATCH`, or name the season in a new event."""
    actor, home = requested_club(request, club)
    body = validated(request, NewSeasonSerializer)
    season = make_season(actor=actor, club=home, now=timezone.now(), **body)
    body, tag = season_answer(actor, get_season(actor, club, season.slug))
    return created(body, "read_season", club, season.slug, tag=tag)


@idempotent_write(
    SeasonDetailSerializer, SeasonChangeSerializer, method="PATCH", asks=(IF_MATCH,), tells=(ETAG,)
)
def change_season_view(request: Request, club: str, season: str) -> HttpResponse:
    """Change the name, the days, the standings or the events of a season.

    `If-Match` names the season that you read, or is `*`. Without it the answer is 428; if somebody
    changed the season meanwhile it is 412, with the current one (`there`). `events` lists all its
    events: an event of another season moves to this one, one that is not listed leaves it.
    """
    actor = known_caller(request)
    current_season = get_season(actor, club, season)
    based_on = if_match_tag_or_any(request, of="season")
    body = validated(request, SeasonChangeSerializer)
    change_season(
        actor=actor, season=current_season, based_on=based_on or "", now=timezone.now(), **body
    )
    return _answer(actor, club, season)


@idempotent_write(SeasonDetailSerializer, EmptyBody, tells=(ETAG,))
def retry_season_view(request: Request, club: str, season: str) -> HttpResponse:
    """Compute the standings of a season again after the workers gave up because of an error."""
    actor = known_caller(request)
    current_season = get_season(actor, club, season)
    require(actor, current_season.club, "manage_event")
    validated(request, EmptyBody)
    retry_season(actor=actor, season=current_season, now=timezone.now())
    return _answer(actor, club, season)


def _answer(actor: Actor, club: str, season: str) -> HttpResponse:
    body, tag = season_answer(actor, get_season(actor, club, season))
    return json_answer(body, tag=tag)
