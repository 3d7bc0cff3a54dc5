"""History of standings: as of a round, places round by round, head-to-head, differences."""

import datetime
from collections.abc import Iterable, Mapping
from typing import Final

from django.http import HttpResponse, HttpResponseBase
from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import conditional
from api.lists import csv_lines, csv_response, listing
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import bad_parameter, number_parameter, whole_number
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import MomentField, ScoreField
from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.errors import Missing
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.players import is_same_for_everybody
from tournaments.selectors.standings import history
from tournaments.selectors.standings.publication_diff import difference
from tournaments.services.publishing.rank_and_render import csv_of

AS_OF: Final = (
    number_parameter(
        "round",
        "Last round to count in the standings, with today's corrections.",
        least=1,
        most=history.LAST_ROUND,
    ),
    OpenApiParameter("date", OpenApiTypes.DATE, description="Last day to count in the standings."),
)
"""The parameters of a table of the past."""
EVERYBODY: Final = (
    "player_id",
    "player",
    "opponent_id",
    "opponent",
    "games",
    "ahead",
    "level",
    "behind",
    "share",
    "difference",
)


class RoundHistory(OutputSerializer):
    """Places and primary values (the figures that decide) after a round, by code of the entrant."""

    round = serializers.IntegerField()
    meeting = serializers.DateField(allow_null=True)
    hands = serializers.IntegerField(help_text="Number of hands that count up to this round.")
    last = serializers.IntegerField(help_text="Last place that any entrant has then.")
    places = serializers.DictField(child=serializers.CharField(allow_blank=True))
    values = serializers.DictField(child=serializers.CharField(allow_null=True))


class HistorySerializer(OutputSerializer):
    """Place and deciding figure of each entrant after each round, with today's corrections."""

    rounds = RoundHistory(many=True)


class OpponentRecordSerializer(OutputSerializer):
    """The results of an entrant against an opponent over the games that both played."""

    opponent_id = serializers.CharField(source="entrant_id")
    opponent = serializers.CharField(source="name")
    games = serializers.IntegerField()
    ahead = serializers.IntegerField()
    level = serializers.IntegerField()
    behind = serializers.IntegerField()
    share = serializers.CharField(help_text='Share of games won, ties as half, such as "1/2".')
    difference = ScoreField(
        allow_null=True,
        help_text="Points of the entrant minus the opponent's; null if points are complex numbers.",
    )


class EncounterSerializer(OpponentRecordSerializer):
    """The results of two entrants against each other, as seen by the first of them."""

    player_id = serializers.CharField()
    player = serializers.CharField()


class MovedRowSerializer(OutputSerializer):
    """An entrant whose row differs; a place is empty without a rank or a row."""

    player_id = serializers.CharField(source="entrant_id")
    player = serializers.CharField(source="name")
    was = serializers.CharField(allow_blank=True)
    now = serializers.CharField(allow_blank=True)
    value_was = serializers.JSONField(allow_null=True)
    value_now = serializers.JSONField(allow_null=True)


class CauseSerializer(OutputSerializer):
    """A cause of changes: a new hand, a correction, an import, a penalty, a setting."""

    kind = serializers.CharField()
    at = MomentField()
    hand = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_blank=True, help_text="Role of the person who did it.")
    facts = serializers.DictField()


class TableCausesSerializer(OutputSerializer):
    """The changes at one table."""

    table = serializers.CharField(source="code")
    causes = CauseSerializer(many=True)


class DifferenceSerializer(OutputSerializer):
    """The changes between two publications, the older one first whichever is named first."""

    older = serializers.IntegerField()
    newer = serializers.IntegerField()
    moved = MovedRowSerializer(many=True, help_text="Entrants whose place changed.")
    changed = MovedRowSerializer(many=True, help_text="Entrants whose value alone changed.")
    came = MovedRowSerializer(many=True)
    went = MovedRowSerializer(many=True)
    tables = TableCausesSerializer(source="at_tables", many=True)
    others = CauseSerializer(many=True, help_text="Changes that do not belong to one table.")
    is_cut = serializers.BooleanField(help_text="Whether there are more changes than are listed.")


def table_then(request: Request, club: str, event: str, form: str) -> HttpResponse:
    """Answer with the table as of the round or the day in the request."""
    the_event = get_event(caller(request), club, event)
    if "round" in request.query_params:
        number = whole_number(request, "round", least=1, most=history.LAST_ROUND, default=1)
        _, table = history.table_as_of(the_event, number=number)
    else:
        _, table = history.table_as_of(the_event, day=_day(request))

    def content() -> HttpResponse:
        if form == "csv":
            return csv_response(csv_of(table.body), "standings")
        return HttpResponse(table.body, content_type="application/json")

    return conditional(request, table.etag, content, is_public=is_same_for_everybody(the_event))


def _day(request: Request) -> datetime.date:
    text = request.query_params.get("date", "")
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise bad_parameter("date", text, "a day as in 2025-10-30")
    return day


@reading("read_history", HistorySerializer)
def read_history(request: Request, club: str, event: str) -> HttpResponseBase:
    """Place and deciding figure (primary value) of each entrant after each round."""
    return Response(history.history_of(get_event(caller(request), club, event)))


@reading("read_history_csv", media_type="text/csv")
def read_history_csv(request: Request, club: str, event: str) -> HttpResponseBase:
    """Place and deciding figure after each round, as CSV: one line per round and entrant."""
    the_event = get_event(caller(request), club, event)
    names = history.names_of(the_event)
    lines = (
        {
            "round": column["round"],
            "meeting": column["meeting"],
            "player_id": code,
            "player": names.get(code, code),
            "place": place,
            "value": column["values"].get(code),
        }
        for column in history.history_of(the_event)["rounds"]
        for code, place in column["places"].items()
    )
    columns = ("round", "meeting", "player_id", "player", "place", "value")
    return csv_response("".join(csv_lines(columns, lines)), "history")


def _flat(row: JsonObject) -> Iterable[JsonObject]:
    return (row,)


@listing("head_to_head_of_player", OpponentRecordSerializer, lines=_flat)
def list_met(actor: Actor, club: str, event: str, player_id: str) -> list[JsonDict]:
    """The results of one entrant against each opponent, most games first."""
    the_event = get_event(actor, club, event)
    met = list(history.encounters_of(the_event, player_id))
    if not met and player_id not in history.names_of(the_event):
        raise Missing("player", {"player": player_id})
    return met


@listing("head_to_head", EncounterSerializer, columns=EVERYBODY, lines=_flat)
def list_head_to_head(actor: Actor, club: str, event: str) -> list[Mapping[str, object]]:
    """The results of each pair of entrants against each other, from both sides.

    For an event of more than 200 entrants only the list of each entrant is available.
    """
    the_event = get_event(actor, club, event)
    n_met = history.n_met(the_event)
    if n_met > history.MOST_IN_A_MATRIX:
        raise BadRequest(
            Problem(
                "matrix_too_large", facts={"found": n_met, "expected": history.MOST_IN_A_MATRIX}
            ),
            status=404,
        )
    names = history.names_of(the_event)
    return [
        {"player_id": code, "player": names.get(code, code), **met}
        for code, row in history.matrix(the_event).items()
        for met in row.values()
    ]


@reading("read_difference", DifferenceSerializer)
def read_difference(request: Request, club: str, event: str, number: int, other: int) -> JsonObject:
    """The entrants whose rows differ between two publications, and the causes."""
    the_event = get_event(caller(request), club, event)
    if number == other:
        raise Missing("publication", {"publication": other})
    return difference(the_event, number, other)
