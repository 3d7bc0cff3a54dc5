"""Reading the archive of a club: nothing in it is trusted before it is checked.

Nothing is unpacked to disk. Names, sizes and checksums of all files are checked before a row is
read, and each row against its columns."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from os import SEEK_END
from typing import IO, Any, Final

from scoring.errors import Problem, Refused
from tournaments.documents.read.source_file import BrokenZip, TooManyParts, require_few_parts
from tournaments.domain.archives.format import (
    CHECKSUMS,
    MANIFEST,
    MEMBER,
    ROWS_IN_A_FILE,
    BadManifest,
    NewerFormat,
    manifest_from,
    rows_files,
)

LARGEST_FILE: Final = 64 * 1024 * 1024
"""Bytes of one file that is read as a whole."""
FEWEST_FILES: Final = 1_000
FILE_BYTES: Final = 300
"""An archive of more than FEWEST_FILES has this many bytes for each, its place in the directory
included; a zip file of empty files takes seconds to open."""
LARGEST: Final = 8 * 1024**3
"""Bytes of all files together."""
UNFOLDS: Final = 200
"""Maximum size of the files, as a multiple of the archive; rows of numbers reach about 20."""
SMALL: Final = 1024 * 1024
"""Bytes that any archive may hold."""
PIECE: Final = 1024 * 1024
AT_ONCE: Final = 32 * 1024 * 1024
"""Bytes whose checksums are made in one step."""

_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)
"""Exceptions of a zip file that is damaged or packed in another way."""


class ArchiveReader:
    """An open archive whose files have at most `largest` bytes, with checked names and manifest.

    Call `check` before `files_of_rows`.
    """

    def __init__(self, file: IO[bytes], *, largest: int = LARGEST) -> None:
        try:
            require_few_parts(file, FEWEST_FILES + file.seek(0, SEEK_END) // FILE_BYTES)
            self.zip = zipfile.ZipFile(file)
        except TooManyParts as fault:
            raise Refused(Problem("archive_too_large", ("file",))) from fault
        except (BrokenZip, zipfile.BadZipFile, OSError, ValueError, RuntimeError) as fault:
            raise Refused(Problem("not_an_archive", ("file",))) from fault
        self._names = _checked_names(self.zip, largest)
        if MANIFEST not in self._names or CHECKSUMS not in self._names:
            raise Refused(Problem("not_an_archive", ("file",)))
        try:
            self.manifest = manifest_from(json.loads(self.content(MANIFEST)))
        except NewerFormat as newer:
            raise Refused(Problem("archive_newer", ("file",), {"found": newer.number})) from newer
        except (BadManifest, ValueError, RecursionError) as fault:
            raise damaged(MANIFEST) from fault

    @property
    def n_files(self) -> int:
        return len(self._names)

    def check(self) -> Iterator[None]:
        """Compare all files with their checksums, yielding now and then."""
        lines = self.content(CHECKSUMS).decode(errors="replace").splitlines()
        sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        n_bytes = 0
        for name in sorted(self._names - {CHECKSUMS}):
            digest = hashlib.sha256()
            for piece in self._pieces(name):
                digest.update(piece)
                n_bytes += len(piece)
            if sums.get(name) != digest.hexdigest():
                raise damaged(name)
            if n_bytes >= AT_ONCE:
                n_bytes = 0
                yield
        if missing := sorted(set(sums) - self._names):
            raise damaged(missing[0])

    def files_of_rows(self, table: str) -> Iterator[tuple[str, list[Any]]]:
        """Yield the rows of a table file by file, as parsed JSON, with the name of the file."""
        expected = self.manifest.tables[table].rows
        if expected > ROWS_IN_A_FILE * self.n_files:
            raise damaged(MANIFEST)
        width = len(self.manifest.tables[table].columns)
        for name in rows_files(table, expected):
            rows = [_row(line, name, width) for line in self.content(name).splitlines()]
            if len(rows) != min(ROWS_IN_A_FILE, expected):
                raise damaged(name)
            expected -= len(rows)
            yield name, rows

    def content(self, name: str) -> bytes:
        if name not in self._names:
            raise damaged(name)
        content = b"".join(self._pieces(name))
        if len(content) > LARGEST_FILE:
            raise damaged(name)
        return content

    def _pieces(self, name: str) -> Iterator[bytes]:
        member = self.zip.getinfo(name)
        remaining = member.file_size
        try:
            with self.zip.open(member) as file:
                while piece := file.read(PIECE):
                    remaining -= len(piece)
                    if remaining < 0:
                        raise damaged(name)
                    yield piece
        except _FAULTS as fault:
            raise damaged(name) from fault


_PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods of an export."""


def _checked_names(opened: zipfile.ZipFile, largest: int) -> frozenset[str]:
    names: set[str] = set()
    unpacked = packed = 0
    for member in opened.infolist():
        name = member.filename
        if not MEMBER.fullmatch(name) or name in names or member.flag_bits & 1:
            raise Refused(Problem("archive_unsafe_name", ("file",), {"file": name[:200]}))
        if member.compress_type not in _PACKINGS:
            raise damaged(name)
        names.add(name)
        unpacked += member.file_size
        packed += member.compress_size
    if unpacked > largest or unpacked > SMALL + UNFOLDS * packed:
        raise Refused(Problem("archive_too_large", ("file",)))
    return frozenset(names)


def _row(line: bytes, name: str, width: int) -> list[Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise damaged(name) from fault
    if not isinstance(row, list) or len(row) != width:
        raise damaged(name)
    return row


def damaged(name: str, line: int | None = None) -> Refused:
    """Return the refusal of an archive with a damaged file (in a line)."""
    place = name if line is None else f"{name}, line {line}"
    return Refused(Problem("archive_damaged", ("file",), {"file": place}))
