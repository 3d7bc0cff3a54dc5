"""Sessions of an account: list and end them; delete one's own account."""

from collections.abc import Sequence
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import Q

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden, first_or_missing
from tournaments.models.clubs import Club, Membership, Role
from tournaments.services.audit.audit import AFTER_AUDIT
from tournaments.services.clubs.members import (
    find_invitations_of_address,
    forget_invitations_of_address,
    forget_invited,
    last_owner_problem,
    revoke_made_by,
    unlink_account,
)
from tournaments.services.db.locks import lock_account, lock_club
from tournaments.services.db.transactions import unless_taken, write_last
from tournaments.services.operations import Operation, operation


def open_sessions(user: User, *, current: str) -> Sequence[UserSession]:
    """Return the sessions of an account, the current one first; ended ones are deleted.

    Args:
        current: the key of the current session.
    """
    sessions = UserSession.objects.purge_and_list(user)
    newest = sorted(sessions, key=lambda session: session.last_seen_at, reverse=True)
    return sorted(newest, key=lambda session: session.session_key != current)


@operation("own_account", refuses=("unknown_session",))
def end_session(op: Operation, *, session_id: int, current: str) -> None:
    others = UserSession.objects.filter(user_id=op.actor.user_id).exclude(session_key=current)
    session = first_or_missing(others.filter(pk=session_id), "session")
    session.end()


@operation("own_account")
def end_other_sessions(op: Operation, *, current: str) -> int:
    others = list(UserSession.objects.filter(user_id=op.actor.user_id).exclude(session_key=current))
    for session in others:
        session.end()
    return len(others)


def delete_expired_sessions(*, now: datetime) -> None:
    """Delete sessions that expired, and what is noted of the devices of sessions that are gone."""
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()


@operation("own_account", refuses=("slug_taken",))
def change_user_name(op: Operation, *, user_name: str) -> str:
    """Change the name that the actor signs in with and that other members see."""
    with unless_taken(Conflict(Problem("slug_taken", ("user_name",), {"slug": user_name}))):
        User.objects.filter(pk=op.actor.user_id or 0).update(username=user_name)
    return user_name


@operation("own_account", refuses=("owns_clubs_alone",))
def delete_account(op: Operation) -> None:
    """Delete the actor's own account, with its roles, tokens, notices and second factor.

    Audit lines keep its number, results stay with its players. All clubs are locked first, so that
    of two last owners who leave at one moment one stays; and before them the account, so that no
    club which it makes or imports at this moment is left without an owner.
    """
    user_id = op.actor.user_id
    if user_id is None or op.actor.scope:
        raise Forbidden("own_account")
    lock_account(op.actor, "own_account")
    user = User.objects.get(pk=user_id)
    invited = find_invitations_of_address(user).values_list("club", flat=True)
    of_account = Q(memberships__user=user_id) | Q(pk__in=list(invited))
    for club in Club.objects.filter(of_account).order_by("pk").distinct():
        lock_club(club)
    members = Membership.objects.filter(user=user_id).select_related("club", "user")
    ordered = list(members.order_by("club_id"))
    if alone := clubs_owned_alone(user_id):
        raise Conflict(Problem("owns_clubs_alone", (), {"clubs": ", ".join(alone)}))
    list(User.objects.select_for_update().filter(pk=user_id).values_list("pk"))
    for member in ordered:
        facts: dict[str, object] = {"role": member.role}
        if revoked := revoke_made_by(member.club, user_id, op.now):
            facts["invitations"] = revoked
        forget_invited(member.club, member.user)
        member.delete()
        unlink_account(op, member.club, user_id=user_id)
        op.audit(member, facts)
    forget_invitations_of_address(op, user)
    # The lines point at the account when they are written, and lose it with it.
    write_last(User.objects.filter(pk=user_id).delete, order=(AFTER_AUDIT,))


def clubs_owned_alone(user_id: int) -> tuple[str, ...]:
    owned = Membership.objects.filter(user=user_id, role=Role.OWNER).select_related("club", "user")
    return tuple(
        member.club.name
        for member in owned.order_by("club__name")
        if last_owner_problem(member) is not None
    )
