"""How often the standings are made while a thousand hands come from four clients."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.databases import on_postgresql, why_no_redis
from benchmarks.full_evening import BUILDS, plan_of, seat_tables
from benchmarks.installations import Phones, running
from benchmarks.leagues import CLUB
from benchmarks.measure import Figure, say
from benchmarks.phones import CLIENTS
from benchmarks.sizes import Sizes
from tournaments.models.standings import Publication

EVENT: Final = "burst"
STANDINGS: Final = f"/api/v1/clubs/{CLUB}/events/{EVENT}/standings"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    players, hands = sizes.standings_players, sizes.small_hands
    tables = seat_tables(folder, EVENT, players, hands, sizes.burst_tables)
    with (
        running(folder, STANDINGS) as project,
        Phones(plan_of(project, STANDINGS, tables, sizes)) as phones,
    ):
        say(f"{CLIENTS} clients post {sizes.burst_posts:,} hands")
        before = publications()
        seen = phones.act("burst", sizes.burst_posts // sizes.burst_tables)
        made = publications() - before
    first, last = min(post.sent for post in seen.posts), max(post.answered for post in seen.posts)
    burst = f"{len(seen.posts):,} posts from {CLIENTS} clients"
    yield Figure("burst", f"publications of {burst}", made, "publications", goal=BUILDS)
    yield Figure("burst", f"how long {burst} took", last - first, "s")


def publications() -> int:
    return Publication.objects.filter(event__slug=EVENT).count()
