"""Texts, lines and boxes for the template, each at its place in millimetres."""

import re
import unicodedata
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

import segno

from tournaments.domain.sheets.sheet_geometry import QUIET, Rect
from tournaments.printing.typesetting import Drawn, Frame

HAIR: Final = 0.35
THIN: Final = 0.6
THICK: Final = 1.2
_BREAK: Final = "\u200b"


def text_at(place: Rect, text: str, size: float, **look: Any) -> Drawn:
    """Return a text within a place.

    Args:
        look: `least` size in points, `weight`, `align`, `valign` (t, m, b), `lines` at most,
            `grey`, `clip`.
    """
    return {
        "x": place.x, "y": place.y, "w": place.width, "h": place.height, "text": text, "size": size
    } | look  # fmt: skip


def name_at(place: Rect, text: str, size: float, **look: Any) -> Drawn:
    """Return a name within a place: on several lines and smaller where it is long, and broken
    within a word where even that does not fit."""
    broken = breakable(text)
    return text_at(place, text, size, least=6, lines=3, clip=True, broken=broken, **look)


def breakable(name: str) -> str:
    """Return a name whose long words may be broken; nothing that is seen is added.

    >>> breakable("Anna-Maria").isascii(), len(breakable("a" * 20))
    (True, 22)
    """
    return "".join("".join(_pieces(word)) for word in re.split(r"([ -])", name))


def _pieces(word: str) -> Iterator[str]:
    """The signs of a word, a place to break after every seventh; accents stay with their letter."""
    n_signs = 0
    for sign in word:
        if not unicodedata.combining(sign):
            if n_signs and n_signs % 7 == 0:
                yield _BREAK
            n_signs += 1
        yield sign


def add_box(frame: Frame, place: Rect, line: float, *, radius: float = 0.0) -> None:
    """Add an empty box to a frame."""
    frame.rects.append({
        "x": place.x, "y": place.y, "w": place.width, "h": place.height, "line": line,
        "radius": radius,
    })  # fmt: skip


def add_area(frame: Frame, place: Rect, fill: str) -> None:
    """Add an area of one colour: black, white or shade."""
    frame.rects.append(
        {"x": place.x, "y": place.y, "w": place.width, "h": place.height, "fill": fill}
    )


def add_line(frame: Frame, x: float, y: float, x2: float, y2: float, line: float) -> None:
    """Add a line from one point to another."""
    frame.lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "line": line})


def code_image(place: Rect, text: str, alt: str) -> Drawn:
    """Return a QR code with its quiet zone, filling a square place."""
    return {
        "x": place.x, "y": place.y, "w": place.width, "h": place.height,
        "svg": code_svg(text), "alt": alt,
    }  # fmt: skip


def code_svg(text: str) -> str:
    """Return a QR code with its quiet zone as an SVG image."""
    made = segno.make(text, error="m", micro=False)
    file = BytesIO()
    made.save(file, kind="svg", border=QUIET, dark="#000", light="#fff", xmldecl=False)
    return file.getvalue().decode()
