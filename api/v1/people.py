"""The account that asks, and its notifications."""

from collections.abc import Sequence
from typing import Final

from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import BooleanField
from api.serializers.strict_serializers import StrictSerializer, validated
from scoring.json_types import JsonDict
from tournaments.domain.etags import etag
from tournaments.domain.people.notification_kinds import DEFAULTS
from tournaments.models.access import Scope
from tournaments.models.clubs import Role
from tournaments.models.meetings import AttendanceState
from tournaments.policy import Actor
from tournaments.selectors.attendance.own_evenings import OwnEvening, own_next_evenings
from tournaments.selectors.clubs.members import account_name
from tournaments.selectors.notices.notifications import OwnChoice, get_own_choice, list_own_choices
from tournaments.selectors.people.accounts import OwnClub, list_own_clubs
from tournaments.services.notices.notifications import change_notification

WEAKEST_FIRST: Final = tuple(Scope.values)


class AccountSerializer(OutputSerializer):
    """The account that sent the request."""

    username = serializers.CharField()
    email = serializers.CharField(allow_blank=True)
    name = serializers.CharField(help_text="Full name; `username` if there is none.")


class OwnClubSerializer(OutputSerializer):
    """A club that the account is a member of."""

    slug = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    player_id = serializers.CharField(
        allow_null=True, help_text="Number of the linked player; null without one."
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices),
        allow_null=True,
        help_text="Scopes of the token that was sent; null for a session.",
    )


class OwnEveningSerializer(OutputSerializer):
    """The next evening of a club, with the attendance of the account's player."""

    club = serializers.CharField()
    event = serializers.CharField()
    date = serializers.DateField(help_text="Date in the club's time zone.")
    time = serializers.TimeField(allow_null=True, format="%H:%M")
    place = serializers.CharField(allow_blank=True)
    player_id = serializers.CharField()
    state = serializers.ChoiceField(
        choices=AttendanceState.choices,
        allow_blank=True,
        help_text="Stated attendance of the player; empty if nothing was stated yet.",
    )
    from_round = serializers.IntegerField(
        allow_null=True, help_text="First round of a player who arrives late; otherwise null."
    )
    may_answer = serializers.BooleanField(
        help_text="Whether the player may still state `expected` or `absent` "
        "(`PUT E/meetings/{date}/attendance/{player_id}`)."
    )
    may_check_in = serializers.BooleanField(help_text="Whether the player may state `here`.")


class MeSerializer(OutputSerializer):
    """The account that sent the request, with its clubs (only one for a token bound to a club).

    `evenings` has the next evening of each club in which the account is a player, sorted by day.
    """

    account = AccountSerializer()
    clubs = OwnClubSerializer(many=True)
    evenings = OwnEveningSerializer(many=True)


@reading("read_me", MeSerializer)
def read_me(request: Request) -> HttpResponseBase:
    """Your account, your role and player in each of your clubs, and your next evenings."""
    actor = known_caller(request)
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - a known caller without a table's address
    account = {"username": user.username, "email": user.email, "name": account_name(user)}
    own_clubs = list_own_clubs(actor)
    clubs = [_club_json(actor, own_club) for own_club in own_clubs]
    players = [club.player for club in own_clubs if club.player is not None]
    evenings = list(map(_evening_json, own_next_evenings(actor, players, now=timezone.now())))
    return Response(plain(MeSerializer)({"account": account, "clubs": clubs, "evenings": evenings}))


def _club_json(actor: Actor, club: OwnClub) -> JsonDict:
    return {
        "slug": club.club.slug,
        "role": club.role,
        "player_id": club.player.player_id if club.player else None,
        "scopes": _scopes(actor.scope) if actor.scope else None,
    }


def _evening_json(evening: OwnEvening) -> JsonDict:
    return {
        "club": evening.event.club.slug,
        "event": evening.event.slug,
        "date": evening.day,
        "time": evening.meeting.time,
        "place": evening.meeting.place,
        "player_id": evening.player.player_id,
        "state": evening.state,
        "from_round": evening.from_round,
        "may_answer": evening.may_answer,
        "may_check_in": evening.may_check_in,
    }


def _scopes(scope: str) -> list[str]:
    """Return a token's scope with those that it includes, weakest first.

    >>> _scopes("enter")
    ['read', 'enter']
    """
    return list(WEAKEST_FIRST[: WEAKEST_FIRST.index(scope) + 1])


IF_MATCH: Final = if_match_parameter("The ETag of the choice that you read, or `*`")
ETAG: Final = etag_parameter("ETag of the choice, for `If-Match` of `PATCH`.", 200)


class NotificationSerializer(OutputSerializer):
    """The choice for one kind of notification: by mail, as a notice, both or neither."""

    club = serializers.CharField(help_text="Slug of the club.")
    kind = serializers.ChoiceField(choices=tuple(DEFAULTS))
    by_mail = serializers.BooleanField()
    as_notice = serializers.BooleanField()


class ChangeNotificationSerializer(StrictSerializer):
    """Changes of the choice for a kind of notification; omitted members keep their values."""

    by_mail = BooleanField(required=False)
    as_notice = BooleanField(required=False)


def _choices(actor: Actor) -> Sequence[OwnChoice]:
    """Your choices of notifications in each club. Mails about signing in are always sent."""
    if actor.user_id is None:
        raise NotAuthenticated
    return list_own_choices(actor)


NOTIFICATIONS: Final = Listing(name="notifications", shape=NotificationSerializer, rows=_choices)


@reading("read_notification", NotificationSerializer, parameters=(ETAG,))
def read_notification(request: Request, club: str, kind: str) -> HttpResponseBase:
    """Your choice for one kind of notification in a club; `PATCH` needs its ETag."""
    actor = caller(request)
    if actor.user_id is None:
        raise NotAuthenticated
    own_choice = get_own_choice(actor, club, kind)
    return Response(
        plain(NotificationSerializer)(own_choice), headers={"ETag": etag(own_choice.tag)}
    )


@idempotent_write(
    NotificationSerializer,
    ChangeNotificationSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
def change_notification_view(request: Request, club: str, kind: str) -> HttpResponse:
    """Change whether a kind of notification comes by mail or as a notice.

    `If-Match` is the ETag of the choice that you read, or `*`.
    """
    actor = known_caller(request)
    based_on = if_match_tag_or_any(request, of="notification")
    body = validated(request, ChangeNotificationSerializer)
    changed = change_notification(actor=actor, club=club, kind=kind, based_on=based_on, **body)
    return json_answer(plain(NotificationSerializer)(changed), tag=etag(changed.tag))
