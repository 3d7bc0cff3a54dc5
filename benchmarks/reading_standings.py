"""Reading standings beside bytes from memory, and beside summing up on each read."""

from collections.abc import Iterator
from pathlib import Path

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from api.v1.standings.standings import CACHED_PUBLICATIONS
from benchmarks.http import Answer, Application, environ
from benchmarks.leagues import CLUB, standings_league
from benchmarks.measure import Figure, Goal, compared, in_turn, many, say
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

EVENT = "standings"
STANDINGS = f"/api/v1/clubs/{CLUB}/events/{EVENT}/standings"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    say("bringing in the league whose standings are read")
    standings_league(folder, sizes, EVENT)
    publish(Event.objects.get(club__slug=CLUB, slug=EVENT).pk, now=timezone.now())
    application = Application()
    first = application.must(200, environ("GET", STANDINGS))
    etag = first.headers["ETag"]
    limit = f"/bench/bytes/{len(first.body)}"

    def read(path: str, **headers: str) -> Answer:
        return application.send(environ("GET", path, headers))

    def after_a_change() -> Answer:
        CACHED_PUBLICATIONS.forget()
        return read(STANDINGS)

    whole, unchanged, fresh, bytes_ = in_turn(
        sizes.repeats,
        "reading standings",
        many(sizes.reads, lambda: read(STANDINGS)),
        many(sizes.reads, lambda: read(STANDINGS, if_none_match=etag)),
        many(sizes.reads, after_a_change),
        many(sizes.reads, lambda: read(limit)),
    )
    rows = f"standings of {sizes.standings_players:,} rows"
    yield compared(
        "reading standings", f"GET {rows}, 200", whole, "bytes from memory", bytes_, Goal(4)
    )
    yield compared(
        "reading standings", f"GET {rows}, 304", unchanged, "bytes from memory", bytes_, Goal(4)
    )
    yield compared(
        "reading standings", "first GET after a change", fresh, "bytes from memory", bytes_, Goal(4)
    )
    for name, headers in (("200", {}), ("304", {"if_none_match": etag})):
        with CaptureQueriesContext(connection) as queries:
            application.must(int(name), environ("GET", STANDINGS, headers))
        yield Figure(
            "reading standings", f"queries of a {name}", len(queries), "queries", goal=Goal(1)
        )
    yield from _usual_way(application, sizes)


def _usual_way(application: Application, sizes: Sizes) -> Iterator[Figure]:
    annotated = f"/bench/annotated/{CLUB}/{EVENT}"
    application.must(200, environ("GET", annotated))
    reads = max(1, sizes.reads // 40)
    usual, ours = in_turn(
        sizes.repeats,
        "annotating on the read",
        many(reads, lambda: application.get(annotated)),
        many(sizes.reads, lambda: application.get(STANDINGS)),
    )
    name = f"annotate-on-read over {4 * sizes.standings_hands:,} scores + DRF"
    yield compared("summing on read", name, usual, "our GET", ours, Goal(100, at_least=True))
