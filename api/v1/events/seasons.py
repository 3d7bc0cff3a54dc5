"""Seasons of a club: read, created and changed, and their standings as published."""

from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import conditional
from api.lists import csv_response
from api.openapi import reading
from api.problems import BadRequest
from api.resources import ResourceViewSet, changes, creates, performs, reads
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, TextField, TextListField
from api.serializers.strict_serializers import StrictSerializer
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.fields import StringListField
from api.v1.standings.standings import PublicationHeadSerializer
from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.standings.standings_documents import (
    ClubName,
    ColumnDocument,
    ProgressDocument,
    SchemeDocument,
    SeasonAbout,
    StandingsDocumentRow,
)
from tournaments.models.events import Season
from tournaments.selectors.events.seasons import (
    divisions,
    get_season,
    is_season_for_everybody,
    newest_number,
    season_in,
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
    events = StringListField(help_text="Slugs of the events that you may read.")
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
    columns = DocumentListField(ColumnDocument)
    rows = DocumentListField(StandingsDocumentRow)
    provisional_rows = DocumentListField(StandingsDocumentRow)


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
        left_out=None, help_text="Slugs of all events that belong to the season from now on."
    )


class SeasonViewSet(ResourceViewSet):
    """The seasons of a club, the newest first."""

    resource = ("season", "seasons")
    lookup_url_kwarg = "season"
    lookup_field = "slug"
    serializer_class, detail_serializer_class = SeasonSerializer, SeasonDetailSerializer
    row_selector = staticmethod(season_in)
    rows_selector = staticmethod(seasons_of)
    etag_text = "Mark of the season and its events, for `If-Match` of a `PATCH`."
    location_text = "The address of the season."
    ordering = ("-starts_on", "slug")
    retrieve = reads("One season with its events, the highest division first.")
    create = creates(make_season, NewSeasonSerializer, name="create_season")
    partial_update = changes(change_season, SeasonChangeSerializer)
    retry = performs(retry_season, "retry")

    def get_row(self, result: Season) -> JsonDict:
        return {
            **vars(result),
            "table": preset_of(result),
            "events": [event.slug for event in divisions(self.actor, result)],
            "publication": newest_number(result) or None,
            "tag": season_tag(result),
        }

    def get_tag(self, row: JsonDict) -> str:
        return str(row["tag"])


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

    is_public = is_season_for_everybody(current_season, publication)
    return conditional(request, publication.etag, content, is_public=is_public)
