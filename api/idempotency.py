"""`Idempotency-Key`: what is sent twice under one key is done once."""

import re
from typing import Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.problems import BadRequest
from scoring.errors import Problem, shown

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")

KEY: Final = OpenApiParameter(
    HEADER, OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description="Up to 128 characters of your own choice, a new one for each thing to be done.",
)  # fmt: skip
REPLAYED_HEADER: Final = OpenApiParameter(
    REPLAYED, OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 201],
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
