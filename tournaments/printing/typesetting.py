"""From pages as data to a PDF file: one template, filled by JSON, typeset by Typst.

Names and texts go in as data, never as markup. The fonts are those that Typst carries; those of
the machine serve for signs that are not in them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

import typst

Drawn: TypeAlias = dict[str, Any]
"""A text, line or rectangle for the template: its place in millimetres, and how it looks."""

TEMPLATE: Final = Path(__file__).with_name("documents.typ")


@dataclass(slots=True)
class Frame:
    """What several pages have in common: lines, boxes, and the texts that do not change."""

    width: float
    height: float
    rects: list[Drawn] = field(default_factory=list)
    lines: list[Drawn] = field(default_factory=list)
    texts: list[Drawn] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """Return the frame for the template."""
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
    """Pages to be typeset; a page of kind `sheet` names its frame by its index."""

    title: str
    language: str
    pages: Sequence[Mapping[str, Any]]
    frames: Sequence[Frame] = ()


def typeset_pdf(document: PrintedDocument) -> bytes:
    """Return a document as a PDF file."""
    return cast(bytes, _typeset(document, "pdf"))


def typeset_images(document: PrintedDocument, *, dots_per_inch: float) -> Sequence[bytes]:
    """Return the pages of a document as PNG files, to look at.

    The frame of a page is scaled as an image here, which may show a seam; the PDF has none.
    """
    made = _typeset(document, "png", dots_per_inch)
    return [made] if isinstance(made, bytes) else cast("list[bytes]", made)


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
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
        pdf_tags=False,
    )


@lru_cache(maxsize=1)
def _template() -> bytes:
    return TEMPLATE.read_bytes()


@lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    return typst.Fonts()
