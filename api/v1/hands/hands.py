"""The hands of a whole event, as they count; those of one table are in `api.v1.rounds.tables`."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers

from api.lists.list_filters import Filter, limited
from api.lists.pagination import Flat, Listing
from api.v1.rounds.tables import HandSerializer, counted_json, seat_lines
from tournaments.models.hands import HandState
from tournaments.policy import Actor
from tournaments.selectors.db.raw_pagination import RenderedRows
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.event_hands import EventHand, event_hands


class EventHandSerializer(HandSerializer):
    """One hand of an event as it counts, with its round; `read_hand` has its game, too."""

    def get_fields(self) -> dict[str, Any]:
        """Return the fields: those of a hand, without what belongs to its table and its event."""
        fields: dict[str, Any] = super().get_fields()
        for name in ("game", "event_version"):
            del fields[name]
        return {"round": serializers.IntegerField(help_text="Number of its round."), **fields}


def _hands(
    actor: Actor,
    club: str,
    event: str,
    round: str = "",
    table: str = "",
    player: str = "",
    state: str = "",
) -> RenderedRows:
    """The hands of all tables of an event, in the order of round, table and number.

    Each is as `read_hand` has it, but for the game at its table and the event's version.
    """
    hands = event_hands(event_at(actor, club, event), player=player)
    rows = limited(hands.rows, round=round, table=table, state=state)

    def written(some: Any) -> list[Flat]:
        return [_hand_json(hand) for hand in hands.dress(some)]

    return replace(hands, rows=rows, dress=written)


def _hand_json(hand: EventHand) -> Flat:
    """Return a hand for `EventHandSerializer`, with its place for a cursor."""
    counts = counted_json(hand, table=hand.code, variant=hand.variant)
    return {"place": hand.place, "round": hand.round_number, **counts}


HANDS = Listing(
    name="event_hands",
    shape=EventHandSerializer,
    rows=_hands,
    columns=(
        *("round", "table", "hand", "board", "revision", "state", "verified", "variant"),
        *("seat", "label", "side", "player_id", "player", "score", "total", "moon"),
        *("entered_by", "entered_at", "reason"),
    ),
    order=("place",),
    lines=seat_lines,
    filters={
        "round": Filter("Only hands of the round with this number.", is_number=True),
        "table": Filter("Only hands of the table with this code."),
        "player": Filter("Only hands at which the player with this id had a seat."),
        "state": Filter("Only hands in this state.", HandState.values),
    },
)
