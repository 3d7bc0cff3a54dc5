"""Parts of an address: names in the path, parameters after the question mark."""

from collections.abc import Mapping
from typing import Final

from django.urls.converters import IntConverter, StringConverter
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.problems import BadRequest
from scoring.errors import Problem, shown

MOST_TEXT: Final = 200
"""Characters of a query parameter."""


class NameConverter(StringConverter):
    """A path segment that can be an id: anything but a slash and control characters."""

    regex = r"[^/\x00-\x1f\x7f]+"


class NumberConverter(IntConverter):
    """A whole number that a database column can hold."""

    regex = "0|[1-9][0-9]{0,8}"


PATH: Final[Mapping[str, OpenApiParameter]] = {
    name: OpenApiParameter(name, kind, OpenApiParameter.PATH, description=text)
    for name, kind, text in (
        ("club", OpenApiTypes.STR, "Slug of the club."),
        ("event", OpenApiTypes.STR, "Slug of the event."),
        ("season", OpenApiTypes.STR, "Slug of the season."),
        ("player_id", OpenApiTypes.STR, "The club's own number of the player, as in RL24."),
        ("claim", OpenApiTypes.UUID, "Id of the claim."),
        ("number", OpenApiTypes.INT, "Number of what the address names."),
        ("other", OpenApiTypes.INT, "Number of the other publication."),
        ("code", OpenApiTypes.STR, "Code of the table, as in r3t2."),
        ("house", OpenApiTypes.STR, "Slug of the house rules."),
        ("variant", OpenApiTypes.STR, "Id of the variant."),
        ("member", OpenApiTypes.STR, "Id of the member."),
        ("invitation", OpenApiTypes.STR, "Id of the invitation."),
        ("token", OpenApiTypes.UUID, "Id of the token; not the token itself."),
    )
}
"""Every name in a path, as the OpenAPI document describes it."""


def allow_only(request: Request, *known: str) -> None:
    """Refuse a request with a query parameter that its address does not know.

    Raises:
        BadRequest: unknown_parameter, one for each.
    """
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        expected = ", ".join(known) or "none"
        raise BadRequest(
            *(
                Problem("unknown_parameter", facts={"parameter": name, "expected": expected})
                for name in unknown
            )
        )


def whole_number(request: Request, name: str, *, least: int, most: int, default: int) -> int:
    """Return the query parameter `name` as a whole number from `least` to `most`.

    Raises:
        BadRequest: bad_parameter.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    facts = {"parameter": name, "found": text, "expected": f"a number from {least} to {most}"}
    raise BadRequest(Problem("bad_parameter", facts=facts))


def text_parameter(request: Request, name: str) -> str:
    """Return the query parameter `name` as a text that a database can compare; "" without one.

    Raises:
        BadRequest: bad_parameter.
    """
    text = request.query_params.get(name, "")
    if "\x00" in text or len(text) > MOST_TEXT:
        expected = f"up to {MOST_TEXT} characters"
        facts = {"parameter": name, "found": shown(text), "expected": expected}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    return text
