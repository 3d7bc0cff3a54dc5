"""Invite people into a club, revoke an invitation, accept it or decline it."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from scoring.errors import Path, Problem, Refused
from tournaments.domain.name_matching import LONGEST_NAME, folded, one_line
from tournaments.domain.notices import INVITATION, email_problem
from tournaments.errors import Conflict, first_or_missing, refuse_any
from tournaments.models.access import Invitation, token_digest
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.policy import Actor
from tournaments.selectors.access.invitations import (
    get_invitation,
    invitation_token,
    list_working_invitations,
)
from tournaments.services.clubs.members import (
    NOT_LINKABLE,
    link_account,
    lock_player,
    require_linkable,
    require_role_to_give,
    revoke_of_addresses,
    revoke_of_players,
)
from tournaments.services.db.locks import lock_club
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.operations import Operation, operation

MOST_A_MINUTE: Final = 200
"""Invitations of one club within a minute."""
A_MINUTE: Final = timedelta(minutes=1)
VALID_FOR: Final = timedelta(days=14)
SEED_BYTES: Final = 32
WEAKEST_FIRST: Final = tuple(Role.values)
BAD_INVITE: Final = (
    "unknown_role",
    "owner_by_token",
    "bad_email",
    "name_too_long",
    "too_many_invitations",
)
NOT_INVITED: Final = (*BAD_INVITE, "unknown_player", *NOT_LINKABLE)


@dataclass(frozen=True, slots=True)
class Invite:
    """A player of the club, or a name; `at` is the field of its problems, `role` one of its own."""

    player: Player | None = None
    name: str = ""
    email: str = ""
    at: Path = ()
    role: str = ""


@operation("manage_members", refuses=NOT_INVITED)
def invite(
    op: Operation, club: Club, /, *, role: str, player_id: str = "", name: str = "", email: str = ""
) -> Invitation:
    """Create an invitation into a club. Only this answer shows its link.

    An earlier invitation of the same player stops working; without a player, one of the same name
    to the same mail address.
    """
    player = None
    if player_id:
        players = Player.objects.filter(club=club, player_id=player_id)
        player = first_or_missing(players, "player", player=player_id)
    return invite_many(op, club, role=role, people=[Invite(player, name, email)])[0]


@operation("manage_members", locks=lock_club, refuses=("invited_twice", *NOT_INVITED))
def invite_many(
    op: Operation, club: Club, /, *, role: str, people: Sequence[Invite]
) -> Sequence[Invitation]:
    """Invite people, all or none of them, in `role` or each in their own; one audit line for all.

    Who has an e-mail address gets the link by mail.
    """
    for one_role in sorted({role, *(person.role or role for person in people)}):
        _require_role(op, club, one_role)
    people = [
        replace(
            person,
            name="" if person.player is not None else one_line(person.name),
            email=person.email.strip(" \t"),
        )
        for person in people
    ]
    refuse_any(_problems(people))
    _require_pace(op, club, len(people))
    players = _lock_linkable([person.player for person in people if person.player is not None])
    addressed = [(person.name, person.email) for person in people if person.player is None]
    revoked = [
        *revoke_of_players(players, op.now),
        *revoke_of_addresses(club, addressed, op.now),
    ]
    return _store(op, club, role, people, revoked)


def _lock_pending(invitation: Invitation) -> Invitation:
    return get_invitation(lock_club(invitation.club), invitation.public_id)


@operation(
    "manage_members",
    locks=_lock_pending,
    refuses=("unknown_invitation", "owner_by_token", "too_many_invitations", *NOT_LINKABLE),
)
def resend_invitation(op: Operation, invitation: Invitation, /) -> Invitation:
    """Replace a pending invitation by a new one. Only this answer shows its link.

    The link is mailed if the invitation has a mail address. The earlier link stops working.
    """
    club, player = invitation.club, invitation.player
    _require_role(op, club, invitation.role)
    _require_pace(op, club, 1)
    _lock_linkable([player] if player else [])
    _revoke(op, invitation)
    person = Invite(player, invitation.name, invitation.email)
    return _store(op, club, invitation.role, [person], [str(invitation.public_id)])[0]


@operation("manage_members", locks=_lock_pending, refuses=("unknown_invitation",))
def revoke_invitation(op: Operation, invitation: Invitation, /) -> None:
    """Revoke an invitation; its link stops working."""
    op.require("manage_members", invitation)  # again, under the lock
    _revoke(op, invitation)
    op.audit(invitation)


def _revoke(op: Operation, invitation: Invitation) -> None:
    invitation.revoked_at = op.now
    invitation.save(update_fields=["revoked_at"])


def _problems(people: Sequence[Invite]) -> Iterator[Problem]:
    players: set[Player] = set()
    addressed: set[tuple[str, str]] = set()
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
        elif person.email:
            addressee = (person.email.lower(), folded(person.name))
            if addressee in addressed:
                who = {"player": person.name or person.email}
                yield Problem("invited_twice", person.at, who)
            addressed.add(addressee)


def _require_role(op: Operation, club: Club, role: str) -> None:
    """Check the right again, and the role, under the lock: an owner just demoted invites nobody."""
    op.require("manage_members", club)
    require_role_to_give(op, role)


def _require_pace(op: Operation, club: Club, n: int) -> None:
    """Count in the table, under the club's row: whichever process made them, each is counted."""
    lately = Invitation.objects.filter(club=club, created_at__gt=op.now - A_MINUTE)
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
            raise Conflict(Problem("unknown_player", ("player_id",), {"player": player.player_id}))
    return locked


