"""Members of a club: roles, removal, rows of invitations, and the links and claims of players."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import folded
from tournaments.errors import Conflict, Forbidden, Missing, first_or_missing
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.invitations import list_pending_invitations
from tournaments.selectors.clubs.members import get_claim, get_member, has_owner, member_tag
from tournaments.services.db.locks import lock_club
from tournaments.services.operations import Operation, operation

NOT_LINKABLE: Final = ("player_is_erased", "player_is_merged", "player_is_linked")
NOT_LINKED: Final = ("account_is_linked", *NOT_LINKABLE)
NOT_PENDING: Final = ("unknown_claim", "claim_is_decided")
ROLE_KEPT: Final = ("unknown_role", "owner_by_token", "last_owner")
"""Error codes of a refused change of role."""


def revoke_of_players(players: Sequence[Player], now: datetime) -> list[str]:
    """Revoke the pending invitations of players; returns their ids, for the audit line."""
    return _revoke(list_pending_invitations().filter(player__in=players).order_by("pk"), now)


def revoke_of_addresses(
    club: Club, people: Collection[tuple[str, str]], now: datetime
) -> list[str]:
    """Revoke the pending invitations without a player of names and addresses; returns their ids.

    Letters' case is no difference. One address may be that of several people, each with a name.
    """
    invited = {(email.lower(), folded(name)) for name, email in people if email}
    if not invited:
        return []
    pending = list_pending_invitations().filter(club=club, player=None)
    addresses = {email for email, _name in invited}
    rows = pending.alias(address=Lower("email")).filter(address__in=addresses)
    named = rows.values_list("pk", "email", "name")
    replaced = [pk for pk, email, name in named if (email.lower(), folded(name)) in invited]
    return _revoke(list_pending_invitations().filter(pk__in=replaced).order_by("pk"), now)


def revoke_made_by(club: Club, user_id: int, now: datetime) -> list[str]:
    """Revoke the pending invitations that an account made in a club; returns their ids."""
    invitations = list_pending_invitations().filter(club=club, created_by=user_id)
    return _revoke(invitations.order_by("pk"), now)


def forget_invited(club: Club, user: User) -> None:
    """Remove name and address of an account that leaves a club from the club's invitations.

    Those that it accepted, and decided ones with the same name or address: each resent invitation
    left an earlier one.
    """
    accepted = list(Invitation.objects.filter(club=club, accepted_by=user))
    emails = {user.email, *(row.email for row in accepted)} - {""}
    names = {row.name for row in accepted} - {""}
    about = Q(accepted_by=user) | Q(name__in=names)
    for email in emails:
        about |= Q(email__iexact=email)
    is_decided = Q(accepted_at__isnull=False) | Q(revoked_at__isnull=False)
    _forget(Invitation.objects.filter(about, is_decided, club=club))


def find_invitations_of_address(user: User) -> QuerySet[Invitation]:
    """Return the invitations to the address of an account, of clubs it never joined too.

    None where the account has not confirmed the address: it may be that of somebody else.
    """
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    if not user.email or not own.exists():
        return Invitation.objects.none()
    return Invitation.objects.filter(email__iexact=user.email)


def forget_invitations_of_address(op: Operation, user: User) -> None:
    """Decline what still invites an account that is deleted; remove its name and address.

    The caller holds the clubs of these invitations.
    """
    invitations = find_invitations_of_address(user)
    pending = list_pending_invitations().filter(pk__in=[row.pk for row in invitations])
    for invitation in pending.select_related("club").order_by("pk"):
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=op.now)
        op.audit(invitation, name="decline_invitation")
    _forget(invitations)


def complete_invitations() -> None:
    """Remove what an older release left of invited accounts that it deleted or removed."""
    member = Membership.objects.filter(club=OuterRef("club"), user=OuterRef("accepted_by"))
    left = Q(accepted_by__isnull=True) | ~Exists(member)
    invitations = Invitation.objects.filter(left, accepted_at__isnull=False)
    _forget(invitations.exclude(name="", email=""))


def _forget(invitations: QuerySet[Invitation]) -> None:
    rows = list(invitations)
    Outbox.objects.filter(about__in=[row.audit_subject for row in rows]).delete()
    Invitation.objects.filter(pk__in=[row.pk for row in rows]).update(name="", email="")


def _revoke(invitations: QuerySet[Invitation], now: datetime) -> list[str]:
    rows = list(invitations)
    Invitation.objects.filter(pk__in=[row.pk for row in rows]).update(revoked_at=now)
    return [str(row.public_id) for row in rows]


def _lock_player(player: Player) -> Player:
    return lock_player(lock_club(player.club), player)


@operation(
    "link_players", locks=_lock_player, refuses=("not_a_member", "unknown_player", *NOT_LINKED)
)
def link_player(op: Operation, player: Player, /, *, user: User | None) -> Player:
    """Link a player to the account of a member."""
    if user is None or not Membership.objects.filter(club=player.club, user=user).exists():
        raise Refused(Problem("not_a_member", ("member",)))
    return link_account(op, player, user)


@operation("link_players", locks=_lock_player, refuses=("unknown_player",))
def unlink_player(op: Operation, player: Player, /) -> Player:
    """Unlink the account of a player; the member keeps their role. Without one, nothing happens."""
    if player.user_id is not None:
        _unlink(op, player)
    return player


def link_account(op: Operation, player: Player, user: User) -> Player:
    """Link an account to a locked player and make it a member, which keeps its role if it was one.

    Pending claims are decided: the account's own claim of this player is confirmed, all others of
    the two are rejected; a pending invitation of the player is revoked. If the account is linked to
    this player already, nothing is written.
    """
    if player.user_id == user.pk:
        return player
    club = player.club
    require_linkable(player)
    require_no_player(club, user.pk)
    facts: dict[str, object] = {"user": user.pk}
    _member, joined = Membership.objects.get_or_create(
        club=club, user=user, defaults={"role": Role.PLAYER, "joined_at": op.now}
    )
    if joined:
        facts["role"] = Role.PLAYER.value
    player.user = user
    player.save(update_fields=["user"])
    if decided := _decide_claims(op, player):
        facts["claims"] = decided
    if revoked := revoke_of_players([player], op.now):
        facts["invitations"] = revoked
    op.audit(player, facts, name="link_player")
    return player


def unlink_account(op: Operation, club: Club, *, user_id: int) -> None:
    """Unlink an account from its player in a locked club, for callers that checked the right."""
    player = Player.objects.select_for_update(no_key=True).filter(club=club, user=user_id).first()
    if player is not None:
        player.club = club
        _unlink(op, player)


def _unlink(op: Operation, player: Player) -> None:
    facts = {"user": player.user_id}
    player.user = None
    player.save(update_fields=["user"])
    op.audit(player, facts, name="unlink_player")


def require_whole(player: Player) -> None:
    facts = {"player": player.player_id}
    if player.erased_at is not None:
        raise Conflict(Problem("player_is_erased", ("player_id",), facts))
    if player.merged_into is not None:
        facts["into"] = player.merged_into.player_id
        raise Conflict(Problem("player_is_merged", ("player_id",), facts))


def require_linkable(player: Player) -> None:
    require_whole(player)
    if player.user_id is not None:
        raise Conflict(Problem("player_is_linked", ("player_id",), {"player": player.player_id}))


def require_no_player(club: Club, user_id: int) -> None:
    for player in Player.objects.filter(club=club, user=user_id):
        raise Conflict(Problem("account_is_linked", ("member",), {"player": player.player_id}))


def lock_player(club: Club, player: Player) -> Player:
    """Return a player of a club as it is now, locked, with the one it was merged into."""
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    rows = rows.select_related("merged_into").filter(club=club, pk=player.pk)
    locked = first_or_missing(rows, "player", player=player.player_id)
    locked.club = club
    return locked


def _decide_claims(op: Operation, player: Player) -> list[str]:
    claims = PlayerClaim.objects.filter(club_id=player.club_id, state=ClaimState.PENDING)
    about = claims.filter(player=player) | claims.filter(user=player.user_id)
    decided = list(about.order_by("pk"))
    for claim in decided:
        is_theirs = (claim.player_id, claim.user_id) == (player.pk, player.user_id)
        claim.state = ClaimState.CONFIRMED if is_theirs else ClaimState.REJECTED
        claim.decided_by_id, claim.decided_at = op.actor.user_id, op.now
    PlayerClaim.objects.bulk_update(decided, ["state", "decided_by", "decided_at"])
    return [str(claim.public_id) for claim in decided]


def claim_right() -> str:
    """Return the right of a claim: a member's; with open sign-up that of any account."""
    return "own_account" if settings.SIGN_UP == "open" else "edit_own_player"


