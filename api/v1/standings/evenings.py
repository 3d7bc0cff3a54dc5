"""The table of an evening, as JSON and as CSV."""

from functools import partial

from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import conditional
from api.lists import csv_response
from api.openapi import reading
from api.v1.standings.history import is_for_everybody
from api.v1.standings.standings import StandingsSerializer
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.publishing.rank_and_render import csv_of


@reading("read_evening_standings", StandingsSerializer, has_etag=True)
def read_evening_standings(request: Request, club: str, event: str, day: str) -> HttpResponseBase:
    """The table of one evening: only its own games count, ranked as the event ranks.

    In a knock-out, and in a tournament of several stages, it is the table of the event as of the
    evening (`evening.counts` is `event`). A worker computes it after each publication. The answer
    has no `publication`.
    """
    the_event = get_event(caller(request), club, event)
    table = evening_table(the_event, meeting_on(the_event, date_of(day)))
    content = partial(HttpResponse, table.body, content_type="application/json")
    return conditional(request, table.etag, content, is_public=is_for_everybody(the_event))


@reading("read_evening_standings_csv", media_type="text/csv", has_etag=True)
def read_evening_standings_csv(
    request: Request, club: str, event: str, day: str
) -> HttpResponseBase:
    """The table of one evening as CSV, with the columns of the standings."""
    the_event = get_event(caller(request), club, event)
    table = evening_table(the_event, meeting_on(the_event, date_of(day)))
    name = f"evening-{day}"
    content = partial(csv_response, csv_of(table.body), name)
    return conditional(request, table.etag, content, is_public=is_for_everybody(the_event))
