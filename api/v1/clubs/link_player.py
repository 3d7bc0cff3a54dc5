"""Accounts of players: linked by directors, or claimed by members and confirmed by a director."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.idempotency import idempotent_write, json_answer
from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import requested_club
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.errors import Missing
from tournaments.models.access import ClaimState, PlayerClaim
from tournaments.models.clubs import Club, Player, Role
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club, may_do
from tournaments.selectors.clubs.members import (
    claim_rows,
    find_user_of_member,
    get_linked_member,
    list_claims_for,
    unlinked_members,
)
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.players import player_for
from tournaments.services.access.tokens import require_own_account
from tournaments.services.clubs.link_player import (
    claim_player,
    confirm_claim,
    link_player,
    reject_claim,
    unlink_player,
    withdraw_claim,
)
from tournaments.services.permissions import require


class MemberAccountSerializer(serializers.Serializer[Any]):
    """A member of the club."""

    id = serializers.CharField(help_text="Id of the member, for `member`.")
    username = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)


class PlayerLinkSerializer(serializers.Serializer[Any]):
    """The account of a player, and the members who could be linked."""

    player_id = serializers.CharField()
    player = serializers.CharField()
    member = MemberAccountSerializer(allow_null=True, help_text="null: no account.")
    unlinked_members = MemberAccountSerializer(
        many=True, help_text="Members whose account is not linked to a player yet, by name."
    )


class NewLinkSerializer(StrictSerializer):
    """The member whose account the player gets."""

    member = TextField(
        allow_null=True, help_text="Id of the member; null takes the account off the player."
    )


class ClaimSerializer(serializers.Serializer[Any]):
    """An account says which player it is; a director or an owner confirms or rejects that."""

    id = serializers.CharField()
    player_id = serializers.CharField()
    player = serializers.CharField()
    username = serializers.CharField()
    name = serializers.CharField(help_text="The name of the account as pages show it.")
    state = serializers.ChoiceField(choices=ClaimState.choices)
    created_at = MomentField()
    decided_at = MomentField(allow_null=True)


@reading("read_player_link", PlayerLinkSerializer)
def read_player_link(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """The account of a player, for directors and owners."""
    allow_only(request)
    actor = caller(request)
    home = get_club(actor, club)
    if not may_do(home, "link_players"):
        raise Missing("player", {"player": player_id})
    require(actor, home, "link_players")
    return Response(_link_json(home, player_for(actor, home, player_id)))


def _link_player(request: Request, club: str, player_id: str) -> HttpResponse:
    """Link a player to the account of a member, or unlink the account."""
    actor, home = requested_club(request, club)
    player = player_for(actor, home, player_id)
    body = validated(request, NewLinkSerializer)["member"]
    if body is None:
        linked = unlink_player(actor=actor, club=home, player=player, now=timezone.now())
        return json_answer(_link_json(home, linked))
    user = find_user_of_member(home, body)
    if user is None:
        raise Refused(Problem("not_a_member", ("member",)))
    linked = link_player(actor=actor, club=home, player=player, user=user, now=timezone.now())
    return json_answer(_link_json(home, linked))


def _claim_player(request: Request, club: str, player_id: str) -> HttpResponse:
    """Say that you are this player; a director or an owner has to confirm it."""
    actor, home = requested_club(request, club)
    player = player_for(actor, home, player_id)
    validated(request, EmptyBody)
    claim = claim_player(actor=actor, club=home, player=player, now=timezone.now())
    answer = json_answer(_claim_json(home, claim), status=201)
    answer["Location"] = reverse("list_claims", args=[club])
    return answer


def _claims(actor: Actor, club: str, state: str = "") -> RenderedRows:
    """The claims of a club, oldest first: all for directors and owners, else your own."""
    home = get_club(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require_own_account(actor)
    rendered_rows = list_claims_for(actor, home)
    return replace(rendered_rows, rows=limited(rendered_rows.rows, state=state))


CLAIMS: Final = Listing(
    name="claims",
    shape=ClaimSerializer,
    rows=_claims,
    order=("created_at", "public_id"),
    filters={"state": Filter("Only claims in this state.", ClaimState.values)},
)


def _decide_claim(
    request: Request, club: str, claim: uuid.UUID, decide: Callable[..., PlayerClaim]
) -> HttpResponse:
    actor, home = requested_club(request, club)
    validated(request, EmptyBody)
    done = decide(actor=actor, club=home, claim_id=claim, now=timezone.now())
    return json_answer(_claim_json(home, done))


def _confirm_claim(request: Request, club: str, claim: uuid.UUID) -> HttpResponse:
    """Confirm a claim: the account is linked, and other claims of the two are rejected."""
    return _decide_claim(request, club, claim, confirm_claim)


def _reject_claim(request: Request, club: str, claim: uuid.UUID) -> HttpResponse:
    """Reject a claim."""
    return _decide_claim(request, club, claim, reject_claim)


def _withdraw_claim(request: Request, club: str, claim: uuid.UUID) -> HttpResponse:
    """Withdraw your own claim."""
    return _decide_claim(request, club, claim, withdraw_claim)


link_player_view = idempotent_write(_link_player, PlayerLinkSerializer, NewLinkSerializer)
"""`POST C/players/{player_id}/link`."""
claim_player_view = idempotent_write(_claim_player, ClaimSerializer, EmptyBody, status=201)
"""`POST C/players/{player_id}/claim`."""
confirm_claim_view = idempotent_write(_confirm_claim, ClaimSerializer, EmptyBody)
"""`POST C/claims/{id}/confirm`."""
reject_claim_view = idempotent_write(_reject_claim, ClaimSerializer, EmptyBody)
"""`POST C/claims/{id}/reject`."""
withdraw_claim_view = idempotent_write(_withdraw_claim, ClaimSerializer, EmptyBody)
"""`POST C/claims/{id}/withdraw`."""


def _link_json(club: Club, player: Player) -> JsonDict:
    link = {
        "player_id": player.player_id,
        "player": player.name,
        "member": get_linked_member(player),
        "unlinked_members": unlinked_members(club),
    }
    return plain(PlayerLinkSerializer)(link)


def _claim_json(club: Club, claim: PlayerClaim) -> JsonDict:
    is_member = may_do(club, "read_members")
    return plain(ClaimSerializer)(claim_rows([claim], is_member=is_member)[0])
