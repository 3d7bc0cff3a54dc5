"""The parts of a zip file, listed within bounds: whoever sends a file decides what it says.

Python's `zipfile` reads the whole directory of a file before it says how long that is: 435,000
parts fit in 20 MB and take seconds. So the end record, which has their number and the length of
the directory, is read first.
"""

import struct
import zipfile
import zlib
from typing import IO, Final

MOST_PARTS: Final = 500
"""Files within the zip file; a spreadsheet program writes one for each sheet and some ten more."""

LONGEST: Final = MOST_PARTS * 1024
"""Bytes of the directory; a part takes 46 of them, its name, and what programs add."""

END: Final = struct.Struct("<4s4H2LH")
END_64: Final = struct.Struct("<4sQ2H2L4Q")
LOCATOR_64: Final = struct.Struct("<4sLQL")
LONGEST_COMMENT: Final = 65_535


class BrokenZip(ValueError):
    """A zip file that cannot be read."""


class TooManyParts(ValueError):
    """A zip file of more parts than are listed."""


FAULTS: Final = (
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
    EOFError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What `zipfile` raises for files that are broken, or made to be: a name that is not UTF-8, a place
before the file begins, a version that is not known."""


def parts_of(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Return the parts of a zip file; the file is at its start afterwards.

    Raises:
        BrokenZip, TooManyParts.
    """
    try:
        count, length = _size_of_directory(file)
        if count > MOST_PARTS or length > LONGEST:
            raise TooManyParts
        with zipfile.ZipFile(file) as parts:
            listed = parts.infolist()
    except TooManyParts:
        raise
    except FAULTS as fault:
        raise BrokenZip from fault
    finally:
        file.seek(0)
    if len(listed) > MOST_PARTS:  # the file lied about their number
        raise TooManyParts
    return listed


def _size_of_directory(file: IO[bytes]) -> tuple[int, int]:
    """Return the number of parts and the bytes of their directory, as the end record has them.

    Found where `zipfile` finds it: at the end of the file or before a comment, and in the record
    for large files where there is one.
    """
    size = file.seek(0, 2)
    start = max(size - END.size - LONGEST_COMMENT, 0)
    file.seek(start)
    tail = file.read()
    place = len(tail) - END.size
    if tail[place : place + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        place = tail.rfind(b"PK\5\6")
    if place < 0:
        raise BrokenZip
    _, _, _, _, count, length, _, _ = END.unpack_from(tail, place)
    before = start + place - LOCATOR_64.size - END_64.size
    if before >= 0:
        file.seek(before)
        large, locator = file.read(END_64.size), file.read(LOCATOR_64.size)
        if locator.startswith(b"PK\6\7") and large.startswith(b"PK\6\6"):
            _, _, _, _, _, _, _, count, length, _ = END_64.unpack(large)
    return count, length
