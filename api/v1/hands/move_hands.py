"""Hands that belong to another table: moved there, or two sheets exchanged."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rest_framework import serializers

from api.lists import Flat
from api.resources import previews, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import IntegerListField, MomentField
from api.v1.hands.entries import previewed_field
from api.v1.hands.table_changes import (
    IF_MATCH,
    UNDO,
    SeatsPreviewSerializer,
    TableChangeViewSet,
)
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict
from tournaments.selectors.rounds.moved_hands import list_moves
from tournaments.selectors.rounds.tables import game_at_address
from tournaments.services.hands.move_hands import ACTS, MovedHands, move_hands, undo_move
from tournaments.services.operations import Operation

_REFUSED: Final = "bad_move_of_hands"
_CHANGE_EXPECTED: Final = "the id of the move to undo, a whole number above 0"


class PlaceOfHandSerializer(OutputSerializer):
    """The place that a hand had, and the one that it got."""

    from_table = serializers.CharField()
    from_hand = serializers.IntegerField()
    to_table = serializers.CharField()
    to_hand = serializers.IntegerField()


class HandsMovedSerializer(OutputSerializer):
    """A move of hands from or to the table."""

    id = serializers.IntegerField(help_text="Id of the move; send it as `change` to undo it.")
    act = serializers.CharField(help_text="`move`, `exchange` or `undo`.")
    at = MomentField()
    reason = serializers.CharField()
    hands = PlaceOfHandSerializer(many=True)


class MovedHandsSerializer(OutputSerializer):
    """The hands of a table, and the moves of hands from and to it."""

    code = serializers.CharField()
    hands = IntegerListField(help_text="Hands that are entered and not deleted.")
    moves = HandsMovedSerializer(many=True, help_text="Moves of hands, the newest first.")


class HandsMoveSerializer(StrictSerializer):
    """A move of hands to the table at which they were played."""

    order = ("act", "to", "reason", "previewed", "from_hand", "change")

    act = ChoiceTextField(
        choices=(*ACTS, UNDO),
        left_out=ACTS[0],
        help_text=(
            "`move` (default): the hands from `from_hand` on belong to the table `to`; `exchange`: "
            "the sheets of both tables are exchanged; `undo`: undo the move `change`."
        ),
    )
    to = TextField(required=False, help_text="Code of the other table of the event.")
    from_hand = WholeNumberField(
        code=_REFUSED,
        expected="a whole number",
        left_out=1,
        min_value=1,
        help_text="First hand that is moved; 1 by default.",
    )
    change = WholeNumberField(
        code=_REFUSED,
        left_out=0,
        expected=_CHANGE_EXPECTED,
        within=(1, 2**31 - 1),
        help_text="Id of the move to undo; only for `undo`.",
    )
    reason = TextField(help_text="Reason in one sentence; it is stored.")
    previewed = previewed_field()

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        """Yield the refusal of an unknown act, and of a member that the act needs."""
        act = body.get("act", ACTS[0])
        if act not in (*ACTS, UNDO):
            facts = {"found": shown(act), "expected": ", ".join((*ACTS, UNDO))}
            yield Problem(_REFUSED, ("act",), facts)
        elif act == UNDO and "change" not in body:
            facts = {"found": "", "expected": f"the field change, {_CHANGE_EXPECTED}"}
            yield Problem(_REFUSED, ("change",), facts)
        elif act != UNDO and not body.get("to"):
            facts = {"found": "", "expected": "the field to, the code of a table"}
            yield Problem(_REFUSED, ("to",), facts)


class MovedHandsViewSet(TableChangeViewSet):
    """Moves of hands between tables."""

    resource = ("moved_hands", "moved_hands")
    serializer_class = MovedHandsSerializer
    etag_text = "ETag of the players and hands of the table, as that of `read_seats`."
    retrieve = reads("The hands of a table, and the moves of hands from and to it.")
    submit = writes(move_hands, HandsMoveSerializer, name="move_hands", if_match=IF_MATCH)
    preview = previews(
        move_hands,
        "preview",
        HandsMoveSerializer,
        name="preview_moved_hands",
        if_match=IF_MATCH,
        answer=SeatsPreviewSerializer,
    )

    def perform_submit(self, op: Operation, body: JsonDict) -> None:
        """Give hands to the table at which they were played, exchange two sheets, or undo that.

        Moved hands come after those of the other table; in an exchange each keeps its number. The
        entries stay where they are and do not count there any more; the other table gets entries
        with the same content. `If-Match` names the seats and hands that you read. The change log
        gets one line, whose id undoes the move until a hand of either table changes.
        """
        self.save_change(op, body)

    def perform_preview(self, op: Operation, body: JsonDict) -> JsonDict:
        """The effect of moving hands to another table; nothing is stored.

        A move that could not be saved is refused here too. A reason is not needed.
        """
        return self.preview_change(op, body)

    def change(self, op: Operation, body: JsonDict) -> MovedHands:
        reason, tag = body["reason"], body["based_on"]
        if body["act"] == UNDO:
            return undo_move(op, self.game, line=body["change"], reason=reason, tag=tag)
        address = self.kwargs
        to = game_at_address(self.actor, address["club"], address["event"], body["to"])
        return move_hands(
            op,
            self.game,
            to=to,
            act=body["act"],
            from_hand=body["from_hand"],
            reason=reason,
            tag=tag,
        )

    def row_of(self, seating: Any) -> Flat:
        moves = [_move_json(change) for change in list_moves(self.game.event, seating["code"])]
        return {**seating, "moves": moves}


def _move_json(change: Any) -> Flat:
    names = ("from_table", "from_hand", "to_table", "to_hand")
    return {
        "id": change.pk,
        "act": change.facts["act"],
        "at": change.at,
        "reason": change.reason,
        "hands": [dict(zip(names, place, strict=True)) for place in change.facts["hands"]],
    }
