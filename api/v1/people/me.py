"""The account that asks, and what it is in each of its clubs."""

from typing import Any, Final

from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from scoring.json_types import JsonDict
from tournaments.models.attendance import AttendanceState
from tournaments.models.clubs import Role
from tournaments.models.tokens import Scope
from tournaments.policy import Actor
from tournaments.selectors.attendance.own_evenings import OwnEvening, own_next_evenings
from tournaments.selectors.clubs.linked_accounts import account_name
from tournaments.selectors.people.own_clubs import OwnClub, own_clubs

WEAKEST_FIRST: Final = tuple(Scope.values)


class AccountSerializer(serializers.Serializer[Any]):
    """The account of a person."""

    username = serializers.CharField()
    email = serializers.CharField(allow_blank=True)
    name = serializers.CharField(help_text="The full name where there is one, else `username`.")


class OwnClubSerializer(serializers.Serializer[Any]):
    """A club that the account is a member of."""

    slug = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    player_id = serializers.CharField(
        allow_null=True, help_text="The player that the account is linked to; null without one."
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices),
        allow_null=True,
        help_text="Scopes of the token that asks; null for a session.",
    )


class OwnEveningSerializer(serializers.Serializer[Any]):
    """The next evening of a club, and what was stated there of the account's player."""

    club = serializers.CharField()
    event = serializers.CharField()
    date = serializers.DateField(help_text="Local to the club.")
    time = serializers.TimeField(allow_null=True, format="%H:%M")
    place = serializers.CharField(allow_blank=True)
    player_id = serializers.CharField()
    state = serializers.ChoiceField(
        choices=AttendanceState.choices,
        allow_blank=True,
        help_text="`expected` and `absent` are answers; empty: not answered yet.",
    )
    from_round = serializers.IntegerField(allow_null=True, help_text="Of a player who comes late.")
    may_answer = serializers.BooleanField(
        help_text="Whether the player may still state `expected` or `absent` "
        "(`PUT E/meetings/{date}/attendance/{player_id}`)."
    )
    may_check_in = serializers.BooleanField(help_text="Whether the player may state `here`.")


class MeSerializer(serializers.Serializer[Any]):
    """The account that asks, and its clubs by name; a token for one club has that one only.

    `evenings` are the next evening of each club in which the account is a player, by day.
    """

    account = AccountSerializer()
    clubs = OwnClubSerializer(many=True)
    evenings = OwnEveningSerializer(many=True)


@reading("read_me", MeSerializer)
def read_me(request: Request) -> HttpResponseBase:
    """Your account, your role and player in each of your clubs, and your next evenings."""
    allow_only(request)
    actor = known_caller(request)
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - a known caller without a table's address
    account = {"username": user.username, "email": user.email, "name": account_name(user)}
    own = own_clubs(actor)
    clubs = [_club_json(actor, one) for one in own]
    players = [one.player for one in own if one.player is not None]
    evenings = [_evening_json(one) for one in own_next_evenings(actor, players, now=timezone.now())]
    return Response(plain(MeSerializer)({"account": account, "clubs": clubs, "evenings": evenings}))


def _club_json(actor: Actor, own: OwnClub) -> JsonDict:
    return {
        "slug": own.club.slug,
        "role": own.role,
        "player_id": own.player.player_id if own.player else None,
        "scopes": _scopes(actor.scope) if actor.scope else None,
    }


def _evening_json(own: OwnEvening) -> JsonDict:
    return {
        "club": own.event.club.slug,
        "event": own.event.slug,
        "date": own.day,
        "time": own.meeting.time,
        "place": own.meeting.place,
        "player_id": own.player.player_id,
        "state": own.state,
        "from_round": own.from_round,
        "may_answer": own.may_answer,
        "may_check_in": own.may_check_in,
    }


def _scopes(scope: str) -> list[str]:
    """Return a token's scope with those that it includes, weakest first.

    >>> _scopes("enter")
    ['read', 'enter']
    """
    return list(WEAKEST_FIRST[: WEAKEST_FIRST.index(scope) + 1])
