"""`If-Match`: an edit says which state it is about, by the number that stands in the ETag."""

import re
from typing import Final

from rest_framework.request import Request

from api.problems import BadRequest
from scoring.errors import Problem, shown

_NUMBER: Final = re.compile(r'"([1-9][0-9]{0,8})"')


def if_match(request: Request, *, of: str) -> int:
    """Return the number that the caller looked at.

    Args:
        of: what the ETag is of, in a word or two.

    Raises:
        BadRequest: 428 if_match_needed; bad_header.
    """
    text = request.headers.get("If-Match")
    if text is None:
        facts = {"example": 'If-Match: "1"', "of": of}
        raise BadRequest(Problem("if_match_needed", facts=facts), status=428)
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        expected = f'the ETag of the {of}, as in "1"'
        facts = {"header": "If-Match", "found": shown(text), "expected": expected}
        raise BadRequest(Problem("bad_header", facts=facts))
    return int(found[1])
