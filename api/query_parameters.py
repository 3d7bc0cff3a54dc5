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


_NAME: Final = {"type": "string", "minLength": 1}
_WHOLE: Final = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
_DAY: Final = {"type": "string", "format": "date"}
PATH: Final[Mapping[str, OpenApiParameter]] = {
    name: OpenApiParameter(name, kind, OpenApiParameter.PATH, description=text)
    for name, kind, text in (
        ("club", _NAME, "Slug of the club."),
        ("event", _NAME, "Slug of the event."),
        ("season", _NAME, "Slug of the season."),
        ("player_id", _NAME, "The club's own number of the player, as in RL24."),
        ("claim", OpenApiTypes.UUID, "Id of the claim."),
        ("number", _WHOLE, "Number of what the address names."),
        ("other", _WHOLE, "Number of the other publication."),
        ("code", _NAME, "Code of the table, as in r3t2."),
        ("house", _NAME, "Slug of the house rules."),
        ("variant", _NAME, "Id of the variant."),
        ("member", _NAME, "Id of the member."),
        ("invitation", _NAME, "Id of the invitation."),
        ("day", _DAY, "Local day of the meeting, as in 2025-10-30."),
        ("position", _WHOLE, "Number of the problem in the import."),
        ("entrant", _NAME, "Code of the entrant: the player's id, or that of a pair or team."),
        ("plan", _NAME, "Id of the plan."),
        ("constraint", _NAME, "Id of the constraint."),
        ("kind", _NAME, "Kind of notification, as the list has it."),
        ("token", OpenApiTypes.UUID, "Id of the token; not the token itself."),
    )
}
"""Every name in a path, as the OpenAPI document describes it."""
TEXT: Final = {"type": "string", "maxLength": MOST_TEXT, "pattern": r"^[^\x00]*$"}
"""What `text_parameter` takes."""


def number_parameter(name: str, described: str, *, least: int, most: int) -> OpenApiParameter:
    """Return a parameter that `whole_number` reads, for the OpenAPI document."""
    bounds = {"type": "integer", "minimum": least, "maximum": most}
    return OpenApiParameter(name, bounds, description=described)


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
