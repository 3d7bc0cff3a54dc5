"""The site's first account: made through a link that the server prints, once.

Never by where a caller comes from: behind a proxy everybody comes from the server itself.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Membership, Role
from tournaments.models.invitations import SetupLink
from tournaments.selectors.access.setup_links import has_accounts, working_setup_links
from tournaments.selectors.access.tokens import digest_of
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.audit.audit import append_audit

LASTS: Final = timedelta(hours=24)
RANDOM_BYTES: Final = 32


@transaction.atomic
def make_setup_link(*, now: datetime) -> str:
    """Return the token of a new set-up link; one that was made before works no longer.

    Raises:
        Refused: accounts_exist.
    """
    _lock_links()
    if has_accounts():
        raise Refused(Problem("accounts_exist"))
    SetupLink.objects.filter(used_at__isnull=True).delete()
    token = secrets.token_urlsafe(RANDOM_BYTES)
    SetupLink.objects.create(token_digest=digest_of(token), created_at=now, expires_at=now + LASTS)
    return token


@transaction.atomic
def use_setup_link(*, link: SetupLink, make_account: Callable[[], User], now: datetime) -> User:
    """Make the first account, a site administrator's; of two at one moment one is made.

    It becomes the owner of the clubs that were imported before anybody had an account.

    Raises:
        Missing: unknown_setup_link, where it was used or has expired meanwhile.
    """
    _lock_links()
    if not working_setup_links(now).filter(pk=link.pk).exists():
        raise Missing("setup_link")
    user = make_account()
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    user.is_staff = user.is_superuser = True
    SetupLink.objects.filter(pk=link.pk).update(used_at=now)
    actor = actor_of(user)
    for club in Club.objects.filter(delete_after=None).order_by("pk"):
        Membership.objects.create(club=club, user=user, role=Role.OWNER, joined_at=now)
        subject, facts = f"user:{user.pk}", {"role": Role.OWNER.value}
        append_audit(club=club, actor=actor, act="give_role", subject=subject, facts=facts, now=now)
    return user


def _lock_links() -> None:
    """Lock every link: of two that were made at one moment only one may make an account."""
    list(SetupLink.objects.select_for_update(no_key=True).order_by("pk").values_list("pk"))
