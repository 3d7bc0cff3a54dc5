"""Names of cookies behind TLS, and the names that they had before."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import ClassVar, Final

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.core.exceptions import MiddlewareNotUsed
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from tournaments.views.http.responses import set_cookie

OLD_NAMES: Final = ("sessionid", "csrftoken", "table_link", "theme", "figures")
ACCEPTED_FOR: Final = timedelta(days=30)
"""Time after the upgrade in which a cookie with its old name still counts."""
UPGRADE: Final = "0034_kinds_of_files"
"""A migration of the release that renamed the cookies; the database says when it was applied."""


class _MessageCookie(CookieStorage):
    cookie_name = f"{settings.COOKIE_PREFIX}messages"


class MessageStorage(FallbackStorage):
    storage_classes: ClassVar = (_MessageCookie, SessionStorage)


def rename_old_cookies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind TLS: cookies with their old names count for 30 days, and are renamed."""
    prefix = settings.COOKIE_PREFIX
    if not prefix:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        cookies = request.COOKIES
        old = [name for name in OLD_NAMES if name in cookies and prefix + name not in cookies]
        if not old or timezone.now() - _upgraded_at() >= ACCEPTED_FOR:
            return get_response(request)
        cookies |= {prefix + name: cookies[name] for name in old}
        response = get_response(request)
        if response.status_code < 400:  # a refusal may mean that the database is away
            for name in old:
                _rename(request, response, name, prefix + name)
        return response

    return middleware


@cache
def _upgraded_at() -> datetime:
    """Return when the database was upgraded to this release, or installed with it."""
    applied = MigrationRecorder.Migration.objects.get(app="tournaments", name=UPGRADE).applied
    return applied


def _rename(request: HttpRequest, response: HttpResponse, old: str, new: str) -> None:
    if new not in response.cookies:  # else the answer has just set or deleted it
        ends_with_browser = old == "sessionid" and request.session.get_expire_at_browser_close()
        seconds = None if ends_with_browser else settings.SESSION_COOKIE_AGE
        set_cookie(response, new, request.COOKIES[new], max_age=seconds)
    response.delete_cookie(old, samesite="Lax")
