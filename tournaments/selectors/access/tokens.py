"""Look up valid tokens, calendar links and set-up links, and the user each acts for."""

from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db import connection
from django.db.models import Exists, Q, QuerySet

from tournaments.errors import first_or_missing
from tournaments.models.access import CalendarLink, SetupLink, Token, token_digest
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.db.statements import RowMapper, cut, one_row

_TOKEN: Final = RowMapper(Token, "t")
_USER: Final = RowMapper(User, "u", without=("password",))
_WORKING: Final = f"""
    SELECT {_TOKEN}, {_USER} FROM tournaments_token t JOIN auth_user u ON u.id = t.user_id
    WHERE t.digest = %s AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %s)
        AND u.is_active
"""  # noqa: S608 - names of our own columns
SETUP_COOKIE: Final = f"{settings.COOKIE_PREFIX}setup"
_SALT: Final = "tournaments.setup"


def find_working_token(plain: str, now: datetime) -> Token | None:
    """Return the token with its user, if it works: known, not expired, not revoked; one query."""
    moment = connection.ops.adapt_datetimefield_value(now)
    row = one_row(_WORKING, (token_digest(plain), moment))
    if row is None:
        return None
    token, user = cut(row, _TOKEN, _USER)
    token.user = user
    working: Token = token
    return working


def list_tokens_of(actor: Actor, now: datetime) -> QuerySet[Token]:
    """Return the caller's own tokens that work, the newest first, with their clubs.

    A caller with a token made for one club reads those of that club only.
    """
    tokens = list_working_tokens(now).filter(user__in=[actor.user_id] if actor.user_id else [])
    if actor.club_id is None:
        return tokens
    return tokens.filter(club_id=actor.club_id)


def get_own_token(actor: Actor, public_id: UUID) -> Token:
    """Return a token of the caller, as `list_tokens_of` but also one that works no more."""
    tokens = Token.objects.filter(user=actor.user_id or 0)
    return _get(tokens if actor.club_id is None else tokens.filter(club=actor.club_id), public_id)


def get_club_token(club: Club, public_id: UUID) -> Token:
    return _get(Token.objects.filter(club=club), public_id)


def _get(tokens: QuerySet[Token], public_id: UUID) -> Token:
    rows = tokens.select_related("user", "club").filter(public_id=public_id)
    return first_or_missing(rows, "token")


def list_working_tokens(now: datetime) -> QuerySet[Token]:
    """Return the tokens that work, the newest first, with their users and clubs."""
    working = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    tokens = Token.objects.filter(working, revoked_at__isnull=True)
    return tokens.select_related("user", "club").order_by("-pk")


def bearer(token: Token) -> Actor:
    """Return the actor of `token`: its user, limited to its scope and its club.

    A site administrator's token for one club depends on their role in that club. A token counts as
    the session that made it: with a second factor or without.
    """
    whole = actor_of(token.user, without_factor=token.made_with_factor is False)
    return replace(
        whole,
        scope=token.scope,
        club_id=token.club_id,
        is_site_admin=whole.is_site_admin and token.club_id is None,
    )


def find_calendar_link(actor: Actor) -> CalendarLink | None:
    return CalendarLink.objects.filter(user=actor.user_id or 0).first()


def find_reader_of_calendar(token: str) -> Actor | None:
    """Return whose calendar a token opens; None where it opens none; one query."""
    links = CalendarLink.objects.filter(digest=token_digest(token), user__is_active=True)
    user = User.objects.filter(pk__in=links.values("user")).first()
    return actor_of(user) if user is not None else None


def has_accounts() -> bool:
    return User.objects.exists()


def find_setup_link_by_token(token: str, now: datetime) -> SetupLink | None:
    return list_working_setup_links(now).filter(token_digest=token_digest(token)).first()


def find_setup_link_in_cookie(cookie: str, now: datetime) -> SetupLink | None:
    try:
        digest = signing.loads(cookie, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        digest = ""
    return list_working_setup_links(now).filter(token_digest=str(digest)).first()


def setup_cookie(link: SetupLink) -> str:
    return signing.dumps(link.token_digest, salt=_SALT)


def list_working_setup_links(now: datetime) -> QuerySet[SetupLink]:
    """Return the links that were not used and have not expired, while nobody has an account."""
    return SetupLink.objects.filter(
        ~Exists(User.objects.all()), used_at__isnull=True, expires_at__gt=now
    )
