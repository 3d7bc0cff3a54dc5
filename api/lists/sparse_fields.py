"""Sparse fields: `?fields=a,b` limits the members of the rows of a list, or the columns of its CSV.

The order stays that of the list, whatever the order of the names in the request.
"""

from collections.abc import Sequence
from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from api.problems import BadRequest
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict

FIELDS: Final = "fields"
_SUFFIX: Final = "Fields"
_MOST_PROBLEMS: Final = 10


def members_of(shape: type[BaseSerializer[Any]]) -> tuple[str, ...]:
    """Return the names of the members of a row, in their order."""
    fields = shape().fields  # type: ignore[attr-defined]  # of serializers of objects
    return tuple(name for name, field in fields.items() if not field.write_only)


def fields_parameter(names: Sequence[str], *, of: str) -> OpenApiParameter:
    """Return the query parameter for the OpenAPI document.

    Args:
        names: what a request may name.
        of: what they are, in the plural: `members of each row` or `columns`.
    """
    return OpenApiParameter(
        FIELDS,
        {
            "type": "array",
            "items": {"type": "string", "enum": list(names)},
            "minItems": 1,
        },
        style="form",
        explode=False,
        description=f"Only these {of}, separated by commas; all of them without it.",
    )


def asked_fields(request: Request, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return which of `names` the request asks for, in their own order; None for all.

    Raises:
        BadRequest: bad_parameter, for each name that is not among them, up to ten.
    """
    text = request.query_params.get(FIELDS)
    if text is None:
        return None
    asked = frozenset(text.split(","))
    unknown = sorted(asked.difference(names))[:_MOST_PROBLEMS]
    if unknown:
        expected = "some of " + ", ".join(names)
        raise BadRequest(
            *(
                Problem(
                    "bad_parameter",
                    facts={"parameter": FIELDS, "found": shown(name), "expected": expected},
                )
                for name in unknown
            )
        )
    return tuple(name for name in names if name in asked)


def with_sparse_rows(result: Any, **kwargs: object) -> JsonDict:
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
    made: JsonDict = result
    return made


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
