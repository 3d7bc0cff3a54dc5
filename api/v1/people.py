"""The account that asks, and its notifications."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.conditional_requests import NO_STORE
from api.openapi import reading
from api.resources import ResourceViewSet, changes, reads
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import BooleanField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField, StringListField
from tournaments.domain.notices import DEFAULTS
from tournaments.models.access import Scope
from tournaments.models.clubs import Role
from tournaments.models.notices import NotificationChoice
from tournaments.models.rounds import AttendanceState
from tournaments.policy import Actor
from tournaments.selectors.attendance.own_evenings import OwnEvening, own_next_evenings
from tournaments.selectors.clubs.members import account_name
from tournaments.selectors.events.events import events_for
from tournaments.selectors.notices.notifications import (
    get_own_choice,
    list_own_choices,
    tag_of_choice,
)
from tournaments.selectors.people.accounts import list_own_clubs
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

    club = serializers.CharField(source="event.club.slug")
    event = serializers.CharField(source="event.slug")
    date = serializers.DateField(source="day", help_text="Date in the club's time zone.")
    time = serializers.TimeField(source="meeting.time", allow_null=True, format="%H:%M")
    place = serializers.CharField(source="meeting.place", allow_blank=True)
    player_id = serializers.CharField(source="player.player_id")
    state = serializers.ChoiceField(
        choices=AttendanceState.choices,
        allow_blank=True,
        help_text="Stated attendance of the player; empty if nothing was stated yet.",
    )
    from_round = serializers.IntegerField(
        allow_null=True, help_text="First round of a player who arrives late; otherwise null."
    )
    waiting = serializers.IntegerField(
        help_text="Number on the waiting list, from 1; 0 for who is not on it."
    )
    table = serializers.CharField(
        allow_blank=True, help_text="Code of the posted table of the player; empty without one."
    )
    may_answer = serializers.BooleanField(
        help_text="Whether the player may still state `expected` or `absent` "
        "(`PUT E/meetings/{date}/attendance/{player_id}`)."
    )
    may_check_in = serializers.BooleanField(help_text="Whether the player may state `here`.")
    excused = serializers.BooleanField(
        source="excuse.is_excused",
        default=None,
        allow_null=True,
        help_text="Whether the player is excused; null where an excused evening gives nothing and "
        "the answer was in time, or the player is not absent.",
    )
    answered_late = serializers.BooleanField(
        source="excuse.is_late",
        default=None,
        allow_null=True,
        help_text="Whether the player answered after `withdraw_until` or, without it, after the "
        "evening had begun, which excuses nobody; "
        "null as `excused`.",
    )
    withdraw_until = MomentField(
        allow_null=True,
        help_text="Until when `absent` is in time; later it is late and excuses nobody. Null: "
        "until the evening begins (setting `withdraw_hours`).",
    )
    partners = serializers.SerializerMethodField(
        help_text="Numbers of the others of the player's pair or team, who have the same answer."
    )
    answered_by = serializers.CharField(
        source="answered_by.player_id",
        default=None,
        allow_null=True,
        help_text="Number of the partner who gave the answer; null if none of them did.",
    )

    @extend_schema_field(StringListField())
    def get_partners(self, evening: OwnEvening) -> list[str]:
        """Return the numbers of the player's partners."""
        return [partner.player_id for partner in evening.partners]


class MeSerializer(OutputSerializer):
    """The account that sent the request, with its clubs (only one for a token bound to a club).

    `evenings` has the next evening of each club in which the account is a player, sorted by day.
    """

    account = AccountSerializer()
    clubs = OwnClubSerializer(many=True)
    evenings = OwnEveningSerializer(many=True)


class NotificationSerializer(OutputSerializer):
    """The choice for one kind of notification: by mail, as a notice, both or neither."""

    club = serializers.CharField(source="club.slug", help_text="Slug of the club.")
    kind = serializers.ChoiceField(choices=tuple(DEFAULTS))
    by_mail = serializers.BooleanField()
    as_notice = serializers.BooleanField()


class ChangeNotificationSerializer(StrictSerializer):
    """Changes of the choice for a kind of notification; omitted members keep their values."""

    by_mail = BooleanField(required=False)
    as_notice = BooleanField(required=False)


class NotificationsViewSet(ResourceViewSet):
    """Your choices of notifications in each club. Mails about signing in are always sent."""

    resource = ("notification", "notifications")
    read_right = "own_account"
    serializer_class = NotificationSerializer
    ordering = ()
    parent = None  # a token that only reads may read the choices of its account

    @property
    def actor(self) -> Actor:
        return known_caller(self.request)

    def get_queryset(self) -> Sequence[NotificationChoice]:
        return list_own_choices(self.actor)


class NotificationViewSet(NotificationsViewSet):
    """The choice for one kind of notification in a club."""

    tag_of_row = staticmethod(tag_of_choice)
    lookup_url_kwarg, noun = "kind", "choice"
    retrieve = reads("Your choice for one kind of notification in a club; `PATCH` needs its ETag.")
    partial_update = changes(change_notification, ChangeNotificationSerializer)

    def get_object(self) -> NotificationChoice:
        return get_own_choice(self.actor, **self.kwargs)

    def get_arguments(self, body: dict[str, Any]) -> dict[str, Any]:
        return {**self.kwargs, **body}


@reading("read_me", MeSerializer, right="own_account")
def read_me(request: Request) -> Response:
    """Your account, your role and player in each of your clubs, and your next evenings."""
    actor = known_caller(request)
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - a known caller without a table's address
    account = {"username": user.username, "email": user.email, "name": account_name(user)}
    own_clubs = list_own_clubs(actor)
    players = [club.player for club in own_clubs if club.player is not None]
    scopes = WEAKEST_FIRST[: WEAKEST_FIRST.index(actor.scope) + 1] if actor.scope else None
    clubs = [
        {
            "slug": club.club.slug,
            "role": club.role,
            "player_id": club.player.player_id if club.player else None,
            "scopes": scopes,
        }
        for club in own_clubs
    ]
    evenings = own_next_evenings(events_for(actor), players, now=timezone.now())
    me = {"account": account, "clubs": clubs, "evenings": evenings}
    return Response(plain(MeSerializer)(me), headers={"Cache-Control": NO_STORE})
