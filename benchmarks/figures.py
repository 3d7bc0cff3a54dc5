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
    burst,
    corrections,
    full_evening,
    importing,
    pages,
    posting,
    reading_lists,
    reading_standings,
    soak,
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
    yield from posting.figures(sizes, folder)
    yield from reading_lists.figures(sizes)


def mending(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    yield from burst.figures(sizes, folder)
    yield from corrections.figures(sizes, folder)


def evening(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures of a full evening and of a burst: all that is measured under load."""
    yield from full_evening.figures(sizes, folder)
    yield from burst.figures(sizes, folder)


PARTS: Final = {
    "in_process": in_process,
    "over_http": full_evening.figures,
    "corrections": mending,
    "evening": evening,
    "pages": pages.figures,
    "soak": soak.figures,
}
