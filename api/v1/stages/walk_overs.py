"""Walk-overs at tables of a knock-out, and forfeits of matches."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, BooleanField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.hands import GameState
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.selectors.rounds.tables import walk_overs_at
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over


class NewWalkOverSerializer(StrictSerializer):
    """An entrant who did not come to a table, or gave it up."""

    player_id = TextField(help_text="Code of the entrant.")
    reason = TextField(max_length=MOST_TEXT)
    undo = BooleanField(required=False, help_text="Undo the walk-over of this entrant.")


class WalkOverSerializer(serializers.Serializer[Any]):
    """A walk-over."""

    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")


class TableWalkOversSerializer(serializers.Serializer[Any]):
    """The walk-overs at a table; `state` is `abandoned` where it is not played."""

    table = serializers.CharField()
    state = serializers.ChoiceField(choices=GameState.choices)
    walk_overs: Sequence[Any] = WalkOverSerializer(many=True)  # type: ignore[assignment]


def _record_walk_over(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Record that an entrant does not come to a table of a knock-out, or forfeits it.

    The others go on. Where more of them are there than go on, they play with one seat less. A team
    forfeits its match.
    """
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event, code=code)
    sent = validated(request, NewWalkOverSerializer)
    act = undo_walk_over if sent.get("undo") else record_walk_over
    act(
        actor=actor,
        game=game_at(found, code),
        entrant=sent["player_id"],
        reason=sent["reason"],
        now=timezone.now(),
    )
    return json_answer(plain(TableWalkOversSerializer)(_document(found, code)))


def _document(event: Event, code: str) -> JsonDict:
    game = game_at(event, code)
    return {"table": code, "state": game.state, "walk_overs": walk_overs_at(event, game.table_id)}


record_walk_over_view = idempotent_write(
    _record_walk_over, TableWalkOversSerializer, NewWalkOverSerializer
)
"""`POST T/walk-overs`."""
