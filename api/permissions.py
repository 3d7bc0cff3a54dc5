"""Permissions: a caller's permission is checked before the content of the request."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.http import HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.problems import BadRequest
from scoring.errors import Refused
from tournaments.errors import BeyondScope, Forbidden, Missing, SecondFactorNeeded
from tournaments.policy import PUBLIC, WITHHELD, may
from tournaments.selectors.clubs.clubs import get_club, is_withheld
from tournaments.selectors.events.events import get_event, is_held_event
from tournaments.services.operations import require_role


class DenyAll(BasePermission):
    """The default: a view that names no permission answers nobody, not even administrators."""

    def has_permission(self, request: Request, view: object) -> bool:
        return False


class KnownCallerOrReadOnly(BasePermission):
    """Writes need a known caller; reads, and methods that do not exist, pass."""

    def has_permission(self, request: Request, view: object) -> bool:
        method = request.method or ""
        if method not in SAFE_METHODS and hasattr(view, method.lower()):
            known_caller(request)
        return True


View = Callable[..., HttpResponseBase]


def permission_first(view: View, right: str = "", read: tuple[str, str] | None = None) -> View:
    """Return `view` so that a missing permission is reported before any other error.

    Args:
        right: of the role table, for writes; for reads, checks that the resource exists.
        read: the right and the name of what is missing for those without it, for reads.
    """

    @wraps(view)
    def judged(request: Request, **at: object) -> HttpResponseBase:
        try:
            return view(request, **at)
        except Exception as error:
            check_first(error, request, right, at, read)
            raise

    return judged


def check_first(
    error: Exception,
    request: Request,
    right: str,
    at: Mapping[str, Any],
    read: tuple[str, str] | None,
) -> None:
    """Report a missing permission before the error of a request."""
    if isinstance(error, APIException | BadRequest | Refused):
        _require_first(request, right, at, read)
    elif isinstance(error, Missing | Forbidden):
        _require_factor(request, error, right or (read[0] if read else ""), at)


def _require_factor(
    request: Request, refused: Missing | Forbidden, right: str, at: Mapping[str, Any]
) -> None:
    """Refuse a caller whose role waits for a second factor, and say so."""
    if is_held_event(caller(request), refused, at):
        raise SecondFactorNeeded("read_held")
    if isinstance(refused, BeyondScope) or not right or "club" not in at:
        return
    if not may(WITHHELD, right) and is_withheld(caller(request), at["club"]):
        raise SecondFactorNeeded(right)


def _require_first(
    request: Request, right: str, at: Mapping[str, Any], read: tuple[str, str] | None
) -> None:
    """Check the caller's permission for the resource of an address."""
    actor = known_caller(request) if right else caller(request)
    if "club" not in at:
        if right:
            require_role(actor, PUBLIC, right)
        return
    resource: Any = (
        get_event(actor, at["club"], at["event"], code=at.get("code", ""))
        if "event" in at
        else get_club(actor, at["club"])
    )
    if read is not None:
        kept_for, kind = read
        if not may(str(getattr(resource, "role", PUBLIC)), kept_for):
            raise Missing(kind)  # that it is there is not told
        require_role(actor, str(getattr(resource, "role", PUBLIC)), kept_for)
    if right:
        require_role(actor, str(getattr(resource, "role", PUBLIC)), right)
