"""A player over all events of a club: results, opponents, totals and records."""

from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.lists.pagination import Listing
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from tournaments.models.clubs import Club, Player
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.clubs.merged_players import merged_into
from tournaments.selectors.db.raw_pagination import RenderedRows
from tournaments.selectors.events.players import player_for
from tournaments.selectors.standings.history import bests_in
from tournaments.selectors.standings.players.player_records import (
    MOST_EVENTS,
    Opponent,
    PlayerRecords,
    opponents_over,
    records_over,
)
from tournaments.selectors.standings.players.player_results import (
    ORDER,
    PlayerResult,
    entered_events,
    result_rows,
    results_in,
)

RECORDS: Final = ("best_place", "longest_series", "moons", "lowest_game", "highest_game")


class PlayerResultSerializer(serializers.Serializer[Any]):
    """The place and score of a player in one event, as the newest publication has them."""

    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField()
    entrant_id = serializers.CharField(
        help_text="Id of the entrant: the player, or the player's pair or team."
    )
    on = serializers.DateField(allow_null=True, help_text="The day of the last counted meeting.")
    rank = serializers.IntegerField(allow_null=True)
    place = serializers.CharField(
        allow_blank=True, help_text="The rank with a sign of a tie: `3=`; empty without a place."
    )
    of = serializers.IntegerField(help_text="How many places there are.")
    score = serializers.CharField(
        allow_null=True, help_text="The value that decides the place; on a ladder the rating."
    )
    score_key = serializers.CharField(
        allow_blank=True, help_text="The column of that value; `rating` on a ladder."
    )
    publication = serializers.IntegerField(
        allow_null=True, help_text="The publication that it is read from; null before the first."
    )


class OpponentSerializer(serializers.Serializer[Any]):
    """The tables that a player shared with another one, over events."""

    player_id = serializers.CharField()
    name = serializers.CharField()
    events = serializers.IntegerField()
    games = serializers.IntegerField(help_text="Tables that both played.")
    ahead = serializers.IntegerField(help_text="Tables where the player finished ahead.")
    level = serializers.IntegerField()
    behind = serializers.IntegerField()
    share = serializers.CharField(help_text="Share of the tables won, ties count half; exact.")


class PlayerRecordSerializer(serializers.Serializer[Any]):
    """A record of a player, with the newest event in which it was made."""

    key = serializers.ChoiceField(choices=RECORDS)
    value = serializers.CharField(help_text="A place, a count, or exact points.")
    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField(help_text="Name of the event.")
    of = serializers.IntegerField(allow_null=True, help_text="Places of the event, of a place.")
    times = serializers.IntegerField(help_text="In how many events it was reached.")
    tables = serializers.ListField(
        child=serializers.CharField(), help_text="Codes of the tables where it was made."
    )


class PlayerRecordsSerializer(serializers.Serializer[Any]):
    """Totals and records of a player over the newest events."""

    events = serializers.IntegerField(help_text="Events with a counted table.")
    games = serializers.IntegerField(help_text="Tables played.")
    hands = serializers.IntegerField()
    wins = serializers.IntegerField(help_text="Tables won.")
    moons = serializers.IntegerField(
        allow_null=True, help_text="Null where a sheet has totals only."
    )
    records = PlayerRecordSerializer(many=True)


def _player(actor: Actor, club: str, player_id: str) -> tuple[Club, Player]:
    """Return a player with the club as the caller reads both; of a merged player the one who has
    the records."""
    home = club_at(actor, club)
    kept = merged_into(home, player_id)
    return home, player_for(actor, home, kept.player_id if kept is not None else player_id)


def _newest(actor: Actor, home: Club, player: Player) -> list[PlayerResult]:
    return results_in(list(entered_events(actor, home, player)[:MOST_EVENTS]))


def _results(actor: Actor, club: str, player_id: str) -> RenderedRows:
    """The results of a player in the events of a club that you may read, newest event first.

    Events in the archive are not listed.
    """
    return result_rows(actor, *_player(actor, club, player_id))


def _opponents(actor: Actor, club: str, player_id: str) -> list[Opponent]:
    """The opponents of a player in the newest 60 events that you may read, most tables first.

    Events of pairs and teams do not count.
    """
    home, player = _player(actor, club, player_id)
    return opponents_over(home, player, _newest(actor, home, player))


RESULTS: Final = Listing(
    name="player_results",
    shape=PlayerResultSerializer,
    rows=_results,
    columns=(
        "event", "name", "entrant_id", "on", "rank", "place", "of", "score", "score_key",
        "publication",
    ),
    order=ORDER,
)  # fmt: skip
OPPONENTS: Final = Listing(
    name="player_opponents",
    shape=OpponentSerializer,
    rows=_opponents,
    columns=("player_id", "name", "events", "games", "ahead", "level", "behind", "share"),
)


@reading("read_player_records", PlayerRecordsSerializer)
def read_player_records(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """Totals and records of a player over the newest 60 events that you may read."""
    allow_only(request)
    actor = caller(request)
    home, player = _player(actor, club, player_id)
    results = _newest(actor, home, player)
    made = bests_in([(one.event_id, one.entrant_id) for one in results])
    shown: PlayerRecords = records_over(results, made)
    return Response(plain(PlayerRecordsSerializer)(shown))
