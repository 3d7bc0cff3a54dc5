"""The scorer on its own: cases in, answers out, nothing stored."""

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.decorators import api_view, parser_classes, throttle_classes
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle

from api.bodies import json_of, read_capped
from api.parameters import allow_only
from api.problems import BadRequest
from api.reference import FAILURE
from scoring.errors import Problem
from tournaments.services.case_answers import case_answers

MOST_BYTES: Final = 256 * 1024
"""Some hundred hands; whoever has more has the command line, or an import."""

LINES: Final = "application/x-ndjson"
_CASE: Final = {"type": "object", "additionalProperties": True}
_EXAMPLE: Final = {
    "id": "a moon",
    "variant": "hearts",
    "seats": 4,
    "hands": [{"entry": {"hearts": [0, 13, 0, 0], "taken": [[], ["QS"], [], []]}}],
}


class Cases(BaseParser):
    """One case or an array of them, as JSON."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the cases; refuse what is too large or no JSON at all."""
        found = json_of(read_capped(stream, MOST_BYTES))
        return found if isinstance(found, list) else [found]


class CaseLines(BaseParser):
    """One case a line."""

    media_type = LINES

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the cases; blank lines are no cases."""
        return [
            json_of(line) for line in read_capped(stream, MOST_BYTES).splitlines() if line.strip()
        ]


class ScorePace(UserRateThrottle):
    """How often one caller may ask; the rate stands in the settings."""

    scope = "score"


@extend_schema(
    operation_id="score",
    tags=["score"],
    request={
        media_type: {"oneOf": [_CASE, {"type": "array", "items": _CASE}]}
        for media_type in (Cases.media_type, LINES)
    },
    responses={
        (200, Cases.media_type): OpenApiResponse(
            {"type": "array", "items": _CASE}, "An answer a case, in order."
        ),
        (200, LINES): OpenApiResponse({"type": "string"}, "An answer a line."),
        **FAILURE,
    },
    examples=[OpenApiExample("a moon", _EXAMPLE, request_only=True)],
)
@api_view(["POST"])
@parser_classes([Cases, CaseLines])
@throttle_classes([ScorePace])
def score(request: Request) -> HttpResponseBase:
    """Score cases as `python -m scoring score` does; a refused case carries its `errors`.

    One case, an array, or one a line (`application/x-ndjson`); the answer has the same form, but a
    single case is answered as an array too. Nothing is stored.
    """
    allow_only(request)
    cases = request.data
    if not isinstance(cases, list):
        raise BadRequest(Problem("bad_json", facts={"why": "there is nothing."}))
    said = [json.dumps(each, ensure_ascii=False) for each in case_answers(cases)]
    if request.content_type.startswith(LINES):
        return HttpResponse("".join(f"{line}\n" for line in said), content_type=LINES)
    return HttpResponse(f"[{', '.join(said)}]", content_type=Cases.media_type)
