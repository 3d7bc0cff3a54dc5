"""What the actions of a viewset declare, and how the OpenAPI document describes them."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import uritemplate
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from api.conditional_requests import (
    NUMBER_OR_ANY,
    TAG_OR_ANY,
    etag_parameter,
    if_match_number,
    if_match_parameter,
    if_match_tag,
    location_parameter,
)
from api.idempotency import KEY, REPLAYED_HEADER, fingerprint_of
from api.media_types import NDJSON, StrictJSONParser
from api.openapi import FAILURE, page_of
from api.openapi_document import tag_of
from api.query_parameters import PATH
from api.serializers.strict_serializers import StrictSerializer
from tournaments.services.operations import DeclaredOperation

Shape = type[serializers.BaseSerializer[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A read of a viewset."""

    operation_id: str
    description: str
    right: str
    media_type: str = "application/json"
    query_parameters: Sequence[OpenApiParameter] = ()
    parser: type[BaseParser] = StrictJSONParser


def perform_of(action: str) -> str:
    """Return the name of the method that does what an action takes in more than one call.

    Its docstring, if it has one, describes the action.
    """
    return f"perform_{action.removeprefix('partial_')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IfMatch:
    """The `If-Match` of a write: an ETag, or the number of a revision."""

    text: str = ""
    """Description of the header; empty = the row that was read."""
    of: str = ""
    """Name of the tagged object in refusals; empty = the name of a row."""
    is_number: bool = False
    is_required: bool = True

    def parameter(self, kind: str) -> OpenApiParameter:
        return if_match_parameter(
            self.text or f"The ETag of the {kind} that you read, or `*`",
            form=NUMBER_OR_ANY if self.is_number else TAG_OR_ANY,
            required=self.is_required,
        )

    def read(self, request: Request, of: str) -> int | str | None:
        """Return what the request names; None for `*`, or where the header may be left out."""
        if not self.is_required and "If-Match" not in request.headers:
            return None
        read = if_match_number if self.is_number else if_match_tag
        return read(request, of=self.of or of)


ANY_TAG: Final = IfMatch()


def is_always_there(member: serializers.Field[Any, Any, Any, Any]) -> bool:
    """Whether a body that was read has the member, with the value for one that was left out."""
    return bool(member.required) or getattr(member, "left_out", empty) is not empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A write of a viewset: an operation with the body of its request and of its answer."""

    operation: DeclaredOperation[..., Any]
    operation_id: str
    description: str
    right: str
    body: type[StrictSerializer] | None
    answer: Shape | None = None
    """None = the serializer of the viewset."""
    status: int = 200
    also: int = 0
    """Another status of an answer of that shape; 0 = none."""
    later: Shape | None = None
    """The answer of a 202, where a worker goes on; None = there is no such answer."""
    if_match: IfMatch | None = None
    query_parameters: Sequence[OpenApiParameter] = ()
    has_secret: bool = False
    also_refuses: Sequence[str] = ()
    """Codes of `perform_<action>` that its operation does not declare."""
    has_repeats: bool = True
    """Whether a request may have an `Idempotency-Key`, and gets the same answer again."""
    keeps_key: bool = False
    """Whether the operation takes the key, and stores it with what it makes."""
    is_in_steps: bool = False
    parser: type[BaseParser] = StrictJSONParser
    fingerprint: Callable[[Request], bytes] = fingerprint_of

    @property
    def refuses(self) -> frozenset[str]:
        return self.operation.refuses.union(self.also_refuses)

    @property
    def location_statuses(self) -> list[int]:
        """The statuses of the answers that name the address of what was made, or is being made."""
        later = 202 if self.later is not None else 0
        return [status for status in (self.status, later) if status in (201, 202)]

    def compare_names(self) -> None:
        """Require that the operation takes the members of the body, and no other ones."""
        members = self.body._declared_fields if self.body is not None else {}
        required = {name for name, member in members.items() if is_always_there(member)}
        added = {"based_on"} if self.if_match is not None else set()
        added |= {"key"} if self.keeps_key else set()
        self.operation.require_arguments({*members, *added}, {*required, *added})


class ResourceSchema(AutoSchema):
    """Describes the actions of a viewset in the OpenAPI document."""

    view: Any

    def get_operation_id(self) -> str:
        return str(self.view.declared.operation_id)

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        view = self.view
        perform = getattr(view, perform_of(view.action), None)
        text = inspect.getdoc(perform) or str(view.declared.description)
        if view.deprecation is None:
            return text
        return f"{text}\n\n{view.deprecation.text}"

    def is_deprecated(self) -> bool:
        return self.view.deprecation is not None

    def get_summary(self) -> str:
        return self._first_paragraph().rstrip(".")

    def _first_paragraph(self) -> str:
        return " ".join(self.get_description().partition("\n\n")[0].split())

    def get_tags(self) -> list[str]:
        return [tag_of(type(self.view).__module__)]

    def get_override_parameters(self) -> list[Any]:
        in_path = [PATH[name] for name in uritemplate.variables(self.path) if name in PATH]
        return [*in_path, *self._parameters()]

    def _parameters(self) -> Iterable[OpenApiParameter]:
        """Yield the query parameters and headers of the action."""
        view = self.view
        declared = view.declared
        kind = view.noun or view.resource[0]
        status = getattr(declared, "status", 200)
        if isinstance(declared, Write):
            if declared.if_match is not None:
                yield declared.if_match.parameter(kind)
            if declared.has_repeats or declared.keeps_key:
                yield from (KEY, REPLAYED_HEADER)
            if view.location_text and declared.location_statuses:
                yield location_parameter(view.location_text, *declared.location_statuses)
        yield from declared.query_parameters
        if view.action == "list":
            yield from view.listing.parameters
        elif view.action == "list_csv":
            yield from view.listing.csv_parameters
        elif view.has_tag and getattr(declared, "answer", None) is None:
            text = view.etag_text or f"ETag of the {kind}, for `If-Match` of `PATCH`."
            yield etag_parameter(text, status)

    def get_request_serializer(self) -> Any:
        declared = self.view.declared
        if not isinstance(declared, Write):
            return None
        return {declared.parser.media_type: declared.body}

    def get_response_serializers(self) -> Any:
        declared = self.view.declared
        view = self.view
        line = self._first_paragraph()
        if isinstance(declared, Write):
            response = OpenApiResponse(declared.answer or view.row_shape, line)
            kind = "application/json"  # also where the list has another one
            answers: dict[Any, Any] = {(declared.status, kind): response, **FAILURE}
            if declared.also:
                answers[declared.also, kind] = response
            if declared.later is not None:
                text = "Accepted; a worker continues with it."
                answers[202, kind] = OpenApiResponse(declared.later, text)
            return answers
        shape = view.row_shape
        more = {}
        if view.action == "list":
            shape = page_of(view.serializer_class)
            if view.ordering:
                rows = OpenApiResponse(OpenApiTypes.STR, "All rows, one on each line.")
                more = {(200, NDJSON): rows}
        elif declared.media_type != "application/json":
            shape = OpenApiTypes.STR
        return {(200, declared.media_type): OpenApiResponse(shape, line), **FAILURE, **more}

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False  # the page is described as it is
