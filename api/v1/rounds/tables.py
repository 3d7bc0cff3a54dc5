"""Tables and their sheets: seated, removed, formed; hands as they count, and their revisions."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request

from api.lists import Flat, listing
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
from api.serializers.typed_documents import DocumentField
from api.v1.addresses import OfMeetingViewSet
from api.v1.fields import MISSING_HANDS, IntegerListField, MomentField, ScoreField, StringListField
from scoring.entry.typed_hand import EntryDocument
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.errors import refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import EntryForm, Game, GameState, HandState, Source
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event, get_round
from tournaments.selectors.hands.score_sheet import get_game, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, Revision, TableSheet, hand_of
from tournaments.selectors.ladders.log import tables_on_ladder
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.seating_plans.people_here import OpenNight
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import clear_table, reseat_table, restore_table, seat_table
from tournaments.services.seating_plans.form_tables import form_tables


class SeatSerializer(OutputSerializer):
    """A seat, clockwise from 1, with its player."""

    seat = serializers.IntegerField()
    label = serializers.CharField(  # type: ignore[assignment]  # a field of the answer
        help_text="Name of the seat: N, E, S or W at tables of up to four, else its number."
    )
    side = serializers.CharField(
        allow_null=True, help_text="NS or EW; null in games without sides."
    )
    player_id = serializers.CharField(allow_null=True)
    player = serializers.CharField(allow_null=True)


class FinishSerializer(SeatSerializer):
    """A seat with its current total and place at the table."""

    total = ScoreField(allow_null=True)
    place = serializers.CharField(
        allow_blank=True, help_text="The place, such as 1 or 2=; empty before the first hand."
    )


class TableSerializer(OutputSerializer):
    """A table, which corresponds to one paper sheet. Its hands have an address of their own."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="Number of the round.")
    meeting = serializers.DateField(allow_null=True)
    state = serializers.ChoiceField(choices=GameState.choices)
    variant = serializers.CharField()
    variant_name = serializers.CharField()
    seats = FinishSerializer(many=True)
    hands = IntegerListField(help_text="Numbers of the hands.")
    missing_hands = IntegerListField(help_text=MISSING_HANDS)
    hand_moves = serializers.IntegerField(
        help_text="Number of moves of hands from and to the table; send it as `known_moves` of an "
        "entry, to be asked if hands were moved since."
    )
    challenges = IntegerListField(
        help_text="On a ladder: numbers of the challenges that the table decides."
    )
    moves_nobody = serializers.CharField(
        allow_null=True,
        help_text="On a ladder: why the table moves nobody: `ladder_span`, `ladder_table_size`.",
    )


class MoonSerializer(OutputSerializer):
    """The shooter of a moon, and its settlement; seats from 1."""

    id = serializers.CharField()
    by = IntegerListField()
    choice = serializers.CharField(allow_null=True)


class NextSerializer(OutputSerializer):
    """The next hand."""

    number = serializers.IntegerField()
    dealer = serializers.IntegerField(help_text="Seat of the dealer, from 1.")

    def get_fields(self) -> dict[str, Any]:
        return {
            **super().get_fields(),
            "pass": serializers.CharField(
                source="passing", allow_null=True, help_text="Way of passing cards; null: no pass."
            ),
        }


class GameSerializer(OutputSerializer):
    """The current game at the table; seats from 1."""

    hands = serializers.IntegerField()
    finished = serializers.BooleanField()
    winners = IntegerListField()
    losers = IntegerListField()
    leaders = IntegerListField()
    next = NextSerializer(allow_null=True)


class SeatScoreSerializer(SeatSerializer):
    """The score of a seat for a hand, and its total after it; null where no points are scored."""

    score = ScoreField(allow_null=True)
    total = ScoreField(allow_null=True)


class HandWarningSerializer(OutputSerializer):
    """Something odd about a hand that counts all the same."""

    code = serializers.CharField(
        help_text="`hand_repeated`: it is the same as the hand before or after it."
    )
    hand = serializers.IntegerField(help_text="Number of that other hand.")
    detail = serializers.CharField()


class HandPlaceSerializer(OutputSerializer):
    """The table of a hand, and its number there."""

    table = serializers.CharField()
    hand = serializers.IntegerField()


class HandSerializer(OutputSerializer):
    """One hand as it counts. Standings whose `version` is `event_version` or more contain it."""

    table = serializers.CharField()
    number = serializers.IntegerField()
    board = serializers.IntegerField(
        allow_null=True, help_text="Number of the board; null outside duplicate events."
    )
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(choices=HandState.choices)
    verified = serializers.CharField(help_text="Check: `cards` or `sum`; `typed` for totals only.")
    variant = serializers.CharField()
    entry = DocumentField(EntryDocument, help_text="The entry as it was entered.")
    seats = SeatScoreSerializer(many=True)
    moon = MoonSerializer(allow_null=True)
    disputes = serializers.IntegerField(
        help_text="Number of open disputes; the hand counts all the same."
    )
    game = GameSerializer()
    entered_by = serializers.CharField(allow_blank=True)
    entered_at = MomentField()
    reason = serializers.CharField(allow_blank=True)
    moved_to = HandPlaceSerializer(
        allow_null=True,
        help_text="Where the hand was moved, if it is void for that reason; null otherwise.",
    )
    warnings = HandWarningSerializer(many=True)
    event_version = serializers.IntegerField()


