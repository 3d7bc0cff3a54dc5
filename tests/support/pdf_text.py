"""The texts of a PDF file that Typst has written, in the order in which they are drawn.

Reads what our own files have: streams packed by Flate, texts in strings, fonts with a table from
glyphs to characters (`ToUnicode`). It is no reader of PDF files in general.
"""

import re
import zlib
from collections.abc import Iterator, Mapping

_OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_DRAWN = re.compile(
    rb"(/\w+) [\d.]+ Tf"
    rb"|(\[(?:\((?:[^\\)]|\\.)*\)|[-\d. ])*\]|\((?:[^\\)]|\\.)*\))\s*T[jJ]",
    re.DOTALL,
)
_STRING = re.compile(rb"\(((?:[^\\)]|\\.)*)\)", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_PAIR = re.compile(r"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u00ad\ufeff"))

Characters = Mapping[int, str]


def page_texts(pdf: bytes) -> list[list[str]]:
    """Return the texts of each page; each is what is drawn at once, mostly a line of a cell."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    kids = re.search(rb"/Kids\[([^\]]*)\]", pdf)
    assert kids is not None
    return [
        list(_texts(objects, objects[int(number)])) for number in re.findall(rb"(\d+) 0 R", kids[1])
    ]


def joined(texts: list[str]) -> str:
    """Return texts in one, without blanks: lines may be broken anywhere."""
    return re.sub(r"\s", "", "".join(texts))


def _texts(objects: Mapping[int, bytes], page: bytes) -> Iterator[str]:
    fonts = {
        name: _characters(objects, objects[int(number)])
        for name, number in re.findall(rb"(/f\d+) (\d+) 0 R", objects[_named(page, b"Resources")])
    }
    characters: Characters = {}
    for font, array in _DRAWN.findall(_unpacked(objects[_named(page, b"Contents")])):
        if font:
            characters = fonts[font]
            continue
        glyphs = b"".join(_ESCAPE.sub(_plain, one) for one in _STRING.findall(array))
        found = (
            characters.get(int.from_bytes(glyphs[at : at + 2]), "\ufffd")
            for at in range(0, len(glyphs), 2)
        )
        yield "".join(found).translate(_INVISIBLE)


def _named(body: bytes, name: bytes) -> int:
    match = re.search(rb"/" + name + rb" (\d+) 0 R", body)
    assert match is not None, name
    return int(match[1])


def _unpacked(body: bytes) -> bytes:
    return zlib.decompressobj().decompress(body.split(b"stream\n", 1)[1])


def _plain(escape: re.Match[bytes]) -> bytes:
    if escape[1].isdigit():
        return bytes([int(escape[1], 8)])
    return _ESCAPED.get(escape[1], escape[1])


def _characters(objects: Mapping[int, bytes], font: bytes) -> Characters:
    if b"/ToUnicode" not in font:
        return {}
    table = _unpacked(objects[_named(font, b"ToUnicode")]).decode()
    assert "beginbfrange" not in table
    return {
        int(glyph, 16): bytes.fromhex(text).decode("utf-16-be")
        for part in re.findall(r"beginbfchar(.*?)endbfchar", table, re.DOTALL)
        for glyph, text in _PAIR.findall(part)
    }
