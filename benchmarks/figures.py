"""The figures of one database, one JSON line each as soon as it is there."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.db import connection

from benchmarks import (
    archives,
    burst,
    corrections,
    full_evening,
    hostile,
    importing,
    ladders,
    large_club,
    large_files,
    pages,
    posting,
    publication_files,
    reading_lists,
    reading_standings,
    rescoring,
    soak,
    spectators,
    years,
)
from benchmarks.measure import Figure
from benchmarks.sizes import SIZES, Sizes


def main(arguments: Sequence[str]) -> None:
    """Make the tables of an empty database and measure on it."""
    folder, sizes, part = Path(arguments[0]), SIZES[arguments[1]], PARTS[arguments[2]]
    if len(arguments) > 3:
        sizes = replace(sizes, **json.loads(arguments[3]))
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    for figure in part(sizes, folder):
        print(json.dumps({"database": connection.vendor, **figure.as_json()}))
        sys.stdout.flush()


def in_process(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures in the order in which they need each other's leagues."""
    yield from importing.figures(sizes, folder)
    yield from reading_standings.figures(sizes, folder)
    yield from publication_files.figures(sizes)
    yield from posting.figures(sizes, folder)
    yield from reading_lists.figures(sizes)
    yield from rescoring.figures(sizes, folder)


def mending(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    yield from burst.figures(sizes, folder)
    yield from corrections.figures(sizes, folder)
    yield from ladders.figures(sizes)


def of_ladders(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    yield from ladders.figures(sizes)


def evening(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures of a full evening and of a burst: all that is measured under load."""
    yield from full_evening.figures(sizes, folder)
    yield from burst.figures(sizes, folder)


def of_pages(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    yield from pages.figures(sizes, folder)


PARTS: Final = {
    "archives": archives.figures,
    "years": years.figures,
    "large_club": large_club.figures,
    "large_files": large_files.figures,
    "files": publication_files.alone,
    "hostile": hostile.figures,
    "in_process": in_process,
    "over_http": full_evening.figures,
    "corrections": mending,
    "ladders": of_ladders,
    "evening": evening,
    "pages": of_pages,
    "soak": soak.figures,
    "spectators": spectators.figures,
}
