"""Batch reads: a whole list as NDJSON, one row a line, with flat memory.

The rows are read a page at a time by the same keyset as the pages of the list, so a row that comes
or goes meanwhile moves no other.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils.translation import get_language, override
from rest_framework.pagination import Cursor
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from api.lists.cursors import SignedCursorPagination
from api.media_types import NDJSON
from scoring.json_types import JsonDict

BATCH: Final = 500
"""Rows that are in memory at a time."""


class _Batches(SignedCursorPagination):
    """The pages of a list one after another, each from where the one before it ended."""

    def __init__(self, order: Sequence[str], request: Request) -> None:
        super().__init__(order)
        self._request = request
        self._at: Cursor | None = None

    def get_page_size(self, request: Request) -> int:
        """Return how many rows are read at a time."""
        return BATCH

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return where the next batch begins."""
        return self._at

    def encode_cursor(self, cursor: Cursor) -> str:
        """Keep where the next batch begins; nobody is sent there."""
        self._at = cursor
        return ""

    def read(self, rows: Any) -> Iterator[list[Any]]:
        """Yield the batches of a list; each is read when it is asked for."""
        yield self.paginate_queryset(rows, self._request)
        while self.has_next:
            self.get_next_link()
            yield self.paginate_queryset(rows, self._request)


def is_batch_read(request: Request) -> bool:
    """Return whether the caller asks for the whole list as NDJSON."""
    return str(getattr(request.accepted_renderer, "media_type", "")) == NDJSON


def batch_response(
    request: Request, rows: Any, order: Sequence[str], write: Callable[[Any], JsonDict]
) -> StreamingHttpResponse:
    """Return the whole list, one row a line.

    The first batch is read before the answer begins, so what is refused is still problem details.
    An error later on cuts the connection before the end of the body.
    """
    batches = _Batches(order, request).read(rows)
    first = _lines(next(batches), write)
    language = get_language()

    def lines() -> Iterator[bytes]:
        yield first
        while True:
            with override(language):  # the answer outlives the middleware
                batch = next(batches, None)
                if batch is None:
                    return
                text = _lines(batch, write)
            yield text

    content = iter(()) if request.method == "HEAD" else lines()
    return StreamingHttpResponse(content, content_type=NDJSON)


def _lines(rows: Sequence[Any], write: Callable[[Any], JsonDict]) -> bytes:
    text = "".join(
        json.dumps(write(row), ensure_ascii=False, separators=(",", ":"), cls=JSONEncoder) + "\n"
        for row in rows
    )
    return text.encode()
