"""Which devices an account is signed in on, and when each was last used.

allauth keeps a row for each session and by default updates its time at every request. Here it is
updated at most once an hour: the time of the last update is in the session, which pages of
signed-in users load anyway. The row also stores the sign-in method.

A session ends when it is not used for `SESSION_COOKIE_AGE`, and in any case `SESSION_LIFETIME`
after the sign-in (docs/security.md has the reasons).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog
from allauth.account.internal.flows.login import (
    get_authentication_records,
    record_authentication,
)
from allauth.account.signals import authentication_step_completed, password_changed, password_set
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from tournaments.domain.client_address import client_address
from tournaments.selectors.clubs.clubs import actor_of_session
from tournaments.services.operations import Operation
from tournaments.services.people.accounts import end_other_sessions

USED: Final = "session_used_at"
EVERY: Final = timedelta(hours=1)
SIGNED_IN: Final = "signed_in_at"
ENDS: Final = "session_ends_at"
FRESH: Final = timedelta(minutes=5)
"""Time after a sign-in in which nobody must confirm who they are."""
_log = structlog.get_logger("blacklady.sign_in")


class SessionStore(DatabaseStore):
    def get_expiry_date(self, **kwargs: Any) -> datetime:
        unused: datetime = super().get_expiry_date(**kwargs)
        ends = self.get(ENDS)
        if ends is None:
            return unused
        return min(unused, datetime.fromtimestamp(ends, UTC))


def note_use(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Record at most once an hour that the session of a request is in use."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # A session that nobody looked at is not loaded for this.
        if request.session.accessed and (used := request.session.get(USED)):
            now = timezone.now()
            if now - datetime.fromtimestamp(used, UTC) >= EVERY and request.user.is_authenticated:
                _write(request, now)
        if hasattr(request, "signed_out"):
            # "storage" would take along the hands that a phone has not sent; the service worker
            # clears the rest of it (templates/offline/sw.js).
            response["Clear-Site-Data"] = '"cache"'
        return response

    return middleware


@receiver(user_logged_in)
def _signed_in(sender: object, request: HttpRequest, **_: Any) -> None:
    if not hasattr(request, "user"):
        return  # a test client that signs somebody in without a request
    UserSession.objects.purge_and_list(request.user)
    now = timezone.now()
    request.session[SIGNED_IN] = now.timestamp()
    request.session.pop(ENDS, None)
    _write(request, now)
    ways = [record.get("method") for record in get_authentication_records(request, request.user)]
    _log.info("signed_in", actor=f"user:{request.user.pk}", ways=ways)


@receiver(user_login_failed)
def _refused(sender: object, request: HttpRequest | None = None, **_: Any) -> None:
    """The name stays out of the log: people type their password in its place."""
    if request is not None:
        _log.warning("sign_in_refused", address=client_address(request))


@receiver(user_logged_out)
def _signed_out(
    sender: object, request: HttpRequest, user: AbstractBaseUser | None, **_: Any
) -> None:
    request.signed_out = True  # type: ignore[attr-defined]  # `note_use` looks for it
    _log.info("signed_out", actor=f"user:{user.pk}" if user is not None else None)


def is_fresh(request: HttpRequest) -> bool:
    signed_in = datetime.fromtimestamp(request.session.get(SIGNED_IN, 0), UTC)
    return timezone.now() - signed_in < FRESH


@receiver([password_changed, password_set])
def _new_key(sender: object, request: HttpRequest, **_: Any) -> None:
    """A new password gives the session a new key, and ends the others."""
    if USED in request.session:
        _write(request, timezone.now())


@receiver(authentication_step_completed)
def _reauthenticated(
    sender: object, request: HttpRequest, *, reauthenticated: bool = False, **_: Any
) -> None:
    if reauthenticated:
        former = request.session.session_key
        request.session.cycle_key()
        UserSession.objects.filter(session_key=former).update(
            session_key=request.session.session_key, data={"ways": _ways(request)}
        )


def note_first_factor(request: HttpRequest, kind: str) -> int:
    """Count the session that added an account's first second factor as one that showed it.

    All other sessions end, as they were opened with less; it returns how many.
    """
    record_authentication(request, request.user, "mfa", type=kind, reauthenticated=True)
    op = Operation(actor_of_session(request), timezone.now())
    return end_other_sessions(op, current=request.session.session_key or "")


def _ways(request: HttpRequest) -> list[list[str]]:
    """Return how a session signed in; a second factor that was shown later is one of the ways."""
    return [
        [str(record.get("method", "")), str(record.get("type", ""))]
        for record in get_authentication_records(request, request.user)
        if record.get("method") == "mfa" or not record.get("reauthenticated")
    ]


def _write(request: HttpRequest, now: datetime) -> None:
    request.session[USED] = now.timestamp()
    # A session of an older release gets its end here: an upgrade signs nobody out.
    request.session.setdefault(ENDS, (now + settings.SESSION_LIFETIME).timestamp())
    UserSession.objects.create_from_request(request)
    session = UserSession.objects.filter(session_key=request.session.session_key)
    session.update(data={"ways": _ways(request)})
