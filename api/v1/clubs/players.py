"""Players of a club, their results, opponents, totals and records over all events."""

from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import LOCATION, created, idempotent_write, json_answer
from api.lists.list_filters import Filter
from api.lists.pagination import Listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import BooleanField, DayField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import requested_club
from scoring.json_types import JsonDict
from tournaments.domain.etags import etag
from tournaments.models.clubs import Club, NamesPolicy, Player
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club, may_do
from tournaments.selectors.clubs.find_players import find_merged_into
from tournaments.selectors.db.statements import PagedRows, RenderedRows
from tournaments.selectors.events.players import events_with, player_for, player_rows, player_shown
from tournaments.selectors.standings.history import bests_in
from tournaments.selectors.standings.player_records import (
    MOST_EVENTS,
    opponents_over,
    records_over,
)
from tournaments.selectors.standings.player_results import (
    ORDER,
    PlayerResult,
    entered_events,
    result_rows,
    results_in,
)
from tournaments.services.clubs.clubs import add_player, details_tag, edit_own_player, edit_player

IF_MATCH: Final = if_match_parameter("The ETag of the player that you read, or `*`")
ETAG: Final = etag_parameter("ETag of these details, for `If-Match` of `PATCH`; for members.", 200)
CREATED: Final = etag_parameter("ETag of these details, for `If-Match` of `PATCH`.", 201)


class PlayerSerializer(OutputSerializer):
    """A player of a club. Members read the full name, the public what the club's policy shows."""

    player_id = serializers.CharField(help_text="The club's own number.")
    name = serializers.CharField()
    joined = serializers.DateField(allow_null=True)
    nickname = serializers.CharField(
        allow_null=True, default=None, help_text="Nickname; null for callers who are not members."
    )
    shown_as = serializers.ChoiceField(
        choices=NamesPolicy.choices,
        allow_blank=True,
        allow_null=True,
        default=None,
        help_text=(
            "Form in which the public reads the name, if it shows less than the club's policy; "
            "empty for the policy itself, null for callers who are not members."
        ),
    )
    active = serializers.BooleanField(
        allow_null=True,
        default=None,
        help_text="Whether the player is offered for seating; null for callers outside the club.",
    )


class PlayerDetailSerializer(PlayerSerializer):
    """A player of a club, and the events that the player competes in."""

    events = serializers.ListField(
        child=serializers.CharField(), help_text="Slugs of the player's events, sorted by name."
    )


class NewPlayerSerializer(StrictSerializer):
    """A person to add to the players of a club."""

    name = TextField()
    player_id = TextField(
        required=False,
        help_text="The club's own number; by default the next free one, such as P0001.",
    )
    joined = DayField(required=False, allow_null=True)


class PlayerChangesSerializer(StrictSerializer):
    """Changes of a player's details; omitted members keep their values."""

    name = TextField(required=False)
    nickname = TextField(required=False)
    player_id = TextField(
        required=False,
        help_text="New number; refused if the player is in an event or was ever seated.",
    )
    joined = DayField(required=False, allow_null=True)
    active = BooleanField(required=False)
    shown_as = TextField(
        required=False,
        help_text=(
            "Form of the public name: `full`, `initial`, `nickname`, `number`, or empty for the "
            "club's policy. Set by the linked account, or by a director if there is none."
        ),
    )


def _players(actor: Actor, club: str, q: str = "") -> PagedRows:
    """The players of a club, sorted by number.

    Members read all players; everyone else only those who compete in an event that they may read.
    """
    return player_rows(actor, club, q)


