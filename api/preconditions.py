"""`If-Match`: an edit says which state it is about, by the number that stands in the ETag."""

import re
from typing import Final

from rest_framework.request import Request

from api.problems import BadRequest
from scoring.errors import Problem, shown

_TAG: Final = re.compile(r'"([0-9a-f]{12})"')
_NUMBER: Final = re.compile(r'"([1-9][0-9]{0,8})"')


def if_match(request: Request, *, of: str) -> int:
    """Return the number that the caller looked at.

    Args:
        of: what the ETag is of, in a word or two.

    Raises:
        BadRequest: 428 if_match_needed; bad_header.
    """
    return int(_matched(request, _NUMBER, of=of, example='"1"'))


def if_match_tag(request: Request, *, of: str) -> str:
    """Return the mark of what the caller looked at, where that has no number.

    Args:
        of: what the ETag is of, in a word or two.

    Raises:
        BadRequest: 428 if_match_needed; bad_header.
    """
    return _matched(request, _TAG, of=of, example='"0123456789ab"')


def if_match_tag_or_any(request: Request, *, of: str) -> str | None:
    """Return the mark of what the caller looked at; None for `*`, whatever is there.

    Raises:
        BadRequest: 428 if_match_needed; bad_header.
    """
    if (request.headers.get("If-Match") or "").strip() == "*":
        return None
    return if_match_tag(request, of=of)


def _matched(request: Request, tag: re.Pattern[str], *, of: str, example: str) -> str:
    text = request.headers.get("If-Match")
    if text is None:
        facts = {"example": f"If-Match: {example}", "of": of}
        raise BadRequest(Problem("if_match_needed", facts=facts), status=428)
    found = tag.fullmatch(text.strip())
    if found is None:
        expected = f"the ETag of the {of}, as in {example}"
        facts = {"header": "If-Match", "found": shown(text), "expected": expected}
        raise BadRequest(Problem("bad_header", facts=facts))
    return found[1]
