"""Invite people into a club, revoke an invitation, accept it or decline it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from scoring.errors import Path, Problem, Refused, shown
from tournaments.domain.name_matching import LONGEST_NAME, one_line
from tournaments.domain.people.notification_kinds import INVITATION
from tournaments.errors import Conflict, Missing
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.access.invitations import about, get_invitation, list_working_invitations
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.members import (
    link_account,
    lock_player,
    new_invitation,
    require_known_role,
    require_linkable,
    revoke_of_players,
)
from tournaments.services.db.locks import lock_club
from tournaments.services.db.transactions import atomic_act
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.operations import Operation
from tournaments.services.permissions import require

MOST_A_MINUTE: Final = 200
"""Invitations of one club within a minute."""
A_MINUTE: Final = timedelta(minutes=1)
LONGEST_EMAIL: Final = 254
WEAKEST_FIRST: Final = tuple(Role.values)


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitee: a player of the club, or a name; `at` is the field of its problems."""

    player: Player | None = None
    name: str = ""
    email: str = ""
    at: Path = ()


@atomic_act
def invite(
    *,
    actor: Actor,
    club: Club,
    role: str,
    now: datetime,
    player_id: str = "",
    name: str = "",
    email: str = "",
) -> Invitation:
    """Invite one person; a player's earlier invitation is revoked."""
    require(actor, club, "manage_members")
    player = None
    if player_id:
        player = Player.objects.filter(club=club, player_id=player_id).first()
        if player is None:
            raise Missing("player", {"player": player_id})
    people = [Invite(player, name, email)]
    return invite_many(actor=actor, club=club, role=role, people=people, now=now)[0]


@atomic_act
def invite_many(
    *, actor: Actor, club: Club, role: str, people: Sequence[Invite], now: datetime
) -> Sequence[Invitation]:
    """Invite people in one role, all or none of them; one audit line for all.

    Who has an e-mail address gets the link by mail.
    """
    lock_club(club)  # before the role is read: who is just losing it invites nobody
    require(actor, club, "manage_members")
    _require_role(actor, club, role)
    people = list(map(_cleaned, people))
    if problems := [*_problems(people)]:
        raise Refused(*problems)
    _require_pace(club, len(people), now)
    players = _lock_linkable([person.player for person in people if person.player is not None])
    revoked = revoke_of_players(players, now)
    return _store(actor, club, role, people, revoked, now)