@reading("read_player", PlayerDetailSerializer, parameters=(ETAG,))
def read_player(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """One player, with the events they compete in.

    The number of a merged player redirects (302) to the player who now has the records.
    """
    actor = caller(request)
    home = get_club(actor, club)
    if (target := find_merged_into(home, player_id)) is not None:
        player = player_for(actor, home, target.player_id)
        return HttpResponseRedirect(reverse("read_player", args=[club, player.player_id]))
    body, headers = _detail(actor, home, player_id)
    return Response(body, headers=headers)


@idempotent_write(
    PlayerDetailSerializer, NewPlayerSerializer, status=201, tells=(LOCATION, CREATED)
)
def add_player_view(request: Request, club: str) -> HttpResponse:
    """Add a player to a club."""
    actor, home = requested_club(request, club)
    body = validated(request, NewPlayerSerializer)
    player = add_player(actor=actor, club=home, now=timezone.now(), **body)
    body, headers = _detail(actor, home, player.player_id)
    tag = headers.get("ETag", "")
    return created(body, "read_player", club, player.player_id, tag=tag)


@idempotent_write(
    PlayerDetailSerializer, PlayerChangesSerializer, method="PATCH", asks=(IF_MATCH,), tells=(ETAG,)
)
def change_player_view(request: Request, club: str, player_id: str) -> HttpResponse:
    """Change details of a player; players themselves may change `shown_as` and `nickname` only.

    `If-Match` is the ETag of the player that you read, or `*`. Without it the answer is 428; if
    somebody changed the details meanwhile it is 412.
    """
    actor, home = requested_club(request, club)
    player = player_for(actor, home, player_id)
    based_on = if_match_tag_or_any(request, of="player") or ""
    body = validated(request, PlayerChangesSerializer)
    changes = {_COLUMN.get(name, name): body[name] for name in body if name in request.data}
    is_own = actor.user_id is not None and player.user_id == actor.user_id
    keys: dict[str, Any] = {"actor": actor, "club": home, "player": player, "based_on": based_on}
    if is_own and changes.keys() <= _OWN:
        changed = edit_own_player(**keys, **changes, now=timezone.now())
    else:
        changed = edit_player(**keys, changes=changes, now=timezone.now())
    body, headers = _detail(actor, home, changed.player_id)
    return json_answer(body, tag=headers.get("ETag", ""))


_COLUMN: Final = {"active": "is_active"}
_OWN: Final = frozenset({"shown_as", "nickname"})
"""What players change of themselves."""


def _detail(actor: Actor, home: Club, player_id: str) -> tuple[JsonDict, dict[str, str]]:
    player = player_for(actor, home, player_id)
    body = plain(PlayerSerializer)(player_shown(actor, home, player_id))
    body["joined"] = player.joined and player.joined.isoformat()
    headers = {"ETag": etag(details_tag(player))} if may_do(home, "read_members") else {}
    return {**body, "events": events_with(actor, home, player)}, headers


PLAYERS = Listing(
    name="players",
    shape=PlayerSerializer,
    rows=_players,
    columns=("player_id", "name", "joined"),
    order=("player_id",),
    filters={"q": Filter("Only players whose names or number match, as in a search.")},
)


RECORDS: Final = ("best_place", "longest_series", "moons", "lowest_game", "highest_game")


class PlayerResultSerializer(OutputSerializer):
    """The place and score of a player in one event, from its newest publication."""

    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField()
    entrant_id = serializers.CharField(
        help_text="Id of the entrant: the player, or the player's pair or team."
    )
    on = serializers.DateField(allow_null=True, help_text="Day of the last counted evening.")
    rank = serializers.IntegerField(allow_null=True)
    place = serializers.CharField(
        allow_blank=True, help_text="Rank, with `=` if it is tied (`3=`); empty without a place."
    )
    of = serializers.IntegerField(help_text="Number of places in the standings.")
    score = serializers.CharField(
        allow_null=True, help_text="Primary value, which decides the place; on a ladder the rating."
    )
    score_key = serializers.CharField(
        allow_blank=True, help_text="Key of the column that `score` is from, such as `rating`."
    )
    publication = serializers.IntegerField(
        allow_null=True, help_text="Number of the newest publication; null before the first."
    )


class OpponentSerializer(OutputSerializer):
    """An opponent of a player, with the results at the tables where both played."""

    player_id = serializers.CharField()
    name = serializers.CharField()
    events = serializers.IntegerField()
    games = serializers.IntegerField(help_text="Number of tables where both played.")
    ahead = serializers.IntegerField(help_text="Number of tables where the player was ahead.")
    level = serializers.IntegerField()
    behind = serializers.IntegerField()
    share = serializers.CharField(help_text="Exact share of tables won, as `2/3`; ties count half.")


class PlayerRecordSerializer(OutputSerializer):
    """A record of a player, with the newest event in which it was reached."""

    key = serializers.ChoiceField(choices=RECORDS)
    value = serializers.CharField(help_text="A place, a count, or exact points.")
    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField(help_text="Name of the event.")
    of = serializers.IntegerField(allow_null=True, help_text="Number of places, for `best_place`.")
    times = serializers.IntegerField(help_text="Number of events in which the value was reached.")
    tables = serializers.ListField(
        child=serializers.CharField(), help_text="Codes of the tables where the record was reached."
    )


class PlayerRecordsSerializer(OutputSerializer):
    """Totals and records of a player over the newest events."""

    events = serializers.IntegerField(help_text="Number of events with a counted table.")
    games = serializers.IntegerField(help_text="Number of tables played.")
    hands = serializers.IntegerField()
    wins = serializers.IntegerField(help_text="Number of tables won.")
    moons = serializers.IntegerField(
        allow_null=True, help_text="Number of moons in events with full sheets; null without such."
    )
    records = PlayerRecordSerializer(many=True)


def _player(actor: Actor, club: str, player_id: str) -> tuple[Club, Player]:
    """Return a player with the club as the caller reads both; of a merged player the one who has
    the records."""
    home = get_club(actor, club)
    player = find_merged_into(home, player_id)
    return home, player_for(actor, home, player.player_id if player is not None else player_id)


def _newest(actor: Actor, home: Club, player: Player) -> list[PlayerResult]:
    return results_in(list(entered_events(actor, home, player)[:MOST_EVENTS]))


def _results(actor: Actor, club: str, player_id: str) -> RenderedRows:
    """The results of a player in the events of a club that you may read, newest event first.

    Events in the archive are not listed.
    """
    return result_rows(actor, *_player(actor, club, player_id))


def _opponents(actor: Actor, club: str, player_id: str) -> list[JsonDict]:
    """The opponents of a player in the newest 60 events that you may read, most tables first.

    Events of pairs and teams do not count.
    """
    home, player = _player(actor, club, player_id)
    return opponents_over(home, player, _newest(actor, home, player))


RESULTS: Final = Listing(
    name="player_results",
    shape=PlayerResultSerializer,
    rows=_results,
    order=ORDER,
)  # fmt: skip
OPPONENTS: Final = Listing(name="player_opponents", shape=OpponentSerializer, rows=_opponents)


@reading("read_player_records", PlayerRecordsSerializer)
def read_player_records(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """Totals and records of a player over the newest 60 events that you may read."""
    actor = caller(request)
    home, player = _player(actor, club, player_id)
    results = _newest(actor, home, player)
    bests = bests_in([(result.event_id, result.entrant_id) for result in results])
    totals, records = records_over(results, bests)
    return Response(plain(PlayerRecordsSerializer)({**totals, "records": records}))
