"""Who sits at a table, and changing who played there."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rest_framework import serializers

from api.lists import Flat
from api.resources import previews, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    ChoiceTextField,
    StrictField,
    TextField,
    TextListField,
    WholeNumberField,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import IntegerListField
from api.v1.hands.entries import previewed_field
from api.v1.hands.table_changes import (
    IF_MATCH,
    UNDO,
    SeatsPreviewSerializer,
    TableChangeViewSet,
)
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.selectors.rounds.tables import player_changes
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.plan_player_changes import ACTS, HANDS, ChangedPlayers, PlayerChange
from tournaments.services.operations import Operation

_REFUSED: Final = "bad_change_of_players"
_CHANGE_EXPECTED: Final = "the id of the change to undo, a whole number above 0"


class SittingSerializer(OutputSerializer):
    """A player in a seat from one hand to another."""

    seat = serializers.IntegerField(help_text="Number of the seat, clockwise from 1.")
    player_id = serializers.CharField()
    player = serializers.CharField(source="name")
    from_hand = serializers.IntegerField()
    to_hand = serializers.IntegerField(
        allow_null=True, help_text="Last hand in this seat; null while the player sits there."
    )
    substitute_for = serializers.CharField(
        allow_null=True, help_text="Id of the player who is substituted; null otherwise."
    )


class PlayersChangedSerializer(OutputSerializer):
    """A change of players that was made at the table."""

    id = serializers.IntegerField(help_text="Id of the change; send it as `change` to undo it.")
    reason = serializers.CharField()
    facts = serializers.DictField(help_text="`moves` of players (ids `from`, `to`), and `hands`.")


class SeatsSerializer(OutputSerializer):
    """The players of a table by seat and hand."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    round = serializers.IntegerField()
    sittings = SittingSerializer(many=True)
    hands = IntegerListField(help_text="Hands that are entered and not deleted.")
    changes = PlayersChangedSerializer(many=True, help_text="Changes of players, the newest first.")


class SeatNumberField(WholeNumberField):
    """A number of a seat, a hand or a change. The service knows which seats and hands there are."""

    def __init__(self, *, expected: str = "a whole number", **more: Any) -> None:
        super().__init__(code=_REFUSED, expected=expected, **more)


class FlagField(StrictField, serializers.BooleanField):
    """True or false."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, bool):
            facts = {"found": shown(data), "expected": "true or false"}
            raise Refused(Problem(_REFUSED, (), facts))
        return data


class SeatsChangeSerializer(StrictSerializer):
    """A change of the players of a table."""

    order = (
        *("act", "player_id", "hands", "reason", "previewed"),
        *("seat", "side", "from_hand", "change", "split_sides"),
    )

    act = ChoiceTextField(
        choices=(*ACTS, UNDO),
        help_text=(
            "Kind of change. `swap`: exchange with a player or a `side` at this or another table "
            "of the round; `replace`: players who sit at no table take over from hand 1; "
            "`substitute`: they take over from `from_hand`; `undo`: undo the change `change`."
        ),
    )
    seat = SeatNumberField(left_out=0, min_value=1)
    player_id = TextField(required=False, help_text="Id of the player who gets the seat.")
    side = TextListField(
        left_out=(),
        help_text=(
            "Ids of the players who get all seats of this seat's side, in the order of the seats; "
            "in place of `player_id`."
        ),
    )
    from_hand = SeatNumberField(
        left_out=1, min_value=1, help_text="First hand of the change; 1 by default."
    )
    hands = ChoiceTextField(
        choices=HANDS,
        left_out=HANDS[0],
        help_text=(
            "Treatment of the hands from `from_hand` on: `keep` (default; scores stay with the "
            "seats), `remap` (they follow the players) or `void` (the hands do not count)."
        ),
    )
    split_sides = FlagField(
        left_out=False,
        help_text="Whether players who are not one pair or team may be seated as partners.",
    )
    change = SeatNumberField(
        left_out=0,
        expected=_CHANGE_EXPECTED,
        within=(1, 2**31 - 1),
        help_text="Id of the change to undo; only for `undo`.",
    )
    reason = TextField(help_text="Reason in one sentence; it is stored.")
    previewed = previewed_field()

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        """Yield the refusal of an unknown act, and of an undo that does not say of which change."""
        if body.get("act") not in (*ACTS, UNDO):
            facts = {"found": shown(body.get("act", "")), "expected": ", ".join((*ACTS, UNDO))}
            yield Problem(_REFUSED, ("act",), facts)
        if "side" in body and "player_id" in body:
            facts = {"found": "player_id", "expected": "either side or player_id"}
            yield Problem(_REFUSED, ("player_id",), facts)
        if body.get("act") == UNDO and "change" not in body:
            expected = f"the field change, {_CHANGE_EXPECTED}"
            yield Problem(_REFUSED, ("change",), {"found": "", "expected": expected})


class SeatsViewSet(TableChangeViewSet):
    """The players of a table by seat and hand."""

    resource = ("seats", "seats")
    serializer_class = SeatsSerializer
    etag_text = (
        "ETag of the seats and hands of the table; send it as `If-Match` of the next change."
    )
    retrieve = reads("The players of a table by seat and hand, and the changes that were made.")
    submit = writes(change_players, SeatsChangeSerializer, name="change_seats", if_match=IF_MATCH)
    preview = previews(
        change_players,
        "preview",
        SeatsChangeSerializer,
        name="preview_seats",
        if_match=IF_MATCH,
        answer=SeatsPreviewSerializer,
    )

    def perform_submit(self, op: Operation, body: JsonDict) -> None:
        """Change who played at a table, at any time: swap, replace, substitute, or undo a change.

        `If-Match` names the seats that you read. Without it the answer is 428; if somebody changed
        them or entered a hand meanwhile it is 412, with the current seats (`there`). The standings,
        the ladder and play-offs follow. The change log gets a line; once the round is closed, the
        change is a correction.
        """
        self.save_change(op, body)

    def perform_preview(self, op: Operation, body: JsonDict) -> JsonDict:
        """The effect of a change of players at a table; nothing is stored.

        A change that could not be saved is refused here too. A reason is not needed.
        """
        return self.preview_change(op, body)

    def change(self, op: Operation, body: JsonDict) -> ChangedPlayers:
        reason, tag = body["reason"], body["based_on"]
        if body["act"] == UNDO:
            return undo_players(op, self.game, line=body["change"], reason=reason, tag=tag)
        names = ("act", "seat", "player_id", "hands", "from_hand", "split_sides")
        change = PlayerChange(side=tuple(body["side"]), **{name: body[name] for name in names})
        return change_players(op, self.game, change=change, reason=reason, tag=tag)

    def row_of(self, seating: Any) -> Flat:
        return {**seating, "changes": player_changes(self.game.event, seating["code"])}
