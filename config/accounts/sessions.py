"""Which devices an account is signed in on, and when each was last used.

allauth keeps a row for each session and by default updates its time at every request. Here it is
updated at most once an hour: the time of the last update is in the session, which pages of
signed-in users load anyway. The row also stores the sign-in method.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.signals import password_changed, password_set
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.accounts.session_store import SIGNED_IN, USED

EVERY: Final = timedelta(hours=1)
FRESH: Final = timedelta(minutes=5)
"""Time after a sign-in in which nobody must confirm who they are."""


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
        return response

    return middleware


@receiver(user_logged_in)
def _signed_in(sender: object, request: HttpRequest, **_: Any) -> None:
    if not hasattr(request, "user"):
        return  # a test client that signs somebody in without a request
    UserSession.objects.purge_and_list(request.user)
    now = timezone.now()
    request.session[SIGNED_IN] = now.timestamp()
    _write(request, now)


def is_fresh(request: HttpRequest) -> bool:
    signed_in = datetime.fromtimestamp(request.session.get(SIGNED_IN, 0), UTC)
    return timezone.now() - signed_in < FRESH


@receiver([password_changed, password_set])
def _new_key(sender: object, request: HttpRequest, **_: Any) -> None:
    """A new password gives the session a new key, and ends the others."""
    if USED in request.session:
        _write(request, timezone.now())


def _write(request: HttpRequest, now: datetime) -> None:
    request.session[USED] = now.timestamp()
    UserSession.objects.create_from_request(request)
    ways = [
        [str(record.get("method", "")), str(record.get("type", ""))]
        for record in get_authentication_records(request, request.user)
        if not record.get("reauthenticated")
    ]
    session = UserSession.objects.filter(session_key=request.session.session_key)
    session.update(data={"ways": ways})
