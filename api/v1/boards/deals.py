"""Deals of a duplicate event before play: printed by whoever deals them, deleted while unused."""

from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotent_writes import idempotent_write, json_answer
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.boards.boards import MadeDealsSerializer
from api.v1.events.requested_event import requested_event
from tournaments.services.boards.delete_deals import delete_deals
from tournaments.services.boards.print_deals import print_deals

COMMITMENT_LENGTH: Final = 64


class CommitmentSerializer(StrictSerializer):
    """Which deals are meant."""

    commitment = TextField(max_length=COMMITMENT_LENGTH, help_text="As the list of boards has it.")


class DealSerializer(serializers.Serializer[Any]):
    """A deal in our form."""

    number = serializers.IntegerField()
    dealer = serializers.CharField(help_text="N, E, S or W.")
    hands = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The cards of N, E, S and W.",
    )


class PrintedDealsSerializer(serializers.Serializer[Any]):
    """Deals with their cards, and when they were printed."""

    commitment = serializers.CharField()
    printed_at = serializers.DateTimeField()
    deals = DealSerializer(many=True)


def _print_deals(request: Request, club: str, event: str) -> HttpResponse:
    """Read the cards of deals that are still secret, in order to deal them.

    For directors who do not play in the event. The list of boards names the caller from then on,
    the audit log has a line, and the caller cannot play one of the boards.
    """
    actor, found = requested_event(request, club, event)
    sent = validated(request, CommitmentSerializer)
    now = timezone.now()
    printed = print_deals(actor=actor, event=found, commitment=sent["commitment"], now=now)
    body = {
        "commitment": printed.deal.commitment,
        "printed_at": printed.printing.printed_at,
        "deals": [board.as_json() for board in printed.boards],
    }
    answer = json_answer(plain(PrintedDealsSerializer)(body), status=201)
    answer["Location"] = reverse("list_boards", args=[club, event])
    answer["Cache-Control"] = "no-store"
    return answer


def _delete_deals(request: Request, club: str, event: str) -> HttpResponse:
    """Delete deals with all their boards, as long as no hand has been entered with one of them."""
    actor, found = requested_event(request, club, event)
    sent = validated(request, CommitmentSerializer)
    commitment = sent["commitment"]
    numbers = delete_deals(actor=actor, event=found, commitment=commitment, now=timezone.now())
    body = {"commitment": commitment, "boards": list(numbers)}
    return json_answer(plain(MadeDealsSerializer)(body))


print_deals_view = idempotent_write(
    _print_deals, PrintedDealsSerializer, CommitmentSerializer, status=201, has_secret=True
)
"""`POST E/boards/print`."""
delete_deals_view = idempotent_write(_delete_deals, MadeDealsSerializer, CommitmentSerializer)
"""`POST E/boards/delete`."""
