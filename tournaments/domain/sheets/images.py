"""Read an uploaded picture, and write it again without metadata.

Pure: metadata of the camera (place, time, owner) is dropped.
"""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Final

from PIL import Image, ImageOps

from scoring.errors import Problem, Refused

LARGEST: Final = 15 * 1024 * 1024
"""Bytes of a file: what the largest pictures of phones come to."""
MOST_PIXELS: Final = 50_000_000
"""Pixels of an ordinary JPEG: it is read at a fraction of its size, so they cost little memory."""
MOST_WHOLE_PIXELS: Final = 20_000_000
"""Pixels of what must be read whole, at four bytes each."""
LONGEST_SIDE: Final = 2400
"""Pixels to which a picture is made smaller: a sheet of A4 at about 200 dots an inch."""
FORMATS: Final = ("JPEG", "PNG", "WEBP")
LARGEST_LOGO: Final = 2 * 1024 * 1024
LONGEST_LOGO_SIDE: Final = 10_000
"""Pixels of a side of an uploaded logo: thin ones cost far more than their pixels."""
LOGO_SIDE: Final = 256
"""Pixels to which a logo is made smaller: it is shown at less than 3 rem."""

_BROKEN: Final = (
    *(OSError, SyntaxError, ValueError, EOFError, OverflowError, MemoryError),
    *(struct.error, zlib.error, IndexError, KeyError, TypeError, AttributeError),
)
"""Exceptions of Pillow for files of other types, cut short or manipulated."""


@contextmanager
def _open(
    content: bytes, field: str, most: int, formats: tuple[str, ...] = FORMATS
) -> Iterator[Image.Image]:
    try:
        with Image.open(BytesIO(content), formats=formats) as image:
            yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise Refused(_too_many(most, field)) from bomb
    except _BROKEN as broken:
        raise Refused(Problem("not_a_photo", (field,))) from broken


def clean_picture(content: bytes) -> tuple[bytes, int, int]:
    """Return the picture of a file as JPEG, upright and without metadata; its width and height.

    It has at most `LONGEST_SIDE` pixels a side.
    """
    if len(content) > LARGEST:
        raise Refused(Problem("photo_too_large", ("photo",), {"expected": LARGEST // 1024 // 1024}))
    with _open(content, "photo", MOST_PIXELS) as image:
        _require_few_pixels(image)
        image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        return _cleaned(ImageOps.exif_transpose(image))


def clean_logo(content: bytes) -> bytes:
    """Return the logo of a file as a PNG of at most `LOGO_SIDE` pixels a side.

    Transparency is kept, metadata is removed.
    """
    if len(content) > LARGEST_LOGO:
        most = LARGEST_LOGO // 1024 // 1024
        raise Refused(Problem("photo_too_large", ("logo",), {"expected": most}))
    with _open(content, "logo", MOST_WHOLE_PIXELS) as image:
        if max(image.size) > LONGEST_LOGO_SIDE:
            facts = {"expected": LONGEST_LOGO_SIDE, "cause": "side"}
            raise Refused(Problem("photo_too_many_pixels", ("logo",), facts))
        if image.width * image.height > MOST_WHOLE_PIXELS:
            raise Refused(_too_many(MOST_WHOLE_PIXELS, "logo"))
        image.draft("RGB", (LOGO_SIDE, LOGO_SIDE))
        logo = ImageOps.exif_transpose(image).convert("RGBA")
        logo.thumbnail((LOGO_SIDE, LOGO_SIDE))
        sheet = Image.new("RGBA", logo.size)
        sheet.paste(logo)
        into = BytesIO()
        sheet.save(into, "PNG", optimize=True)
        return into.getvalue()


def require_kept_picture(content: bytes, *, kind: str) -> None:
    """Accept what `clean_picture` or `clean_logo` may have written; its pixels are not read."""
    with _open(content, "photo", MOST_PIXELS, (kind,)) as image:
        _require_few_pixels(image)
        image.verify()


def _require_few_pixels(image: Image.Image) -> None:
    # One that shows itself bit by bit is held whole while it is read.
    is_in_parts = image.format != "JPEG" or "progressive" in image.info
    most = MOST_WHOLE_PIXELS if is_in_parts else MOST_PIXELS
    if image.width * image.height > most:
        raise Refused(_too_many(most))


def _too_many(most: int, at: str = "photo") -> Problem:
    return Problem("photo_too_many_pixels", (at,), {"expected": most // 1_000_000})


def _cleaned(image: Image.Image) -> tuple[bytes, int, int]:
    sheet = Image.new("RGB", image.size, "white")
    if image.has_transparency_data:
        picture = image.convert("RGBA")
        sheet.paste(picture, mask=picture.getchannel("A"))
    else:
        sheet.paste(image.convert("RGB"))
    into = BytesIO()
    sheet.save(into, "JPEG", quality=82, optimize=True)
    return into.getvalue(), *sheet.size
