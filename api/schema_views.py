"""The OpenAPI document, its reference page, and the explanation of each error code."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, renderer_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from api.openapi import acting
from api.problems import problem_response
from api.query_parameters import allow_only
from scoring.errors import Problem
from scoring.json_types import JsonDict

ERRORS: Final[Path] = settings.FILES_DIR / "docs" / "errors.md"


@extend_schema(exclude=True)
@api_view(["GET"])
@permission_classes([AllowAny])
@renderer_classes(
    [OpenApiJsonRenderer2, OpenApiJsonRenderer, OpenApiYamlRenderer2, OpenApiYamlRenderer]
)
def schema(request: Request) -> HttpResponseBase:
    """The OpenAPI document, as JSON or YAML."""
    allow_only(request)
    return Response(document())


@cache
def document() -> JsonDict:
    """Return the OpenAPI document; made once a process."""
    schema_document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return schema_document


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The reference page: Swagger UI from its package, started without an inline script."""
    return render(request, "api/docs.html")


@require_safe
def error_codes(request: HttpRequest) -> HttpResponse:
    """The meaning of each code and its remedy; the `type` of a problem leads to this page."""
    text = ERRORS.read_text(encoding="utf-8")
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@csrf_exempt
def unknown_address(request: HttpRequest) -> HttpResponse:
    """Any other address below `/api/v1/`."""
    return problem_response(request, 404, [Problem("unknown_address")])


for _page in (schema, reference, error_codes, unknown_address):
    acting(_page, "read_public", "get", "head")
