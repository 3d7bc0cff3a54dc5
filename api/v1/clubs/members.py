"""Members of a club, invitations into it, and the links and claims between members and players."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers

from api.lists import Filter, limited
from api.problems import problem_response
from api.resources import ResourceViewSet, changes, creates, performs, reads, removes, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer
from api.v1.addresses import OfPlayerViewSet, uuid_of
from api.v1.fields import MomentField
from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.clubs import Club, Membership, Role
from tournaments.selectors.access.invitations import (
    InvitationRow,
    InvitationState,
    find_mail_states,
    get_invitation,
    list_invitation_rows,
    printable_token,
)
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.clubs.members import (
    claim_row,
    find_user_of_member,
    get_claim,
    get_linked_member,
    get_member,
    list_claims_for,
    list_members,
    member_tag,
    unlinked_members,
)
from tournaments.selectors.db.statements import RenderedRows
from tournaments.services.access.tokens import require_own_account
from tournaments.services.clubs.invitations import invite, resend_invitation, revoke_invitation
from tournaments.services.clubs.members import (
    change_member,
    claim_player,
    confirm_claim,
    link_player,
    reject_claim,
    remove_member,
    unlink_player,
    withdraw_claim,
)
from tournaments.services.operations import Operation


class ClubMemberSerializer(OutputSerializer):
    """An account with a role in the club."""

    id = serializers.UUIDField(source="public_id")
    username = serializers.CharField(source="user.username")
    email = serializers.CharField(source="user.email", allow_blank=True)
    role = serializers.ChoiceField(choices=Role.choices)
    player_id = serializers.CharField(
        source="player.player_id",
        allow_null=True,
        help_text="Number of the linked player; null if there is none.",
    )
    player = serializers.CharField(source="player.name", allow_null=True)
    last_sign_in = MomentField(source="user.last_login", allow_null=True)


class ChangeMemberSerializer(StrictSerializer):
    """The new role of a member."""

    role = ChoiceTextField(choices=Role.choices)


class InvitationSerializer(OutputSerializer):
    """An invitation that nobody has accepted."""

    id = serializers.UUIDField()
    role = serializers.ChoiceField(choices=Role.choices, source="invitation.role")
    player_id = serializers.CharField(
        source="invitation.player.player_id", default=None, allow_null=True
    )
    player = serializers.CharField(source="invitation.player.name", default=None, allow_null=True)
    name = serializers.CharField(
        source="invitation.name", help_text="Name on the printed card, if no player is named."
    )
    email = serializers.CharField(
        source="invitation.email", help_text="Address for the mailed link; empty if none is mailed."
    )
    state = serializers.ChoiceField(choices=InvitationState.choices)
    mail = serializers.CharField(
        allow_blank=True,
        help_text="State of the mail with the link, as in the club's list of mails (`waiting`, "
        "`held`, `sent`, `parked`, `dropped`); empty if none is sent: there is no address, or the "
        "site has no mail server.",
    )
    created_at = MomentField(source="invitation.created_at")
    expires_at = MomentField(source="invitation.expires_at")


class CreatedInvitationSerializer(InvitationSerializer):
    """A new invitation with its link."""

    url = serializers.CharField(help_text="Link that works once. Only this answer shows it.")


class NewInvitationSerializer(StrictSerializer):
    """An invitation to create."""

    role = ChoiceTextField(choices=Role.choices)
    player_id = TextField(required=False, help_text="Number of the player to link on acceptance.")
    name = TextField(required=False, help_text="Name for the card, if no player is named.")
    email = TextField(
        required=False,
        help_text="Mail address to which the link is sent, if the site has a mail server; `mail` "
        "of the answer says whether a mail waits.",
    )


class MemberViewSet(ResourceViewSet):
    """The members of a club, owners first, then by name; for its owners."""

    resource = ("member", "members")
    read_right = "manage_members"
    is_personal = True
    lookup_url_kwarg = "member"
    serializer_class = ClubMemberSerializer
    rows_selector = staticmethod(list_members)
    tag_of_row = staticmethod(member_tag)
    ordering = ()
    etag_text = "ETag of the member's role, for `If-Match` of `PATCH`."
    retrieve = reads("One member of a club; `PATCH` needs the ETag of this answer.")
    partial_update = changes(change_member, ChangeMemberSerializer)
    destroy = removes(remove_member, "RemovedMember", "The member who was removed.")

    def get_object(self) -> Membership:
        return get_member(self.parent, uuid_of(self.kwargs["member"], "membership"))


class InvitationViewSet(ResourceViewSet):
    """The invitations of a club that nobody has accepted, the newest first; for its owners."""

    resource = ("invitation", "invitations")
    read_right = "manage_members"
    is_personal = True
    lookup_url_kwarg = "invitation"
    serializer_class = InvitationSerializer
    detail_serializer_class = CreatedInvitationSerializer
    ordering = ()
    create = creates(invite, NewInvitationSerializer, name="create_invitation", has_secret=True)
    destroy = removes(revoke_invitation, "RevokedInvitation", "The invitation that was revoked.")
    resend = performs(resend_invitation, "resend", status=201, has_secret=True)

    def get_queryset(self) -> Sequence[InvitationRow]:
        return list_invitation_rows(self.parent, timezone.now())

    def get_object(self) -> Invitation:
        return get_invitation(self.parent, uuid_of(self.kwargs["invitation"], "invitation"))

    def get_row(self, result: Invitation) -> InvitationRow:
        path = reverse("tournaments:open-invitation", args=[printable_token(result)])
        url = self.request.build_absolute_uri(path)
        mail = find_mail_states([result]).get(result.pk, "")
        return InvitationRow(result, InvitationState.NOT_OPENED, url, mail)

    def handle_exception(self, exc: Exception) -> Any:
        """Answer 429 where a club has made too many invitations within a minute."""
        if isinstance(exc, Refused) and exc.problems[0].code == "too_many_invitations":
            wait = {"Retry-After": str(exc.problems[0].facts["seconds"])}
            return problem_response(self.request, 429, exc.problems, headers=wait)
        return super().handle_exception(exc)


class MemberAccountSerializer(OutputSerializer):
    """A member of the club who is, or can be, linked to a player."""

    id = serializers.CharField(
        source="public_id", help_text="Id of the member, to send as `member`."
    )
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="label")
    role = serializers.ChoiceField(choices=Role.choices)


class PlayerLinkSerializer(OutputSerializer):
    """The member whose account is linked to a player, and the members who are still unlinked."""

    player_id = serializers.CharField()
    player = serializers.CharField()
    member = MemberAccountSerializer(allow_null=True, help_text="Linked member; null without one.")
    unlinked_members = MemberAccountSerializer(
        many=True, help_text="Members whose account is not linked to a player yet, by name."
    )


class NewLinkSerializer(StrictSerializer):
    """The member to link to a player."""

    member = TextField(allow_null=True, help_text="Id of the member; null removes the link.")


class ClaimSerializer(OutputSerializer):
    """The claim of an account to be a player; a director or an owner decides on it."""

    id = serializers.CharField(source="public_id")
    player_id = serializers.CharField(source="player.player_id")
    player = serializers.CharField(source="player_name")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(
        source="account_name", help_text="Name of the account, as pages show it."
    )
    state = serializers.ChoiceField(choices=ClaimState.choices)
    created_at = MomentField()
    decided_at = MomentField(allow_null=True)


class PlayerLinkViewSet(OfPlayerViewSet):
    """The account that is linked to a player."""

    is_single = True
    resource = ("player_link", "player_links")
    serializer_class = PlayerLinkSerializer
    read_right, hidden_as = "link_players", "player"
    retrieve = reads("The account that is linked to a player, for directors and owners.")
    submit = writes(link_player, NewLinkSerializer)

    def perform_submit(self, op: Operation, body: JsonDict) -> None:
        """Link a player to the account of a member, or remove the link."""
        player = self.get_object()
        if body["member"] is None:
            unlink_player(op, player)
        else:
            link_player(op, player, user=find_user_of_member(self.parent, body["member"]))

    def get_row(self, result: object) -> JsonDict:
        player = self.get_object()
        return {
            "player_id": player.player_id,
            "player": player.name,
            "member": get_linked_member(player),
            "unlinked_members": unlinked_members(self.parent),
        }


class NewClaimViewSet(OfPlayerViewSet):
    """Claims of a player."""

    is_single = True
    resource = ("claim", "claims")
    serializer_class = ClaimSerializer
    submit = writes(claim_player, EmptyBody, status=201, right="edit_own_player")

    def perform_submit(self, op: Operation, body: JsonDict) -> PlayerClaim:
        """Claim to be a player; a director or an owner must confirm the claim."""
        return claim_row(self.parent, claim_player(op, self.get_object()))

    @cached_property
    def parent(self) -> Club:
        """The club; the operation asks for the right, which any account has with open sign-up."""
        return get_club(self.actor, self.kwargs["club"])

    def get_location(self, result: object) -> str:
        return reverse("list_claims", args=[self.parent.slug])


class ClaimViewSet(ResourceViewSet):
    """The claims of a club, the oldest first; only directors and owners get those of others."""

    resource = ("claim", "claims")
    read_right = "own_account"
    lookup_url_kwarg, lookup_value_converter = "claim", "uuid"
    serializer_class = ClaimSerializer
    row_selector = staticmethod(get_claim)
    ordering = ("created_at", "public_id")
    filters = (Filter("state", "Only claims in this state.", ClaimState.values),)
    confirm = performs(confirm_claim, "confirm")
    reject = performs(reject_claim, "reject")
    withdraw = performs(withdraw_claim, "withdraw")

    def get_queryset(self, state: str = "") -> RenderedRows:
        club = self.parent
        require_own_account(self.actor)
        claims = list_claims_for(self.actor, club)
        return replace(claims, rows=limited(claims.rows, state=state))

    def get_row(self, result: PlayerClaim) -> PlayerClaim:
        return claim_row(self.parent, result)
