"""Bearer tokens: an account's own, and those made for a club."""

from datetime import timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import ChoiceTextField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import uuid_of
from api.v1.fields import MomentField
from tournaments.models.access import Scope, Token
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import list_tokens_of, list_tokens_of_club
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.access.tokens import (
    LONGEST,
    create_own_token,
    require_own_account,
    revoke_club_token,
    revoke_own_token,
)
from tournaments.services.permissions import require_role

DAYS: Final = 90
"""Days that a token works where the request names none."""
_MOST_DAYS: Final = 10**6
"""Further than the service counts; more days would not fit into a `timedelta`."""


class TokenSerializer(serializers.Serializer[Any]):
    """A token that works. Its plain text is shown once, when it is created."""

    id = serializers.UUIDField(source="public_id")
    name = serializers.CharField()
    scope = serializers.ChoiceField(choices=Scope.choices)
    club = serializers.CharField(
        source="club.slug",
        allow_null=True,
        default=None,
        help_text="null: every club of the account.",
    )
    created_at = MomentField(source="made_at")
    expires_at = MomentField(allow_null=True)
    used_at = MomentField(allow_null=True, help_text="To the hour; null: never.")


class ClubTokenSerializer(TokenSerializer):
    """A token made for a club, with the account that it acts as."""

    username = serializers.CharField(source="user.username")


class CreatedTokenSerializer(TokenSerializer):
    """A new token with its plain text."""

    token = serializers.CharField(help_text="Shown this once.")


class NewTokenSerializer(StrictSerializer):
    """A token to create."""

    name = TextField(help_text="Its purpose, up to 60 characters.")
    scope = ChoiceTextField(choices=Scope.choices, help_text="Up to what your role allows.")
    club = TextField(required=False, help_text="Slug; left out: every club of yours.")
    days = WholeNumberField(
        code="bad_token_time",
        expected=str(LONGEST.days),
        within=(-_MOST_DAYS, _MOST_DAYS),
        required=False,
        left_out=DAYS,
        min_value=1,
        max_value=LONGEST.days,
        help_text=f"Days of validity, up to {LONGEST.days}; {DAYS} by default.",
    )


class RevokedTokenSerializer(serializers.Serializer[Any]):
    """The token that does not work any more."""

    id = serializers.UUIDField()


def _tokens(actor: Actor) -> QuerySet[Token]:
    """Your own tokens that work, the newest first."""
    if actor.kind == "public":
        raise NotAuthenticated
    require_own_account(actor)
    return list_tokens_of(actor, timezone.now())


def _club_tokens(actor: Actor, club: str) -> QuerySet[Token]:
    """The tokens made for a club that work, the newest first; for its owners."""
    home = get_club(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require_role(actor, str(getattr(home, "role", "")), "manage_club_tokens")
    return list_tokens_of_club(home, timezone.now())


TOKENS: Final = Listing(name="tokens", shape=TokenSerializer, rows=_tokens, order=("-id",))
CLUB_TOKENS: Final = Listing(
    name="club_tokens", shape=ClubTokenSerializer, rows=_club_tokens, order=("-id",)
)


def _create_token(request: Request) -> HttpResponse:
    """Create a token that acts as you. The answer shows its plain text, this once."""
    allow_only(request)
    actor = known_caller(request)
    body = validated(request, NewTokenSerializer)
    slug = body.pop("club", "")
    token, plain_text = create_own_token(
        actor=actor,
        club=get_club(actor, slug) if slug else None,
        lasts=timedelta(days=body.pop("days")),
        now=timezone.now(),
        **body,
    )
    answer = json_answer(plain(TokenSerializer)(token) | {"token": plain_text}, status=201)
    answer["Location"] = reverse("list_tokens")
    answer["Cache-Control"] = "no-store"
    return answer


def _revoke_token(request: Request, token: str) -> HttpResponse:
    """Revoke one of your own tokens; it does not work any more."""
    allow_only(request)
    public_id = uuid_of(token, "token")
    revoke_own_token(actor=known_caller(request), public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


def _revoke_club_token(request: Request, club: str, token: str) -> HttpResponse:
    """Revoke a token made for a club, of any account."""
    allow_only(request)
    actor, public_id = known_caller(request), uuid_of(token, "token")
    home = get_club(actor, club)
    revoke_club_token(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


create_token_view = idempotent_write(
    _create_token, CreatedTokenSerializer, NewTokenSerializer, status=201, has_secret=True
)
"""`POST /tokens`."""
revoke_token_view = idempotent_write(_revoke_token, RevokedTokenSerializer, None, method="DELETE")
"""`DELETE /tokens/{token}`."""
revoke_club_token_view = idempotent_write(
    _revoke_club_token, RevokedTokenSerializer, None, method="DELETE"
)
"""`DELETE /clubs/{club}/tokens/{token}`."""
