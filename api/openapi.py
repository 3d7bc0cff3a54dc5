"""Declares an address once, for the router and the OpenAPI document: `@reading` above a view."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeAlias

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes, renderer_classes
from rest_framework.fields import empty
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from api.media_types import JPEG, NDJSON, PDF, PNG, RENDERERS, XLSX, ZIP
from api.openapi_document import tag_of
from api.permissions import permission_first
from api.query_parameters import PATH, allow_only, names_in_query
from api.serializers.fast_serialization import plain
from tournaments.policy import MAY

View: TypeAlias = Callable[..., HttpResponseBase]
PROBLEM: Final = "application/problem+json"


class ProblemMember(serializers.Serializer[Any]):
    """One problem of a refused request."""

    code = serializers.CharField(
        help_text="Code of the problem; never renamed. See docs/errors.md."
    )
    pointer = serializers.CharField(
        help_text="JSON pointer to the cause in the request body; empty for the whole body.",
        allow_blank=True,
    )
    facts = serializers.DictField(help_text="Details, such as the found and the expected value.")
    message = serializers.CharField(help_text="The problem as a sentence in the caller's language.")
    suggestions = serializers.ListField(child=serializers.DictField())


class ProblemDetails(serializers.Serializer[Any]):
    """An error (RFC 9457)."""

    type = serializers.CharField(help_text="Address that explains the code of the first problem.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="Code of the first problem.")
    detail = serializers.CharField()
    instance = serializers.CharField()
    errors = ProblemMember(many=True)  # type: ignore[assignment]  # a field, not the property
    there = serializers.DictField(required=False, help_text="Current version, in a conflict.")
    yours = serializers.DictField(required=False, help_text="Version that you sent, in a conflict.")


FAILURE: Final[Mapping[Any, OpenApiResponse]] = {
    ("default", PROBLEM): OpenApiResponse(
        ProblemDetails, "The problems of a refused request (RFC 9457)."
    )
}
"""Every error has this form."""


ETAGS: Final = (
    OpenApiParameter(
        "If-None-Match",
        OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        description="ETags of the copies that you have; the answer is 304 if one is current.",
    ),
    OpenApiParameter(
        "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 304],
        description="ETag of exactly this answer, for `If-None-Match`.",
    ),
)  # fmt: skip
"""The headers of an answer that may be 304."""


def reading(
    name: str,
    shape: type[serializers.BaseSerializer[Any]] | None = None,
    *,
    of: Callable[..., Any] | None = None,
    parameters: Sequence[OpenApiParameter] = (),
    is_list: bool = False,
    media_type: str = "application/json",
    has_etag: bool = False,
    has_batches: bool = False,
    right: str = "read_public",
    hidden_as: str = "",
) -> Callable[[Callable[..., Any]], View]:
    """Declare a view that answers GET and HEAD; selectors check permissions.

    It returns a response, or an object that `shape` describes.

    Args:
        name: operation id, unique in the API.
        shape: serializer of the answer, or of one row of it where `is_list`; None for plain text.
        of: the function whose docstring and path names describe the view, if not the view itself;
            such a view checks its query parameters itself.
        parameters: query parameters, all others are refused, and headers.
        has_etag: the answer may be 304.
        has_batches: the whole list is there as NDJSON too.
        right: of the role table.
        hidden_as: what is missing for those without the right to `right`; empty = they are refused.
    """

    def decorate(view: Callable[..., Any]) -> View:
        described = of or view
        plain = (
            OpenApiTypes.BINARY if media_type in (XLSX, ZIP, PDF, PNG, JPEG) else OpenApiTypes.STR
        )
        body = page_of(shape) if shape and is_list else shape or plain
        responses: dict[Any, Any] = {
            (200, media_type): OpenApiResponse(body, _summary(described)),
            **FAILURE,
        }
        if has_batches:
            responses[200, NDJSON] = OpenApiResponse(
                OpenApiTypes.STR, "All rows, one on each line."
            )
        if has_etag:
            responses[304] = OpenApiResponse(
                description="One of the ETags that were sent is current; the answer has no body."
            )
        declared = _declared(name, described, parameters, responses, has_etag)
        refused = "" if hidden_as or right in ("read_public", "own_account") else right
        renderers = [RENDERERS[each] for each in (media_type, *((NDJSON,) if has_batches else ()))]
        reads = _answering(view, parameters, shape) if of is None else view
        reads.__name__ = name
        reads.__doc__ = described.__doc__
        documented: View = declared(
            api_view(["GET", "HEAD"])(
                permission_classes([AllowAny])(
                    renderer_classes(renderers)(
                        permission_first(reads, refused, (right, hidden_as) if hidden_as else None)
                    )
                )
            )
        )
        return acting(documented, right, "get", "head", name=name)

    return decorate


def _answering(
    view: Callable[..., Any], parameters: Sequence[OpenApiParameter], shape: Any
) -> View:
    names = names_in_query(parameters)

    @wraps(view)
    def reads(request: Request, **at: object) -> HttpResponseBase:
        allow_only(request, *names)
        result = view(request, **at)
        if isinstance(result, HttpResponseBase):
            return result
        return Response(plain(shape)(result))

    return reads


def acting(view: View, right: str, *methods: str, name: str = "") -> View:
    """Note on a view its operation and which right of the role table these methods need."""
    if right not in MAY:
        raise ValueError(f"{right} is not in the role table")
    view.rights = dict.fromkeys(methods, right)  # type: ignore[attr-defined]  # read by tests
    view.operations = {methods[0]: name}  # type: ignore[attr-defined]  # read by tests
    return view


def _declared(
    name: str,
    described: Callable[..., object],
    parameters: Sequence[OpenApiParameter],
    responses: object,
    has_etag: bool,
    request: object = empty,
) -> Callable[[View], View]:
    names = inspect.signature(described).parameters
    # A filter of a list may be called like a part of some other address.
    parameter_names = {parameter.name for parameter in parameters}
    decorator: Callable[[View], View] = extend_schema(
        operation_id=name,
        summary=_summary(described).rstrip("."),
        description=_description(described),
        tags=[tag_of(described.__module__)],
        parameters=[
            *(PATH[each] for each in names if each in PATH and each not in parameter_names),
            *parameters,
            *(ETAGS if has_etag else ()),
        ],
        request=request,
        responses=responses,
    )
    return decorator


def _description(described: Callable[..., object]) -> str:
    return (inspect.getdoc(described) or "").rstrip()


def _summary(described: Callable[..., object]) -> str:
    return _description(described).partition("\n")[0]


def page_of(shape: type[serializers.BaseSerializer[object]]) -> serializers.Serializer[object]:
    return inline_serializer(
        f"{shape.__name__.removesuffix('Serializer')}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shape(many=True),
        },
    )