@atomic_act
def resend_invitation(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> Invitation:
    """Make a new invitation in the place of a pending one, whose link no longer works."""
    lock_club(club)
    require(actor, club, "manage_members")
    _require_pace(club, 1, now)
    before = get_invitation(club, public_id)
    _require_role(actor, club, before.role)
    _lock_linkable([before.player] if before.player else [])
    Invitation.objects.filter(pk=before.pk).update(revoked_at=now)
    person = Invite(before.player, before.name, before.email)
    return _store(actor, club, before.role, [person], [str(before.public_id)], now)[0]


@atomic_act
def revoke_invitation(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> None:
    lock_club(club)
    require(actor, club, "manage_members")
    invitation = get_invitation(club, public_id)
    Invitation.objects.filter(pk=invitation.pk).update(revoked_at=now)
    append_audit(club, actor, "revoke_invitation", about(invitation), now=now)


def email_problem(email: str, at: Path) -> Problem | None:
    """Return the problem of an e-mail address, if any; an empty one is no address."""
    with suppress(ValidationError):
        if email:
            validate_email(email)
        if len(email) <= LONGEST_EMAIL:
            return None
    return Problem("bad_email", at, {"found": shown(email)})


def _cleaned(person: Invite) -> Invite:
    name = "" if person.player is not None else one_line(person.name)
    return replace(person, name=name, email=person.email.strip(" \t"))


def _problems(people: Sequence[Invite]) -> Iterator[Problem]:
    players: set[Player] = set()
    for person in people:
        if problem := email_problem(person.email, person.at or ("email",)):
            yield problem
        if len(person.name) > LONGEST_NAME:
            facts = {"found": len(person.name), "expected": LONGEST_NAME}
            yield Problem("name_too_long", person.at or ("name",), facts)
        if person.player in players:
            yield Problem("invited_twice", person.at, {"player": person.player.player_id})
        if person.player is not None:
            players.add(person.player)


def _require_role(actor: Actor, club: Club, role: str) -> None:
    require_known_role(role)
    own_role = get_role(actor, club.pk)
    if WEAKEST_FIRST.index(role) > WEAKEST_FIRST.index(own_role):
        raise Refused(Problem("role_above_own", ("role",), {"role": role, "own": own_role}))


def _require_pace(club: Club, n: int, now: datetime) -> None:
    """Count in the table, under the club's row: whichever process made them, each is counted."""
    lately = Invitation.objects.filter(club=club, created_at__gt=now - A_MINUTE)
    if lately.count() + n > MOST_A_MINUTE:
        seconds = int(A_MINUTE.total_seconds())
        facts = {"found": n, "expected": MOST_A_MINUTE, "seconds": seconds}
        raise Refused(Problem("too_many_invitations", (), facts))


def _lock_linkable(players: Sequence[Player]) -> list[Player]:
    rows = Player.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
    pks = [player.pk for player in players]
    locked = list(rows.select_related("merged_into").filter(pk__in=pks))
    for player in locked:
        require_linkable(player)
    for player in players:
        if player not in locked:
            facts = {"player": player.player_id}
            raise Conflict(Problem("unknown_player", ("player_id",), facts))
    return locked


def _store(
    actor: Actor,
    club: Club,
    role: str,
    people: Sequence[Invite],
    revoked: Sequence[str],
    now: datetime,
) -> Sequence[Invitation]:
    rows = Invitation.objects.bulk_create(
        new_invitation(club, role, person.player, person.name, person.email, actor.user_id, now)
        for person in people
    )
    for row in rows:
        if row.email:
            payload = {"invitation": str(row.public_id)}
            enqueue_mail(
                club=club, kind=INVITATION, to=row.email, now=now, payload=payload, about=about(row)
            )
    facts: dict[str, object] = {"invitations": [str(row.public_id) for row in rows], "role": role}
    if players := [row.player.player_id for row in rows if row.player is not None]:
        facts["players"] = players
    if revoked:
        facts["instead_of"] = list(revoked)
    subject = about(rows[0]) if len(rows) == 1 else f"club:{club.slug}"
    append_audit(club, actor, "invite", subject, facts=facts, now=now)
    return rows


@atomic_act
def accept_invitation(*, actor: Actor, invitation: Invitation, now: datetime) -> Membership:
    """Make the actor's account a member, and the player that the invitation names.

    A role is raised and never lowered. Of two devices that accept at one moment one is in.

    Args:
        invitation: as it was read by its secret.
    """
    club = invitation.club
    require(actor, club, "join_club")
    lock_club(club)
    locked = _lock(invitation, now)
    user = User.objects.get(pk=actor.user_id or 0)
    Invitation.objects.filter(pk=locked.pk).update(accepted_at=now, accepted_by=user)
    member = _join(locked, user, now)
    facts: dict[str, object] = {"role": member.role}
    if locked.player is not None:
        link_account(Operation(actor, now), lock_player(club, locked.player), user)
        facts["player"] = locked.player.player_id
    append_audit(club, actor, "accept_invitation", about(locked), facts=facts, now=now)
    return member


def accept_as_new_account(
    *, invitation: Invitation, make_account: Callable[[], User], now: datetime
) -> tuple[User, Membership]:
    """Create an account and its membership; neither if the invitation is no longer valid.

    The account is created while the invitation is locked, so that two devices cannot create two. If
    two clubs propose a user name at once, the second try uses another.

    Args:
        make_account: creates and returns the account; called again if its name was taken.
    """

    def attempt() -> tuple[User, Membership]:
        with transaction.atomic():
            lock_club(invitation.club)
            _lock(invitation, now)
            user = make_account()
            actor = Actor("user", user_id=user.pk)
            return user, accept_invitation(actor=actor, invitation=invitation, now=now)

    try:
        return attempt()
    except IntegrityError:
        return attempt()


@atomic_act
def decline_invitation(*, invitation: Invitation, now: datetime) -> None:
    lock_club(invitation.club)
    locked = _lock(invitation, now)
    Invitation.objects.filter(pk=locked.pk).update(revoked_at=now)
    append_audit(locked.club, ANYBODY, "decline_invitation", about(locked), now=now)


def note_opened(*, invitation: Invitation, now: datetime) -> None:
    if invitation.opened_at is None:
        unopened = Invitation.objects.filter(pk=invitation.pk, opened_at__isnull=True)
        unopened.update(opened_at=now)


def _lock(invitation: Invitation, now: datetime) -> Invitation:
    rows = Invitation.objects.select_for_update(no_key=True).filter(pk=invitation.pk)
    list(rows.values_list("pk"))
    locked = list_working_invitations(now).filter(pk=invitation.pk).first()
    if locked is None:
        raise Missing("invitation")
    return locked


def _join(invitation: Invitation, user: User, now: datetime) -> Membership:
    role = invitation.role
    member, _is_new = Membership.objects.get_or_create(
        club=invitation.club, user=user, defaults={"role": role, "joined_at": now}
    )
    if WEAKEST_FIRST.index(role) > WEAKEST_FIRST.index(member.role):
        Membership.objects.filter(pk=member.pk).update(role=role)
        member.role = role
    return member
