"""Tables of a round: seating one, removing it, its states, and forming tables on an open night."""

from collections.abc import Sequence

from django.http import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request

from api.lists import Flat
from api.query_parameters import allow_only
from api.resources import ResourceViewSet, performs, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    ObjectField,
    StrictField,
    TextField,
    TextListField,
    bad_setting,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import StringListField
from api.v1.rounds.tables import TableSerializer, table_json
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, GameState
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.events import get_round
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.seating_plans.people_here import OpenNight
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import (
    clear_table,
    reseat_table,
    restore_table,
    seat_table,
)
from tournaments.services.seating_plans.form_tables import form_tables


class ChosenGameSerializer(StrictSerializer):
    """A variant with options; by default the game of the table, the round or the event."""

    variant = TextField(required=False, help_text="Id, name or alias of a variant.")
    options = ObjectField(
        left_out=None, expected="an object of options", help_text="Rules changed in `variant`."
    )


def _split_sides() -> BooleanField:
    text = "Whether partners may sit together who do not compete as a pair."
    return BooleanField(left_out=False, help_text=text)


class TableSeatsSerializer(ChosenGameSerializer):
    """The players of a table, and its rules."""

    seats = TextListField(min_length=1, help_text="Ids of the players, clockwise.")
    split_sides = _split_sides()


class TableMoveSerializer(StrictSerializer):
    """The state that a table goes to."""

    to = ChoiceTextField(choices=GameState.choices)
    reason = TextField(required=False, help_text="Reason to abandon a table.")
    hands_count = BooleanField(
        left_out=True, help_text="Whether hands of an abandoned table count; false deletes them."
    )


class TableRemovalSerializer(OutputSerializer):
    """A table that was removed."""

    code = serializers.CharField(source="table.code")


class TableViewSet(ResourceViewSet):
    """The tables of an event by their codes."""

    resource = ("table", "tables")
    lookup_field = lookup_url_kwarg = "code"
    serializer_class = TableSerializer
    destroy = writes(clear_table, None, name="remove_table", answer=TableRemovalSerializer)
    state = performs(move_game, "state", body=TableMoveSerializer, name="move_table")
    seating = performs(reseat_table, "seating", body=TableSeatsSerializer, name="reseat_table")
    restore = performs(restore_table, "restore", name="restore_table")

    def retrieve(self, request: Request, **address: str) -> HttpResponseBase:
        """One table: its players, their totals and the numbers of its hands."""
        allow_only(request)
        return self.read(self.get_row())

    def perform_seating(self, op: Operation, body: JsonDict) -> None:
        reseat_table(
            op,
            self.get_object(),
            players=_players(self.parent, body["seats"]),
            variant=body["variant"],
            options=body["options"],
            split_sides=body["split_sides"],
        )

    def perform_restore(self, op: Operation, body: JsonDict) -> None:
        restore_table(op, self.parent, code=self.kwargs["code"])

    def get_object(self) -> Game:
        return get_game(self.parent, self.kwargs["code"])

    def get_row(self, result: object = None) -> Flat:
        return table_json(self.parent, self.kwargs["code"])


class RoundTablesViewSet(ResourceViewSet):
    """The tables of a round."""

    is_single = True
    resource = ("table", "tables")
    serializer_class = TableSerializer
    submit = writes(seat_table, TableSeatsSerializer, status=201)

    def perform_submit(self, op: Operation, body: JsonDict) -> Game:
        """Seat the next table of a round.

        If a player sits at another table of the round, the answer is 409 (`player_already_seated`).
        """
        return seat_table(
            op,
            self.parent,
            round_number=get_round(self.parent, self.kwargs["number"]).number,
            players=_players(self.parent, body["seats"]),
            variant=body["variant"],
            options=body["options"],
            split_sides=body["split_sides"],
        )

    def get_row(self, result: Game) -> Flat:
        return table_json(self.parent, result.table.code)

    def get_location(self, result: Game) -> str:
        event = self.parent
        return reverse("read_table", args=(event.club.slug, event.slug, result.table.code))


def _players(event: Event, ids: Sequence[str]) -> list[Player]:
    players = players_with_ids(event, ids)
    problems = [
        Problem("unknown_player", ("seats", at), {"player": player_id})
        for at, player_id in enumerate(ids)
        if player_id not in players
    ]
    if problems:
        raise Refused(*problems)
    return [players[player_id] for player_id in ids]


MOST_PICKED = 13


class PickedField(StrictField, serializers.ListField):
    """Ids of players."""

    child = serializers.CharField()

    def to_internal_value(self, data: object) -> object:
        ids = data if isinstance(data, list) and len(data) <= MOST_PICKED else [None]
        if not all(isinstance(player_id, str) and "\x00" not in player_id for player_id in ids):
            raise bad_setting(self, shown(data), 'a list of ids of players, as in ["RL01"]')
        return ids


class NewTablesSerializer(StrictSerializer):
    """The players from whom tables are formed."""

    players = PickedField(
        left_out=empty,
        help_text="Ids of the players of one table; without it tables are formed of all free ones.",
    )
    single = BooleanField(
        left_out=False,
        help_text="Whether to form only the table of who played least and waits longest.",
    )
    split_sides = _split_sides()


class FormedTableSerializer(OutputSerializer):
    """A table that was formed."""

    code = serializers.CharField()
    round = serializers.IntegerField(
        source="round_number", help_text="Number of the round in the event."
    )
    number = serializers.IntegerField()
    seats = StringListField(help_text="Ids of players, clockwise.")


class FormedTablesSerializer(OutputSerializer):
    """The tables that were formed, and the players who still wait."""

    tables = FormedTableSerializer(many=True)
    waiting = StringListField(help_text="Ids of players who are still free.")


class NightTablesViewSet(ResourceViewSet):
    """The tables of an open night."""

    is_single = True
    resource = ("meeting", "meetings")
    serializer_class = FormedTablesSerializer
    submit = writes(form_tables, NewTablesSerializer, status=201)

    def get_object(self) -> Meeting:
        return meeting_on(self.parent, date_of(self.kwargs["day"]))

    def perform_submit(self, op: Operation, body: JsonDict) -> JsonDict:
        meeting = self.get_object()
        formed = form_tables(
            op,
            meeting,
            players=body.get("players", ()),
            is_single=body["single"],
            split_sides=body["split_sides"],
        )
        waiting = [player.player_id for player in OpenNight(meeting).free]
        return {"tables": formed, "waiting": waiting}

    def get_location(self, result: object) -> str:
        return reverse("list_meetings", args=(self.parent.club.slug, self.parent.slug))
