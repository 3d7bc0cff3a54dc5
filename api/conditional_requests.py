"""Conditional requests: `If-None-Match` of reads (304 if unchanged) and `If-Match` of edits.

ETags are computed in `tournaments/domain/etags.py`.
"""

import re
from collections.abc import Callable, Collection
from typing import Final

from django.http import HttpResponse
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.problems import BadRequest
from scoring.errors import Problem, shown

_TAG: Final = re.compile(r'"([0-9a-f]{12})"')
_NUMBER: Final = re.compile(r'"([1-9][0-9]{0,8})"')
NUMBER_OR_ANY: Final = rf"^({_NUMBER.pattern}|\*)$"
TAG_OR_ANY: Final = rf"^({_TAG.pattern}|\*)$"
"""Forms of `If-Match`."""
NO_STORE: Final = "private, no-store"
"""`Cache-Control` of answers with e-mail addresses and other data of one person."""


def if_match_parameter(
    described: str, *, form: str = TAG_OR_ANY, required: bool = True
) -> OpenApiParameter:
    """Return the `If-Match` header of an edit, for the OpenAPI document.

    `*` matches whatever is there (RFC 9110, section 13.1.1), at every address.
    """
    return OpenApiParameter(
        "If-Match",
        {"type": "string", "pattern": form},
        OpenApiParameter.HEADER,
        required=required,
        description=f"{described}. Without it the answer is 428." if required else described,
    )


def etag_parameter(described: str, *statuses: int) -> OpenApiParameter:
    """Return the `ETag` header, which the next edit sends back, for the OpenAPI document."""
    return OpenApiParameter(
        "ETag",
        OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        response=[*statuses],
        description=described,
    )


def location_parameter(described: str, *statuses: int) -> OpenApiParameter:
    """Return the `Location` header of an answer (201 by default), for the OpenAPI document."""
    return OpenApiParameter(
        "Location",
        OpenApiTypes.URI_REF,
        OpenApiParameter.HEADER,
        response=[*(statuses or (201,))],
        description=described,
    )


def known_etags(request: Request) -> frozenset[str]:
    """Return the ETags of `If-None-Match`, without the prefix `W/`, which reads ignore."""
    etags = parse_etags(request.headers.get("If-None-Match", ""))
    return frozenset(etag.removeprefix("W/") for etag in etags)


def is_known(tag: str, etags: Collection[str]) -> bool:
    return tag in etags or "*" in etags


def unchanged() -> HttpResponse:
    response = HttpResponse(status=304)
    del response["Content-Type"]
    return response


def with_etag(response: HttpResponse, tag: str, *, is_public: bool) -> HttpResponse:
    """Return an answer under its ETag; caches may store it and revalidate it before each use.

    This includes numbered publications, whose bytes never change: one can be withdrawn, and caches
    must then stop serving it (docs/decisions/0035-caching-of-publications.md).
    """
    response["ETag"] = tag
    response["Cache-Control"] = "no-cache" if is_public else "private, no-cache"
    return response


def conditional(
    request: Request, tag: str, make: Callable[[], HttpResponse], *, is_public: bool
) -> HttpResponse:
    """Return the answer of `make` under its ETag, or a 304 to a caller who has it."""
    if is_known(tag, known_etags(request)):
        response = unchanged()
    else:
        response = make()
    return with_etag(response, tag, is_public=is_public)


def if_match_number(request: Request, *, of: str) -> int | None:
    """Return the revision number in the caller's `If-Match`; None for `*`.

    Args:
        of: a word or two that name the resource.
    """
    number = _matched(request, _NUMBER, of=of, example='"1"')
    if number is None:
        return None
    return int(number)


def if_match_tag(request: Request, *, of: str) -> str | None:
    """Return the ETag in the caller's `If-Match`, without a revision number; None for `*`."""
    return _matched(request, _TAG, of=of, example='"0123456789ab"')


def _matched(request: Request, tag: re.Pattern[str], *, of: str, example: str) -> str | None:
    text = request.headers.get("If-Match")
    if text is None:
        facts = {"example": f"If-Match: {example}", "of": of}
        raise BadRequest(Problem("if_match_needed", facts=facts), status=428)
    if text.strip() == "*":
        return None
    match = tag.fullmatch(text.strip())
    if match is None:
        expected = f"the ETag of the {of}, as in {example}"
        facts = {"header": "If-Match", "found": shown(text), "expected": expected}
        raise BadRequest(Problem("bad_header", facts=facts))
    return match[1]
