"""Writes the right of each operation and what it refuses into the OpenAPI document."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from api.openapi import PROBLEM
from api.openapi_document import operations_of
from api.problems import OUTDATED
from api.resource_schema import Write
from api.urls import urlpatterns
from scoring.errors import ENTRY_CODES
from scoring.json_types import JsonDict

GROUPS: Final = {"entry": ENTRY_CODES}
"""Codes that are refused together; an operation names the group in their place."""
MEANINGS: Final = {
    400: "The request cannot be read.",
    401: "Nobody is signed in, or the token is not valid.",
    403: "The role of the caller does not have the right.",
    404: "There is nothing that the caller may read.",
    409: "Somebody was first, or the state does not allow this.",
    412: "Somebody changed it since the revision in `If-Match`.",
    413: "The request is too large.",
    415: "The body has another media type.",
    422: "The content of the request cannot be saved.",
    428: "`If-Match` is missing.",
    429: "There were too many requests.",
}


def with_refusals(result: JsonDict, **kwargs: object) -> JsonDict:
    """Add `x-right`, `x-codes` and the statuses of refusals; a hook of drf-spectacular."""
    declared = declared_operations()
    for path, operation in operations_of(result):
        right, write = declared[operation["operationId"]]
        operation["x-right"] = right
        for status in sorted(statuses_of(path, right, write)):
            name = HTTPStatus(status).name.title().replace("_", "")
            operation["responses"][str(status)] = {"$ref": f"#/components/responses/{name}"}
        if write is not None:
            operation["x-codes"] = _codes(write.refuses)
    result["components"]["responses"] = {
        HTTPStatus(status).name.title().replace("_", ""): {
            "description": text,
            "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
        }
        for status, text in MEANINGS.items()
    }
    result["x-code-groups"] = {name: sorted(codes) for name, codes in GROUPS.items()}
    return result


def declared_of(view: Any, method: str) -> tuple[str, Write | None]:
    """Return the right that a method of a view needs and, if it is one of a viewset, its write."""
    name = getattr(view, "actions", {}).get(method)
    write = getattr(getattr(view.cls, name), "declared", None) if name else None
    return view.rights[method], write if isinstance(write, Write) else None


def declared_operations() -> dict[str, tuple[str, Write | None]]:
    """Return operation id → its right and, if it is one of a viewset, its write."""
    return {
        name: declared_of(pattern.callback, method)
        for pattern in urlpatterns
        for method, name in getattr(pattern.callback, "operations", {}).items()
    }


_READS_WITH_CONFLICTS: Final = ("/imports/<number:number>/columns", "/imports/{number}/columns")


def statuses_of(path: str, right: str, write: Write | None) -> Iterator[int]:
    """Yield the statuses that an operation is refused with, besides those of a broken site."""
    yield from (400, 401, 403, 429)  # a role that waits for a second factor may not even read
    if "{" in path or "<" in path:
        yield 404
    if write is None:
        if path.endswith(_READS_WITH_CONFLICTS):  # of an import that asks for no columns
            yield 409
        if path.endswith("/what-if"):
            yield 422
        if path.endswith("/score"):  # the one POST that stores nothing
            yield from (413, 415, 422)
        return
    yield from (409, 422)
    if write.body is not None:
        yield from (413, 415)
    if write.if_match is not None:
        yield from (412, 428) if write.if_match.is_required else (412,)
    elif not OUTDATED.isdisjoint(write.refuses):
        yield 412


def _codes(refuses: frozenset[str]) -> list[str]:
    groups = [name for name, codes in GROUPS.items() if refuses.issuperset(codes)]
    return [*groups, *sorted(refuses.difference(*(GROUPS[name] for name in groups)))]
