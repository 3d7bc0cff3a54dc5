"""A knock-out: its bracket, walk-overs at its tables, forfeits of matches."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.openapi import reading
from api.query_parameters import bad_parameter
from api.resources import ResourceViewSet, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import BooleanField, TextField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import EntrantReferenceSerializer, StringListField
from scoring.errors import shown
from scoring.json_types import JsonDict
from tournaments.models.hands import Game, GameState
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.selectors.playoffs.bracket import SEEDINGS, Bracket, bracket_of
from tournaments.selectors.rounds.tables import walk_overs_at
from tournaments.services.operations import Operation
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over


class BracketEntrantSerializer(EntrantReferenceSerializer):
    """An entrant at a table of a bracket."""

    place = serializers.IntegerField(
        allow_null=True, help_text="Place at the table, play-offs included; null before a hand."
    )
    went_on = serializers.BooleanField()
    walk_over = serializers.BooleanField(help_text="Whether the entrant did not come or gave up.")
    won = serializers.BooleanField(help_text="Whether the entrant won the final.")
    came_back_from = serializers.CharField(
        help_text="Name of the second stage that the entrant came back from; otherwise empty."
    )


class BracketTableSerializer(OutputSerializer):
    """A table; `to` has the codes of the tables of the next round where its entrants sit."""

    code = serializers.CharField()
    entrants = BracketEntrantSerializer(many=True)
    to = StringListField()
    state = serializers.ChoiceField(
        choices=GameState.choices, help_text="State; `abandoned` if it was not played out."
    )


class BracketTieSerializer(OutputSerializer):
    """A decided tie about who goes on from a round; `table` is null for the last wild card."""

    playoff = serializers.IntegerField()
    table = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(help_text="The order of the tied entrants, and what decided it.")


class BracketRoundSerializer(OutputSerializer):
    """A round of a bracket."""

    number = serializers.IntegerField()
    name = serializers.CharField(
        help_text="Name within the knock-out: First round, Semi-final, Final."
    )
    stage = serializers.IntegerField()
    stage_name = serializers.CharField()
    state = serializers.CharField()
    tables = BracketTableSerializer(many=True)
    ties = BracketTieSerializer(many=True)


class SeedSerializer(OutputSerializer):
    """An entrant of a knock-out that has no round yet."""

    player_id = serializers.CharField()
    player = serializers.CharField()


class LateChangeSerializer(EntrantReferenceSerializer):
    """An entrant who entered after the draw, or withdrew after it."""

    kind = serializers.ChoiceField(choices=["entered", "too_late", "withdrew"])
    round = serializers.IntegerField()
    tables = StringListField(
        help_text=(
            "Tables with a free place and no hand (`entered`), or of the entrant (`withdrew`)."
        )
    )
    may_bye = serializers.BooleanField(
        help_text="Whether an entrant who came late can join the next rounds after a bye here."
    )
    text = serializers.CharField(
        help_text="The change in a sentence, and the ways open to a director."
    )


class BracketSerializer(OutputSerializer):
    """The rounds of a knock-out; `seeds` lists its entrants while no round has a table."""

    stage = serializers.IntegerField()
    name = serializers.CharField()
    rounds = BracketRoundSerializer(many=True)
    seeding = serializers.ChoiceField(choices=list(SEEDINGS))
    seeds = SeedSerializer(many=True)
    late = LateChangeSerializer(
        many=True, help_text="Changes since the draw of the open round; empty for non-directors."
    )


_SEEDING = OpenApiParameter(
    "seeding",
    OpenApiTypes.STR,
    enum=list(SEEDINGS),
    description="Order of the entrants before the first round; by default that of the stage.",
)


class NewWalkOverSerializer(StrictSerializer):
    """An entrant who did not come to a table, or gave it up."""

    player_id = TextField(help_text="Code of the entrant.")
    reason = TextField()
    undo = BooleanField(required=False, help_text="Whether to undo the walk-over instead.")


class WalkOverSerializer(EntrantReferenceSerializer):
    """An entrant with a walk-over."""


class TableWalkOversSerializer(OutputSerializer):
    """The walk-overs at a table; `state` is `abandoned` where it is not played."""

    table = serializers.CharField()
    state = serializers.ChoiceField(choices=GameState.choices)
    walk_overs: Sequence[Any] = WalkOverSerializer(many=True)  # type: ignore[assignment]


@reading("read_bracket", BracketSerializer, parameters=(_SEEDING,))
def read_bracket(request: Request, club: str, event: str, number: int) -> Bracket:
    """The knock-out that a stage belongs to: rounds, tables and who went on."""
    seeding = request.query_params.get("seeding", "")
    if "seeding" in request.query_params and seeding not in SEEDINGS:
        raise bad_parameter("seeding", shown(seeding), ", ".join(SEEDINGS))
    read = get_event(caller(request), club, event)
    for_director = may_do(read, "manage_event")
    return bracket_of(read, number, seeding, for_director=for_director)


class WalkOverViewSet(ResourceViewSet):
    """The walk-overs at a table."""

    is_single = True
    resource = ("walk_over", "walk_overs")
    serializer_class = TableWalkOversSerializer
    submit = writes(record_walk_over, NewWalkOverSerializer)

    def get_object(self) -> Game:
        return get_game(self.parent, self.kwargs["code"])

    def perform_submit(self, op: Operation, body: JsonDict) -> Game:
        game = self.get_object()
        entrant = body["player_id"]
        if body.get("undo"):
            undo_walk_over(op, game, entrant=entrant, reason=body["reason"])
        else:
            record_walk_over(op, game, entrant=entrant, reason=body["reason"])
        return game

    def get_row(self, result: Game) -> JsonDict:
        result.refresh_from_db(fields=["state"])
        walk_overs = walk_overs_at(self.parent, result.table_id)
        return {"table": self.kwargs["code"], "state": result.state, "walk_overs": walk_overs}
