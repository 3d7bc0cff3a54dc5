"""`Idempotency-Key`: a request that is sent twice under one key is executed once."""

import hashlib
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import isgeneratorfunction
from typing import Any, Final, TypeAlias, cast

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import location_parameter
from api.media_types import StrictJSONParser
from api.openapi import View, writing
from api.problems import BadRequest
from api.query_parameters import allow_only, names_in_query
from api.serializers.fast_serialization import plain
from scoring.errors import Problem, shown
from tournaments.domain.sealing import seal, unseal
from tournaments.models.audit import Reply
from tournaments.services.audit import idempotency
from tournaments.services.operations import DeclaredOperation

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
Steps: TypeAlias = Generator[None, None, HttpResponse]
"""A write that commits as it goes: up to its one `yield` on its own, the rest with its answer."""


_KEPT_HEADERS: Final = ("Content-Type", "Location", "ETag")
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


KEY: Final = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": 128, "pattern": f"^{_KEY.pattern}$"},
    OpenApiParameter.HEADER,
    required=False,
    description="Key of up to 128 characters of your choice; use a new key for each new request.",
)  # fmt: skip
REPLAYED_HEADER: Final = OpenApiParameter(
    REPLAYED, OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 201, 202],
    description="`true` if this answer repeats the one to an earlier request with the same key.",
)  # fmt: skip


def key_of(request: Request) -> str | None:
    """Return the key of the request, if it has one."""
    text = request.headers.get(HEADER)
    if text is None or _KEY.fullmatch(text):
        return text
    expected = "1 to 128 characters without blanks or accents"
    facts = {"header": HEADER, "found": shown(text), "expected": expected}
    raise BadRequest(Problem("bad_header", facts=facts))


def idempotent(
    view: Callable[..., HttpResponse | Steps],
    *,
    fingerprint: Callable[[Request], bytes],
    has_secret: bool,
    query: Sequence[str],
) -> Callable[..., HttpResponse]:
    """Return `view` so that a request with a key runs once, and repeats get its answer for a day.

    The view's changes and its answer are stored in one transaction. An import commits step by step
    instead, so that it blocks nobody, and a repeat resumes it (`Steps`).

    Args:
        fingerprint: digest of the body that identifies the request, together with its address.
        has_secret: the answer shows a secret once, such as a token; it is stored encrypted.
        query: query parameters that the view takes.
    """
    answer_to_store = _kept_sealed if has_secret else _kept

    @wraps(view)
    def once(request: Request, **at: str) -> HttpResponse:
        key = key_of(request)
        begin = partial(_begun, view, request, at, query)
        if key is None:
            return begin()()
        caller = known_caller(request).label
        content = b"\n".join((request.get_full_path().encode(), fingerprint(request)))
        digest = hashlib.sha256(content).hexdigest()
        reply = idempotency.claim_key(
            caller=caller, key=key, fingerprint=digest, now=timezone.now()
        )
        if reply.status is not None:
            body = unseal(bytes(reply.body)) if has_secret else bytes(reply.body)
            headers = {**reply.headers, REPLAYED: "true"}
            return HttpResponse(body, status=reply.status, headers=headers)
        return _worked(reply, begin, answer_to_store, isgeneratorfunction(view))

    return once


def _worked(
    reply: Reply,
    begin: Callable[[], Callable[[], HttpResponse]],
    answer_to_store: Callable[[HttpResponse], idempotency.StoredAnswer | None],
    is_in_steps: bool,
) -> HttpResponse:
    """Execute the view and store its answer; release the key if nothing was done."""
    done = False
    try:
        answer = idempotency.store_answer_of(
            reply, begin(), answer_to_store, is_repeatable=not is_in_steps
        )
        done = _kept(answer) is not None
    finally:
        if not done:
            idempotency.release_key(reply)
    return answer


def _begun(
    view: Callable[..., HttpResponse | Steps],
    request: Request,
    at: Mapping[str, str],
    query: Sequence[str],
) -> Callable[[], HttpResponse]:
    """Start the view: return its work, or the remaining steps after running the first."""
    allow_only(request, *query)
    if not isgeneratorfunction(view):
        return partial(cast("Callable[..., HttpResponse]", view), request, **at)
    steps: Steps = view(request, **at)
    next(steps)
    return partial(_last, steps)


