"""Bodies of a few texts, and writes that are answered once under a key."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.idempotency import KEY, REPLAYED_HEADER, answered_once
from api.openapi import writing
from scoring.errors import Problem, Refused, shown

MOST_TEXT: Final = 500
LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="Where the list stands that has it.",
)  # fmt: skip


def sent_texts(body: Any, known: Sequence[str], *, numbers: Sequence[str] = ()) -> dict[str, str]:
    """Return the texts of a body; what is not there is empty.

    Args:
        numbers: fields that may be a whole number as well as a text.

    Raises:
        Refused: unknown_member, bad_text; one for each.
    """
    if problems := list(_problems(body, known, numbers)):
        raise Refused(*problems)
    return {name: str(body.get(name, "")) for name in known}


def written_once(
    view: Callable[..., HttpResponse], shape: Any, sent: Any, *, status: int = 200
) -> Any:
    """Declare a view that takes a POST and is answered once under a key."""
    name = view.__name__.removeprefix("_")
    headers = (LOCATION,) if status == 201 else ()
    parameters = (KEY, REPLAYED_HEADER, *headers)
    declared = writing(name, "POST", shape, sent, status=status, parameters=parameters)
    return declared(answered_once(view, fingerprint=fingerprint_of))


def json_answer(body: Any, *, status: int = 200) -> HttpResponse:
    """Return a body as JSON, which a repeated key may give again."""
    text = json.dumps(body, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type="application/json")


def fingerprint_of(request: Request) -> bytes:
    """Return what tells one body from another, however its members are ordered."""
    return json.dumps(request.data, sort_keys=True).encode()


def _problems(
    body: Mapping[str, Any], known: Sequence[str], numbers: Sequence[str]
) -> Iterator[Problem]:
    for name in sorted(set(body) - set(known)):
        facts = {"found": shown(name), "expected": ", ".join(known)}
        yield Problem("unknown_member", (name,), facts)
    for name in known:
        found = body.get(name, "")
        if name in numbers and isinstance(found, int) and not isinstance(found, bool):
            continue
        if not isinstance(found, str) or len(found) > MOST_TEXT or "\x00" in found:
            yield Problem("bad_text", (name,), {"field": name, "most": MOST_TEXT})
