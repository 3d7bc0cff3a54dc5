"""Media types: renderers of answers, and a parser of JSON bodies with a size limit."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any, Final

from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

from api.problems import BadRequest
from scoring.errors import Problem


class CsvRenderer(JSONRenderer):
    """The media type `text/csv` in content negotiation; the views write the bytes themselves."""

    media_type = "text/csv"
    format = "csv"


TEXT: Final = "text/plain"
TOML: Final = "application/toml"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP: Final = "application/zip"
PDF: Final = "application/pdf"
PNG: Final = "image/png"
NDJSON: Final = "application/x-ndjson"
JPEG: Final = "image/jpeg"

MOST_DEPTH: Final = 64
TOO_DEEP: Final = f"it nests more than {MOST_DEPTH} deep"


def _renderer(media: str, ending: str) -> type[CsvRenderer]:
    """The renderer of another media type whose bytes the views write."""
    members = {"media_type": media, "format": ending, "__doc__": f"`{media}` in negotiation."}
    return type(f"{ending.capitalize()}Renderer", (CsvRenderer,), members)


RENDERERS: Final[Mapping[str, type[JSONRenderer]]] = {
    "application/json": JSONRenderer,
    "text/csv": CsvRenderer,
    TEXT: _renderer(TEXT, "txt"),
    TOML: _renderer(TOML, "toml"),
    XLSX: _renderer(XLSX, "xlsx"),
    ZIP: _renderer(ZIP, "zip"),
    PDF: _renderer(PDF, "pdf"),
    PNG: _renderer(PNG, "png"),
    NDJSON: _renderer(NDJSON, "ndjson"),
    JPEG: _renderer(JPEG, "jpg"),
}

MOST_BODY_BYTES: Final = 64 * 1024
"""One hand is a few hundred bytes; larger bodies belong to an import."""


class StrictJSONParser(BaseParser):
    """Parses one JSON object; refuses duplicate fields."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> dict[str, Any]:
        body = json_of(self.read(stream), pairs=_once)
        if not isinstance(body, dict):
            raise BadRequest(Problem("bad_json", facts={"why": "an object was expected."}))
        return body

    def read(self, stream: IO[bytes]) -> bytes:
        return read_capped(stream, MOST_BODY_BYTES)


def read_capped(stream: IO[bytes], most: int) -> bytes:
    """Return the body, of at most the allowed size."""
    text: bytes = stream.read(most + 1)
    if len(text) > most:
        raise BadRequest(Problem("too_large", facts={"most": most}), status=413)
    return text


def json_of(text: bytes, pairs: Any = None) -> object:
    """Return the value of a JSON text."""
    try:
        value = json.loads(
            text.decode("utf-8-sig"),
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=pairs,
        )
        if _is_deeper(value, MOST_DEPTH):
            raise ValueError(TOO_DEEP)
        if b"\\u" in text:
            # Half a character cannot be stored, logged or said again.
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadRequest(Problem("bad_json", facts={"why": f"{_why(error)}."})) from error
    return value


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return False
    return levels == 0 or any(_is_deeper(member, levels - 1) for member in value)


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it holds half a character"
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return str(error)[:200].encode("utf-8", "replace").decode()


def _finite(text: str) -> float:
    """Return a finite float; JSON has no infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a number in JSON")
    return number


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]} is written twice")
    return members
