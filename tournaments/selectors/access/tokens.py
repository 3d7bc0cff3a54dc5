"""Which token a program shows, and whom it acts for."""

import hashlib
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q, QuerySet

from tournaments.models.clubs import Club
from tournaments.models.tokens import Token
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.db.prepared_statements import one_row
from tournaments.selectors.db.row_mapper import RowMapper, cut


def digest_of(plain: str) -> str:
    """Return what is kept of a token: 256 random bits need no salt."""
    return hashlib.sha256(plain.encode()).hexdigest()


def working_token(plain: str, now: datetime) -> Token | None:
    """Return the token with its user, if it works: known, not expired, not revoked; one query."""
    moment = connection.ops.adapt_datetimefield_value(now)
    row = one_row(_WORKING, (digest_of(plain), moment))
    if row is None:
        return None
    token, user = cut(row, _TOKEN, _USER)
    token.user = user
    found: Token = token
    return found


_TOKEN: Final = RowMapper(Token, "t")
_USER: Final = RowMapper(User, "u", without=("password",))
_WORKING: Final = f"""
    SELECT {_TOKEN}, {_USER} FROM tournaments_token t JOIN auth_user u ON u.id = t.user_id
    WHERE t.digest = %s AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %s)
        AND u.is_active
"""  # noqa: S608 - names of our own columns


def tokens_of(actor: Actor, now: datetime) -> QuerySet[Token]:
    """Return the caller's own tokens that work, the newest first, with their clubs.

    A caller with a token made for one club reads those of that club only.
    """
    found = _working_rows(now).filter(user__in=[actor.user_id] if actor.user_id else [])
    return found if actor.club_id is None else found.filter(club_id=actor.club_id)


def tokens_of_club(club: Club, now: datetime) -> QuerySet[Token]:
    """Return the tokens made for a club that work, the newest first, with their users."""
    return _working_rows(now).filter(club=club)


def _working_rows(now: datetime) -> QuerySet[Token]:
    working = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    found = Token.objects.filter(working, revoked_at__isnull=True)
    return found.select_related("user", "club").order_by("-pk")


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
