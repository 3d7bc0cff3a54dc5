"""Ladders: the list and the ratings as published, moves, rating changes, what-if of a game."""

import json
from typing import Final

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.lists import listing
from api.openapi import reading
from api.problems import BadRequest
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.standings.standings import PublicationHeadSerializer, current_table, numbered_table
from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.standings.ladder_documents import LadderAbout, LadderProgress, LadderRules
from tournaments.domain.standings.standings_documents import ClubName, ColumnDocument
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.ladders.ladders import (
    absences_of,
    get_ladder,
    member_at,
    moves_with_explanation,
    rating_history,
    what_if,
)
from tournaments.selectors.standings.publication_bytes import current_bytes

_PLAYER: Final = OpenApiParameter(
    "player",
    OpenApiTypes.STR,
    many=True,
    description="Id of a player at the table; one parameter for each of 2 to 11 players.",
)


class PlaceSerializer(OutputSerializer):
    """A place on the ladder; `up`, `story` and `moved_on` describe the member's last move."""

    place = serializers.IntegerField()
    player_id = serializers.CharField()
    player = serializers.CharField()
    up = serializers.IntegerField(allow_null=True, help_text="Places gained; negative if lost.")
    story = serializers.CharField(allow_null=True)
    moved_on = serializers.DateField(allow_null=True)
    games = serializers.IntegerField()
    last_played = serializers.DateField(allow_null=True)
    rating = serializers.FloatField(allow_null=True)
    rating_shown = serializers.CharField(allow_null=True)
    provisional = serializers.BooleanField()


class RatingSerializer(OutputSerializer):
    """One member's rating; `rank` is null while the rating is provisional."""

    rank = serializers.IntegerField(allow_null=True)
    player_id = serializers.CharField()
    player = serializers.CharField()
    rating = serializers.FloatField()
    spread = serializers.FloatField(
        allow_null=True, help_text="Uncertainty (sigma); null with Elo."
    )
    rating_shown = serializers.CharField()
    games = serializers.IntegerField()
    provisional = serializers.BooleanField()
    change = serializers.FloatField(help_text="Change of the rating by the last game.")
    last_played = serializers.CharField()


class LadderSerializer(OutputSerializer):
    """A ladder as published: `rows` are the places from the top, `ratings` the members' ratings."""

    publication = PublicationHeadSerializer()
    club = DocumentField(ClubName)
    event = DocumentField(LadderAbout)
    as_of = DocumentField(LadderProgress)
    rules = DocumentField(LadderRules, help_text="The rules for places and ratings on the ladder.")
    columns = DocumentListField(ColumnDocument)
    rows = PlaceSerializer(many=True)
    ratings = RatingSerializer(many=True)


class MoveSerializer(OutputSerializer):
    """A change of place; `before` or `after` is null where the member is not on the list."""

    number = serializers.IntegerField(
        help_text="Number of the step of the ladder; one step can move several members."
    )
    on = serializers.DateField()
    player_id = serializers.CharField()
    player = serializers.CharField()
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)
    up = serializers.IntegerField()
    kind = serializers.CharField()
    story = serializers.CharField()
    table = serializers.CharField(
        allow_null=True, help_text="Code of the table whose game caused it."
    )
    challenge = serializers.IntegerField(
        allow_null=True, help_text="Number of the challenge that caused it, with or without a game."
    )


class RatingChangeSerializer(OutputSerializer):
    """The effect of one game on a member's rating."""

    sequence = serializers.IntegerField(
        help_text="Number of the game among the ladder's rated games, from 0."
    )
    on = serializers.DateField(allow_null=True)
    table = serializers.CharField()
    games = serializers.IntegerField(help_text="Number of rated games of the member up to this.")
    before = serializers.FloatField()
    after = serializers.FloatField()
    change = serializers.FloatField()
    spread = serializers.FloatField(allow_null=True)
    rating_shown = serializers.CharField()


class LadderAbsenceSerializer(OutputSerializer):
    """Days on which a member is away, both included."""

    since = serializers.DateField()
    until = serializers.DateField(allow_null=True)


class LadderMember(OutputSerializer):
    """One member as last published. `place` is null for a member who is not on the list, `rating`
    before the first game and after too long without one."""

    player_id = serializers.CharField()
    state = serializers.CharField()
    place = PlaceSerializer(allow_null=True)
    rating = RatingSerializer(allow_null=True)
    absences = LadderAbsenceSerializer(many=True)


