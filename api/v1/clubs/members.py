"""Members of a club and invitations into it, for its owners."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.openapi import reading
from api.problems import problem_response
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import ChoiceTextField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import managed_club, requested_club, uuid_of
from api.v1.fields import MomentField
from scoring.errors import Refused
from tournaments.domain.etags import etag
from tournaments.models.access import Invitation
from tournaments.models.clubs import Role
from tournaments.policy import Actor
from tournaments.selectors.access.invitations import (
    InvitationRow,
    InvitationState,
    list_invitation_rows,
    printable_token,
)
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.clubs.members import MemberRow, get_member, list_member_rows
from tournaments.services.clubs.invitations import invite, resend_invitation, revoke_invitation
from tournaments.services.clubs.members import change_role, remove_member
from tournaments.services.permissions import require

ACT: Final = "manage_members"
IF_MATCH: Final = if_match_parameter("The ETag of the member that was read, or `*`")
ETAG: Final = etag_parameter("Names the member's role.", 200)


class ClubMemberSerializer(serializers.Serializer[Any]):
    """An account with a role in the club."""

    id = serializers.UUIDField()
    username = serializers.CharField()
    email = serializers.CharField(allow_blank=True)
    role = serializers.ChoiceField(choices=Role.choices)
    player_id = serializers.CharField(allow_null=True, help_text="null: linked to no player.")
    player = serializers.CharField(allow_null=True)
    last_sign_in = MomentField(allow_null=True)


class ChangeMemberSerializer(StrictSerializer):
    """Another role for a member."""

    role = ChoiceTextField(choices=Role.choices)


class RemovedMemberSerializer(serializers.Serializer[Any]):
    """The member who was removed."""

    id = serializers.UUIDField()


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation that nobody has accepted."""

    id = serializers.UUIDField()
    role = serializers.ChoiceField(choices=Role.choices, source="invitation.role")
    player_id = serializers.CharField(
        source="invitation.player.player_id", default=None, allow_null=True
    )
    player = serializers.CharField(source="invitation.player.name", default=None, allow_null=True)
    name = serializers.CharField(
        source="invitation.name", help_text="On the card, where no player is named."
    )
    email = serializers.CharField(
        source="invitation.email", help_text="Empty: no mail, the link is handed out."
    )
    state = serializers.ChoiceField(choices=InvitationState.choices)
    created_at = MomentField(source="invitation.created_at")
    expires_at = MomentField(source="invitation.expires_at")


class CreatedInvitationSerializer(InvitationSerializer):
    """A new invitation with its link."""

    url = serializers.CharField(help_text="Works once. Shown this once.")


class NewInvitationSerializer(StrictSerializer):
    """Somebody to invite."""

    role = ChoiceTextField(choices=Role.choices)
    player_id = TextField(required=False, help_text="The player whom accepting makes of them.")
    name = TextField(required=False, help_text="For the card, where no player is named.")
    email = TextField(required=False, help_text="Where the link is mailed to.")


class RevokedInvitationSerializer(serializers.Serializer[Any]):
    """The invitation whose link does not work any more."""

    id = serializers.UUIDField()


def _members(actor: Actor, club: str) -> Sequence[MemberRow]:
    """The members of a club, owners first; for its owners."""
    return list_member_rows(managed_club(actor, club, ACT))


def _invitations(actor: Actor, club: str) -> Sequence[InvitationRow]:
    """The invitations of a club that nobody has accepted, the newest first; for its owners."""
    return list_invitation_rows(managed_club(actor, club, ACT), timezone.now())


MEMBERS: Final = Listing(name="members", shape=ClubMemberSerializer, rows=_members)
INVITATIONS: Final = Listing(name="invitations", shape=InvitationSerializer, rows=_invitations)


@reading("read_member", ClubMemberSerializer, parameters=(ETAG,))
def read_member(request: Request, club: str, member: str) -> HttpResponseBase:
    """One member; the ETag is for changing the role."""
    allow_only(request)
    member_row = get_member(managed_club(caller(request), club, ACT), uuid_of(member, "membership"))
    return Response(plain(ClubMemberSerializer)(member_row), headers={"ETag": etag(member_row.tag)})


