"""Create and revoke bearer tokens. The plain token is returned once and stored nowhere."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import Q

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import one_line
from tournaments.errors import BeyondScope, Forbidden, Missing, refuse_any
from tournaments.models.access import CalendarLink, Scope, Token, token_digest
from tournaments.models.clubs import Club, Membership
from tournaments.policy import HOST, OWNER, PLAYER, PUBLIC, Actor
from tournaments.selectors.access.tokens import list_working_tokens
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.db.locks import lock_account
from tournaments.services.operations import Operation, operation

PREFIX: Final = "bl_"
"""Identifies a token where one is found."""
RANDOM_BYTES: Final = 32
HOURLY: Final = timedelta(hours=1)
"""Shortest interval between two writes of the last use, so that most reads do not write."""
LONGEST_TOKEN_NAME: Final = 60
LONGEST_DAYS: Final = 366
"""Maximum number of days of a token that an account creates."""
_UP_TO: Final = {
    PUBLIC: str(Scope.READ),
    PLAYER: str(Scope.ENTER),
    HOST: str(Scope.ENTER),
}
"""Role → the widest scope of its tokens; `manage` for the others."""
_ORDER: Final = tuple(Scope.values)


@operation("manage_club", refuses=("no_role",))
def make_token(
    op: Operation, club: Club | None, /, *, user: User, scope: str, days: int | None = None
) -> str:
    """Return a new token that acts as `user` within `scope`; nobody can read it again.

    `club` is where it works, None for every club of the user; without `days` it never expires.
    """
    if club is not None and not Membership.objects.filter(club=club, user=user).exists():
        facts = {"user": user.get_username(), "club": club.slug}
        raise Refused(Problem("no_role", ("user",), facts))
    return _store_token(op, user, club, scope, days).plain_text


@operation("manage_club")
def revoke_tokens(op: Operation, club: Club | None, /, *, user: User) -> int:
    """Revoke the tokens of `user` that still work, all or those for `club`; return how many."""
    tokens = list_working_tokens(op.now).filter(user=user)
    revoked = (tokens if club is None else tokens.filter(club=club)).update(revoked_at=op.now)
    if revoked:
        _audit(op, user, club, "revoke_tokens", {"tokens": revoked})
    return revoked


def _audit(
    op: Operation,
    user: User,
    club: Club | None,
    name: str,
    facts: Mapping[str, object] = MappingProxyType({}),
) -> None:
    for home in [club] if club is not None else Club.objects.filter(memberships__user=user):
        op.audit(home, facts, name=name, subject=f"user:{user.pk}")


def note_token_use(*, token: Token, now: datetime) -> None:
    """Store that a token was used; at most once an hour, and never at the caller's expense."""
    if token.used_at is not None and now - token.used_at < HOURLY:
        return
    with suppress(OperationalError), transaction.atomic():
        before = Q(used_at__isnull=True) | Q(used_at__lt=now - HOURLY)
        Token.objects.filter(before, pk=token.pk).update(used_at=now)


@operation(
    "own_account",
    refuses=(
        *("no_name", "name_too_long", "bad_token_scope", "no_own_role", "scope_too_wide"),
        "bad_token_time",
    ),
)
def create_token(op: Operation, *, name: str, club: Club | None, scope: str, days: int) -> Token:
    """Create a token that acts as you. Only this answer shows its plain text."""
    user = _locked_account(op.actor)
    name = one_line(name)
    refuse_any(_token_problems(op.actor, name, club, scope, days))
    return _store_token(op, user, club, scope, days, name)


def _store_token(
    op: Operation, user: User, club: Club | None, scope: str, days: int | None, name: str = ""
) -> Token:
    plain_text = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    token = Token.objects.create(
        name=name,
        digest=token_digest(plain_text),
        user=user,
        club=club,
        scope=scope,
        made_at=op.now,
        expires_at=op.now + timedelta(days=days) if days is not None else None,
        made_with_factor=not op.actor.without_factor,
    )
    _audit(op, user, club, "make_token", {"token": token.pk, "scope": scope})
    token.plain_text = plain_text
    return token


@operation("own_account")
def revoke_token(op: Operation, *, token: Token) -> Token:
    """Revoke one of your own tokens; it stops working."""
    return _revoke(op, token)


@operation("manage_club_tokens")
def revoke_club_token(op: Operation, token: Token, /) -> Token:
    """Revoke a token that is bound to a club, of any account; for owners."""
    return _revoke(op, token)


def _revoke(op: Operation, token: Token) -> Token:
    if Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=op.now):
        _audit(op, token.user, token.club, "revoke_token", {"token": token.pk})
    return token


def require_own_account(actor: Actor) -> int:
    """Check that the actor is signed in, or has a token to manage the account; return its id."""
    if actor.user_id is None:
        raise Forbidden("own_account")
    if not actor.is_within_scope("own_account"):
        raise BeyondScope("own_account", actor.scope)
    return actor.user_id


def _token_problems(
    actor: Actor, name: str, club: Club | None, scope: str, days: int
) -> list[Problem]:
    problems = []
    if not name:
        problems.append(Problem("no_name", ("name",)))
    elif len(name) > LONGEST_TOKEN_NAME:
        long = {"found": len(name), "expected": LONGEST_TOKEN_NAME}
        problems.append(Problem("name_too_long", ("name",), long))
    if club is not None:
        roles = {get_role(actor, club.pk)} - {PUBLIC}
    elif actor.is_site_admin:
        roles = {OWNER}
    else:
        memberships = Membership.objects.filter(user=actor.user_id)
        roles = {PUBLIC, *memberships.values_list("role", flat=True)}
    scopes = [_UP_TO.get(role, str(Scope.MANAGE)) for role in roles]
    widest = max(scopes, key=_ORDER.index, default="")
    if scope not in _ORDER:
        problems.append(Problem("bad_token_scope", ("scope",), {"found": shown(scope)}))
    elif not widest:
        problems.append(Problem("no_own_role", ("club",), {"club": club.slug if club else ""}))
    elif _ORDER.index(scope) > _ORDER.index(widest):
        problems.append(Problem("scope_too_wide", ("scope",), {"found": scope, "expected": widest}))
    if not 0 < days <= LONGEST_DAYS:
        days_facts = {"found": days, "expected": LONGEST_DAYS}
        problems.append(Problem("bad_token_time", ("days",), days_facts))
    return problems


@operation("own_account")
def make_calendar_link(op: Operation) -> str:
    """Return the token of a new calendar link, once; the one before opens nothing any more."""
    user = _locked_account(op.actor)
    token = secrets.token_urlsafe(RANDOM_BYTES)
    facts = {"digest": token_digest(token), "made_at": op.now}
    CalendarLink.objects.update_or_create(user=user, defaults=facts)
    _audit(op, user, None, "make_calendar_link")
    return token


@operation("own_account", refuses=("unknown_token",))
def revoke_calendar_link(op: Operation) -> None:
    user = _locked_account(op.actor)
    deleted, _ = CalendarLink.objects.filter(user=user).delete()
    if not deleted:
        raise Missing("token")
    _audit(op, user, None, "revoke_calendar_link")


def _locked_account(actor: Actor) -> User:
    """Return the account of a signed-in actor, locked, so that two requests follow each other.

    A token is refused: what it creates would outlive it and its revocation.
    """
    user_id = require_own_account(actor)
    if actor.scope:
        raise BeyondScope("own_account", actor.scope)
    lock_account(actor, "own_account")
    return User.objects.get(pk=user_id)