def _last(steps: Steps) -> HttpResponse:
    try:
        next(steps)
    except StopIteration as end:
        answer: HttpResponse = end.value
        return answer
    raise AssertionError("a view in steps has one yield, before its last one")


def _kept(answer: HttpResponse) -> idempotency.StoredAnswer | None:
    if answer.status_code >= 400:
        return None
    headers = {name: answer[name] for name in _KEPT_HEADERS if name in answer}
    return idempotency.StoredAnswer(answer.status_code, headers, answer.content)


def _kept_sealed(answer: HttpResponse) -> idempotency.StoredAnswer | None:
    stored = _kept(answer)
    return stored and replace(stored, body=seal(stored.body))


LOCATION: Final = location_parameter("Address of the new object, or of the list that contains it.")


def fingerprint_of(request: Request) -> bytes:
    """Return a digest of the body that does not depend on the order of its members."""
    return json.dumps(request.data, sort_keys=True).encode()


def fingerprint_of_file(name: str) -> Callable[[Request], bytes]:
    """Return the function that digests the file in a field of a form."""

    def fingerprint(request: Request) -> bytes:
        file = request.FILES.get(name)
        if not isinstance(file, UploadedFile):
            return b""
        digest = hashlib.sha256(file.read()).digest()
        file.seek(0)
        return digest

    return fingerprint


def idempotent_write(
    shape: Any,
    body: Any,
    *,
    method: str = "POST",
    status: int = 200,
    asks: Sequence[OpenApiParameter] = (),
    tells: Sequence[OpenApiParameter] | None = None,
    parser: type[BaseParser] = StrictJSONParser,
    fingerprint: Callable[[Request], bytes] = fingerprint_of,
    later: Any = None,
    also: int | None = None,
    operation: DeclaredOperation[..., Any] | None = None,
    act: str = "",
) -> Callable[[Callable[..., Any]], View]:
    """Declare an idempotent view; its operation is its name without `_view`.

    The view returns a response, or an object that `shape` describes. Query parameters that are not
    in `asks` are refused. The rest is as for `writing`.

    Args:
        asks: further parameters of the request.
        tells: further headers of the answer; `Location` for a creation if none are named.
        fingerprint: as for `idempotent`.
        operation: has the right, and describes the view if that has no docstring.
        act: of the role table, where there is no `operation`.
    """
    if tells is None:
        tells = (LOCATION,) if status == 201 else ()
    parameters = (*asks, KEY, REPLAYED_HEADER, *tells)

    def decorate(view: Callable[..., Any]) -> View:
        if operation is not None:
            view.__doc__ = view.__doc__ or operation.__doc__
        declared = writing(
            view.__name__.removesuffix("_view"),
            method,
            shape,
            body,
            status=status,
            parameters=parameters,
            parser=parser,
            later=later,
            also=also,
            act=operation.right if operation is not None else act,
        )
        return declared(
            idempotent(
                view if isgeneratorfunction(view) else _answering(view, shape, status),
                fingerprint=fingerprint,
                has_secret=False,
                query=names_in_query(asks),
            )
        )

    return decorate


def _answering(view: Callable[..., Any], shape: Any, status: int) -> Callable[..., HttpResponse]:
    @wraps(view)
    def answer(request: Request, **at: str) -> HttpResponse:
        result = view(request, **at)
        if isinstance(result, HttpResponse):
            return result
        return json_answer(plain(shape)(result), status=status)

    return answer


def json_answer(
    body: object, *, status: int = 200, tag: str = "", is_secret: bool = False
) -> HttpResponse:
    """Return a body as JSON, under its ETag if it has one; a repeated key may get it again."""
    text = json.dumps(body, ensure_ascii=False)
    answer = HttpResponse(text, status=status, content_type="application/json")
    if tag:
        answer["ETag"] = tag
    if is_secret:
        answer["Cache-Control"] = "no-store"
    return answer


def created(
    body: object,
    address: str,
    *args: object,
    status: int = 201,
    tag: str = "",
    is_secret: bool = False,
) -> HttpResponse:
    """Return a 201; `address` and `args` name the route of the created resource."""
    answer = json_answer(body, status=status, tag=tag, is_secret=is_secret)
    answer["Location"] = reverse(address, args=args)
    return answer
