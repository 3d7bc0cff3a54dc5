"""Printed pages as a camera has them: marks and codes found again in the image, in millimetres."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import cv2
import numpy as np
import zxingcpp

from scoring.rules.rules import Rules
from tournaments.documents.score_sheets import SheetSet, SheetToPrint
from tournaments.documents.typesetting import PrintedDocument, typeset_images
from tournaments.domain.sheets.sheet_fields import PrintOptions

DOTS: Final = 150.0
"""Dots per inch of the images."""
PX: Final = DOTS / 25.4
NAMES: Final = (
    *("Kira Kovačević", "Edda Þórsdóttir", "Wolfgang-Sebastian Müller-Lüdenscheidt", "Иван Петров"),
    *("Zoë Łukaszewska", "Donaudampfschifffahrtsgesellschaftskapitän", "Ng", "José", "Ana", "Bo"),
    *("Anastasia-Alexandra Papadopoulou-Konstantinidis", "Šárka", "Ðorđe"),
)


class FoundCode(NamedTuple):
    """A QR code: its text, and the middle of it in millimetres."""

    text: str
    x: float
    y: float


def sheet_images(
    rules: Rules,
    seats: int,
    options: PrintOptions,
    *,
    hands: int | None = None,
    names: Sequence[str] = NAMES,
) -> Sequence[bytes]:
    sheets = SheetSet(options)
    code = "riverside-hearts-club:autumn-league-2025:r12t5"
    lines = ("Round 12, Thursday 6 November 2025", "Autumn league, Riverside", rules.name)
    sheets.add(SheetToPrint("Table 5", lines, rules, tuple(names[:seats]), code, hands=hands))
    document = PrintedDocument("Sheets", "en", sheets.pages, sheets.frames)
    return typeset_images(document, dots_per_inch=DOTS)


def grey_image(png: bytes) -> Any:
    """Return a PNG file as an image: rows of pixels, 0 is black."""
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)


def found_marks(image: Any) -> dict[int, list[tuple[float, float]]]:
    """Return the corner marks in an image: id → its corners in millimetres, as it is read."""
    kind = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(kind).detectMarkers(image)
    found = [] if ids is None else ids.flatten().tolist()
    return {
        mark: [(float(x) / PX, float(y) / PX) for x, y in own[0]]
        for mark, own in zip(found, corners, strict=True)
    }


def found_codes(image: Any) -> list[FoundCode]:
    made = []
    for one in cast("list[Any]", zxingcpp.read_barcodes(image)):
        at = one.position
        corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
        x, y = (sum(getattr(corner, axis) for corner in corners) / 4 / PX for axis in "xy")
        made.append(FoundCode(one.text, x, y))
    return made
