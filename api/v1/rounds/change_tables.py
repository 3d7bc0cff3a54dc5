"""Tables of a round: seating one, removing it, its states, and forming tables on an open night."""

from collections.abc import Sequence

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request

from api.idempotency import created, idempotent_write
from api.lists import Flat
from api.query_parameters import allow_only
from api.resources import ResourceViewSet, performs, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    ObjectField,
    StrictField,
    TextField,
    TextListField,
    bad_setting,
)
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import requested_event
from api.v1.fields import StringListField
from api.v1.rounds.tables import TableSerializer, table_json
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, GameState
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

    code = serializers.CharField()


@idempotent_write(TableSerializer, TableSeatsSerializer, status=201, operation=seat_table)
def seat_table_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Seat the next table of a round.

    If a player sits at another table of the round, the answer is 409 (`player_already_seated`).
    """
    actor, the_event = requested_event(request, club, event, act=seat_table.right)
    round_ = get_round(the_event, number)
    body = validated(request, TableSeatsSerializer)
    game = seat_table(
        Operation(actor, timezone.now()),
        the_event,
        round_number=round_.number,
        players=_players(the_event, body["seats"]),
        variant=body["variant"],
        options=body["options"],
        split_sides=body["split_sides"],
    )
    code = game.table.code
    table = plain(TableSerializer)(table_json(the_event, code))
    return created(table, "read_table", club, event, code)


class TableViewSet(ResourceViewSet):
    """The tables of an event by their codes."""

    resource = ("table", "tables")
    lookup_field = lookup_url_kwarg = "code"
    serializer_class = TableSerializer
    destroy = writes(clear_table, None, name="remove_table", answer=TableRemovalSerializer)
    seating = performs(reseat_table, "seating", body=TableSeatsSerializer, name="reseat_table")
    restore = performs(restore_table, "restore", name="restore_table")

    def retrieve(self, request: Request, **address: str) -> HttpResponseBase:
        """One table: its players, their totals and the numbers of its hands."""
        allow_only(request)
        return self.read(self.get_row())

    def perform_destroy(self, op: Operation, body: JsonDict) -> JsonDict:
        clear_table(op, self.get_object())
        return {"code": self.kwargs["code"]}

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


@idempotent_write(TableSerializer, TableMoveSerializer, operation=move_game)
def move_table_view(request: Request, club: str, event: str, code: str) -> Flat:
    """Close a table, open it again, or abandon it with a reason.

    `complete` closes a table that is being played; `playing` opens it again; `abandoned` ends it
    permanently, and its hands count unless `hands_count` is false.
    """
    actor, the_event = requested_event(request, club, event, code=code, act=move_game.right)
    body = validated(request, TableMoveSerializer)
    move_game(
        Operation(actor, timezone.now()),
        get_game(the_event, code),
        to=body["to"],
        reason=body["reason"],
        hands_count=body["hands_count"],
    )
    return table_json(the_event, code)


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
    round = serializers.IntegerField(help_text="Number of the round in the event.")
    number = serializers.IntegerField()
    seats = StringListField(help_text="Ids of players, clockwise.")


class FormedTablesSerializer(OutputSerializer):
    """The tables that were formed, and the players who still wait."""

    tables = FormedTableSerializer(many=True)
    waiting = StringListField(help_text="Ids of players who are still free.")


@idempotent_write(FormedTablesSerializer, NewTablesSerializer, status=201, operation=form_tables)
def form_tables_view(request: Request, club: str, event: str, day: str) -> HttpResponse:
    """Form tables of an open night from the players who are free, with the fewest repeats.

    The chosen plan of the meeting must be an open night. Free are players who are checked in and at
    no table that is playing; those tables stay as they are. The new tables are posted at once, in a
    later round than the earlier tables of their players; a missing round is created.
    """
    actor, the_event = requested_event(request, club, event)
    meeting = meeting_on(the_event, date_of(day))
    meeting.event = the_event
    fields = validated(request, NewTablesSerializer)
    formed = form_tables(
        Operation(actor, timezone.now()),
        meeting,
        players=fields.get("players", ()),
        is_single=fields["single"],
        split_sides=fields["split_sides"],
    )
    body = {
        "tables": [
            {
                "code": table.code,
                "round": table.round_number,
                "number": table.number,
                "seats": [player.player_id for player in table.players],
            }
            for table in formed
        ],
        "waiting": [player.player_id for player in OpenNight(meeting).free],
    }
    return created(body, "list_meetings", club, event)
