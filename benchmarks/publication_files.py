"""Files of a publication: made once, and read as stored beside the JSON of the same publication."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.http import Application, environ
from benchmarks.leagues import CLUB, standings_league
from benchmarks.measure import Figure, Goal, compared, in_turn, many, say
from benchmarks.reading_standings import EVENT, STANDINGS
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.models.standings import PublicationFile
from tournaments.services.publishing.publications import publish

FORMS: Final = ("xlsx", "pdf", "png")
KEPT_MS: Final = 50
GOAL: Final = "files of a publication"


def figures(sizes: Sizes) -> Iterator[Figure]:
    application = Application()
    rows = f"{sizes.standings_players:,} rows"
    for form in FORMS:
        path = f"{STANDINGS}.{form}"
        PublicationFile.objects.all().delete()
        say(f"making the {form}")
        begun = time.perf_counter()
        application.must(200, environ("GET", path))
        yield Figure(GOAL, f"first GET {form} of {rows}", time.perf_counter() - begun, "s")
        with CaptureQueriesContext(connection) as queries:
            application.must(200, environ("GET", path))
        yield Figure(GOAL, f"queries of a stored {form}", len(queries), "queries", goal=Goal(1))
        stored, json_ = in_turn(
            sizes.repeats,
            f"reading the {form}",
            many(sizes.reads, lambda path=path: application.get(path)),  # type: ignore[misc]  # of this turn
            many(sizes.reads, lambda: application.get(STANDINGS)),
        )
        name = f"GET {form} of {rows}"
        yield compared(GOAL, name, stored, "its JSON", json_, Goal(10))
        yield Figure(GOAL, name, 1e3 * sorted(stored)[len(stored) // 2], "ms", goal=Goal(KEPT_MS))


def alone(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    say("bringing in the league whose files are made")
    standings_league(folder, sizes, EVENT)
    publish(Event.objects.get(club__slug=CLUB, slug=EVENT).pk, now=timezone.now())
    yield from figures(sizes)
