"""Disputes of hands: reported problems, sheets filed with a wrong total, and rulings."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotency import created, idempotent_write, json_answer
from api.lists import Filter, limited, listing
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import ChoiceTextField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import requested_event
from api.v1.fields import MomentField
from api.v1.hands.entries import (
    ETAG,
    LOCATION,
    EntryField,
    HandNumberField,
    HandsField,
    hand_document,
    in_body,
)
from api.v1.rounds.tables import HandSerializer
from scoring.errors import Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import etag
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState, Hand
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.disputes import get_dispute, list_disputes, visible_disputes
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.services.hands.disputes import (
    file_disputed,
    open_dispute,
    rule_on_dispute,
    withdraw_dispute,
)
from tournaments.services.operations import Operation
from tournaments.services.permissions import require


class DisputedHandSerializer(StrictSerializer):
    """A hand as the sheet has it, although its total is wrong."""

    number = HandNumberField(
        min_value=TOTALS, max_value=LAST_HAND, help_text="Number of the hand; 0 for the totals."
    )
    entry = EntryField(help_text="Cards or points of each seat, in the boxes of the entry schema.")
    reason = TextField(help_text="The open question about the hand; it is stored.")
    hands = HandsField(
        required=False, allow_null=True, min_value=1, max_value=LAST_HAND,
        help_text="Number of hands that the totals of hand 0 cover; null or left out if unknown.",
    )  # fmt: skip


@idempotent_write(
    HandSerializer,
    DisputedHandSerializer,
    status=201,
    tells=(LOCATION, ETAG),
    operation=file_disputed,
)
def file_disputed_view(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Store a new hand whose total is wrong, as it was entered; it does not count.

    Correct it with its next revision (`PUT`), or delete it (`POST …/void`). A hand whose total is
    right is refused with 409 (`adds_up`); other problems of the entry are 422, as for any hand.
    """
    actor, current_event = requested_event(request, club, event, code=code)
    game = get_game(current_event, code)
    require(actor, current_event.club, file_disputed.right)
    request_body = validated(request, DisputedHandSerializer)
    try:
        hand = file_disputed(
            Operation(actor, timezone.now()),
            game,
            number=request_body["number"],
            entry=request_body["entry"],
            key=None,
            reason=request_body["reason"],
            hands=request_body.get("hands"),
        )
    except Refused as refused:
        raise Refused(*map(in_body, refused.problems)) from refused
    except Conflict as conflict:
        if not isinstance(conflict.there, Hand):
            raise
        stored_hand = hand_document(current_event, code, conflict.there.number)
        raise Conflict(conflict.problem, there=stored_hand) from conflict
    body = hand_document(current_event, code, hand.number)
    tag = etag(hand.revision)
    return created(body, "read_hand", club, event, code, hand.number, tag=tag)


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


class WithdrawalSerializer(StrictSerializer):
    """The reason for the withdrawal; may be left out."""

    reason = TextField(required=False)


@listing(
    "disputes",
    DisputeSerializer,
    filters=(
        Filter("state", "Only disputes in this state.", DisputeState.values),
        Filter("table", "Only disputes at the table with this code."),
    ),
)
def list_event_disputes(
    actor: Actor, club: str, event: str, state: str = "", table: str = ""
) -> Sequence[Dispute]:
    """The disputes of an event by number; `words` only for the persons concerned."""
    current_event = get_event(actor, club, event)
    rows = limited(list_disputes(current_event), state=state, hand__game__table__code=table)
    return visible_disputes(actor, current_event, rows)


@idempotent_write(DisputeSerializer, NewDisputeSerializer, status=201, operation=open_dispute)
def open_dispute_view(request: Request, club: str, event: str) -> HttpResponse:
    """Report a problem with a hand.

    Players may do so for tables where they sat; a table's link allows it under `…/tables/{code}`.
    """
    actor, current_event = requested_event(request, club, event)
    body = validated(request, NewDisputeSerializer)
    return _open(actor, current_event, body["table"], body)


@idempotent_write(DisputeSerializer, TableDisputeSerializer, status=201, operation=open_dispute)
def open_table_dispute_view(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Report a problem with a hand of a table, also as the holder of its link."""
    actor, current_event = requested_event(request, club, event, code=code)
    return _open(actor, current_event, code, validated(request, TableDisputeSerializer))


def _open(actor: Actor, event: Event, code: str, body: JsonObject) -> HttpResponse:
    dispute = open_dispute(
        Operation(actor, timezone.now()),
        get_game(event, code),
        number=body["hand"],
        words=body["words"],
    )
    body = _document(actor, event, get_dispute(event, dispute.number))
    return created(body, "list_disputes", event.club.slug, event.slug)


@idempotent_write(DisputeSerializer, RulingSerializer, operation=rule_on_dispute)
def rule_on_dispute_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Uphold or reject a dispute, with a reason. The hand stays as it is: correct it separately."""
    actor, current_event = requested_event(request, club, event)
    body = validated(request, RulingSerializer)
    op, dispute = Operation(actor, timezone.now()), get_dispute(current_event, number)
    dispute = rule_on_dispute(op, dispute, to=body["to"], ruling=body["reason"])
    return json_answer(_document(actor, current_event, dispute))


@idempotent_write(DisputeSerializer, WithdrawalSerializer, operation=withdraw_dispute)
def withdraw_dispute_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Withdraw a dispute; only for the person who opened it and for directors."""
    actor, current_event = requested_event(request, club, event)
    body = validated(request, WithdrawalSerializer)
    op, dispute = Operation(actor, timezone.now()), get_dispute(current_event, number)
    dispute = withdraw_dispute(op, dispute, reason=body["reason"])
    return json_answer(_document(actor, current_event, dispute))


def _document(actor: Actor, event: Event, dispute: Dispute) -> JsonDict:
    return plain(DisputeSerializer)(visible_disputes(actor, event, [dispute])[0])
