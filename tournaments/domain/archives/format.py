"""The format of an archive: file names, version, `archive.json`, and the result of a check."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

FORMAT: Final = 1
"""The format that this release writes. It reads this one and all before it."""

MANIFEST: Final = "archive.json"
CHECKSUMS: Final = "SHA256SUMS"
ROWS_IN_A_FILE: Final = 2_000

MEMBER: Final = re.compile(r"(?!.*(?:^|/)\.\.?(?:/|$))[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")
"""Names of files in an archive: folders of plain names, none of them `.` or `..`."""

MOST_VERSION: Final = 2**53
"""A version of a background job: what JSON of any program holds, and still far from an end."""

Json = dict[str, Any]
UPGRADES: Final[Mapping[int, Callable[[Json], Json]]] = {}
"""Format → what turns its `archive.json` into that of the next one; each change adds one."""


@dataclass(frozen=True, slots=True)
class TableInArchive:
    """One table of an archive: its columns in the order of the rows, and the number of its rows."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class JobInArchive:
    """A background job: its prefix (`event:`), its row, its version, and the version done."""

    prefix: str
    number: int
    version: int
    done: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `archive.json`.

    `publications` has, by owner (`event:SLUG`, `season:SLUG`, `ladder:SLUG`), the digests in the
    order of their numbers. `jobs` has the background jobs of the club's rows.
    """

    slug: str
    name: str
    made_at: str
    release: str
    is_anonymous: bool
    tables: Mapping[str, TableInArchive]
    publications: Mapping[str, Sequence[str]]
    jobs: Sequence["JobInArchive"] = ()
    format: int = FORMAT

    def as_json(self) -> Json:
        return {
            "format": self.format,
            "release": self.release,
            "made_at": self.made_at,
            "club": {"slug": self.slug, "name": self.name},
            "anonymous": self.is_anonymous,
            "tables": {
                name: {"columns": list(table.columns), "rows": table.rows}
                for name, table in self.tables.items()
            },
            "publications": {of: list(digests) for of, digests in self.publications.items()},
            "jobs": [[job.prefix, job.number, job.version, job.done] for job in self.jobs],
        }


class BadManifest(ValueError):
    """`archive.json` is not one of ours."""


class NewerFormat(ValueError):
    """The format of an archive is that of a later release."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def manifest_from(document: object) -> Manifest:
    """Return the manifest of an `archive.json`, of this format or of an earlier one."""
    if not isinstance(document, dict) or not _is_count(document.get("format"), least=1):
        raise BadManifest
    if document["format"] > FORMAT:
        raise NewerFormat(document["format"])
    for number in range(document["format"], FORMAT):
        document = UPGRADES[number](document)
    try:
        jobs = [_job(*entry) for entry in document["jobs"]]
        if len({(entry.prefix, entry.number) for entry in jobs}) != len(jobs):
            raise BadManifest
        return Manifest(
            slug=_text(document["club"]["slug"]),
            name=_text(document["club"]["name"]),
            made_at=_text(document["made_at"]),
            release=_text(document["release"]),
            is_anonymous=document["anonymous"] is True,
            tables={_text(name): _table(entry) for name, entry in document["tables"].items()},
            publications={
                _text(of): tuple(map(_text, digests))
                for of, digests in document["publications"].items()
            },
            jobs=jobs,
        )
    except (KeyError, TypeError, AttributeError) as missing:
        raise BadManifest from missing


def rows_file(table: str, number: int) -> str:
    """Return the name of a file with rows.

    >>> rows_file("player", 1)
    'rows/player/00001.jsonl'
    """
    return f"rows/{table}/{number:05}.jsonl"


def rows_files(table: str, rows: int) -> list[str]:
    """Return the names of all files with rows of a table.

    >>> rows_files("entry", 2001)
    ['rows/entry/00001.jsonl', 'rows/entry/00002.jsonl']
    """
    return [rows_file(table, 1 + number) for number in range(-(-rows // ROWS_IN_A_FILE))]


def _table(entry: Any) -> TableInArchive:
    if not _is_count(entry["rows"]):
        raise BadManifest
    return TableInArchive(tuple(map(_text, entry["columns"])), entry["rows"])


def _job(prefix: object, *numbers: Any) -> JobInArchive:
    if len(numbers) != 3 or not all(map(_is_count, numbers)) or max(numbers) > MOST_VERSION:
        raise BadManifest
    return JobInArchive(_text(prefix), *numbers)


def _is_count(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise BadManifest
    return value


@dataclass(frozen=True, slots=True)
class ArchiveFound:
    """The summary of an archive whose checksums and rows are all right.

    `slug` and `name` are the club's where it was exported, `made_at` is that moment in ISO 8601.
    `free_slug` is the proposed address here: the same one, if it is free.
    """

    slug: str
    name: str
    free_slug: str
    format: int
    release: str
    made_at: str
    is_anonymous: bool
    files: int
    events: int
    players: int
    hands: int
    publications: int
    photos: int

    @property
    def is_slug_taken(self) -> bool:
        return self.free_slug != self.slug

    @property
    def exported_at(self) -> datetime | None:
        """Return when the club was exported; None if the archive has no valid moment."""
        try:
            moment = datetime.fromisoformat(self.made_at)
        except ValueError:
            return None
        return moment if moment.tzinfo is not None else None