def _change_member(request: Request, club: str, member: str) -> HttpResponse:
    """Change the role of a member. It works from their next request.

    `If-Match` names the member that you read, or is `*`. The last owner stays one: 409.
    """
    actor, home = requested_club(request, club)
    based_on = if_match_tag_or_any(request, of="member")
    body = validated(request, ChangeMemberSerializer)
    changed = change_role(
        actor=actor,
        club=home,
        public_id=uuid_of(member, "membership"),
        role=body["role"],
        based_on=based_on,
        now=timezone.now(),
    )
    answer = json_answer(plain(ClubMemberSerializer)(changed))
    answer["ETag"] = etag(changed.tag)
    return answer


def _remove_member(request: Request, club: str, member: str) -> HttpResponse:
    """Remove a member: their rights end with their next request, and their player is unlinked.

    The last owner cannot be removed: 409.
    """
    allow_only(request)
    actor, public_id = known_caller(request), uuid_of(member, "membership")
    home = get_club(actor, club)
    remove_member(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


def _create_invitation(request: Request, club: str) -> HttpResponse:
    """Invite somebody. The answer shows the link, this once.

    An earlier invitation of the same player stops working.
    """
    actor, home = requested_club(request, club)
    body = validated(request, NewInvitationSerializer)
    return _invited(
        request, club, lambda: invite(actor=actor, club=home, now=timezone.now(), **body)
    )


def _resend_invitation(request: Request, club: str, invitation: str) -> HttpResponse:
    """Create a new invitation in the place of a pending one. The answer shows the link, this once.

    It is mailed where the invitation has an address. The link of the earlier one does not work any
    more.
    """
    allow_only(request)
    actor, public_id = known_caller(request), uuid_of(invitation, "invitation")
    home = get_club(actor, club)
    require(actor, home, ACT)
    validated(request, EmptyBody)
    return _invited(
        request,
        club,
        lambda: resend_invitation(actor=actor, club=home, public_id=public_id, now=timezone.now()),
    )


def _invited(request: Request, club: str, make: Callable[[], Invitation]) -> HttpResponse:
    try:
        invitation = make()
    except Refused as refused:
        (first, *_others) = refused.problems
        if first.code != "too_many_invitations":
            raise
        wait = {"Retry-After": str(first.facts["seconds"])}
        return problem_response(request, 429, refused.problems, headers=wait)
    path = reverse("tournaments:open-invitation", args=[printable_token(invitation)])
    body = plain(InvitationSerializer)(InvitationRow(invitation, InvitationState.NOT_OPENED))
    body |= {"url": request.build_absolute_uri(path)}
    answer = json_answer(body, status=201)
    answer["Location"] = reverse("list_invitations", args=[club])
    answer["Cache-Control"] = "no-store"
    return answer


def _revoke_invitation(request: Request, club: str, invitation: str) -> HttpResponse:
    """Revoke an invitation; its link does not work any more."""
    allow_only(request)
    actor, public_id = known_caller(request), uuid_of(invitation, "invitation")
    home = get_club(actor, club)
    revoke_invitation(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


change_member_view = idempotent_write(
    _change_member,
    ClubMemberSerializer,
    ChangeMemberSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH C/members/{member}`."""
remove_member_view = idempotent_write(
    _remove_member, RemovedMemberSerializer, None, method="DELETE"
)
"""`DELETE C/members/{member}`."""
create_invitation_view = idempotent_write(
    _create_invitation,
    CreatedInvitationSerializer,
    NewInvitationSerializer,
    status=201,
    has_secret=True,
)
"""`POST C/invitations`."""
resend_invitation_view = idempotent_write(
    _resend_invitation, CreatedInvitationSerializer, EmptyBody, status=201, has_secret=True
)
"""`POST C/invitations/{invitation}/resend`."""
revoke_invitation_view = idempotent_write(
    _revoke_invitation, RevokedInvitationSerializer, None, method="DELETE"
)
"""`DELETE C/invitations/{invitation}`."""
