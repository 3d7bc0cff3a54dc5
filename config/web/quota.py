"""Refusing a form with too large a file before its first byte is kept."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from tournaments.domain.sheets.images import LARGEST as LARGEST_PHOTO

LARGEST: Final = 21 * 1024 * 1024
"""Bytes of a whole form: the largest file that any page takes, and what stands around it."""
LARGEST_WITH_PHOTO: Final = 64 * 1024 * 1024
"""Bytes of a form with a photo or an archive, read so that its page can say what is wrong."""
ARCHIVE: Final = "archive"
"""The field of the archive of a club, which may be as large as its form."""
PHOTO: Final = "photo"
"""The field of a photo: it is cut where it is too large, and refused beside what was typed."""

_MOST: Final = {PHOTO: LARGEST_PHOTO + 1, ARCHIVE: LARGEST_WITH_PHOTO}
"""Bytes of a file that are kept, by its field."""


class Quota(FileUploadHandler):
    """Stands before the handlers that keep a file, and lets pass what is small enough."""

    is_large = False
    left = 0

    def handle_raw_input(
        self,
        input_data: object,
        META: Mapping[str, object],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Refuse by the length that the sender states; nobody reads beyond it.

        Raises:
            RequestDataTooBig: the form is larger than any page takes.
        """
        if content_length > LARGEST_WITH_PHOTO:
            raise RequestDataTooBig(f"{content_length} bytes")
        self.is_large = content_length > LARGEST

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        """Begin with a file of the form.

        Raises:
            RequestDataTooBig: neither photo nor archive, and the form is larger than others may be.
        """
        super().new_file(field_name, *args, **kwargs)
        if self.is_large and field_name not in (PHOTO, ARCHIVE):
            raise RequestDataTooBig(field_name)
        self.left = _MOST.get(field_name, LARGEST)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Let the next handler have it, up to the byte that makes it too large."""
        kept, self.left = raw_data[: self.left], max(self.left - len(raw_data), 0)
        return kept or None

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""
