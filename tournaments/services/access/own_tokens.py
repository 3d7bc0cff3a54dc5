"""Tokens that an account creates for itself, and their revocation, by the account or an owner."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from scoring.errors import Problem, Refused, shown
from tournaments.domain.imports.name_matching import one_line
from tournaments.errors import BeyondScope, Forbidden, Missing
from tournaments.models.clubs import Club, Membership
from tournaments.models.tokens import Scope, Token
from tournaments.policy import HOST, OWNER, PLAYER, PUBLIC, Actor
from tournaments.selectors.access.tokens import digest_of
from tournaments.selectors.clubs.clubs import role_of
from tournaments.services.access.permissions import require
from tournaments.services.access.tokens import PREFIX, RANDOM_BYTES, audit_token
from tournaments.services.db.transactions import atomic_act

LONGEST_NAME: Final = 60
LONGEST: Final = timedelta(days=366)
"""So long a token works at most that somebody creates for themselves."""

_UP_TO: Final[Mapping[str, str]] = {PLAYER: str(Scope.ENTER), HOST: str(Scope.ENTER)}
_ORDER: Final = tuple(Scope.values)


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token, and its plain text, which nobody can read again."""

    token: Token
    plain: str


@atomic_act
def create_own_token(
    *,
    actor: Actor,
    name: str,
    club: Club | None,
    scope: str,
    lasts: timedelta,
    now: datetime,
) -> CreatedToken:
    """Create a token that acts as the caller; its plain text is in the answer only.

    Args:
        club: where it works; None for every club of the caller.
        lasts: up to a year.

    Raises:
        Forbidden: own_account, by any token too: only a signed-in account creates tokens.
        Refused: no_name, name_too_long, bad_token_scope, scope_too_wide, bad_token_time,
            no_own_role.
    """
    user = User.objects.get(pk=require_own_account(actor))
    if actor.scope:  # it would outlive its parent, and the parent's revocation
        raise BeyondScope("own_account", actor.scope)
    name = one_line(name)
    problems = _own_token_problems(actor, name, club, scope, lasts)
    if problems:
        raise Refused(*problems)
    plain = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    token = Token.objects.create(
        name=name,
        digest=digest_of(plain),
        user=user,
        club=club,
        scope=scope,
        made_at=now,
        expires_at=now + lasts,
    )
    audit_token(actor, user, club, "make_token", {"token": token.pk, "scope": scope}, now)
    return CreatedToken(token, plain)


@atomic_act
def revoke_own_token(*, actor: Actor, public_id: UUID, now: datetime) -> None:
    """Revoke one token of the caller; one that works no more stays as it is.

    Raises:
        Forbidden: own_account.
        Missing: unknown_token.
    """
    user_id = require_own_account(actor)
    found = Token.objects.filter(user_id=user_id, public_id=public_id)
    if actor.club_id is not None:
        found = found.filter(club_id=actor.club_id)
    _revoke_one(actor, found.select_related("user", "club").first(), now)


@atomic_act
def revoke_club_token(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> None:
    """Revoke one of the tokens made for a club, whoever uses it.

    Raises:
        Forbidden: manage_club_tokens.
        Missing: unknown_token.
    """
    require(actor, club, "manage_club_tokens")
    found = Token.objects.filter(club=club, public_id=public_id)
    _revoke_one(actor, found.select_related("user", "club").first(), now)


def _revoke_one(actor: Actor, token: Token | None, now: datetime) -> None:
    if token is None:
        raise Missing("token")
    if Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        audit_token(actor, token.user, token.club, "revoke_token", {"token": token.pk}, now)


def widest_scope(actor: Actor, club: Club | None) -> str:
    """Return the widest scope that the caller may give a token, "" for none.

    It follows the role in the club, or the highest role of all clubs; players and hosts get
    `enter`, directors and owners `manage`.
    """
    own = Membership.objects.filter(user=require_own_account(actor))
    roles = set(own.values_list("role", flat=True))
    if club is not None:
        roles = {role_of(actor, club.pk)} - {PUBLIC}
    if actor.is_site_admin:
        roles.add(OWNER)
    given = [_UP_TO.get(role, str(Scope.MANAGE)) for role in roles]
    if club is None and not given:
        given = [str(Scope.READ)]
    return max(given, key=_ORDER.index, default="")


def require_own_account(actor: Actor) -> int:
    """Let a signed-in account, or its token made to manage, act on the account; return its id.

    Raises:
        Forbidden: own_account.
    """
    if actor.user_id is None:
        raise Forbidden("own_account")
    if not actor.is_within_scope("own_account"):
        raise BeyondScope("own_account", actor.scope)
    return actor.user_id


def _own_token_problems(
    actor: Actor, name: str, club: Club | None, scope: str, lasts: timedelta
) -> list[Problem]:
    problems = []
    if not name:
        problems.append(Problem("no_name", ("name",)))
    elif len(name) > LONGEST_NAME:
        long = {"found": len(name), "expected": LONGEST_NAME}
        problems.append(Problem("name_too_long", ("name",), long))
    widest = widest_scope(actor, club)
    if scope not in _ORDER:
        problems.append(Problem("bad_token_scope", ("scope",), {"found": shown(scope)}))
    elif not widest:
        problems.append(Problem("no_own_role", ("club",), {"club": club.slug if club else ""}))
    elif _ORDER.index(scope) > _ORDER.index(widest):
        facts = {"found": scope, "expected": widest}
        problems.append(Problem("scope_too_wide", ("scope",), facts))
    if not timedelta(0) < lasts <= LONGEST:
        days = {"found": lasts.days, "expected": LONGEST.days}
        problems.append(Problem("bad_token_time", ("days",), days))
    return problems
