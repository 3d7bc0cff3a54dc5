"""Which set-up link works: one that was made lately, while there is no account at all."""

from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Exists, QuerySet

from tournaments.models.invitations import SetupLink
from tournaments.selectors.access.tokens import digest_of

COOKIE: Final = "setup"
_SALT: Final = "tournaments.setup"


def has_accounts() -> bool:
    """Return whether anybody has an account on this site."""
    return User.objects.exists()


def setup_link_by_token(token: str, now: datetime) -> SetupLink | None:
    """Return the link that works and has this token; one query."""
    return working_setup_links(now).filter(token_digest=digest_of(token)).first()


def setup_link_in_cookie(cookie: str, now: datetime) -> SetupLink | None:
    """Return the link that a cookie stands for, if it works."""
    try:
        digest = signing.loads(cookie, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        digest = ""
    return working_setup_links(now).filter(token_digest=str(digest)).first()


def cookie_of(link: SetupLink) -> str:
    """Return the signed cookie that stands for a link; its token is not in it."""
    return signing.dumps(link.token_digest, salt=_SALT)


def working_setup_links(now: datetime) -> QuerySet[SetupLink]:
    """Return the links that were not used and have not expired, while nobody has an account."""
    return SetupLink.objects.filter(
        ~Exists(User.objects.all()), used_at__isnull=True, expires_at__gt=now
    )
