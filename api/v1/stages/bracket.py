"""The bracket of a knock-out."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from scoring.errors import Problem, shown
from tournaments.models.hands import GameState
from tournaments.presenters.events.bracket import SEEDINGS, bracket_of
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at


class BracketEntrantSerializer(serializers.Serializer[Any]):
    """An entrant at a table of a bracket."""

    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")
    place = serializers.IntegerField(
        allow_null=True, help_text="Null before a hand is scored; a play-off of a tie there counts."
    )
    went_on = serializers.BooleanField()
    walk_over = serializers.BooleanField(help_text="Did not come to the table, or gave it up.")
    won = serializers.BooleanField(help_text="Won the final.")
    came_back_from = serializers.CharField(
        help_text="The second stage from which they came into the round; empty for the others."
    )


class BracketTableSerializer(serializers.Serializer[Any]):
    """A table; `to` has the tables of the next round where its entrants sit."""

    code = serializers.CharField()
    entrants = BracketEntrantSerializer(many=True)
    to = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(
        choices=GameState.choices, help_text="`abandoned` where it was not played to its end."
    )


class BracketTieSerializer(serializers.Serializer[Any]):
    """A tie that decided who goes on from a round; `table` is null for its last wild card."""

    playoff = serializers.IntegerField()
    table = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(help_text="The order of the tied entrants, and what decided it.")


class BracketRoundSerializer(serializers.Serializer[Any]):
    """A round of a bracket."""

    number = serializers.IntegerField()
    stage = serializers.IntegerField()
    stage_name = serializers.CharField()
    state = serializers.CharField()
    tables = BracketTableSerializer(many=True)
    ties = BracketTieSerializer(many=True)


class SeedSerializer(serializers.Serializer[Any]):
    """An entrant of a knock-out that has no round yet."""

    player_id = serializers.CharField()
    player = serializers.CharField()


class LateChangeSerializer(serializers.Serializer[Any]):
    """Somebody who is not in the draw, or withdrew and still is."""

    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")
    kind = serializers.ChoiceField(
        choices=[(one, one) for one in ("entered", "too_late", "withdrew")]
    )
    round = serializers.IntegerField()
    tables = serializers.ListField(
        child=serializers.CharField(),
        help_text="`entered`: with a free place and no hand; `withdrew`: the table of the entrant.",
    )
    may_bye = serializers.BooleanField(
        help_text="`entered`: the next rounds can be seated after a bye in this one."
    )
    text = serializers.CharField(
        help_text="The change in a sentence, and the ways open to a director."
    )


class BracketSerializer(serializers.Serializer[Any]):
    """The rounds of a knock-out; `seeds` while no round has a table, first seed first."""

    stage = serializers.IntegerField()
    name = serializers.CharField()
    rounds = BracketRoundSerializer(many=True)
    seeding = serializers.ChoiceField(choices=[(one, one) for one in SEEDINGS])
    seeds = SeedSerializer(many=True)
    late = LateChangeSerializer(
        many=True, help_text="Changes after the open round was drawn; for directors, else empty."
    )


_SEEDING = OpenApiParameter(
    "seeding",
    OpenApiTypes.STR,
    enum=list(SEEDINGS),
    description="The order of the entrants before the first round; without it the stage's own.",
)


@reading("read_bracket", BracketSerializer, parameters=(_SEEDING,))
def read_bracket(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The knock-out that a stage belongs to: rounds, tables and who went on.

    Raises:
        BadRequest: bad_parameter.
    """
    allow_only(request, "seeding")
    seeding = request.query_params.get("seeding", "")
    if "seeding" in request.query_params and seeding not in SEEDINGS:
        facts = {"parameter": "seeding", "found": shown(seeding), "expected": ", ".join(SEEDINGS)}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    read = event_at(caller(request), club, event)
    for_director = may_do(read, "manage_event")
    found = bracket_of(read, number, seeding, for_director=for_director)
    return Response(plain(BracketSerializer)(found))
