"""Penalties and bonuses of an event: read like the event, given and withdrawn by directors."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, NumberOrTextField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.events.requested_event import requested_event
from api.v1.fields import MomentField, ScoreField
from tournaments.models.events import Event
from tournaments.models.standings import LedgerKind
from tournaments.policy import Actor
from tournaments.selectors.events.adjustments import LedgerRow, ledger_rows
from tournaments.selectors.events.events import event_at
from tournaments.services.events.adjustments import add_line, penalties_add, withdraw_line


class LedgerLineSerializer(serializers.Serializer[Any]):
    """A penalty or a bonus. It never changes; it may be withdrawn."""

    number = serializers.IntegerField()
    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")
    kind = serializers.ChoiceField(choices=LedgerKind.choices)
    amount = ScoreField()
    value = ScoreField()
    reason = serializers.CharField()
    by = serializers.CharField(help_text="The role that gave it.")
    at = MomentField()
    state = serializers.ChoiceField(choices=["active", "withdrawn"])
    withdrawn_at = MomentField(allow_null=True)
    withdrawn_reason = serializers.CharField(allow_blank=True)
    withdrawn_by = serializers.CharField(allow_blank=True)


class NewLineSerializer(StrictSerializer):
    """A penalty or a bonus to give."""

    entrant = TextField(help_text="Code of the entrant.")
    kind = ChoiceTextField(choices=LedgerKind.choices)
    amount = NumberOrTextField(
        help_text="Above 0, in the unit of the event's primary value: `2`, `2.5`, `2,5` or `5/2`."
    )
    reason = TextField(max_length=MOST_TEXT)


class ReasonSerializer(StrictSerializer):
    """The reason of a change."""

    reason = TextField(max_length=MOST_TEXT)


def _lines(actor: Actor, club: str, event: str) -> Sequence[LedgerRow]:
    """The penalties and bonuses of an event by number; `value` is what a line adds."""
    return _rows(event_at(actor, club, event))


LEDGER: Final = Listing(
    name="ledger",
    shape=LedgerLineSerializer,
    rows=_lines,
    columns=(
        *("number", "player_id", "player", "kind", "amount", "value", "reason", "by", "at"),
        *("state", "withdrawn_at", "withdrawn_reason", "withdrawn_by"),
    ),
)


def _add_ledger_line(request: Request, club: str, event: str) -> HttpResponse:
    """Give an entrant a penalty or a bonus. The answer lists all problems at once."""
    actor, found = requested_event(request, club, event)
    sent = validated(request, NewLineSerializer)
    line = add_line(actor=actor, event=found, now=timezone.now(), **sent)
    answer = _answer(found, line.number, status=201)
    answer["Location"] = reverse("list_ledger", args=[club, event])
    return answer


def _withdraw_ledger_line(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Withdraw a penalty or a bonus, with a reason; the line stays and no longer counts."""
    actor, found = requested_event(request, club, event)
    sent = validated(request, ReasonSerializer)
    withdraw_line(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return _answer(found, number)


add_ledger_line = idempotent_write(
    _add_ledger_line, LedgerLineSerializer, NewLineSerializer, status=201
)
"""`POST E/ledger`."""
withdraw_ledger_line = idempotent_write(
    _withdraw_ledger_line, LedgerLineSerializer, ReasonSerializer
)
"""`POST E/ledger/{number}/withdraw`."""


def _rows(event: Event) -> Sequence[LedgerRow]:
    return ledger_rows(event, penalties_add=penalties_add(event))


def _answer(event: Event, number: int, *, status: int = 200) -> HttpResponse:
    line = next(one for one in _rows(event) if one.number == number)
    return json_answer(plain(LedgerLineSerializer)(line), status=status)
