"""Members of a club: give and change roles, and remove people."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import ClaimState, PlayerClaim
from tournaments.models.clubs import Club, Membership, Role
from tournaments.policy import Actor
from tournaments.selectors.clubs.members import MemberRow, get_member, has_owner
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.link_player import lock_club, unlink_account
from tournaments.services.clubs.pending_invitations import revoke_made_by
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def give_role(*, actor: Actor, club: Club, user_id: int, role: str, now: datetime) -> Membership:
    """Give a login a role in the club, replacing the one it had."""
    require(actor, club, "manage_members")
    require_known_role(role)
    lock_club(club)
    before = Membership.objects.filter(club=club, user_id=user_id).first()
    if before is not None:
        _change(actor, before, role, now)
        return before
    membership = Membership.objects.create(club=club, user_id=user_id, role=role, joined_at=now)
    _audit(actor, membership, "give_role", {"role": role}, now)
    return membership


@atomic_act
def become_owner(*, actor: Actor, club: Club, now: datetime) -> Membership:
    """Make the site's administrator the owner of a club that has none, such as an imported one."""
    if not actor.is_site_admin or actor.user_id is None:
        raise Forbidden("manage_members")
    lock_club(club)
    if has_owner(club):
        raise Conflict(Problem("club_has_owner"))
    return give_role(actor=actor, club=club, user_id=actor.user_id, role=Role.OWNER, now=now)


@atomic_act
def change_role(
    *,
    actor: Actor,
    club: Club,
    public_id: UUID,
    role: str,
    now: datetime,
    based_on: str | None = None,
) -> MemberRow:
    """Change the role of one member.

    Args:
        based_on: the mark of what the caller had read; None for whatever is there.
    """
    require(actor, club, "manage_members")
    require_known_role(role)
    lock_club(club)
    member_row = get_member(club, public_id)
    if based_on is not None and based_on != member_row.tag:
        facts = {"role": member_row.role}
        raise Conflict(Problem("member_outdated", (), facts), there={"role": member_row.role})
    _change(actor, Membership.objects.get(club=club, public_id=public_id), role, now)
    return get_member(club, public_id)


@atomic_act
def change_roles(*, actor: Actor, club: Club, roles: Mapping[UUID, str], now: datetime) -> int:
    """Change the roles of members, all or none of them; who is gone meanwhile is passed over.

    Returns:
        How many have another role now.
    """
    require(actor, club, "manage_members")
    for role in roles.values():
        require_known_role(role)
    lock_club(club)
    members = Membership.objects.filter(club=club, public_id__in=list(roles)).order_by("pk")
    # Who becomes an owner comes first: handing a club over is one act.
    ordered = sorted(members, key=lambda member: roles[member.public_id] != Role.OWNER)
    return sum(_change(actor, member, roles[member.public_id], now) for member in ordered)


@atomic_act
def remove_member(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> None:
    """Remove a member: their rights end with their next request, their player loses the account.

    Invitations that they made and nobody accepted are revoked with them.
    """
    require(actor, club, "manage_members")
    lock_club(club)
    member = Membership.objects.filter(club=club, public_id=public_id).first()
    if member is None:
        raise Missing("membership")
    _require_other_owner(member)
    facts: dict[str, object] = {"role": member.role}
    if revoked := revoke_made_by(club, member.user_id, now):
        facts["invitations"] = revoked
    claims = PlayerClaim.objects.filter(
        club=club, user=member.user_id, state=ClaimState.PENDING
    ).update(state=ClaimState.REJECTED, decided_by=actor.user_id, decided_at=now)
    if claims:
        facts["claims"] = claims
    member.delete()
    unlink_account(actor=actor, club=club, user_id=member.user_id, now=now)
    _audit(actor, member, "remove_member", facts, now)


def _change(actor: Actor, member: Membership, role: str, now: datetime) -> bool:
    if member.role == role:
        return False
    facts: dict[str, object] = {"role": role, "was": member.role}
    if member.role == Role.OWNER:
        _require_other_owner(member, role)
        if revoked := revoke_made_by(member.club, member.user_id, now):
            facts["invitations"] = revoked
    Membership.objects.filter(pk=member.pk).update(role=role)
    member.role = role
    _audit(actor, member, "give_role", facts, now)
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


def require_known_role(role: str) -> None:
    if role not in Role.values:
        facts = {"found": shown(role), "expected": ", ".join(Role.values)}
        raise Refused(Problem("unknown_role", ("role",), facts))


def _audit(
    actor: Actor, member: Membership, act: str, facts: Mapping[str, object], now: datetime
) -> None:
    append_audit(member.club, actor, act, f"user:{member.user_id}", facts=facts, now=now)
