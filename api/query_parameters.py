"""Names in the path of an address, and parameters after the question mark."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.urls.converters import IntConverter, StringConverter
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from api.problems import BadRequest
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict

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
PATH: Final = {
    name: OpenApiParameter(name, kind, OpenApiParameter.PATH, description=text)
    for name, kind, text in (
        ("club", _NAME, "Slug of the club."),
        ("event", _NAME, "Slug of the event."),
        ("season", _NAME, "Slug of the season."),
        ("player_id", _NAME, "The club's own number of the player, such as RL24."),
        ("claim", OpenApiTypes.UUID, "Id of the claim."),
        ("number", _WHOLE, "Number of the object that the address names."),
        ("other", _WHOLE, "Number of the publication to compare with."),
        ("code", _NAME, "Code of the table, such as r3t2."),
        ("house", _NAME, "Slug of the house rules."),
        ("variant", _NAME, "Id of the variant."),
        ("member", _NAME, "Id of the member."),
        ("invitation", _NAME, "Id of the invitation."),
        ("day", _DAY, "Local day of the meeting, such as 2025-10-30."),
        ("position", _WHOLE, "Number of the problem in the import."),
        (
            "entrant",
            _NAME,
            "Code of the entrant: a player's number, or the code of a pair or team.",
        ),
        ("plan", _NAME, "Id of the seating plan."),
        ("constraint", _NAME, "Id of the seating constraint."),
        ("kind", _NAME, "Kind of notification, such as `playoff`."),
        ("token", OpenApiTypes.UUID, "Id of the token; not the token itself."),
    )
}
"""Every name in a path, as the OpenAPI document describes it."""
TEXT: Final = {"type": "string", "maxLength": MOST_TEXT, "pattern": r"^[^\x00]*$"}
"""Schema of a `text_parameter`."""

FIELDS: Final = "fields"
_SUFFIX: Final = "Fields"
_MOST_PROBLEMS: Final = 10


def number_parameter(name: str, described: str, *, least: int, most: int) -> OpenApiParameter:
    bounds = {"type": "integer", "minimum": least, "maximum": most}
    return OpenApiParameter(name, bounds, description=described)


def allow_only(request: Request, *names: str) -> None:
    """Refuse a request with a query parameter that its address does not know."""
    unknown = sorted(set(request.query_params) - set(names))
    if unknown:
        expected = ", ".join(names) or "none"
        raise BadRequest(
            *(
                Problem("unknown_parameter", facts={"parameter": name, "expected": expected})
                for name in unknown
            )
        )


def names_in_query(parameters: Iterable[OpenApiParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters if each.location == OpenApiParameter.QUERY)


def whole_number(request: Request, name: str, *, least: int, most: int, default: int) -> int:
    """Return the query parameter `name` as a whole number from `least` to `most`."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise bad_parameter(name, text, f"a number from {least} to {most}")


def text_parameter(request: Request, name: str) -> str:
    """Return the query parameter `name` as a text that a database can compare; "" without one."""
    text = request.query_params.get(name, "")
    if "\x00" in text or len(text) > MOST_TEXT:
        raise bad_parameter(name, shown(text), f"up to {MOST_TEXT} characters")
    return text


def choice_parameter(
    request: Request, name: str, choices: Sequence[str], *, default: str = ""
) -> str:
    """Return the query parameter `name`, one of `choices`; without it, or empty, the default."""
    text = text_parameter(request, name) or default
    if text != default and text not in choices:
        raise bad_parameter(name, shown(text), ", ".join(choices))
    return text


def bad_parameter(name: str, value: str, expected: str) -> BadRequest:
    facts = {"parameter": name, "found": value, "expected": expected}
    return BadRequest(Problem("bad_parameter", facts=facts))


_MEMBERS: Final[dict[Any, tuple[str, ...]]] = {}


def members_of(shape: type[BaseSerializer[Any]]) -> tuple[str, ...]:
    if shape not in _MEMBERS:
        fields = shape().fields  # type: ignore[attr-defined]  # of serializers of objects
        _MEMBERS[shape] = tuple(name for name, field in fields.items() if not field.write_only)
    return _MEMBERS[shape]


def fields_parameter(names: Sequence[str], *, of: str) -> OpenApiParameter:
    """Return the query parameter for the OpenAPI document.

    Args:
        names: what a request may name.
        of: what they are, in the plural: `members of each row` or `columns`.
    """
    return OpenApiParameter(
        FIELDS,
        {"type": "array", "items": {"type": "string", "enum": list(names)}, "minItems": 1},
        style="form",
        explode=False,
        description=f"The {of} to return, separated by commas; all by default.",
    )


def asked_fields(request: Request, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return which of `names` the request asks for, in their own order; None for all."""
    text = request.query_params.get(FIELDS)
    if text is None:
        return None
    requested = frozenset(text.split(","))
    unknown = sorted(requested.difference(names))[:_MOST_PROBLEMS]
    if unknown:
        expected = "some of " + ", ".join(names)
        refusals = (bad_parameter(FIELDS, shown(name), expected) for name in unknown)
        raise BadRequest(*(problem for refusal in refusals for problem in refusal.problems))
    return tuple(name for name in names if name in requested)


def with_sparse_rows(result: JsonDict, **kwargs: object) -> JsonDict:
    """Describe the answer to `?fields=`: a page of rows of which no member is required.

    A hook of drf-spectacular, so that the whole rows keep their required members in generated
    clients. `anyOf` names the whole page first.
    """
    schemas = result["components"]["schemas"]
    for methods in result["paths"].values():
        for operation in methods.values():
            if any(each["name"] == FIELDS for each in operation.get("parameters", ())):
                _with_sparse_page(operation["responses"]["200"]["content"], schemas)
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


def _with_sparse_page(content: JsonDict, schemas: JsonDict) -> None:
    whole = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    if not whole:
        return
    page = whole.rpartition("/")[2]
    row = schemas[page]["properties"]["results"]["items"]["$ref"].rpartition("/")[2]
    schemas[row + _SUFFIX] = {
        **{key: value for key, value in schemas[row].items() if key != "required"},
        "description": f"The members of `{row}` that `fields` names.",
    }
    rows = {"type": "array", "items": {"$ref": f"#/components/schemas/{row}{_SUFFIX}"}}
    schemas[page + _SUFFIX] = {
        **schemas[page],
        "properties": {**schemas[page]["properties"], "results": rows},
    }
    content["application/json"]["schema"] = {
        "anyOf": [{"$ref": whole}, {"$ref": f"{whole}{_SUFFIX}"}]
    }
