"""The caller: a program with a token, a signed-in session, the holder of a table's link, or
anonymous.
"""

from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request

from api.problems import BadRequest
from api.rate_limit import count_request
from scoring.errors import Problem
from tournaments.models.access import Token
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import COOKIE, actor_at
from tournaments.selectors.access.tokens import bearer, find_working_token
from tournaments.selectors.clubs.clubs import actor_of_session, note_actor
from tournaments.services.access.tokens import note_token_use

SCHEME: Final = "Bearer"
_ACTOR: Final = "blacklady_actor"


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`. A token that does not work is refused, not anonymous."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, plain = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        now = timezone.now()
        token = find_working_token(plain.strip(), now)
        if token is None:
            raise AuthenticationFailed
        count_request(request._request, token.digest, now.timestamp())
        note_token_use(token=token, now=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class TokenAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    target_class = "api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": SCHEME.lower(),
            "description": (
                "Every answer to a token has `RateLimit-Limit` (requests in a minute), "
                "`RateLimit-Remaining` (left at least) and `RateLimit-Reset` (seconds until the "
                "count begins anew), unless the site has no limit. Beyond the limit: 429 with "
                "`Retry-After`."
            ),
        }


class BrowserSessionAuthentication(SessionAuthentication):
    """Django's session, CSRF checked on anything but reads.

    Without a session cookie the session is never touched, so that an anonymous read costs no query
    for it and its answer is the same for every cache (no `Vary: Cookie`).
    """

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, None] | None:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        return super().authenticate(request)


class BrowserSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    target_class = "api.authentication.BrowserSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class TableLinkAuthentication(SessionAuthentication):
    """A table link's cookie, CSRF checked on anything but reads; `caller` looks up the link.

    Without the cookie nothing is touched.
    """

    def authenticate(self, request: Request) -> None:
        if request.COOKIES.get(COOKIE):
            self.enforce_csrf(request)


class TableLinkAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    target_class = "api.authentication.TableLinkAuthentication"
    name = "tableLink"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": "Reads its own table, enters hands and reports problems there.",
        }


def caller(request: Request) -> Actor:
    """Return the caller as selectors and services expect it.

    At an address of one table, that is the holder of its link if the cookie opens it. The result is
    cached on the request.
    """
    actor: Actor | None = getattr(request, _ACTOR, None)
    if actor is None:
        actor = note_actor(_caller(request))
        setattr(request, _ACTOR, actor)
    return actor


def _caller(request: Request) -> Actor:
    if isinstance(request.auth, Token):
        return bearer(request.auth)
    actor = actor_of_session(request._request)  # its user is the one found here
    if not request.COOKIES.get(COOKIE):
        return actor
    address = _table_of(request)
    if address is None:
        return actor
    return actor_at(actor, request.COOKIES[COOKIE], now=timezone.now(), **address) or actor


def _table_of(request: Request) -> dict[str, str] | None:
    match = request.resolver_match
    if match is None or "/tables/<name:code>" not in match.route:
        return None
    return {name: match.kwargs[name] for name in ("club", "event", "code")}


def known_caller(request: Request) -> Actor:
    """Return the caller; writes need a known caller."""
    actor = caller(request)
    if actor.kind == "public":
        if request.COOKIES.get(COOKIE) and _table_of(request) is not None:
            raise BadRequest(Problem("link_opens_nothing"), status=404)
        raise NotAuthenticated
    return actor
