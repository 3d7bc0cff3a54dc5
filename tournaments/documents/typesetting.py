"""Typeset pages of texts, lines and boxes as PDF files and PNG images, with Typst."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

import segno
import typst
from django.http import HttpResponse

from tournaments.domain.sheets.sheet_geometry import QUIET, Rect

Drawn: TypeAlias = dict[str, Any]
"""A text, line or rectangle for the template: its place in millimetres, and how it looks."""

TEMPLATE: Final = Path(__file__).with_name("documents.typ")


@dataclass(slots=True)
class Frame:
    """What several pages have in common: lines, boxes, and fixed texts."""

    width: float
    height: float
    rects: list[Drawn] = field(default_factory=list)
    lines: list[Drawn] = field(default_factory=list)
    texts: list[Drawn] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        return {
            "kind": "frame",
            "width": self.width,
            "height": self.height,
            "rects": self.rects,
            "lines": self.lines,
            "texts": self.texts,
        }


@dataclass(frozen=True, slots=True)
class PrintedDocument:
    """The pages to typeset; a page of kind `sheet` refers to its entry in `frames` by index."""

    title: str
    language: str
    pages: Sequence[Mapping[str, Any]]
    frames: Sequence[Frame] = ()


_PICTURE: Final = (
    "[\U0001f000-\U0001faff\u2600-\u265f\u2668-\u2712\u2714-\u27bf\u2b00-\u2bff"
    "\U000e0020-\U000e007f\u20e3\ufe0f]"
)
_PICTURES: Final = rf"{_PICTURE}(?:\u200d?{_PICTURE})*"
"""Small pictures among letters, and what joins them: no font of letters has them."""
_ONLY_PICTURES: Final = re.compile(rf'"\s*{_PICTURES}(?:\s|{_PICTURE})*"')
_ANY_PICTURES: Final = re.compile(rf" ?{_PICTURES}")

HAIR: Final = 0.35
THIN: Final = 0.6
THICK: Final = 1.2
_BREAK: Final = "\u200b"


def pdf_response(content: bytes, name: str) -> HttpResponse:
    """Return a PDF file to be shown in the browser; `name` is made of slugs."""
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


def typeset_pdf(document: PrintedDocument) -> bytes:
    return cast(bytes, _typeset(document, "pdf"))


def typeset_images(document: PrintedDocument, *, dots_per_inch: float) -> Sequence[bytes]:
    """Return the pages of a document as PNG files, for previews.

    The frame of a page is scaled as an image here, which may show a seam; the PDF has none.
    """
    images = _typeset(document, "png", dots_per_inch)
    if isinstance(images, bytes):
        return [images]
    return cast("list[bytes]", images)


def _typeset(
    document: PrintedDocument, kind: Literal["pdf", "png"], dots_per_inch: float | None = None
) -> object:
    frames = [_compiled("pdf", document, [frame.as_data()], ()) for frame in document.frames]
    images = [list(cast(bytes, frame)) for frame in frames]
    sizes = [{"width": frame.width, "height": frame.height} for frame in document.frames]
    pages = [
        sizes[page["frame"]] | page if page["kind"] == "sheet" else page for page in document.pages
    ]
    return _compiled(kind, document, pages, images, dots_per_inch)


def _compiled(
    kind: Literal["pdf", "png"],
    document: PrintedDocument,
    pages: Sequence[Mapping[str, Any]],
    frames: Sequence[list[int]],
    dots_per_inch: float | None = None,
) -> object:
    data = {
        "title": document.title,
        "lang": document.language.partition("-")[0],
        "pages": pages,
        "frames": frames,
    }
    compiler = typst.Compiler(_template(), font_paths=_fonts())
    return compiler.compile(
        format=kind,
        ppi=dots_per_inch,
        sys_inputs={"data": without_pictures(json.dumps(data, ensure_ascii=False))},
        pdf_tags=False,
    )


def without_pictures(texts: str) -> str:
    """Return texts in JSON without emoji, which would be printed as empty boxes.

    >>> without_pictures('["Anna \U0001f389", "\U0001f389", "\U0001f1e9\U0001f1ea Bo"]')
    '["Anna", "–", " Bo"]'
    """
    return _ANY_PICTURES.sub("", _ONLY_PICTURES.sub('"–"', texts))


@lru_cache(maxsize=1)
def _template() -> bytes:
    return TEMPLATE.read_bytes()


@lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    return typst.Fonts()


def text_at(place: Rect, text: str, size: float, **look: Any) -> Drawn:
    """Return a text within a place.

    Args:
        look: `least` size in points, `weight`, `align`, `valign` (t, m, b), `lines` at most,
            `grey`, `clip`.
    """
    return {**_at(place), "text": text, "size": size, **look}


def _at(place: Rect) -> Drawn:
    return {"x": place.x, "y": place.y, "w": place.width, "h": place.height}


def name_at(place: Rect, text: str, size: float, **look: Any) -> Drawn:
    """Return a name within a place: smaller and on several lines if it is long, and broken within
    a word if even that does not fit.
    """
    broken = breakable(text)
    return text_at(place, text, size, least=6, lines=3, clip=True, broken=broken, **look)


def breakable(name: str) -> str:
    """Return a name whose long words may be broken, with no visible change.

    >>> breakable("Anna-Maria").isascii(), len(breakable("a" * 20))
    (True, 22)
    """
    return "".join("".join(_pieces(word)) for word in re.split(r"([ -])", name))


def _pieces(word: str) -> Iterator[str]:
    """Yield the letters of a word, with a break after every seventh; accents stay with theirs."""
    n_signs = 0
    for sign in word:
        if not unicodedata.combining(sign):
            if n_signs and n_signs % 7 == 0:
                yield _BREAK
            n_signs += 1
        yield sign


def add_box(frame: Frame, place: Rect, line: float, *, radius: float = 0.0) -> None:
    frame.rects.append({**_at(place), "line": line, "radius": radius})


def add_area(frame: Frame, place: Rect, fill: str) -> None:
    """Add an area of one colour: black, white or shade."""
    frame.rects.append({**_at(place), "fill": fill})


def add_line(frame: Frame, x: float, y: float, x2: float, y2: float, line: float) -> None:
    frame.lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "line": line})


def code_image(place: Rect, text: str, alt: str) -> Drawn:
    """Return a QR code with its quiet zone, filling a square place."""
    return {**_at(place), "svg": code_svg(text), "alt": alt}


def code_svg(text: str) -> str:
    """Return a QR code with its quiet zone as an SVG image."""
    code = segno.make(text, error="m", micro=False)
    file = BytesIO()
    code.save(file, kind="svg", border=QUIET, dark="#000", light="#fff", xmldecl=False)
    return file.getvalue().decode()
