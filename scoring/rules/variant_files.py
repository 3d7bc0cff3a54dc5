"""Variant files: one as TOML, what it says beside its rules, and where in it a fault stands.

Pure but for reading the file that is asked for.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from math import isfinite
from pathlib import Path as File
from typing import Final, TypeAlias

from scoring.errors import Path, Problem, Refused, shown
from scoring.json_types import JsonObject

LARGEST_FILE: Final = 200_000
_ENDLESS_KEY: Final = re.compile(rb"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){33}")
"""More steps than any rules have; the reader's time grows with the square of them."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The name, summary and sources of a variant."""

    id: str
    name: str
    aliases: tuple[str, ...]
    summary: str
    sources: tuple[str, ...]
    status: str
    notes: str
    file: File


BadFile: TypeAlias = tuple[File, int, str]
"""A variant file of a further directory that was left out, the line from 1, and why."""


def read_file(file: File) -> JsonObject:
    """A variant file as TOML."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Refused(fault((), f"the file cannot be read ({error.strerror}).", file)) from error
    return read_text(data, file)


def read_text(data: bytes, file: File) -> JsonObject:
    """The content of a variant file, as TOML. `file` is only named, never opened."""
    if len(data) > LARGEST_FILE:
        why = f"the file is too large for a variant; at most {LARGEST_FILE} bytes."
        raise Refused(fault((), why, file))
    if _ENDLESS_KEY.search(data):
        raise Refused(fault((), "a key has too many steps; rules are a few tables deep.", file))
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
        strange = next(_strange(raw, ()), None)
    except (ValueError, RecursionError) as error:
        raise Refused(fault((), f"this is not TOML: {error}.", file)) from error
    if strange is not None:
        raise Refused(fault(*strange, file))
    return raw


def _strange(value: object, at: Path) -> Iterator[tuple[Path, str]]:
    """Values that TOML can hold and rules cannot: dates and times, no numbers, no letters."""
    if isinstance(value, Mapping | list):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _strange(part, (*at, key))
    elif isinstance(value, date | time):
        yield at, f"{value} is a date or a time; rules hold texts, whole numbers, true and false."
    elif isinstance(value, float) and not isfinite(value):
        yield at, f"{value} is not a number."
    elif isinstance(value, str) and "\0" in value:
        yield at, "a text holds a letter that cannot be written."


def line_of(text: str, problem: Problem) -> int:
    """The line of a file that a problem is about, as near as its key can be found; 1 otherwise.

    >>> line_of('id = "x"\\ntricks = 5\\n', Problem("bad_rules", ("tricks",)))
    2
    """
    if match := re.search(r"\(at line (\d+)", str(problem.facts.get("why", ""))):
        return int(match[1])
    lines, at = text.splitlines(), 0
    for step in problem.at:
        line = _entry(lines, at, step) if isinstance(step, int) else _key(lines, at, step)
        if line is None:
            break
        at = line
    return at + 1


def _key(lines: Sequence[str], at: int, key: str) -> int | None:
    """The line of a key from a line on: as the head of a table, or before an equals sign."""
    name = re.escape(key)
    stands = re.compile(rf"\s*\[+([\w.-]+\.)?{name}\]|(.*[{{,\s])?{name}\s*=")
    return next((n for n in range(at, len(lines)) if stands.match(lines[n])), None)


def _entry(lines: Sequence[str], at: int, place: int) -> int | None:
    """The line of an entry of a list: a table of its own, or a line of the list; else the list."""
    head = lines[at].strip()
    if head.startswith("[["):
        places = [n for n in range(at, len(lines)) if lines[n].strip() == head]
    elif head.endswith("["):
        places = [n for n in range(at + 1, len(lines)) if lines[n].strip()]
    else:
        return at
    return places[place] if place < len(places) else None


def variant_in(file: File, raw: Mapping[str, object]) -> Variant:
    """The variant that a file describes, without its rules."""

    def text(key: str) -> str:
        value = raw.get(key, "")
        if not isinstance(value, str):
            raise Refused(fault((key,), f"{shown(value)} is not a text.", file))
        return value

    def texts(key: str) -> tuple[str, ...]:
        value = raw.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Refused(fault((key,), f"{shown(value)} is not a list of texts.", file))
        return tuple(value)

    if not isinstance(raw.get("options", {}), dict):
        raise Refused(fault(("options",), f"{shown(raw['options'])} is not a table.", file))
    if not text("id") or not text("name"):
        raise Refused(fault(("id",), "a variant has an id and a name.", file))
    return Variant(
        text("id"), text("name"), texts("aliases"), text("summary"), texts("sources"),
        text("status"), text("notes"), file,
    )  # fmt: skip


def fault(at: Path, why: str, file: File) -> Problem:
    """The problem of something at a path of a variant file."""
    key = ".".join(map(str, at)) or "file"
    return Problem("bad_rules", at, {"key": key, "why": why, "file": file.name})