@operation(
    "own_account", locks=_lock_player, refuses=("claim_pending", "unknown_player", *NOT_LINKED)
)
def claim_player(op: Operation, player: Player, /) -> PlayerClaim:
    """Claim a player for the actor's own account; the pending claim of that player stays."""
    right = op.require(claim_right(), player)
    if op.actor.user_id is None:
        raise Forbidden(right)
    require_linkable(player)
    require_no_player(player.club, op.actor.user_id)
    claims = PlayerClaim.objects.select_related("player").filter(state=ClaimState.PENDING)
    pending = claims.filter(club=player.club, user=op.actor.user_id).first()
    if pending is not None:
        if pending.player_id == player.pk:
            return pending
        facts = {"player": pending.player.player_id}
        raise Conflict(Problem("claim_pending", ("player_id",), facts))
    claim = PlayerClaim.objects.create(
        club=player.club, player=player, user_id=op.actor.user_id, created_at=op.now
    )
    op.audit(claim, claim.audit_facts)
    return claim


def _lock_claim(claim: PlayerClaim) -> PlayerClaim:
    return get_claim(lock_club(claim.club), claim.public_id)


def _require_pending(claim: PlayerClaim) -> None:
    if claim.state != ClaimState.PENDING:
        raise Conflict(Problem("claim_is_decided", facts={"state": claim.state}))


