"""What the actions of a viewset declare, and how the OpenAPI document describes them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import uritemplate
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.fields import empty

from api.conditional_requests import etag_parameter, if_match_parameter, location_parameter
from api.idempotency import KEY, REPLAYED_HEADER
from api.media_types import NDJSON
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
    if_match: bool = False
    query_parameters: Sequence[OpenApiParameter] = ()
    has_secret: bool = False

    def compare_names(self) -> None:
        """Require that the operation takes the members of the body, and no other ones."""
        members = self.body._declared_fields if self.body is not None else {}
        required = {name for name, member in members.items() if is_always_there(member)}
        based_on = {"based_on"} if self.if_match else set()
        self.operation.require_arguments({*members, *based_on}, {*required, *based_on})


class ResourceSchema(AutoSchema):
    """Describes the actions of a viewset in the OpenAPI document."""

    view: Any

    def get_operation_id(self) -> str:
        return str(self.view.declared.operation_id)

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        return str(self.view.declared.description)

    def get_summary(self) -> str:
        return self.get_description().partition("\n")[0].rstrip(".")

    def get_tags(self) -> list[str]:
        return [tag_of(type(self.view).__module__)]

    def get_override_parameters(self) -> list[Any]:
        known = [PATH[name] for name in uritemplate.variables(self.path) if name in PATH]
        return [*known, *self._parameters()]

    def _parameters(self) -> Iterable[OpenApiParameter]:
        """Yield the query parameters and headers of the action."""
        view = self.view
        declared, kind = view.declared, view.noun or view.resource[0]
        status = getattr(declared, "status", 200)
        if isinstance(declared, Write):
            if declared.if_match:
                yield if_match_parameter(f"The ETag of the {kind} that you read, or `*`")
            yield from (*declared.query_parameters, KEY, REPLAYED_HEADER)
            if status == 201:
                yield location_parameter(view.location_text)
        if view.action == "list":
            yield from view.listing.parameters
        elif view.action == "list_csv":
            yield from view.listing.csv_parameters
        elif view.has_tag and getattr(declared, "answer", None) is None:
            text = view.etag_text or f"ETag of the {kind}, for `If-Match` of `PATCH`."
            yield etag_parameter(text, status)

    def get_request_serializer(self) -> Any:
        declared = self.view.declared
        return {"application/json": declared.body} if isinstance(declared, Write) else None

    def get_response_serializers(self) -> Any:
        declared, view = self.view.declared, self.view
        line = self.get_description().partition("\n")[0]
        if isinstance(declared, Write):
            response = OpenApiResponse(declared.answer or view.row_shape, line)
            return {declared.status: response, **FAILURE}
        shape, more = view.row_shape, {}
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
