"""Media types of answers, and their renderers for content negotiation."""

from collections.abc import Mapping
from typing import Final

from rest_framework.renderers import JSONRenderer


class CsvRenderer(JSONRenderer):
    """The media type `text/csv` in content negotiation; the views write the bytes themselves."""

    media_type = "text/csv"
    format = "csv"


TOML: Final = "application/toml"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP: Final = "application/zip"
PDF: Final = "application/pdf"
PNG: Final = "image/png"
NDJSON: Final = "application/x-ndjson"
JPEG: Final = "image/jpeg"


def _renderer(media: str, ending: str) -> type[CsvRenderer]:
    """The renderer of another media type whose bytes the views write."""
    members = {"media_type": media, "format": ending, "__doc__": f"`{media}` in negotiation."}
    return type(f"{ending.capitalize()}Renderer", (CsvRenderer,), members)


TomlRenderer: Final = _renderer(TOML, "toml")
XlsxRenderer: Final = _renderer(XLSX, "xlsx")
ZipRenderer: Final = _renderer(ZIP, "zip")
PdfRenderer: Final = _renderer(PDF, "pdf")
PngRenderer: Final = _renderer(PNG, "png")
NdjsonRenderer: Final = _renderer(NDJSON, "ndjson")
JpegRenderer: Final = _renderer(JPEG, "jpg")
"""The media types of files, for content negotiation."""

RENDERERS: Final[Mapping[str, type[JSONRenderer]]] = {
    "application/json": JSONRenderer,
    "text/csv": CsvRenderer,
    TOML: TomlRenderer,
    XLSX: XlsxRenderer,
    ZIP: ZipRenderer,
    PDF: PdfRenderer,
    PNG: PngRenderer,
    NDJSON: NdjsonRenderer,
    JPEG: JpegRenderer,
}
