"""How an address is declared once and shows in the OpenAPI document: `@reading` above a view."""

import inspect
from collections.abc import Callable, Mapping, Sequence
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
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.renderers import JSONRenderer

from api.parameters import PATH

View: TypeAlias = Callable[..., HttpResponseBase]
PROBLEM: Final = "application/problem+json"


class ProblemMember(serializers.Serializer[Any]):
    """One thing that is wrong."""

    code = serializers.CharField(help_text="Never renamed; explained in docs/errors.md.")
    pointer = serializers.CharField(
        help_text="JSON pointer into what was sent; empty for the whole.", allow_blank=True
    )
    facts = serializers.DictField(help_text="What was found, what was expected.")
    message = serializers.CharField(help_text="The same as a sentence, in the caller's language.")
    suggestions = serializers.ListField(child=serializers.DictField())


class ProblemDetails(serializers.Serializer[Any]):
    """An error (RFC 9457)."""

    type = serializers.CharField(help_text="Address of the explanation of the first code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    errors = ProblemMember(many=True)  # type: ignore[assignment]  # a field, not the property


FAILURE: Final[Mapping[Any, OpenApiResponse]] = {
    ("default", PROBLEM): OpenApiResponse(ProblemDetails, "What is wrong, as RFC 9457 has it.")
}
"""Every address fails in this form."""


class CsvRenderer(JSONRenderer):
    """Stands for `text/csv` in content negotiation; the views write the bytes themselves."""

    media_type = "text/csv"
    format = "csv"


ETAGS: Final = (
    OpenApiParameter(
        "If-None-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="ETags you have."
    ),
    OpenApiParameter(
        "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 304],
        description="Names exactly these bytes.",
    ),
)  # fmt: skip
"""The headers of an answer that may be 304."""

RENDERERS: Final = {"application/json": JSONRenderer, "text/csv": CsvRenderer}


def reading(
    name: str,
    shape: type[serializers.BaseSerializer[Any]] | None = None,
    *,
    of: Callable[..., Any] | None = None,
    parameters: Sequence[OpenApiParameter] = (),
    is_list: bool = False,
    media_type: str = "application/json",
    has_etag: bool = False,
) -> Callable[[View], View]:
    """Declare a view that answers GET and HEAD.

    Args:
        name: operation id, unique in the API.
        shape: serializer of the answer, or of one row of it where `is_list`; None for plain text.
        of: the function whose docstring and path names describe the view, if not the view itself.
        parameters: query parameters; the view refuses all others with `allow_only`.
        has_etag: the answer may be 304.
    """

    def decorate(view: View) -> View:
        described = of or view
        names = inspect.signature(described).parameters
        body = _page_of(shape) if shape and is_list else shape or OpenApiTypes.STR
        description = inspect.getdoc(described) or ""
        responses: dict[Any, Any] = {
            (200, media_type): OpenApiResponse(body, description.partition("\n")[0]),
            **FAILURE,
        }
        if has_etag:
            responses[304] = OpenApiResponse(description="Unchanged since the ETag that was sent.")
        declared = extend_schema(
            operation_id=name,
            summary=description.partition("\n")[0].rstrip("."),
            description=description,
            tags=[described.__module__.rpartition(".")[2]],
            parameters=[
                *(PATH[each] for each in names if each in PATH),
                *parameters,
                *(ETAGS if has_etag else ()),
            ],
            responses=responses,
        )
        view.__name__ = name
        view.__doc__ = described.__doc__
        made: View = declared(
            api_view(["GET", "HEAD"])(renderer_classes([RENDERERS[media_type]])(view))
        )
        return made

    return decorate


def _page_of(shape: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    return inline_serializer(
        f"{shape.__name__}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shape(many=True),
        },
    )
