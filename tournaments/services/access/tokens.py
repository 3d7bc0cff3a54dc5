"""Making and revoking bearer tokens. The plain token is returned once and stored nowhere."""

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import Q

from scoring.errors import Problem, Refused
from tournaments.errors import Forbidden
from tournaments.models.clubs import Club, Membership
from tournaments.models.tokens import Token
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import digest_of
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit

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

    Args:
        club: where it is to work; None for every club of the user.
        lasts: how long it works; None for until it is revoked.

    Raises:
        Forbidden: manage_club; without a club, who is no site administrator.
        Refused: no_role, where the user has no role in `club`.
    """
    _require(actor, club)
    if club is not None and not Membership.objects.filter(club=club, user=user).exists():
        facts = {"user": user.get_username(), "club": club.slug}
        raise Refused(Problem("no_role", ("user",), facts))
    plain = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    token = Token.objects.create(
        digest=digest_of(plain),
        user=user,
        club=club,
        scope=scope,
        made_at=now,
        expires_at=now + lasts if lasts is not None else None,
    )
    audit_token(actor, user, club, "make_token", {"token": token.pk, "scope": scope}, now)
    return plain


@transaction.atomic
def revoke_tokens(*, actor: Actor, user: User, club: Club | None, now: datetime) -> int:
    """Revoke the tokens of `user` that still work, all or those for `club`; returns how many.

    Raises:
        Forbidden: as `make_token`.
    """
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
    actor: Actor,
    user: User,
    club: Club | None,
    act: str,
    facts: dict[str, object],
    now: datetime,
) -> None:
    """Write an act on a token down in the club that it concerns, or in every club of the user."""
    clubs = [club] if club is not None else list(Club.objects.filter(memberships__user=user))
    for each in clubs:
        append_audit(
            club=each, actor=actor, act=act, subject=f"user:{user.pk}", facts=facts, now=now
        )


def note_token_use(*, token: Token, now: datetime) -> None:
    """Write down that a token was used; at most once an hour, and never at the caller's expense."""
    if token.used_at is not None and now - token.used_at < HOURLY:
        return
    with suppress(OperationalError), transaction.atomic():
        before = Q(used_at__isnull=True) | Q(used_at__lt=now - HOURLY)
        Token.objects.filter(before, pk=token.pk).update(used_at=now)
