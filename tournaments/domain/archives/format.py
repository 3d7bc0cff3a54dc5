"""The format of an archive: file names, version, `archive.json`, and the result of a check."""

import base64
import datetime
import json
import math
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import connection, models
from django.utils.dateparse import parse_date, parse_datetime, parse_time

from tournaments.domain.archives.tables import Field

Value: TypeAlias = Any
Converter: TypeAlias = Callable[[Value], Value]

SMALLEST = -(2**63)
LARGEST = 2**63 - 1
_YEARS: Final = range(1000, 9000)
"""Years with days before and after them, in any zone and on any database."""


class BadValue(ValueError):
    """A value that its column cannot have."""


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

    `publications` has, by owner (`event:SLUG`, `season:SLUG`, `ladder:SLUG`, `evening:SLUG/DAY`),
    the digests in the order of their numbers. `jobs` has the background jobs of the club's rows.
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


def as_json(value: object) -> object:
    """Return as text what `json.dumps` cannot write: moments, days, ids, short bytes.

    >>> as_json(datetime.date(2026, 1, 31)), as_json(b"ab")
    ('2026-01-31', 'YWI=')
    """
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return str(value)


def line_of(values: list[Value]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=as_json)
    return text + "\n"


def converter_of(field: Field) -> Converter:
    """Return the conversion of a column's JSON values into values for the bulk writer.

    It raises `BadValue` if the column cannot have the value. Foreign keys are converted elsewhere.
    """
    convert = _CONVERTERS[next(kind for kind in _CONVERTERS if isinstance(field, kind))](field)

    def converted(value: Value) -> Value:
        if value is None:
            if not field.null:
                raise BadValue
            return None
        try:
            return convert(value)
        except (OverflowError, ValidationError, ValueError) as bad:
            raise BadValue from bad

    return converted


def _texts(field: Field) -> Converter:
    most, choices = field.max_length, {key for key, _label in field.flatchoices}

    def convert(value: Value) -> Value:
        if not isinstance(value, str) or "\0" in value or (most and len(value) > most):
            raise BadValue
        if choices and value not in choices and not (value == "" and field.blank):
            raise BadValue
        return _encodable(value)

    return convert


def _slugs(field: Field) -> Converter:
    texts = _texts(field)

    def convert(value: Value) -> Value:
        text = texts(value)
        validate_slug(text)  # an address is made of it
        return text

    return convert


def _encodable(value: str) -> str:
    value.encode()
    return value


def _numbers(field: Field) -> Converter:
    internal = field.get_internal_type()
    least = 0 if internal.startswith("Positive") else SMALLEST
    smallest, largest = connection.ops.integer_field_range(internal)
    low = max(least, smallest if smallest is not None else SMALLEST)
    high = largest if largest is not None else LARGEST

    return _checked(lambda value: type(value) is int and low <= value <= high)


def _checked(is_valid: Callable[[Value], bool]) -> Converter:
    def convert(value: Value) -> Value:
        if not is_valid(value):
            raise BadValue
        return value

    return convert


def _floats(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue
        number = float(value)
        if not math.isfinite(number):
            raise BadValue
        return number

    return convert


def _parsed(parse: Callable[[str], Value]) -> Callable[[Field], Converter]:
    def of(field: Field) -> Converter:
        def convert(value: Value) -> Value:
            if not isinstance(value, str) or (parsed := parse(value)) is None:
                raise BadValue
            return field.get_db_prep_save(parsed, connection)

        return convert

    return of


def _moment(text: str) -> datetime.datetime | None:
    parsed = parse_datetime(text)
    if parsed is None or parsed.tzinfo is None:
        return None
    moment = parsed.astimezone(datetime.UTC)
    return moment if moment.year in _YEARS else None


def _day(text: str) -> datetime.date | None:
    day = parse_date(text)
    return day if day is not None and day.year in _YEARS else None


def _json(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if "\\u0000" in text:
            raise BadValue
        return _encodable(text)

    return convert


def _bytes(_field: Field) -> Converter:
    def convert(value: Value) -> Value:
        if isinstance(value, bytes):  # of a file of its own
            return value
        if not isinstance(value, str):
            raise BadValue
        return base64.b64decode(value, validate=True)

    return convert


_CONVERTERS: Final[dict[type[Field], Callable[[Field], Converter]]] = {
    models.DateTimeField: _parsed(_moment),
    models.DateField: _parsed(_day),
    models.TimeField: _parsed(parse_time),
    models.UUIDField: _parsed(uuid.UUID),
    models.JSONField: _json,
    models.BinaryField: _bytes,
    models.BooleanField: lambda _field: _checked(lambda value: isinstance(value, bool)),
    models.FloatField: _floats,
    models.IntegerField: _numbers,
    models.SlugField: _slugs,
    models.CharField: _texts,
    models.TextField: _texts,
}
"""Kind of column, the narrower ones first → what makes its converter."""


class NewerFormat(ValueError):
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
    def exported_at(self) -> datetime.datetime | None:
        """Return when the club was exported; None if the archive has no valid moment."""
        try:
            moment = datetime.datetime.fromisoformat(self.made_at)
        except ValueError:
            return None
        return moment if moment.tzinfo is not None else None
