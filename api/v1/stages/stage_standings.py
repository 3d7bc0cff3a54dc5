"""The standings of one stage of an event."""

from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import is_known, known_etags, unchanged, with_etag
from api.openapi import reading
from api.query_parameters import allow_only
from api.v1.standings.standings import StandingsSerializer
from tournaments.selectors.clubs.names import hides_names
from tournaments.selectors.events.events import event_at
from tournaments.selectors.standings.stage_table import stage_table, stage_to_rank


@reading("read_stage_standings", StandingsSerializer, has_etag=True)
def read_stage_standings(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The table of one stage: only its own games count, and nothing is carried over.

    A worker makes it after each publication. It has no `publication`.
    """
    allow_only(request)
    found = event_at(caller(request), club, event)
    table = stage_table(found, stage_to_rank(found, number))
    is_public = found.visibility == "public" and found.club.is_public
    is_public = is_public and not hides_names(found.club)
    if is_known(table.etag, known_etags(request)):
        return with_etag(unchanged(), table.etag, is_public=is_public)
    response = HttpResponse(table.body, content_type="application/json")
    return with_etag(response, table.etag, is_public=is_public)
