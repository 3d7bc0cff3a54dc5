"""Seasons of a club, and their own tables as published."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter, is_known, known_etags, unchanged, with_etag
from api.lists.pagination import Listing, csv_response
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.typed_documents import DocumentField
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
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.seasons import (
    divisions,
    is_for_everybody,
    newest_number,
    season_at,
    season_publication,
    seasons_of,
)
from tournaments.services.events.seasons import preset_of, season_tag

ETAG: Final = etag_parameter("Names exactly this season with its events, for `PATCH`.", 200)


class SeasonSerializer(serializers.Serializer[Any]):
    """A span of local dates that groups events."""

    slug = serializers.CharField()
    name = serializers.CharField()
    starts_on = serializers.DateField()
    ends_on = serializers.DateField()


class SeasonDetailSerializer(SeasonSerializer):
    """A season with its events."""

    table = serializers.CharField(
        allow_blank=True, help_text="Preset of its own table; empty for a season without one."
    )
    events = serializers.ListField(
        child=serializers.CharField(), help_text="Slugs of its events that you may read."
    )
    publication = serializers.IntegerField(
        allow_null=True, help_text="Number of the newest publication of its own table."
    )


class SeasonStandings(serializers.Serializer[Any]):
    """A season's own table, over the games of its public events."""

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
    return seasons_of(club_at(actor, club))


SEASONS = Listing(
    name="seasons",
    shape=SeasonSerializer,
    rows=_seasons,
    columns=("slug", "name", "starts_on", "ends_on"),
    order=("-starts_on", "slug"),
)


def season_answer(actor: Actor, season: Season) -> tuple[dict[str, Any], str]:
    """Return a season as its answers have it, and its ETag."""
    shown = {
        "slug": season.slug,
        "name": season.name,
        "starts_on": season.starts_on,
        "ends_on": season.ends_on,
        "table": preset_of(season),
        "events": [event.slug for event in divisions(actor, season)],
        "publication": newest_number(season) or None,
    }
    return dict(plain(SeasonDetailSerializer)(shown)), etag(season_tag(season))


@reading("read_season", SeasonDetailSerializer, parameters=(ETAG,))
def read_season(request: Request, club: str, season: str) -> HttpResponseBase:
    """One season with its events, the highest division first."""
    allow_only(request)
    actor = caller(request)
    body, tag = season_answer(actor, season_at(actor, club, season))
    return Response(body, headers={"ETag": tag})


@reading("read_season_standings", SeasonStandings, has_etag=True)
def read_season_standings(request: Request, club: str, season: str) -> HttpResponseBase:
    """The season's own table, byte for byte as published; an unchanged one is a 304."""
    return _published(request, club, season, None, "body")


@reading("read_season_standings_csv", media_type="text/csv", has_etag=True)
def read_season_standings_csv(request: Request, club: str, season: str) -> HttpResponseBase:
    """The season's own table as CSV."""
    return _published(request, club, season, None, "csv")


@reading("read_season_publication", SeasonStandings, has_etag=True)
def read_season_publication(
    request: Request, club: str, season: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the season's own table; it never changes."""
    return _published(request, club, season, number, "body")


@reading("read_season_publication_csv", media_type="text/csv", has_etag=True)
def read_season_publication_csv(
    request: Request, club: str, season: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the season's own table as CSV."""
    return _published(request, club, season, number, "csv")


def _published(
    request: Request, club: str, season: str, number: int | None, form: str
) -> HttpResponse:
    allow_only(request)
    actor = caller(request)
    found = season_at(actor, club, season)
    publication = season_publication(actor, found, number, as_stored=True)
    if publication is None:
        raise BadRequest(Problem("not_published", facts={"event": season}), status=404)
    if is_known(publication.etag, known_etags(request)):
        response = unchanged()
    else:
        response = _bytes(publication, form)
    is_public = is_for_everybody(found, publication)
    return with_etag(response, publication.etag, is_public=is_public)


def _bytes(publication: Publication, form: str) -> HttpResponse:
    if form == "csv":
        return csv_response(bytes(publication.csv), "standings")
    return HttpResponse(bytes(publication.body), content_type="application/json")
