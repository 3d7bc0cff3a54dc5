"""`Idempotency-Key`: what is sent twice under one key is done once."""

import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Final

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.callers import known_caller
from api.problems import BadRequest
from scoring.errors import Problem, shown
from tournaments.models.replies import Reply
from tournaments.services import replies

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")

KEY: Final = OpenApiParameter(
    HEADER, OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description="Up to 128 characters of your own choice, a new one for each thing to be done.",
)  # fmt: skip
REPLAYED_HEADER: Final = OpenApiParameter(
    REPLAYED, OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 201, 202],
    description="`true` where the key had been answered before and nothing was done now.",
)  # fmt: skip


def key_of(request: Request) -> str | None:
    """Return the key of the request, if it has one.

    Raises:
        BadRequest: bad_header.
    """
    text = request.headers.get(HEADER)
    if text is None or _KEY.fullmatch(text):
        return text
    expected = "1 to 128 characters without blanks or accents"
    facts = {"header": HEADER, "found": shown(text), "expected": expected}
    raise BadRequest(Problem("bad_header", facts=facts))


def answered_once(
    view: Callable[..., HttpResponse], *, fingerprint: Callable[[Request], bytes]
) -> Callable[..., HttpResponse]:
    """Return `view` so that a request under a key is worked on once, and answered alike for a day.

    Args:
        fingerprint: what of the body tells one request from another; its address counts too.
    """

    @wraps(view)
    def once(request: Request, **at: str) -> HttpResponse:
        key = key_of(request)
        if key is None:
            return view(request, **at)
        caller = known_caller(request).label
        said = b"\n".join((request.get_full_path().encode(), fingerprint(request)))
        digest = hashlib.sha256(said).hexdigest()
        reply = replies.begin(caller=caller, key=key, fingerprint=digest, now=timezone.now())
        if reply.status is not None:
            return _again(reply)
        done = False
        try:
            answer = view(request, **at)
            done = answer.status_code < 400
        finally:
            if not done:
                replies.forget(reply)
        if done:
            headers = {
                name: answer[name] for name in ("Content-Type", "Location") if name in answer
            }
            replies.finish(reply, status=answer.status_code, headers=headers, body=answer.content)
        return answer

    return once


def _again(reply: Reply) -> HttpResponse:
    answer = HttpResponse(bytes(reply.body), status=reply.status, headers=reply.headers)
    answer[REPLAYED] = "true"
    return answer
