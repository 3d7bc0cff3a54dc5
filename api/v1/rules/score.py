"""The scorer on its own: cases in, answers out, nothing stored."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from django.core.cache import cache
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.decorators import api_view, parser_classes, permission_classes, throttle_classes
from rest_framework.exceptions import Throttled
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle

from api.media_types import json_of, read_capped
from api.openapi import FAILURE, acting
from api.openapi_document import NEEDS_BODY
from api.problems import BadRequest
from api.query_parameters import allow_only
from scoring.errors import Problem
from tournaments.domain.client_address import client_network
from tournaments.domain.replay_game import A_REQUEST, of_a_request
from tournaments.selectors.rules.rule_sets import case_answers

MOST_BYTES: Final = 256 * 1024
"""Some hundred hands; whoever has more has the command line, or an import."""

STEPS_A_MINUTE: Final = 5 * A_REQUEST
"""Of one address: some seconds of a processor."""
A_MINUTE: Final = 60

_WORKS: Final = threading.Lock()
"""One request at a time keeps the processor from nobody for long."""
_WAITS: Final = threading.Lock()
"""One more waits for it; so two of the web process' threads are the most that this ever takes."""
WAIT_S: Final = 0.5

LINES: Final = "application/x-ndjson"
_CASE: Final = {"type": "object", "additionalProperties": True}
_EXAMPLE: Final = {
    "id": "a moon",
    "variant": "hearts",
    "seats": 4,
    "hands": [{"entry": {"hearts": [0, 13, 0, 0], "taken": [[], ["QS"], [], []]}}],
}


class CasesParser(BaseParser):
    """One case or an array of them, as JSON."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Any:
        cases = json_of(read_capped(stream, MOST_BYTES))
        return cases if isinstance(cases, list) else [cases]


class CaseLinesParser(BaseParser):
    """One case a line."""

    media_type = LINES

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Any:
        return [
            json_of(line) for line in read_capped(stream, MOST_BYTES).splitlines() if line.strip()
        ]


class ScoreThrottle(UserRateThrottle):
    """How often one caller may ask; the rate is in the settings."""

    scope = "score"

    def get_ident(self, request: Request) -> str:
        return client_network(request)


@contextmanager
def _place() -> Iterator[None]:
    """Hold the place of the one request that is worked on.

    Raises:
        Throttled: another one is worked on for longer than WAIT_S, or a second one waits already.
    """
    if not _WORKS.acquire(blocking=False):
        if not _WAITS.acquire(blocking=False):
            raise Throttled(wait=1)
        try:
            if not _WORKS.acquire(timeout=WAIT_S):
                raise Throttled(wait=1)
        finally:
            _WAITS.release()
    try:
        yield
    finally:
        _WORKS.release()


def _require_steps_left(request: Request) -> str:
    """Return under which key the caller's work of this minute is counted.

    Raises:
        Throttled: there was enough of it.
    """
    minute, second = divmod(time.time(), A_MINUTE)
    key = f"score-work:{client_network(request)}:{minute:.0f}"
    if cache.get(key, 0) >= STEPS_A_MINUTE:
        raise Throttled(wait=A_MINUTE - second)
    return key


def _count_steps(key: str, steps: int) -> None:
    cache.add(key, 0, timeout=2 * A_MINUTE)
    with suppress(ValueError):  # it was thrown away meanwhile
        cache.incr(key, steps)


def _answers(request: Request, cases: Sequence[object]) -> list[str]:
    """Return the answers; the caller pays for their work, and one request at a time is worked on.

    Raises:
        OutOfBudget: they cost more than a request may.
        Throttled: the caller has had enough of this minute, or another one is being answered.
    """
    key = _require_steps_left(request)
    budget = of_a_request()
    with _place():
        try:
            return [json.dumps(each, ensure_ascii=False) for each in case_answers(cases, budget)]
        finally:
            _count_steps(key, budget.spent)


@extend_schema(
    operation_id="score",
    tags=["rules"],
    # A generated client cannot tell two media types of the same body apart, so one is documented.
    request={
        CasesParser.media_type: {
            "description": "A case or an array of cases. Anything else is answered with errors."
        }
    },
    responses={
        (200, CasesParser.media_type): OpenApiResponse(
            {"type": "array", "items": _CASE}, "An answer a case, in order."
        ),
        (200, LINES): OpenApiResponse({"type": "string"}, "An answer a line."),
        **FAILURE,
    },
    examples=[OpenApiExample("a moon", _EXAMPLE, request_only=True)],
    extensions={NEEDS_BODY: True},
)
@api_view(["POST"])
@permission_classes([AllowAny])
@parser_classes([CasesParser, CaseLinesParser])
@throttle_classes([ScoreThrottle])
def score(request: Request) -> HttpResponseBase:
    """Score cases as `python -m scoring score` does; a refused case carries its `errors`.

    One case, an array, or one a line (`application/x-ndjson`); the answer has the same form, but a
    single case is answered as an array too. Nothing is stored. The work of a request is limited
    (`too_much_work`), and so is the work of an address in a minute (`too_many_requests`); only the
    first refused hands come with their likely causes.
    """
    allow_only(request)
    cases = request.data
    if not isinstance(cases, list):
        raise BadRequest(Problem("bad_json", facts={"why": "there is nothing."}))
    answers = _answers(request, cases)
    if request.content_type.startswith(LINES):
        return HttpResponse("".join(f"{line}\n" for line in answers), content_type=LINES)
    return HttpResponse(f"[{', '.join(answers)}]", content_type=CasesParser.media_type)


acting(score, "read_public", "post")
