"""The table of an evening and its results, as JSON and as CSV."""

from collections.abc import Sequence
from functools import partial

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import conditional
from api.lists import csv_response, listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import ScoreField
from api.v1.standings.standings import PublicationSerializer, StandingsSerializer
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.events.players import is_behind_names, is_same_for_everybody
from tournaments.selectors.standings.earlier_results import corrected_numbers
from tournaments.selectors.standings.ended_evenings import table_with_correction
from tournaments.selectors.standings.evening_places import ExcusedEntrant, list_excused_of
from tournaments.selectors.standings.evening_results import read_result, results_with_hands
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.publishing.rank_and_render import csv_of


@reading("read_evening_standings", StandingsSerializer, has_etag=True)
def read_evening_standings(request: Request, club: str, event: str, day: str) -> HttpResponseBase:
    """The table of one evening: only its own games count, ranked as the event ranks.

    In a knock-out, and in a tournament of several stages, it is the table of the event as of the
    evening (`evening.counts` is `event`). A worker computes it after each publication. The answer
    has no `publication`. While another result of the evening is due, `evening.next_result_at` says
    when.
    """
    the_event = get_event(caller(request), club, event)
    meeting = meeting_on(the_event, date_of(day))
    table = table_with_correction(meeting, evening_table(the_event, meeting))
    content = partial(HttpResponse, table.body, content_type="application/json")
    return conditional(request, table.etag, content, is_public=is_same_for_everybody(the_event))


@reading("read_evening_standings_csv", media_type="text/csv", has_etag=True)
def read_evening_standings_csv(
    request: Request, club: str, event: str, day: str
) -> HttpResponseBase:
    """The table of one evening as CSV, with the columns of the standings."""
    the_event = get_event(caller(request), club, event)
    table = evening_table(the_event, meeting_on(the_event, date_of(day)))
    content = partial(csv_response, csv_of(table.body), f"{club}-{event}-{day}")
    return conditional(request, table.etag, content, is_public=is_same_for_everybody(the_event))


class ExcusedEntrantSerializer(OutputSerializer):
    """An entrant who was excused of an evening, and the points for it."""

    player_id = serializers.CharField(source="code")
    player = serializers.CharField(source="name")
    points = ScoreField(help_text="Points in the season: a whole number, or a fraction as text.")


@listing("excused_entrants", ExcusedEntrantSerializer)
def list_excused_entrants(
    actor: Actor, club: str, event: str, day: str
) -> Sequence[ExcusedEntrant]:
    """The entrants who were excused of an evening and did not play, with their points, by name.

    They are those of the newest publication. Empty where an excused evening gives nothing. If it
    gives the mean of their own evenings, the points change with each evening that they play.
    """
    the_event = get_event(actor, club, event)
    return list_excused_of(the_event, meeting_on(the_event, date_of(day)))


class EveningResultSerializer(PublicationSerializer):
    """A result of an evening: its table once it was over. `results/{number}` has it whole."""

    has_hands = serializers.BooleanField(
        help_text="Whether a hand of the evening counts now. False: all were deleted or moved, and "
        "the results stay as they were stored."
    )
    corrects = serializers.IntegerField(
        allow_null=True,
        help_text="Number of the last earlier result with other places or values, which this one "
        "corrects; null without one.",
    )


@listing("evening_results", EveningResultSerializer, order=("-number",))
def list_evening_results(actor: Actor, club: str, event: str, day: str) -> RenderedRows:
    """The results of an evening, the newest first; there is none before the evening is over.

    Number 1 is drawn at its end. A correction draws the next number once nothing was changed for 15
    minutes, and so does a further round when the evening is over again. Evenings whose sheets were
    brought in more than three days later have none, unless somebody ended them.
    """
    the_event = get_event(actor, club, event)
    meeting = meeting_on(the_event, date_of(day))

    def with_corrections(results: Sequence[Publication]) -> list[Publication]:
        corrected = corrected_numbers([meeting]) if results else {}
        for result in results:
            result.corrects = corrected.get((meeting.pk, result.number))  # type: ignore[attr-defined]  # read by the serializer
        return list(results)

    return RenderedRows(results_with_hands(meeting), with_corrections)


@reading("read_evening_result", StandingsSerializer, has_etag=True)
def read_evening_result(
    request: Request, club: str, event: str, day: str, number: int
) -> HttpResponseBase:
    """One result of an evening, which never changes; later ones have higher numbers."""
    return _result(request, club, event, day, number, "body")


@reading("read_evening_result_csv", media_type="text/csv", has_etag=True)
def read_evening_result_csv(
    request: Request, club: str, event: str, day: str, number: int
) -> HttpResponseBase:
    """One result of an evening as CSV."""
    return _result(request, club, event, day, number, "csv")


def _result(
    request: Request, club: str, event: str, day: str, number: int, form: str
) -> HttpResponse:
    the_event = get_event(caller(request), club, event)
    result = read_result(meeting_on(the_event, date_of(day)), number, as_stored=True)

    def content() -> HttpResponse:
        if form == "csv":
            return csv_response(bytes(result.csv), f"{club}-{event}-{day}-{number}")
        return HttpResponse(bytes(result.body), content_type="application/json")

    is_public = is_same_for_everybody(the_event) and not is_behind_names(result, the_event.club)
    return conditional(request, result.etag, content, is_public=is_public)