class RevisionSerializer(OutputSerializer):
    """One entry of a hand; entries are never changed or deleted."""

    revision = serializers.IntegerField(source="number")
    counts = serializers.BooleanField(help_text="Whether this is the entry that counts.")
    form = serializers.ChoiceField(choices=EntryForm.choices)
    entry = DocumentField(EntryDocument)
    entered_by = serializers.CharField(allow_blank=True)
    entered_at = MomentField()
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field of the answer
        choices=Source.choices
    )
    reason = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class ChosenGameSerializer(StrictSerializer):
    """A variant with options; by default the game of the table, the round or the event."""

    variant = TextField(required=False, help_text="Id, name or alias of a variant.")
    options = ObjectField(
        left_out=None, expected="an object of options", help_text="Rules changed in `variant`."
    )


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


def seat_lines(hand: Flat) -> Iterable[Flat]:
    """Return one line of CSV a seat, as on the sheet."""
    moon = hand["moon"] or {"id": "", "by": []}
    for seat in hand["seats"]:
        shot = moon["id"] if seat["seat"] in moon["by"] else ""
        yield {**hand, "hand": hand["number"], **seat, "moon": shot}


@listing(
    "revisions",
    RevisionSerializer,
    columns=("revision", "counts", "form", "entered_by", "entered_at", "source", "reason", "note"),
)
def list_revisions(
    actor: Actor, club: str, event: str, code: str, number: int
) -> tuple[Revision, ...]:
    """Every entry of a hand, the first one first, exactly as entered."""
    sheet = table_sheet(get_event(actor, club, event, code=code), code)
    return hand_of(sheet, number).revisions


def table_json(event: Event, code: str) -> Flat:
    """Return a table for `TableSerializer`."""
    sheet = table_sheet(event, code)
    on_ladder = tables_on_ladder(event, table__code=code).get(code)
    problem = on_ladder["problem"] if on_ladder is not None else None
    return {
        "code": sheet.code,
        "number": sheet.number,
        "round": sheet.round_number,
        "meeting": sheet.date,
        "state": sheet.state,
        "variant": sheet.variant,
        "variant_name": sheet.variant_name,
        "seats": [
            {
                **end.seat.as_json(),
                "total": end.total,
                "place": "" if end.place is None else f"{end.place}{'=' if end.is_tied else ''}",
            }
            for end in sheet.finishes
        ],
        "hands": [hand.number for hand in sheet.hands],
        "missing_hands": sheet.missing_numbers,
        "hand_moves": sheet.moves,
        "challenges": on_ladder["challenges"] if on_ladder is not None else (),
        "moves_nobody": problem.code if problem is not None else None,
    }


def hand_json(sheet: TableSheet, hand: HandView, game: Flat, version: int) -> Flat:
    """Return a hand for `HandSerializer`."""
    return {
        "table": sheet.code,
        "number": hand.number,
        "board": hand.board,
        "revision": hand.revision,
        "state": hand.state,
        "verified": hand.verified,
        "variant": sheet.variant,
        "entry": hand.entry,
        "seats": [
            {**cell.seat.as_json(), "score": cell.score, "total": cell.total} for cell in hand.cells
        ],
        "moon": hand.moon and {**hand.moon, "choice": hand.moon["choice"] or None},
        "disputes": hand.n_disputes,
        "entered_by": hand.entered_by,
        "entered_at": hand.entered_at,
        "reason": hand.reason,
        "moved_to": hand.moved_to.as_json() if hand.moved_to else None,
        "warnings": warnings_of(hand.number, sheet.repeat_of(hand)),
        "game": game,
        "event_version": version,
    }


def warnings_of(number: int, repeats: int | None) -> list[Flat]:
    """Return what is odd about a hand: `repeats` is the hand beside it that is the same."""
    if repeats is None:
        return []
    problem = Problem("hand_repeated", ("entry",), {"hand": number, "other": repeats})
    return [{"code": problem.code, "hand": repeats, "detail": sentence(problem)}]


def _split_sides() -> BooleanField:
    text = "Whether partners may sit together who do not compete as a pair."
    return BooleanField(left_out=False, help_text=text)


class TableSeatsSerializer(ChosenGameSerializer):
    """The players of a table, and its rules."""

    seats = TextListField(min_length=1, help_text="Ids of the players, clockwise.")
    split_sides = _split_sides()


class TableViewSet(ResourceViewSet):
    """The tables of an event by their codes."""

    resource = ("table", "tables")
    lookup_field = lookup_url_kwarg = "code"
    serializer_class = TableSerializer
    row_selector = staticmethod(get_game)
    destroy = writes(clear_table, None, name="remove_table", answer=TableRemovalSerializer)
    state = performs(move_game, "state", body=TableMoveSerializer, name="move_table")
    seating = performs(reseat_table, "seating", body=TableSeatsSerializer)
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
    refuse_any(
        Problem("unknown_player", ("seats", at), {"player": player_id})
        for at, player_id in enumerate(ids)
        if player_id not in players
    )
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


class NightTablesViewSet(OfMeetingViewSet):
    """The tables of an open night."""

    is_single = True
    resource = ("meeting", "meetings")
    serializer_class = FormedTablesSerializer
    submit = writes(form_tables, NewTablesSerializer, status=201)

    def perform_submit(self, op: Operation, body: JsonDict) -> JsonDict:
        meeting = self.get_subject()
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