@operation(
    "link_players",
    locks=_lock_claim,
    requires=_require_pending,
    refuses=(*NOT_PENDING, *NOT_LINKED),
)
def confirm_claim(op: Operation, claim: PlayerClaim, /) -> PlayerClaim:
    """Confirm a claim and link the account; other claims of the player or account are rejected."""
    link_account(op, lock_player(claim.club, claim.player), claim.user)
    claim.refresh_from_db()
    return claim


@operation("link_players", locks=_lock_claim, requires=_require_pending, refuses=NOT_PENDING)
def reject_claim(op: Operation, claim: PlayerClaim, /) -> PlayerClaim:
    """Reject the claim of an account to be a player."""
    return _decide(op, claim, ClaimState.REJECTED)


@operation("own_account", locks=_lock_claim, refuses=NOT_PENDING)
def withdraw_claim(op: Operation, claim: PlayerClaim, /) -> PlayerClaim:
    """Withdraw your own claim."""
    if claim.user_id != op.actor.user_id:
        raise Missing("claim", {"claim": str(claim.public_id)})
    _require_pending(claim)
    return _decide(op, claim, ClaimState.WITHDRAWN)


def _decide(op: Operation, claim: PlayerClaim, state: ClaimState) -> PlayerClaim:
    claim.state, claim.decided_by_id, claim.decided_at = state, op.actor.user_id, op.now
    claim.save(update_fields=["state", "decided_by", "decided_at"])
    op.audit(claim, claim.audit_facts)
    return claim


@operation("manage_members", locks=lock_club, refuses=ROLE_KEPT)
def give_role(op: Operation, club: Club, /, *, user_id: int, role: str) -> Membership:
    require_role_to_give(op, role)
    before = Membership.objects.filter(club=club, user_id=user_id).first()
    if before is not None:
        _change(op, before, role)
        return before
    membership = Membership.objects.create(club=club, user_id=user_id, role=role, joined_at=op.now)
    op.audit(membership, {"role": role})
    return membership


@operation("manage_members", locks=lock_club, refuses=("club_has_owner",))
def become_owner(op: Operation, club: Club, /) -> Membership:
    """Make the site's administrator the owner of a club that has none, such as an imported one."""
    if not op.actor.is_site_admin or op.actor.user_id is None:
        raise Forbidden("manage_members")
    if has_owner(club):
        raise Conflict(Problem("club_has_owner"))
    return give_role(op, club, user_id=op.actor.user_id, role=Role.OWNER)


def _lock_member(member: Membership) -> Membership:
    return get_member(lock_club(member.club), member.public_id)


