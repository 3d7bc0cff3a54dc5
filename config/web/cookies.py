"""Headers of security on every answer, and names of cookies behind TLS with their old names."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.core.exceptions import MiddlewareNotUsed
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

OLD_NAMES: Final = (
    *("sessionid", "csrftoken", "table_link", "invitation", "setup", "theme", "figures"),
)
ACCEPTED_FOR: Final = timedelta(days=30)
"""Time after the upgrade in which a cookie with its old name still counts."""
ACCOUNTS: Final = "/accounts/"
FIRST: Final = "0001_initial"
UPGRADE: Final = "0030_people_without_accounts"
"""A migration of the release that renamed the cookies; the database says when it was applied."""
A_RUN: Final = timedelta(hours=1)
"""Longest time that one run applies all migrations in: an installation that had none before."""


class _MessageCookie(CookieStorage):
    cookie_name = f"{settings.COOKIE_PREFIX}messages"


class MessageStorage(FallbackStorage):
    storage_classes = (_MessageCookie, SessionStorage)


def accept_old_cookies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind TLS: for 30 days a cookie with its old name counts where the new one lacks.

    The old one stays for the release before, which one may go back to; it is deleted with the new.
    """
    prefix = settings.COOKIE_PREFIX
    if not prefix:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        old_names = [name for name in OLD_NAMES if name in request.COOKIES]
        if not old_names or timezone.now() >= _accepted_until():
            return get_response(request)
        for name in old_names:
            request.COOKIES.setdefault(prefix + name, request.COOKIES[name])
        response = get_response(request)
        for name in old_names:
            cookie = response.cookies.get(prefix + name)
            if cookie is not None and cookie["max-age"] == 0:
                response.delete_cookie(name, samesite="Lax")
        return response

    return middleware


@cache
def _accepted_until() -> datetime:
    """Return until when old names count: never where no earlier release gave a cookie its name."""
    migrations = MigrationRecorder.Migration.objects.filter(app="tournaments")
    applied = dict(migrations.values_list("name", "applied"))
    upgraded = applied.get(UPGRADE)
    installed = applied.get(FIRST)
    never = datetime.min.replace(tzinfo=UTC)
    if upgraded is None or installed is None or upgraded - installed < A_RUN:
        return never
    until: datetime = upgraded + ACCEPTED_FOR
    return until


class SecurityHeaders(SecurityMiddleware):
    """Django's headers, outside of probes, preflights and refusals; it redirects nothing to TLS."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Let no browser and no cache store a page of an account; most of them are allauth's."""
        if request.path.startswith(ACCOUNTS):
            add_never_cache_headers(response)
        return super().process_response(request, response)

    def process_request(self, request: HttpRequest) -> None:
        """Leave the redirect to the inner middleware: probes come by plain HTTP, for any host."""
