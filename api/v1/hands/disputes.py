"""Disputes of hands: reported problems, sheets filed with a wrong total, and rulings."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from api.lists import Filter, Flat, limited
from api.resources import ResourceViewSet, creates, performs, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    TextField,
    WholeNumberField,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField
from api.v1.hands.entries import (
    EntryField,
    HandNumberField,
    HandsField,
    KnownMovesField,
    hand_row,
    in_body,
)
from api.v1.hands.hands import EntryViewSet
from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict
from tournaments.models.hands import Dispute, DisputeState, Hand
from tournaments.selectors.hands.disputes import get_dispute, list_disputes, visible_disputes
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.services.hands.disputes import (
    file_disputed,
    open_dispute,
    rule_on_dispute,
    withdraw_dispute,
)
from tournaments.services.operations import Operation


class DisputedHandSerializer(StrictSerializer):
    """A hand as the sheet has it, although its total is wrong."""

    number = HandNumberField(
        min_value=TOTALS, max_value=LAST_HAND, help_text="Number of the hand; 0 for the totals."
    )
    entry = EntryField(help_text="Cards or points of each seat, in the boxes of the entry schema.")
    reason = TextField(help_text="The open question about the hand; it is stored.")
    hands = HandsField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LAST_HAND,
        help_text="Number of hands that the totals of hand 0 cover; null or left out if unknown.",
    )
    known_moves = KnownMovesField()


class DisputedHandViewSet(EntryViewSet):
    """Hands whose total is wrong."""

    is_single = True
    submit = writes(file_disputed, DisputedHandSerializer, status=201)

    def perform_submit(self, op: Operation, body: JsonDict) -> Hand:
        """Store a new hand whose total is wrong, as it was entered; it does not count.

        Correct it with its next revision (`PUT`), or delete it (`POST …/void`). A hand whose total
        is right is refused with 409 (`adds_up`); other problems of the entry are 422, as for any
        hand.
        """
        try:
            return file_disputed(
                op,
                self.game,
                number=body["number"],
                entry=body["entry"],
                key=None,
                reason=body["reason"],
                hands=body.get("hands"),
                known_moves=body.get("known_moves"),
            )
        except Refused as refused:
            raise Refused(*map(in_body, refused.problems)) from refused
        except Conflict as conflict:
            raise self.with_hand(conflict) from conflict

    def get_row(self, result: Any) -> Flat:
        return hand_row(self.game.event, self.game.table.code, result.number)

    def get_location(self, result: Any) -> str:
        return reverse("read_hand", kwargs={**self.kwargs, "number": result.number})


class DisputeSerializer(OutputSerializer):
    """A dispute about a hand. Neither report nor ruling changes how the hand counts."""

    number = serializers.IntegerField()
    table = serializers.CharField(source="hand.game.table.code")
    hand = serializers.IntegerField(
        source="hand.number", help_text="Hand number; 0 for the totals."
    )
    revision = serializers.IntegerField(
        help_text="Revision of the hand when the problem was reported."
    )
    state = serializers.ChoiceField(choices=DisputeState.choices)
    words = serializers.CharField(
        allow_null=True,
        help_text=(
            "Text of the report. Null except for the person who opened the dispute, the players of "
            "the table, and the club's hosts, directors and owners."
        ),
    )
    opened_by = serializers.CharField(source="opened_as", help_text="Role of the opener.")
    opened_at = MomentField()
    ruling = serializers.CharField(allow_blank=True)
    ruled_by = serializers.CharField(
        source="ruled_as", allow_blank=True, help_text="Role of the person who ruled."
    )
    ruled_at = MomentField(allow_null=True)


class TableDisputeSerializer(StrictSerializer):
    """A hand of the table, and what is wrong with it."""

    hand = WholeNumberField(
        code="bad_hand_number",
        expected=f"0 to {LAST_HAND}",
        within=(0, LAST_HAND),
        min_value=0,
        max_value=LAST_HAND,
    )
    words = TextField()


class NewDisputeSerializer(TableDisputeSerializer):
    """The hand, and what is wrong with it."""

    order = ("table", "hand", "words")

    table = TextField(help_text="Code of the table, as in `r3t2`.")


class RulingSerializer(StrictSerializer):
    """The ruling of a director."""

    to = ChoiceTextField(choices=["upheld", "rejected"])
    reason = TextField()
    all_of_person = BooleanField(
        left_out=False,
        help_text="Whether the ruling is that of all open disputes which the same person opened in "
        "the event.",
    )


class WithdrawalSerializer(StrictSerializer):
    """The reason for the withdrawal; may be left out."""

    reason = TextField(required=False)


class DisputesViewSet(ResourceViewSet):
    """Disputes that are reported."""

    resource = ("dispute", "disputes")
    serializer_class = DisputeSerializer

    def get_row(self, result: Dispute) -> Dispute:
        return visible_disputes(self.actor, self.parent, [result])[0]

    def open(self, op: Operation, code: str, body: JsonDict) -> Dispute:
        game = get_game(self.parent, code)
        dispute = open_dispute(op, game, number=body["hand"], words=body["words"])
        return get_dispute(self.parent, dispute.number)


class TableDisputeViewSet(DisputesViewSet):
    """The disputes of a table."""

    is_single = True
    submit = writes(open_dispute, TableDisputeSerializer, name="open_table_dispute", status=201)

    def get_location(self, result: object) -> str:
        return reverse("list_disputes", args=[self.parent.club.slug, self.parent.slug])

    def perform_submit(self, op: Operation, body: JsonDict) -> Dispute:
        """Report a problem with a hand of a table, also as the holder of its link."""
        return self.open(op, self.kwargs["code"], body)


class DisputeViewSet(DisputesViewSet):
    """The disputes of an event by number; `words` only for the persons concerned."""

    row_selector = staticmethod(get_dispute)
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    ordering = ()
    filters = (
        Filter("state", "Only disputes in this state.", DisputeState.values),
        Filter("table", "Only disputes at the table with this code."),
    )
    create = creates(open_dispute, NewDisputeSerializer)
    rule = performs(rule_on_dispute, "rule", body=RulingSerializer)
    withdraw = performs(withdraw_dispute, "withdraw", body=WithdrawalSerializer)

    def get_queryset(self, state: str = "", table: str = "") -> Sequence[Dispute]:
        rows = limited(list_disputes(self.parent), state=state, hand__game__table__code=table)
        return visible_disputes(self.actor, self.parent, rows)

    def perform_create(self, op: Operation, body: JsonDict) -> Dispute:
        """Report a problem with a hand.

        Players may do so for tables where they sat; a table's link allows it under
        `…/tables/{code}`.
        """
        return self.open(op, body["table"], body)

    def perform_rule(self, op: Operation, body: JsonDict) -> Dispute:
        """Uphold or reject a dispute, with a reason. The hand stays as it is: correct it
        separately.

        With `all_of_person` all open disputes of the event that the same person opened get the
        ruling; the answer is the one of the address.
        """
        return rule_on_dispute(
            op,
            self.get_object(),
            to=body["to"],
            ruling=body["reason"],
            all_of_person=body["all_of_person"],
        )

    def perform_withdraw(self, op: Operation, body: JsonDict) -> Dispute:
        """Withdraw a dispute; only for the person who opened it and for directors."""
        return withdraw_dispute(op, self.get_object(), reason=body["reason"])
