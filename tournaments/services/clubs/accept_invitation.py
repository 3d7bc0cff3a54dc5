"""Opening, accepting and declining an invitation: whoever shows its secret, once.

Locks are taken in one order: the club, the invitation, the player.
"""

from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from tournaments.errors import Missing
from tournaments.models.clubs import Membership, Role
from tournaments.models.invitations import Invitation
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.access.invitations import about, working_invitations
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.link_player import link_account, lock_club
from tournaments.services.db.transactions import atomic_act


@atomic_act
def accept_invitation(*, actor: Actor, invitation: Invitation, now: datetime) -> Membership:
    """Make the actor's account a member, and the player that the invitation names.

    A role is raised and never lowered. Of two devices that accept at one moment one is in.

    Args:
        invitation: as it was read by its secret.

    Raises:
        Forbidden: join_club.
        Missing: unknown_invitation, where it was used, revoked or has expired meanwhile.
        Conflict: account_is_linked, where the account is another player of the club.
    """
    club = invitation.club
    require(actor, club, "join_club")
    lock_club(club)
    locked = _locked(invitation, now)
    user = User.objects.get(pk=actor.user_id or 0)
    Invitation.objects.filter(pk=locked.pk).update(accepted_at=now, accepted_by=user)
    member = _joined(locked, user, now)
    if locked.player is not None:
        link_account(actor=actor, club=club, player=locked.player, user=user, now=now)
    facts: dict[str, object] = {"role": member.role}
    if locked.player is not None:
        facts["player"] = locked.player.player_id
    append_audit(
        club=club, actor=actor, act="accept_invitation", subject=about(locked), facts=facts, now=now
    )
    return member


def accept_as_new_account(
    *, invitation: Invitation, make_account: Callable[[], User], now: datetime
) -> tuple[User, Membership]:
    """Make an account and a member of it; where the invitation works no longer, neither.

    The account is made while the invitation is locked, so that of two devices one makes an account.
    Two clubs may propose one user name at one moment; the second try takes another.

    Args:
        make_account: makes the account and returns it; called again where its name was taken.

    Raises:
        Missing: unknown_invitation.
    """

    def attempt() -> tuple[User, Membership]:
        with transaction.atomic():
            lock_club(invitation.club)
            _locked(invitation, now)
            user = make_account()
            actor = Actor("user", user_id=user.pk)
            return user, accept_invitation(actor=actor, invitation=invitation, now=now)

    try:
        return attempt()
    except IntegrityError:
        return attempt()


@atomic_act
def decline_invitation(*, invitation: Invitation, now: datetime) -> None:
    """Revoke an invitation because whoever opened it is not the person that it is for.

    Raises:
        Missing: unknown_invitation.
    """
    lock_club(invitation.club)
    locked = _locked(invitation, now)
    Invitation.objects.filter(pk=locked.pk).update(revoked_at=now)
    append_audit(
        club=locked.club,
        actor=ANYBODY,
        act="decline_invitation",
        subject=about(locked),
        facts={},
        now=now,
    )


def note_opened(*, invitation: Invitation, now: datetime) -> None:
    """Note that somebody opened an invitation; the first time only."""
    if invitation.opened_at is None:
        unopened = Invitation.objects.filter(pk=invitation.pk, opened_at__isnull=True)
        unopened.update(opened_at=now)


def _locked(invitation: Invitation, now: datetime) -> Invitation:
    rows = Invitation.objects.select_for_update(no_key=True).filter(pk=invitation.pk)
    list(rows.values_list("pk"))
    found = working_invitations(now).filter(pk=invitation.pk).first()
    if found is None:
        raise Missing("invitation")
    return found


def _joined(invitation: Invitation, user: User, now: datetime) -> Membership:
    club, role = invitation.club, invitation.role
    member, is_new = Membership.objects.get_or_create(
        club=club, user=user, defaults={"role": role, "joined_at": now}
    )
    weakest_first = Role.values
    if not is_new and weakest_first.index(role) > weakest_first.index(member.role):
        Membership.objects.filter(pk=member.pk).update(role=role)
        member.role = role
    return member