@operation(
    "manage_members",
    locks=_lock_member,
    refuses=("unknown_membership", "member_outdated", *ROLE_KEPT),
)
def change_member(
    op: Operation, member: Membership, /, *, role: str, based_on: str | None = None
) -> Membership:
    """Change the role of a member, from the member's next request on.

    `If-Match` is the ETag of the member that you read, or `*`. The last owner of a club cannot get
    another role (409).
    """
    require_role_to_give(op, role)
    if based_on not in (None, member_tag(member)):
        facts = {"role": member.role}
        raise Conflict(Problem("member_outdated", (), facts), there=facts)
    _change(op, member, role)
    return member


@operation("manage_members", locks=lock_club, refuses=ROLE_KEPT)
def change_roles(op: Operation, club: Club, /, *, roles: Mapping[uuid.UUID, str]) -> int:
    """Change the roles of members, all or none, and return how many changed.

    Members removed meanwhile are skipped.
    """
    for role in roles.values():
        require_role_to_give(op, role)
    members = Membership.objects.filter(club=club, public_id__in=list(roles)).order_by("pk")
    # Who becomes an owner comes first: handing a club over is one operation.
    ordered = sorted(members, key=lambda member: roles[member.public_id] != Role.OWNER)
    return sum(_change(op, member, roles[member.public_id]) for member in ordered)


@operation(
    "manage_members",
    locks=_lock_member,
    refuses=("unknown_membership", "owner_by_token", "last_owner"),
)
def remove_member(op: Operation, member: Membership, /) -> None:
    """Remove a member: the account loses its rights in the club, and its player is unlinked.

    The last owner of a club cannot be removed (409).
    """
    _require_person(op, member)
    _require_other_owner(member)
    club, user_id = member.club, member.user_id
    facts: dict[str, object] = {"role": member.role}
    if revoked := revoke_made_by(club, user_id, op.now):
        facts["invitations"] = revoked
    pending = PlayerClaim.objects.filter(club=club, user=user_id, state=ClaimState.PENDING)
    decided = {"decided_by": op.actor.user_id, "decided_at": op.now}
    if claims := pending.update(state=ClaimState.REJECTED, **decided):
        facts["claims"] = claims
    forget_invited(club, member.user)
    member.delete()
    unlink_account(op, club, user_id=user_id)
    op.audit(member, facts)


def _change(op: Operation, member: Membership, role: str) -> bool:
    if member.role == role:
        return False
    facts: dict[str, object] = {"role": role, "was": member.role}
    if member.role == Role.OWNER:
        _require_person(op, member)
        _require_other_owner(member, role)
        if revoked := revoke_made_by(member.club, member.user_id, op.now):
            facts["invitations"] = revoked
    member.role = role
    member.save(update_fields=["role"])
    op.audit(member, facts, name="give_role")
    return True


def last_owner_problem(member: Membership, role: str = "") -> Problem | None:
    """Return why a member cannot have another role, or be removed where none is given.

    A club keeps an owner; an account that was closed owns nothing.
    """
    owned = Membership.objects.filter(club=member.club_id, role=Role.OWNER)
    if role == Role.OWNER or not owned.filter(pk=member.pk).exists():
        return None
    if owned.exclude(pk=member.pk).filter(user__is_active=True).exists():
        return None
    return Problem("last_owner", ("role",), {"user": member.user.get_username()})


def _require_other_owner(member: Membership, role: str = "") -> None:
    if problem := last_owner_problem(member, role):
        raise Conflict(problem)


def _require_person(op: Operation, member: Membership) -> None:
    """Refuse to take the role of an owner by a token: who holds one that leaked would be alone."""
    if member.role == Role.OWNER and op.actor.scope:
        raise Refused(Problem("owner_by_token", ("role",)))


def require_role_to_give(op: Operation, role: str) -> None:
    """Check a role that somebody is to get. Who holds a token that leaked makes no owner by it."""
    if role == Role.OWNER and op.actor.scope:
        raise Refused(Problem("owner_by_token", ("role",)))
    if role not in Role.values:
        facts = {"found": shown(role), "expected": ", ".join(Role.values)}
        raise Refused(Problem("unknown_role", ("role",), facts))
