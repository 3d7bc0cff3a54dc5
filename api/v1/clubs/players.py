"""Players of a club: all for members, else those who compete in events that you may read."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.openapi import reading
from api.pagination import Listing
from api.query_parameters import allow_only
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.db.raw_pagination import PagedRows
from tournaments.selectors.events.players import events_with, player_for, player_rows


class PlayerSerializer(serializers.Serializer[Any]):
    """A club's record of a person."""

    player_id = serializers.CharField(help_text="The club's own number.")
    name = serializers.CharField()
    joined = serializers.DateField(allow_null=True)


class PlayerDetailSerializer(PlayerSerializer):
    """A club's record of a person, and where they compete."""

    events = serializers.ListField(
        child=serializers.CharField(), help_text="Slugs of the events entered, by name."
    )


def _players(actor: Actor, club: str) -> PagedRows:
    """The players of a club by their number.

    Members read all. Everyone else reads those who compete in an event that they may read.
    """
    return player_rows(actor, club)


PLAYERS = Listing(
    name="players",
    shape=PlayerSerializer,
    rows=_players,
    columns=("player_id", "name", "joined"),
    order=("player_id",),
)


@reading("read_player", PlayerDetailSerializer)
def read_player(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """One player, with the events they compete in."""
    allow_only(request)
    actor = caller(request)
    home = club_at(actor, club)
    player = player_for(actor, home, player_id)
    found = PlayerSerializer(player).data | {"events": events_with(actor, home, player)}
    return Response(PlayerDetailSerializer(found).data)
