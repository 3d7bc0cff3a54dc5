"""Cursors of lists.

A cursor names the row to continue after, signed together with its address: a cursor that was made
up or taken from another list is refused before it reaches the database.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.core.signing import BadSignature, Signer
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from api.problems import BadRequest
from api.query_parameters import whole_number
from scoring.errors import Problem

PAGE_SIZE: Final = 50
MOST: Final = 200


class SignedCursorPagination(CursorPagination):
    """Cursor pagination by the columns of a listing, the last of which is unique."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = tuple(order)
        self.path = ""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        """Return the rows of the page that the request asks for."""
        self.path = request.path
        return super().paginate_queryset(queryset, request, view) or []

    def get_ordering(self, request: Request, queryset: object, view: object) -> tuple[str, ...]:
        """Return the listing's own order; a caller cannot choose another."""
        return self.order

    def get_page_size(self, request: Request) -> int:
        """Return how many rows the caller wants, or refuse."""
        return whole_number(request, "limit", least=1, most=MOST, default=PAGE_SIZE)

    def encode_cursor(self, cursor: Cursor) -> str:
        """Return the address of the page at `cursor`."""
        text = Signer(salt=self.path).sign_object(list(cursor))
        return replace_query_param(self.base_url or "", self.cursor_query_param, text)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the cursor of the request; refuse one that belongs to another list."""
        text = request.query_params.get(self.cursor_query_param)
        if text is None:
            return None
        try:
            return Cursor(*Signer(salt=self.path).unsign_object(text))
        except BadSignature as forged:
            raise BadRequest(Problem("bad_cursor")) from forged
