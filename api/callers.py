"""Who calls: a program with a token, a signed-in session, or anybody. Table links join here."""

from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request

from tournaments.models.tokens import Token
from tournaments.policy import Actor
from tournaments.selectors.clubs import actor_of
from tournaments.selectors.tokens import bearer, working_token

SCHEME: Final = "Bearer"


class ByToken(BaseAuthentication):
    """`Authorization: Bearer …`. A token that does not work is refused, never taken for anybody."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the token's user and the token, or None where the request shows none."""
        scheme, _, plain = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        token = working_token(plain.strip(), timezone.now())
        if token is None:
            raise AuthenticationFailed
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return what a 401 asks for."""
        return SCHEME


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    """What the OpenAPI document says of `ByToken`."""

    target_class = "api.callers.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme: a bearer token."""
        return {"type": "http", "scheme": SCHEME.lower()}


class BySession(SessionAuthentication):
    """Django's session, CSRF checked on anything but reads.

    Without a session cookie the session is never touched, so that an anonymous read costs no query
    for it and its answer is the same for every cache (no `Vary: Cookie`).
    """

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, None] | None:
        """Return the signed-in user, or None for anybody."""
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        return super().authenticate(request)


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    """What the OpenAPI document says of `BySession`."""

    target_class = "api.callers.BySession"
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme: the session's cookie."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


def caller(request: Request) -> Actor:
    """Return who makes this request, as the selectors and services want it."""
    if isinstance(request.auth, Token):
        return bearer(request.auth)
    return actor_of(request.user)


def known_caller(request: Request) -> Actor:
    """Return who makes this request; nobody writes without saying who they are.

    Raises:
        NotAuthenticated: 401 not_signed_in.
    """
    actor = caller(request)
    if actor.user_id is None:
        raise NotAuthenticated
    return actor
