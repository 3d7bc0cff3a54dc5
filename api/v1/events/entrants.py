"""The entrants of an event."""

from collections.abc import Sequence
from typing import Any, Final

from rest_framework import serializers

from api.pagination import Listing
from scoring.json_types import JsonObject
from tournaments.models.events import EntrantKind, EntrantState
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import EntrantRow, entrant_rows
from tournaments.selectors.events.events import event_at


class MemberSerializer(serializers.Serializer[Any]):
    """A player of an entrant."""

    player_id = serializers.CharField()
    player = serializers.CharField(source="name")


class EntrantSerializer(serializers.Serializer[Any]):
    """A row of the standings: a player, a fixed pair or a team."""

    player_id = serializers.CharField(source="entrant_id", help_text="Its code.")
    player = serializers.CharField(source="name")
    kind = serializers.ChoiceField(choices=EntrantKind.choices)
    state = serializers.ChoiceField(choices=EntrantState.choices)
    members = MemberSerializer(many=True)


def _entrants(actor: Actor, club: str, event: str) -> Sequence[EntrantRow]:
    """The entrants of an event by name, with the players of each."""
    return entrant_rows(event_at(actor, club, event))


def _flat(row: JsonObject) -> Sequence[JsonObject]:
    return ({**row, "members": " ".join(one["player_id"] for one in row["members"])},)


ENTRANTS: Final = Listing(
    name="entrants",
    shape=EntrantSerializer,
    rows=_entrants,
    columns=("player_id", "player", "kind", "state", "members"),
    lines=_flat,
)
