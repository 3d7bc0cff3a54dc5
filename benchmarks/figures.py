"""The figures of one database, one JSON line each as soon as it is there."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.db import connection

from benchmarks import (
    corrections,
    p3_rescore,
    p4_import,
    p5_post,
    p6_standings,
    p8_pages,
    p11_ladder,
    p14_burst,
    p14_evening,
)
from benchmarks.measure import Figure
from benchmarks.sizes import SIZES, Sizes


def main(arguments: Sequence[str]) -> None:
    """Make the tables of an empty database and measure on it."""
    folder, sizes, part = Path(arguments[0]), SIZES[arguments[1]], PARTS[arguments[2]]
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    for figure in part(sizes, folder):
        print(json.dumps({"database": connection.vendor, **figure.as_json()}))
        sys.stdout.flush()


def in_process(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures in the order in which they need each other's leagues."""
    yield from p4_import.figures(sizes, folder)
    yield from p6_standings.figures(sizes, folder)
    yield from p5_post.figures(sizes, folder)
    yield from p8_pages.figures(sizes)
    yield from p3_rescore.figures(sizes, folder)


def mending(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures of corrections, after a burst whose worker has nothing else to do."""
    yield from p14_burst.figures(sizes, folder)
    yield from corrections.figures(sizes, folder)
    yield from p11_ladder.figures(sizes)


def of_ladders(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures of ladders alone."""
    yield from p11_ladder.figures(sizes)


def evening(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Yield the figures of a full evening and of a burst: all that is measured under load."""
    yield from p14_evening.figures(sizes, folder)
    yield from p14_burst.figures(sizes, folder)


PARTS: Final = {
    "in_process": in_process,
    "over_http": p14_evening.figures,
    "corrections": mending,
    "ladders": of_ladders,
    "evening": evening,
}
