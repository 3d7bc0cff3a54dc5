"""P5 and P14 over HTTP: hosts who hold their tables' links, and what the standings make of it.

All hosts of an evening post at once, which is the worst that can come, and then twenty a second; a
last few hands are followed, one after the other, from the tap into the standings.
"""

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Final

from benchmarks.databases import why_no_redis
from benchmarks.installations import Phones, running
from benchmarks.leagues import CLUB, bring_in, hands_of, seated, token_of, write_league
from benchmarks.load import Meanwhile
from benchmarks.measure import Figure, Goal, say
from benchmarks.phones import Plan, Post, Seen, Table
from benchmarks.rows import on_postgresql
from benchmarks.sizes import Sizes
from config import env
from tests.live import LiveProject
from tournaments.models.clubs import Club

EVENT: Final = "evening"
STANDINGS: Final = f"/api/v1/clubs/{CLUB}/events/{EVENT}/standings"
A_SECOND: Final = 20
"""Posts a second where nobody hurries: what 4,800 tables make that take four minutes a hand."""

BUILDS: Final = Goal(20)
"""P14's: publications of a thousand posts."""

IN_MS: Final = 1e3


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Seat everybody, let the installation run, and let the hosts play."""
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    say(f"seating {sizes.hosts} tables")
    file = write_league(folder / "evening.csv", players=4 * sizes.hosts, hands=sizes.small_hands)
    bring_in(file, EVENT)
    games = seated(Club.objects.get(slug=CLUB), EVENT, sizes.hosts)
    playing = games if on_postgresql() else games[: sizes.taps]
    tables = [Table(token=token_of(game), path=hands_of(game)) for game in playing]
    with running(folder, STANDINGS) as project:
        say("opening the links, and entering a first hand at each table")
        with Phones(Plan(port=project.port, standings=STANDINGS, tables=tables)) as phones:
            if on_postgresql():
                yield from _together(project, phones, sizes)
                yield from _one_by_one(phones)
            yield from _taps(phones, sizes)


def _together(project: LiveProject, phones: Phones, sizes: Sizes) -> Iterator[Figure]:
    """Let all post at once, and look at the machine meanwhile."""
    say(f"{sizes.hosts} hosts post at once, {sizes.at_once} times")
    web, worker = project.processes
    watched = {"web": web.pid, "worker": worker.pid, "phones": phones.pid}
    with Meanwhile(watched, env.text("DATABASE_URL")) as meanwhile:
        seen = phones.act("together", sizes.at_once)
    hosts = f"{sizes.hosts} hosts at once"
    for share in (50, 95, 99):
        name = f"POST over HTTP, {hosts}, p{share}"
        yield Figure("P5", name, percentile(waits(seen.posts), share), "ms")
    first, last = min(post.sent for post in seen.posts), max(post.answered for post in seen.posts)
    yield Figure("P5", f"answered, {hosts}", len(seen.posts) / (last - first), "a second")
    yield from _what_limits(meanwhile, hosts)
    for share in (50, 95, 100):
        name = f"standings behind the answer, {hosts}, {'longest' if share == 100 else f'p{share}'}"
        yield Figure("P14", name, percentile(delays(seen, of="answered"), share), "ms")
    reads = [IN_MS * (look.answered - look.sent) for look in seen.looks]
    yield Figure("P14", f"GET standings, {hosts}, p95", percentile(reads, 95), "ms")
    made = len({look.number for look in seen.looks if look.number})
    name = f"publications of {len(seen.posts):,} posts, {hosts}"
    yield Figure("P14", name, made, "publications", goal=BUILDS)


def _what_limits(meanwhile: Meanwhile, hosts: str) -> Iterator[Figure]:
    """Say who had the processors, and what the sessions in the database waited for."""
    said: Mapping[str, str] = {
        "all": f"processors busy, of {os.cpu_count()}, {hosts}",
        "web": f"of these by the web processes, {hosts}",
        "worker": f"of these by the worker, {hosts}",
        "phones": f"of these by the phones, {hosts}",
    }
    for name, busy in meanwhile.processors.items():
        yield Figure("P5", said[name], busy, "processors")
    said = {
        "row": f"sessions that wait for a locked row, {hosts}",
        "disk": f"that wait for the disk, {hosts}",
        "database": f"that the database works on, {hosts}",
        "python": f"that wait for Python within a transaction, {hosts}",
    }
    for name, number in meanwhile.sessions.items():
        yield Figure("P5", said[name], number, "sessions")


def _one_by_one(phones: Phones) -> Iterator[Figure]:
    say(f"every host posts, {A_SECOND} a second")
    seen = phones.act("spread", A_SECOND)
    for share, goal in ((50, None), (99, Goal(250))):
        name = f"POST over HTTP, {A_SECOND} a second, p{share}"
        yield Figure("P5", name, percentile(waits(seen.posts), share), "ms", goal=goal)


def _taps(phones: Phones, sizes: Sizes) -> Iterator[Figure]:
    say(f"following {sizes.taps} hands into the standings")
    seen = phones.act("taps", sizes.taps)
    for share, goal in ((50, None), (95, Goal(500))):
        name = f"from the tap to the changed standings, {sizes.taps} hands, p{share}"
        value = percentile(delays(seen, of="sent"), share)
        yield Figure("P14", name, value, "ms", goal=goal)


def waits(posts: Sequence[Post]) -> list[float]:
    """Return how long each post took, in milliseconds."""
    return [IN_MS * (post.answered - post.sent) for post in posts]


def delays(seen: Seen, *, of: str) -> list[float]:
    """Return how long after a moment of its own each post could be read, in milliseconds.

    Args:
        of: `sent` or `answered`. What could be read before the answer came was no time behind it.
    """
    news = [look for look in seen.looks if look.version]
    versions = [look.version for look in news]
    found = [news[bisect_left(versions, post.version)].answered for post in seen.posts]
    begun = [float(getattr(post, of)) for post in seen.posts]
    return [IN_MS * max(0.0, there - at) for there, at in zip(found, begun, strict=True)]


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value that so many per cent of the values do not exceed; 100 is the largest.

    >>> percentile([4.0, 1.0, 2.0, 3.0, 5.0], 50), percentile([1.0, 2.0], 100)
    (3.0, 2.0)
    """
    if share == 100:
        return max(values)
    return quantiles(values, n=100, method="inclusive")[share - 1]