class OutlookSerializer(OutputSerializer):
    """One member's rating, and its change for each finishing place, the first place first."""

    player_id = serializers.CharField()
    player = serializers.CharField()
    rating = serializers.FloatField()
    rating_shown = serializers.CharField()
    games = serializers.IntegerField()
    changes = serializers.ListField(child=serializers.FloatField())


class WhatIfSerializer(OutputSerializer):
    """The players of a possible table, and the effect on their ratings."""

    players = OutlookSerializer(many=True)


@reading("read_ladder", LadderSerializer, has_etag=True)
def read_ladder(request: Request, club: str, event: str) -> HttpResponseBase:
    """The ladder as last published, byte for byte: positions with their explanations, and ratings.

    The ETag names the publication: send it as `If-None-Match` and an unchanged ladder is a 304.
    """
    return current_table(request, club, event, "body", "ladder")


@reading("read_ladder_csv", media_type="text/csv", has_etag=True)
def read_ladder_csv(request: Request, club: str, event: str) -> HttpResponseBase:
    """The places on the ladder as last published, as CSV."""
    return current_table(request, club, event, "csv", "ladder")


@reading("read_ladder_publication", LadderSerializer, has_etag=True)
def read_ladder_publication(
    request: Request, club: str, event: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the ladder; it never changes."""
    return numbered_table(request, club, event, number, "body", "ladder")


@reading("read_ladder_publication_csv", media_type="text/csv", has_etag=True)
def read_ladder_publication_csv(
    request: Request, club: str, event: str, number: int
) -> HttpResponseBase:
    """One numbered publication of the ladder's positions as CSV."""
    return numbered_table(request, club, event, number, "csv", "ladder")


@listing(
    "ladder_ratings",
    RatingSerializer,
    columns=(
        *("rank", "player_id", "player", "rating", "spread", "games", "provisional", "change"),
        "last_played",
    ),
)
def list_ratings(actor: Actor, club: str, event: str) -> list[JsonDict]:
    """The ratings as last published: ranked members first, then members with too few games."""
    publication = current_bytes(actor, club, event, form="body", of="ladder")
    if publication is None:
        raise BadRequest(Problem("not_published", facts={"event": event}), status=404)
    return list(json.loads(publication.content or b"{}")["ratings"])


@listing("ladder_moves", MoveSerializer, order=("-number", "entrant__code"))
def list_moves(actor: Actor, club: str, event: str) -> RenderedRows:
    """Every change of place on the ladder, the newest first, with its cause."""
    return moves_with_explanation(get_ladder(actor, club, event))


@listing(
    "ladder_member_ratings",
    RatingChangeSerializer,
    columns=("sequence", "on", "table", "games", "before", "after", "change", "spread"),
    order=("-sequence",),
)
def list_history(actor: Actor, club: str, event: str, player_id: str) -> RenderedRows:
    """The effect of each game on a member's rating, the newest first."""
    ladder = get_ladder(actor, club, event)
    return rating_history(ladder, member_at(ladder, player_id))


@reading("read_ladder_member", LadderMember)
def read_ladder_member(request: Request, club: str, event: str, player_id: str) -> JsonDict:
    """One member's place and rating as last published; for the club, the absences, too."""
    actor = caller(request)
    ladder = get_ladder(actor, club, event)
    member = member_at(ladder, player_id)
    published = current_bytes(actor, club, event, form="body", of="ladder")
    body = json.loads(published.content or b"{}") if published else {}
    return {
        "player_id": member.code,
        "state": member.state,
        "place": _row(body.get("rows", ()), member.code),
        "rating": _row(body.get("ratings", ()), member.code),
        "absences": list(absences_of(ladder, member)),
    }


def _row(rows: list[JsonDict], code: str) -> JsonDict | None:
    return next((row for row in rows if row["player_id"] == code), None)


@reading("read_ladder_what_if", WhatIfSerializer, parameters=(_PLAYER,))
def read_ladder_what_if(request: Request, club: str, event: str) -> JsonDict:
    """The effect of each finishing place at a table on the ratings: `?player=…&player=…`.

    With Elo only a player's own place matters; with Plackett-Luce the others are assumed to finish
    in the order of their ratings. Nothing is stored.
    """
    ladder = get_ladder(caller(request), club, event)
    return {"players": what_if(ladder, request.query_params.getlist("player"))}
