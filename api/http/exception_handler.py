"""What becomes of an exception of a view: problem details, or the address that its club has now."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from api.authentication import caller
from api.problems import BadRequest, problems_response
from tournaments.errors import Missing
from tournaments.views.http.former_addresses import sent_on


def handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Return the answer to an exception; where a club had the address before, a 308."""
    request: Request = context["request"]
    address = context.get("kwargs") or {}
    if "club" in address and _finds_nothing(error):
        moved = sent_on(request._request, caller(request), address)
        if moved is not None:
            return moved
    return problems_response(error, request)


def _finds_nothing(error: Exception) -> bool:
    return isinstance(error, Missing) or (
        isinstance(error, BadRequest) and error.problems[0].code == "link_opens_nothing"
    )
