"""`Idempotency-Key`: a request that is sent twice under one key is executed once."""

import hashlib
import json
import re
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias, cast

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.authentication import known_caller
from api.problems import BadRequest
from scoring.errors import Problem, shown
from tournaments.domain.sealing import seal, unseal
from tournaments.services.audit import idempotency

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
Work: TypeAlias = Callable[[], HttpResponse]
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
)
REPLAYED_HEADER: Final = OpenApiParameter(
    REPLAYED,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[200, 201, 202],
    description="`true` if this answer repeats the one to an earlier request with the same key.",
)


def key_of(request: Request) -> str | None:
    text = request.headers.get(HEADER)
    if text is None or _KEY.fullmatch(text):
        return text
    expected = "1 to 128 characters without blanks or accents"
    facts = {"header": HEADER, "found": shown(text), "expected": expected}
    raise BadRequest(Problem("bad_header", facts=facts))


def answer_once(
    request: Request,
    write: Callable[[], HttpResponse | Steps],
    *,
    is_in_steps: bool,
    fingerprint: Callable[[Request], bytes],
    has_secret: bool,
) -> HttpResponse:
    """Return the answer of `write`; with a key it runs once, and repeats get its answer for a day.

    The changes and the answer are stored in one transaction. An import commits step by step
    instead, so that it blocks nobody, and a repeat resumes it (`Steps`).

    Args:
        fingerprint: digest of the body that identifies the request, together with its address.
        has_secret: the answer shows a secret once, such as a token; it is stored encrypted.
    """
    key = key_of(request)
    if key is None:
        return _begun(write, is_in_steps)()
    caller = known_caller(request).label
    content = b"\n".join((request.get_full_path().encode(), fingerprint(request)))
    digest = hashlib.sha256(content).hexdigest()
    reply = idempotency.claim_key(caller=caller, key=key, fingerprint=digest, now=timezone.now())
    if reply.status is not None:
        if has_secret:
            body = unseal(bytes(reply.body))
        else:
            body = bytes(reply.body)
        headers = {**reply.headers, REPLAYED: "true"}
        return HttpResponse(body, status=reply.status, headers=headers)
    done = False
    try:
        work = _begun(write, is_in_steps)
        answer = idempotency.store_answer_of(
            reply, work, _kept_sealed if has_secret else _kept, is_repeatable=not is_in_steps
        )
        done = _kept(answer) is not None
    finally:
        if not done:  # nothing was changed
            idempotency.release_key(reply)
    return answer


def _begun(write: Callable[[], HttpResponse | Steps], is_in_steps: bool) -> Work:
    """Run the first steps, if there are any; return the rest as work."""
    if not is_in_steps:
        return cast("Work", write)
    steps = cast("Steps", write())
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
    if stored is None:
        return None
    return replace(stored, body=seal(stored.body))


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
