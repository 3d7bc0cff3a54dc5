"""JSON bodies, read within a bound and never guessed at."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any, Final

from rest_framework.parsers import BaseParser

from api.problems import BadRequest
from scoring.errors import Problem

MOST_BYTES: Final = 64 * 1024
"""One hand is a few hundred bytes; whoever has more has an import."""

MOST_DEPTH: Final = 64

TOO_DEEP: Final = f"it nests more than {MOST_DEPTH} deep"


class StrictJSONParser(BaseParser):
    """One JSON object with each of its fields written once."""

    media_type = "application/json"
    most_bytes = MOST_BYTES

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> dict[str, Any]:
        """Return the object; refuse what is too large, no JSON, or something else."""
        found = json_of(read_capped(stream, self.most_bytes), pairs=_once)
        if not isinstance(found, dict):
            raise BadRequest(Problem("bad_json", facts={"why": "an object was expected."}))
        return found


def read_capped(stream: IO[bytes], most: int) -> bytes:
    """Return what was sent, but never more of it than is allowed.

    Raises:
        BadRequest: 413 too_large.
    """
    text: bytes = stream.read(most + 1)
    if len(text) > most:
        raise BadRequest(Problem("too_large", facts={"most": most}), status=413)
    return text


def json_of(text: bytes, pairs: Any = None) -> object:
    """Return the value of a JSON text.

    Raises:
        BadRequest: bad_json.
    """
    try:
        found = json.loads(
            text.decode("utf-8-sig"),
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=pairs,
        )
        if _is_deeper(found, MOST_DEPTH):
            raise ValueError(TOO_DEEP)
        if b"\\u" in text:
            # Half a character cannot be stored, logged or said again.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadRequest(Problem("bad_json", facts={"why": f"{_why(error)}."})) from error
    return found


def _is_deeper(found: object, levels: int) -> bool:
    if isinstance(found, dict):
        found = list(found.values())
    if not isinstance(found, list):
        return False
    return levels == 0 or any(_is_deeper(member, levels - 1) for member in found)


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it holds half a character"
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return str(error)[:200].encode("utf-8", "replace").decode()


def _finite(text: str) -> float:
    """Return a number with a point; JSON has no endless ones."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a number in JSON")
    return number


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]} is written twice")
    return found
