"""Entering the totals of a table of which no single hand is known."""

from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import KEY, REPLAYED_HEADER, key_of
from api.openapi import writing
from api.query_parameters import allow_only
from api.serializers.strict_fields import MOST_TEXT, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.hands.entries import (
    ETAG,
    LOCATION,
    MOST_SEATS,
    NOTE_HELP,
    EntryBody,
    EntryField,
    HandsField,
    PlayersField,
    as_recorded,
    hand_answer,
)
from api.v1.rounds.tables import HandSerializer
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.selectors.rounds.resolve_url import game_at_address


class TotalsSerializer(StrictSerializer):
    """The totals of a whole game."""

    entry = EntryField(help_text='Points in seat order, as in `{"points": [61, 43, 70, 86]}`.')
    hands = HandsField(
        required=False, allow_null=True, min_value=1, max_value=LAST_HAND,
        help_text="Number of hands; null or left out where it is unknown.",
    )  # fmt: skip
    players = PlayersField(
        child=serializers.CharField(), required=False, max_length=MOST_SEATS,
        help_text="Player ids in seat order, as with a hand.",
    )  # fmt: skip
    note = TextField(required=False, allow_blank=True, max_length=MOST_TEXT, help_text=NOTE_HELP)


@writing(
    "enter_totals", "POST", HandSerializer, TotalsSerializer, status=201,
    parameters=(KEY, REPLAYED_HEADER, LOCATION, ETAG),
)  # fmt: skip
def enter_totals(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """Enter the totals of a table as its hand 0, where no single hand is known.

    A table has either hands or totals. `PUT …/hands/0` enters their next revision.
    """
    allow_only(request)
    actor, key = known_caller(request), key_of(request)
    game = game_at_address(actor, club, event, code)
    sent: Any = validated(request, TotalsSerializer)
    body = EntryBody(
        number=TOTALS,
        entry=sent["entry"],
        players=sent.get("players"),
        note=sent["note"],
        reason="",
        is_totals=True,
        hands=sent.get("hands"),
    )
    recorded = as_recorded(actor, game, body, key=key)
    answer = hand_answer(game, recorded, status=201)
    answer["Location"] = reverse("read_hand", args=[club, event, code, TOTALS])
    return answer
