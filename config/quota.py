"""Refusing a form with too large a file before its first byte is kept."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

LARGEST: Final = 21 * 1024 * 1024
"""Bytes of a whole form: the largest file that any page takes, and what stands around it."""


class Quota(FileUploadHandler):
    """Stands before the handlers that keep a file, and lets pass what is small enough."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Mapping[str, Any],
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Refuse by the length that the sender states; nobody reads beyond it.

        Raises:
            RequestDataTooBig: the form is larger than any page takes.
        """
        if content_length > LARGEST:
            raise RequestDataTooBig(f"{content_length} bytes")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Let the next handler have it."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""
