"""Writes that are answered once under a key, declared and answered alike."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from api.http.parsers import StrictJSONParser
from api.idempotency import KEY, REPLAYED_HEADER, idempotent
from api.openapi import writing

LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="The address of the list that contains it.",
)  # fmt: skip


def idempotent_write(
    view: Callable[..., HttpResponse],
    shape: Any,
    sent: Any,
    *,
    method: str = "POST",
    status: int = 200,
    asks: Sequence[OpenApiParameter] = (),
    tells: Sequence[OpenApiParameter] | None = None,
    has_secret: bool = False,
    parser: type[BaseParser] = StrictJSONParser,
    also: int | None = None,
) -> Any:
    """Declare a view that is answered once under a key.

    Args:
        asks: further headers of the request.
        tells: further headers of the answer; `Location` where something is made and none are named.
        has_secret: the answer shows something once, such as a token.
        parser: reads the body.
        also: another status of an answer of this shape.
    """
    name = view.__name__.removeprefix("_")
    if tells is None:
        tells = (LOCATION,) if status == 201 else ()
    parameters = (*asks, KEY, REPLAYED_HEADER, *tells)
    declared = writing(
        name, method, shape, sent, status=status, parameters=parameters, parser=parser, also=also
    )
    return declared(idempotent(view, fingerprint=fingerprint_of, has_secret=has_secret))


def json_answer(body: object, *, status: int = 200) -> HttpResponse:
    """Return a body as JSON, which a repeated key may give again."""
    text = json.dumps(body, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type="application/json")


def fingerprint_of(request: Request) -> bytes:
    """Return a digest of the body that does not depend on the order of its members."""
    return json.dumps(request.data, sort_keys=True).encode()