def _store(
    op: Operation, club: Club, role: str, people: Sequence[Invite], revoked: Sequence[str]
) -> Sequence[Invitation]:
    seeds = [secrets.token_urlsafe(SEED_BYTES) for _person in people]
    rows = Invitation.objects.bulk_create(
        Invitation(
            club=club,
            role=person.role or role,
            player=person.player,
            name=person.name,
            email=person.email,
            seed=seed,
            token_digest=token_digest(invitation_token(seed)),
            created_by_id=op.actor.user_id,
            created_at=op.now,
            expires_at=op.now + VALID_FOR,
        )
        for person, seed in zip(people, seeds, strict=True)
    )
    for row in rows:
        if row.email:
            enqueue_mail(
                club=club,
                kind=INVITATION,
                to=row.email,
                now=op.now,
                payload={"invitation": str(row.public_id)},
                about=row.audit_subject,
            )
    facts = {"invitations": [str(row.public_id) for row in rows], "role": role}
    if len({row.role for row in rows} | {role}) > 1:
        facts["roles"] = [row.role for row in rows]
    if players := [row.player.player_id for row in rows if row.player is not None]:
        facts["players"] = players
    if revoked:
        facts["instead_of"] = list(revoked)
    if len(rows) == 1:
        subject = rows[0].audit_subject
    else:
        subject = f"club:{club.slug}"
    op.audit(club, facts, name="invite", subject=subject)
    return rows


@operation("join_club", refuses=("unknown_invitation", "account_is_linked"))
def accept_invitation(op: Operation, invitation: Invitation, /) -> Membership:
    """Make the actor's account a member, and the player that the invitation names.

    A role is raised and never lowered. Of two devices that accept at one moment one is in.
    """
    invitation = _lock_working(invitation, op.now)
    club = invitation.club
    role = invitation.role
    user = User.objects.get(pk=op.actor.user_id or 0)
    invitation.accepted_at = op.now
    invitation.accepted_by = user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    member, _is_new = Membership.objects.get_or_create(
        club=club, user=user, defaults={"role": role, "joined_at": op.now}
    )
    if WEAKEST_FIRST.index(role) > WEAKEST_FIRST.index(member.role):
        member.role = role
        member.save(update_fields=["role"])
    facts = {"role": member.role}
    if invitation.player is not None:
        link_account(op, lock_player(club, invitation.player), user)
        facts["player"] = invitation.player.player_id
    op.audit(invitation, facts)
    return member


def accept_as_new_account(
    *, invitation: Invitation, make_account: Callable[[], User], now: datetime
) -> tuple[User, Membership]:
    """Create an account and its membership; neither if the invitation is no longer valid.

    `make_account` is called while the invitation is locked, so that two devices cannot create two;
    and again if its user name was taken meanwhile, as two clubs may propose the same.
    """

    def attempt() -> tuple[User, Membership]:
        with transaction.atomic():
            _lock_working(invitation, now)
            user = make_account()
            op = Operation(Actor("user", user_id=user.pk), now)
            return user, accept_invitation(op, invitation)

    try:
        return attempt()
    except IntegrityError:
        return attempt()


@operation("join_club", refuses=("unknown_invitation",))
def decline_invitation(op: Operation, invitation: Invitation, /) -> None:
    invitation = _lock_working(invitation, op.now)
    _revoke(op, invitation)
    op.audit(invitation)


def note_opened(*, invitation: Invitation, now: datetime) -> None:
    if invitation.opened_at is None:
        Invitation.objects.filter(pk=invitation.pk, opened_at__isnull=True).update(opened_at=now)


def _lock_working(invitation: Invitation, now: datetime) -> Invitation:
    lock_club(invitation.club)
    rows = Invitation.objects.select_for_update(no_key=True).filter(pk=invitation.pk)
    list(rows.values_list("pk"))
    return first_or_missing(list_working_invitations(now).filter(pk=invitation.pk), "invitation")
