"""Making and revoking the link to an account's private calendar."""

import secrets
from datetime import datetime

from django.contrib.auth.models import User

from tournaments.errors import BeyondScope, Forbidden, Missing
from tournaments.models.calendars import CalendarLink
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import digest_of
from tournaments.services.access.own_tokens import require_own_account
from tournaments.services.access.tokens import RANDOM_BYTES, audit_token
from tournaments.services.db.transactions import atomic_act


@atomic_act
def make_calendar_link(*, actor: Actor, now: datetime) -> str:
    """Return the token of a new calendar link; the one before opens nothing any more.

    Nobody can read the token again.

    Raises:
        Forbidden: own_account, by any token too: only a signed-in account makes the link.
    """
    user = _locked_account(actor)
    token = secrets.token_urlsafe(RANDOM_BYTES)
    facts = {"digest": digest_of(token), "made_at": now}
    CalendarLink.objects.update_or_create(user=user, defaults=facts)
    audit_token(actor, user, None, "make_calendar_link", {}, now)
    return token


@atomic_act
def revoke_calendar_link(*, actor: Actor, now: datetime) -> None:
    """Delete the calendar link of an account; its address opens nothing any more.

    Raises:
        Forbidden: as `make_calendar_link`.
        Missing: token; the account has no link.
    """
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
