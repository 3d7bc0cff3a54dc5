"""Which token a program shows, and whom it acts for."""

import hashlib
from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from tournaments.models.tokens import Token
from tournaments.policy import Actor
from tournaments.selectors.clubs import actor_of


def digest_of(plain: str) -> str:
    """Return what is kept of a token: 256 random bits need no salt."""
    return hashlib.sha256(plain.encode()).hexdigest()


def working_token(plain: str, now: datetime) -> Token | None:
    """Return the token with its user, if it works: known, not expired, not revoked; one query."""
    tokens = Token.objects.select_related("user").filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=now),
        digest=digest_of(plain),
        revoked_at__isnull=True,
        user__is_active=True,
    )
    return tokens.first()


def bearer(token: Token) -> Actor:
    """Return who acts with `token`: its user, within its scope and its club.

    A site administrator's token for one club stands on the role that they have there.
    """
    whole = actor_of(token.user)
    return replace(
        whole,
        scope=token.scope,
        club_id=token.club_id,
        is_site_admin=whole.is_site_admin and token.club_id is None,
    )
