"""Create and revoke bearer tokens. The plain token is returned once and stored nowhere."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import one_line
from tournaments.errors import BeyondScope, Forbidden, Missing
from tournaments.models.access import CalendarLink, Scope, Token
from tournaments.models.clubs import Club, Membership
from tournaments.policy import HOST, OWNER, PLAYER, PUBLIC, Actor
from tournaments.selectors.access.tokens import digest_of
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

PREFIX = "bl_"
"""Says what it is to whoever finds one lying about."""


RANDOM_BYTES = 32


HOURLY: Final = timedelta(hours=1)
"""The last use is written at most so often, so that a read stays a read."""


@transaction.atomic
def make_token(
    *,
    actor: Actor,
    user: User,
    club: Club | None,
    scope: str,
    now: datetime,
    lasts: timedelta | None = None,
) -> str:
    """Return a new token that acts as `user` within `scope`; nobody can read it again.

    `club` is where it works, None for every club of the user; without `lasts` it never expires.
    """
    _require(actor, club)
    if club is not None and not Membership.objects.filter(club=club, user=user).exists():
        facts = {"user": user.get_username(), "club": club.slug}
        raise Refused(Problem("no_role", ("user",), facts))
    _token, plain = _store_token(actor, user, club, scope, now, lasts)
    return plain


@transaction.atomic
def revoke_tokens(*, actor: Actor, user: User, club: Club | None, now: datetime) -> int:
    """Revoke the tokens of `user` that still work, all or those for `club`; returns how many."""
    _require(actor, club)
    working = Token.objects.filter(user=user, revoked_at__isnull=True)
    working = working.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))
    if club is not None:
        working = working.filter(club=club)
    revoked = working.update(revoked_at=now)
    if revoked:
        audit_token(actor, user, club, "revoke_tokens", {"tokens": revoked}, now)
    return revoked


def _require(actor: Actor, club: Club | None) -> None:
    if club is not None:
        require(actor, club, "manage_club")
    elif not actor.is_site_admin:
        raise Forbidden("manage_club")


def audit_token(
    actor: Actor, user: User, club: Club | None, act: str, facts: dict[str, object], now: datetime
) -> None:
    """Write an act on a token down in the club that it concerns, or in every club of the user."""
    clubs = [club] if club is not None else list(Club.objects.filter(memberships__user=user))
    subject = f"user:{user.pk}"
    for row in clubs:
        append_audit(row, actor, act, subject, facts=facts, now=now)


def note_token_use(*, token: Token, now: datetime) -> None:
    """Write down that a token was used; at most once an hour, and never at the caller's expense."""
    if token.used_at is not None and now - token.used_at < HOURLY:
        return
    with suppress(OperationalError), transaction.atomic():
        before = Q(used_at__isnull=True) | Q(used_at__lt=now - HOURLY)
        Token.objects.filter(before, pk=token.pk).update(used_at=now)


LONGEST_NAME: Final = 60
LONGEST: Final = timedelta(days=366)
"""So long a token works at most that somebody creates for themselves."""


_UP_TO: Final[Mapping[str, str]] = {PLAYER: str(Scope.ENTER), HOST: str(Scope.ENTER)}
_ORDER: Final = tuple(Scope.values)


@atomic_act
def create_own_token(
    *, actor: Actor, name: str, club: Club | None, scope: str, lasts: timedelta, now: datetime
) -> tuple[Token, str]:
    """Create a token that acts as the caller; return it with its plain text, shown once."""
    user = User.objects.get(pk=require_own_account(actor))
    if actor.scope:  # it would outlive its parent, and the parent's revocation
        raise BeyondScope("own_account", actor.scope)
    name = one_line(name)
    problems = _own_token_problems(actor, name, club, scope, lasts)
    if problems:
        raise Refused(*problems)
    return _store_token(actor, user, club, scope, now, lasts, name)


def _store_token(
    actor: Actor,
    user: User,
    club: Club | None,
    scope: str,
    now: datetime,
    lasts: timedelta | None,
    name: str = "",
) -> tuple[Token, str]:
    plain = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    token = Token.objects.create(
        name=name,
        digest=digest_of(plain),
        user=user,
        club=club,
        scope=scope,
        made_at=now,
        expires_at=now + lasts if lasts is not None else None,
    )
    audit_token(actor, user, club, "make_token", {"token": token.pk, "scope": scope}, now)
    return token, plain


@atomic_act
def revoke_own_token(*, actor: Actor, public_id: UUID, now: datetime) -> None:
    """Revoke one token of the caller; one that works no more stays as it is."""
    user_id = require_own_account(actor)
    tokens = Token.objects.filter(user_id=user_id, public_id=public_id)
    if actor.club_id is not None:
        tokens = tokens.filter(club_id=actor.club_id)
    _revoke_one(actor, tokens, now)


@atomic_act
def revoke_club_token(*, actor: Actor, club: Club, public_id: UUID, now: datetime) -> None:
    require(actor, club, "manage_club_tokens")
    _revoke_one(actor, Token.objects.filter(club=club, public_id=public_id), now)


def _revoke_one(actor: Actor, tokens: QuerySet[Token], now: datetime) -> None:
    token = tokens.select_related("user", "club").first()
    if token is None:
        raise Missing("token")
    if Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        audit_token(actor, token.user, token.club, "revoke_token", {"token": token.pk}, now)


def widest_scope(actor: Actor, club: Club | None) -> str:
    """Return the widest scope that the caller may give a token, "" for none.

    It follows the role in the club, or the highest role of all clubs; players and hosts get
    `enter`, directors and owners `manage`.
    """
    memberships = Membership.objects.filter(user=require_own_account(actor))
    roles = set(memberships.values_list("role", flat=True))
    if club is not None:
        roles = {get_role(actor, club.pk)} - {PUBLIC}
    if actor.is_site_admin:
        roles.add(OWNER)
    scopes = [_UP_TO.get(role, str(Scope.MANAGE)) for role in roles]
    if club is None and not scopes:
        scopes = [str(Scope.READ)]
    return max(scopes, key=_ORDER.index, default="")


def require_own_account(actor: Actor) -> int:
    """Check that the actor is signed in, or has a token to manage the account; return its id."""
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


@atomic_act
def make_calendar_link(*, actor: Actor, now: datetime) -> str:
    """Return the token of a new calendar link, once; the one before opens nothing any more."""
    user = _locked_account(actor)
    token = secrets.token_urlsafe(RANDOM_BYTES)
    facts = {"digest": digest_of(token), "made_at": now}
    CalendarLink.objects.update_or_create(user=user, defaults=facts)
    audit_token(actor, user, None, "make_calendar_link", {}, now)
    return token


@atomic_act
def revoke_calendar_link(*, actor: Actor, now: datetime) -> None:
    user = _locked_account(actor)
    deleted, _ = CalendarLink.objects.filter(user=user).delete()
    if not deleted:
        raise Missing("token")
    audit_token(actor, user, None, "revoke_calendar_link", {}, now)


def _locked_account(actor: Actor) -> User:
    """Return the account of the actor; of two requests at one moment the second one waits."""
    user_id = require_own_account(actor)
    if actor.scope:
        raise BeyondScope("own_account", actor.scope)
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    if user is None:  # the account was deleted meanwhile
        raise Forbidden("own_account")
    return user
