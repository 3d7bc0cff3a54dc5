"""Ten years of a club: what its publications take plain and packed, and how long reading takes.

Some evenings are really played and published; the others are copies of them on other days. Then
the worker's sweep packs everything that is a week old.
"""

import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

from django.db import connection

from benchmarks.databases import clear, on_postgresql
from benchmarks.leagues import CLUB, NOW, SEED, bring_in, seated, write_league
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from tests.support.builders import hand
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.publication_packs import DISCARDED, PublicationPack
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY
from tournaments.selectors.standings.publication_bytes import numbered_bytes
from tournaments.services.publishing.packing import pack_piece
from tournaments.services.publishing.publications import publish

LEAGUE = "league"
PLAYED = 9
"""Evenings that are played; the others are copies."""
TABLES = (Publication._meta.db_table, PublicationPack._meta.db_table)


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Play, copy, measure, pack, and measure again."""
    clear()
    _play(sizes, folder)
    copies = sizes.years * sizes.evenings // PLAYED
    _copy(copies)
    number = Publication.objects.count()
    _rewrite()
    plain, slow_before = _bytes(), _reading(sizes)
    pieces = _pack()
    _rewrite()
    packed, slow_after = _bytes(), _reading(sizes)
    what = f"{sizes.years} years, {number:,} publications"
    yield Figure("years", f"{what}: plain", plain / 1e6, "MB")
    yield Figure("years", f"{what}: packed", packed / 1e6, "MB")
    yield Figure("years", "packed, of plain", packed / plain, "x", goal=Goal(0.1))
    yield Figure("years", "a year, packed", packed / sizes.years / 1e6, "MB")
    yield Figure("years", "one piece of packing, the slowest", max(pieces), "s", goal=Goal(0.5))
    yield Figure("years", "one piece of packing, median", statistics.median(pieces), "s")
    yield Figure("years", "reading a number, plain, median", slow_before[0], "ms")
    yield Figure("years", "reading a number, packed, median", slow_after[0], "ms")
    more = slow_after[1] - slow_before[1]
    yield Figure("years", "reading a number, packed, p99 more", more, "ms", goal=Goal(20.0))
    clear()


def _play(sizes: Sizes, folder: Path) -> None:
    file = write_league(folder / "years.csv", players=sizes.club_players, hands=40)
    bring_in(file, LEAGUE)
    event = Event.objects.get(slug=LEAGUE)
    Event.objects.filter(pk=event.pk).update(visibility="public")
    Club.objects.filter(slug=CLUB).update(is_public=True)
    chance = Random(SEED)
    tables = sizes.club_players // 4
    for evening in range(PLAYED):
        games = seated(event.club, LEAGUE, tables)
        for number in range(sizes.evening_publications):
            cuts = sorted(chance.choices(range(14), k=3))
            hearts = [b - a for a, b in zip([0, *cuts], [*cuts, 13], strict=True)]
            if 13 in hearts:
                hearts = [4, 3, 3, 3]
            hand(games[number % tables], number // tables + 1, hearts, queen=chance.randrange(4))
            publish(event.pk, now=NOW + timedelta(days=evening, minutes=number))
        say(f"evening {evening + 1} of {PLAYED}")


def _copy(copies: int) -> None:
    """Give the club events with the same publications, each at other times."""
    event = Event.objects.get(slug=LEAGUE)
    rows = Publication.objects.filter(event=event)
    columns = [str(field.column) for field in Publication._meta.concrete_fields]
    columns.remove("id")
    for number in range(1, copies):
        copy = Event.objects.get(pk=event.pk)
        copy.pk, copy.slug = None, f"{LEAGUE}-{number}"
        copy._state.adding = True
        copy.save()
        values = [str(copy.pk) if name == "event_id" else name for name in columns]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {TABLES[0]} ({', '.join(columns)}) SELECT {', '.join(values)} "
                f"FROM {TABLES[0]} WHERE event_id = %s ORDER BY number",
                [event.pk],
            )
    say(f"{rows.count()} publications, {copies} times")


def _pack() -> list[float]:
    pieces: list[float] = []
    while True:
        begun = time.perf_counter()
        if not pack_piece(now=NOW + timedelta(days=365)):
            return pieces
        pieces.append(time.perf_counter() - begun)


def _rewrite() -> None:
    """Free what updates have left, so that both sizes are those of a tidy database."""
    with connection.cursor() as cursor:
        if on_postgresql():
            for table in TABLES:
                cursor.execute(f"VACUUM FULL ANALYZE {table}")
        else:
            cursor.execute("VACUUM")


def _bytes() -> int:
    with connection.cursor() as cursor:
        if on_postgresql():
            cursor.execute(
                "SELECT SUM(pg_total_relation_size(t::regclass)) FROM unnest(%s::text[]) AS t",
                [list(TABLES)],
            )
        else:
            cursor.execute(
                "SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
                "WHERE tbl_name IN (%s, %s))",
                list(TABLES),
            )
        return int(cursor.fetchone()[0])


def _reading(sizes: Sizes) -> tuple[float, float]:
    """Return the median and the 99th percentile (ms) of reading numbers in no order."""
    numbers = Publication.objects.filter(event__slug=LEAGUE).exclude(pack=DISCARDED)
    chosen = Random(SEED).choices(list(numbers.values_list("number", flat=True)), k=sizes.reads)
    milliseconds = []
    for number in chosen:
        begun = time.perf_counter()
        numbered_bytes(ANYBODY, CLUB, LEAGUE, number, form="body", of="standings", etags=())
        milliseconds.append(1000 * (time.perf_counter() - begun))
    return statistics.median(milliseconds), sorted(milliseconds)[len(milliseconds) * 99 // 100]
