"""Turns an exception of a view into problem details, or a redirect to a club's current address."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from api.authentication import caller
from api.problems import BadRequest, problems_response
from tournaments.errors import Forbidden, Missing
from tournaments.selectors.access.former_addresses import sent_on
from tournaments.selectors.access.table_links import COOKIE
from tournaments.services.audit.audit import count_refused_act, count_refused_link


def handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Return the answer to an exception; a 308 if a club had the address before."""
    request: Request = context["request"]
    address = context.get("kwargs") or {}
    if "club" in address and _finds_nothing(error):
        moved = sent_on(request._request, caller(request), address)
        if moved is not None:
            return moved
    if request.method not in SAFE_METHODS:
        _count(error, request, address)
    return problems_response(error, request)


def _count(error: Exception, request: Request, address: Mapping[str, Any]) -> None:
    now = timezone.now()
    match = request.resolver_match
    if isinstance(error, Forbidden) and "club" in address:
        slug = address["club"]
        count_refused_act(actor=caller(request), club_slug=slug, refusal=error, now=now)
    elif isinstance(error, BadRequest) and match is not None and _finds_nothing(error):
        right = match.func.rights[str(request.method).lower()]  # type: ignore[attr-defined]  # of `acting`
        count_refused_link(cookie=request.COOKIES.get(COOKIE, ""), right=right, now=now)


def _finds_nothing(error: Exception) -> bool:
    return isinstance(error, Missing) or (
        isinstance(error, BadRequest) and error.problems[0].code == "link_opens_nothing"
    )
