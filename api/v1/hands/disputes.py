"""Disputes: somebody's "this is wrong" on a hand, and what a director ruled."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.fast_serialization import plain
from api.idempotent_writes import MOST_TEXT, json_answer, sent_texts, written_once
from api.pagination import Listing
from api.query_parameters import allow_only
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused, shown
from tournaments.models.disputes import DisputeState
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.disputes import DisputeView, dispute_at, disputes_of, told_to
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.services.hands.disputes import open_dispute, rule_on, withdraw_dispute
from tournaments.services.hands.record_entry import LAST_HAND


class DisputeSerializer(serializers.Serializer[Any]):
    """A dispute. The hand counts as it stands until a ruling is followed by a correction."""

    number = serializers.IntegerField()
    table = serializers.CharField(source="hand.game.table.code")
    hand = serializers.IntegerField(source="hand.number", help_text="0: the totals of the table.")
    revision = serializers.IntegerField(help_text="The hand's when it was said.")
    state = serializers.ChoiceField(choices=DisputeState.choices)
    words = serializers.CharField(
        allow_null=True,
        help_text="Null but for who opened it, who sat at the table, and the club's hosts, "
        "directors and owners.",
    )
    opened_by = serializers.CharField(source="opened_as", help_text="The role.")
    opened_at = MomentField()
    ruling = serializers.CharField(allow_blank=True)
    ruled_by = serializers.CharField(source="ruled_as", allow_blank=True, help_text="The role.")
    ruled_at = MomentField(allow_null=True)


class NewDisputeSerializer(serializers.Serializer[Any]):
    """Which hand is wrong, and what about it."""

    table = serializers.CharField(help_text="Its code, as in r3t2.")
    hand = serializers.IntegerField(min_value=0, max_value=LAST_HAND)
    words = serializers.CharField(max_length=MOST_TEXT)


class RulingSerializer(serializers.Serializer[Any]):
    """What a director says to it."""

    to = serializers.ChoiceField(choices=["upheld", "rejected"])
    reason = serializers.CharField(max_length=MOST_TEXT)


class WithdrawalSerializer(serializers.Serializer[Any]):
    """Why it is taken back; may be left out."""

    reason = serializers.CharField(required=False, max_length=MOST_TEXT)


def _disputes(actor: Actor, club: str, event: str) -> Sequence[DisputeView]:
    """The disputes of an event by number; their words only for those whom they concern."""
    found = event_at(actor, club, event)
    return told_to(actor, found, disputes_of(found))


DISPUTES: Final = Listing(
    name="disputes",
    shape=DisputeSerializer,
    rows=_disputes,
    columns=(
        *("number", "table", "hand", "revision", "state", "words", "opened_by", "opened_at"),
        *("ruling", "ruled_by", "ruled_at"),
    ),
)


def _open_dispute(request: Request, club: str, event: str) -> HttpResponse:
    """Say that a hand is wrong. A player may at tables where they sat, who holds a table's link
    on its page."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    body = dict(request.data)
    number = body.pop("hand", None)
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    if not is_whole or not 0 <= number <= LAST_HAND:
        facts = {"found": shown(number), "expected": f"0 to {LAST_HAND}"}
        raise Refused(Problem("bad_hand_number", ("hand",), facts))
    sent = sent_texts(body, ("table", "words"))
    opened = open_dispute(
        actor=actor,
        game=game_at(found, sent["table"]),
        number=number,
        words=sent["words"],
        now=timezone.now(),
    )
    answer = json_answer(_shown(actor, found, opened.number), status=201)
    answer["Location"] = reverse("list_disputes", args=[club, event])
    return answer


def _rule_on_dispute(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Uphold or reject a dispute, with a reason. An upheld one changes no hand by itself."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = sent_texts(request.data, ("to", "reason"))
    rule_on(
        actor=actor,
        event=found,
        number=number,
        to=sent["to"],
        ruling=sent["reason"],
        now=timezone.now(),
    )
    return json_answer(_shown(actor, found, number))


def _withdraw_dispute(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Take a dispute back: who opened it, or a director."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = sent_texts(request.data, ("reason",))
    withdraw_dispute(
        actor=actor, event=found, number=number, words=sent["reason"], now=timezone.now()
    )
    return json_answer(_shown(actor, found, number))


def _shown(actor: Actor, event: Event, number: int) -> dict[str, Any]:
    """Return one dispute as its caller may see it."""
    return plain(DisputeSerializer)(told_to(actor, event, [dispute_at(event, number)])[0])


open_dispute_view = written_once(_open_dispute, DisputeSerializer, NewDisputeSerializer, status=201)
"""`POST E/disputes`."""
rule_on_dispute_view = written_once(_rule_on_dispute, DisputeSerializer, RulingSerializer)
"""`POST E/disputes/{number}/rule`."""
withdraw_dispute_view = written_once(_withdraw_dispute, DisputeSerializer, WithdrawalSerializer)
"""`POST E/disputes/{number}/withdraw`."""
