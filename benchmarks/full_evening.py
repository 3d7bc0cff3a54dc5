"""An evening over HTTP: hosts who hold their tables' links, and what the standings make of it.

All hosts of an evening post within a second, then all at once, which is the worst that can come,
and then twenty a second; a last few hands are followed, one after the other, from the tap into the
standings. Served as docker-compose.yml says on PostgreSQL, and by `manage.py serve` on SQLite.
"""

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from benchmarks.databases import on_postgresql, why_no_redis
from benchmarks.installations import Phones, running
from benchmarks.leagues import CLUB, bring_in, hands_of, seated, token_of, write_league
from benchmarks.load import Meanwhile
from benchmarks.measure import Figure, Goal, say
from benchmarks.phones import Plan, Post, Seen, Table
from benchmarks.sizes import Sizes
from config import env
from tests.support.live.project import LiveProject
from tournaments.models.clubs import Club

EVENT: Final = "evening"
STANDINGS: Final = f"/api/v1/clubs/{CLUB}/events/{EVENT}/standings"
A_SECOND: Final = 20
"""Posts a second where nobody hurries: what 4,800 tables make that take four minutes a hand."""

BUILDS: Final = Goal(20)
"""Maximum number of publications of a thousand posts."""

IN_MS: Final = 1e3


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    say(f"seating {sizes.hosts} tables")
    tables = seat_tables(folder, EVENT, 4 * sizes.hosts, sizes.small_hands, sizes.hosts)
    with running(folder, STANDINGS) as project:
        say("opening the links, and entering a first hand at each table")
        with Phones(plan_of(project, STANDINGS, tables, sizes)) as phones:
            for load in loads(sizes):
                yield from _under(load, project, phones)
            yield from _taps(phones, sizes)


def seat_tables(folder: Path, slug: str, players: int, hands: int, number: int) -> list[Table]:
    """Bring in a league and seat so many tables of it, each with a link."""
    bring_in(write_league(folder / f"{slug}.csv", players=players, hands=hands), slug)
    games = seated(Club.objects.get(slug=CLUB), slug, number)
    return [Table(token=token_of(game), path=hands_of(game)) for game in games]


def plan_of(project: LiveProject, standings: str, tables: list[Table], sizes: Sizes) -> Plan:
    return Plan(
        port=project.port,
        standings=standings,
        tables=tables,
        gap_s=sizes.gap_s,
        while_s=sizes.while_s,
    )


@dataclass(frozen=True, slots=True)
class Load:
    """What hosts do: an act of benchmarks/phones.py and its number, and what is asked of it.

    `wave` is how many posts come together; 0 where they just keep coming. Goals are by percentile.
    """

    name: str
    act: str
    number: int
    wave: int
    goals: Mapping[int, Goal]
    rate: Goal | None = None


def loads(sizes: Sizes) -> Sequence[Load]:
    hosts = sizes.hosts
    return (
        Load(
            f"{hosts} hosts within a second", "second", sizes.at_once, hosts,
            {95: Goal(1000)}, Goal(120, at_least=True),
        ),
        Load(f"{hosts} hosts at once", "together", sizes.at_once, hosts, {95: Goal(1700)}),
        Load(f"{A_SECOND} a second", "spread", A_SECOND, 0, {99: Goal(200)}),
    )  # fmt: skip


def _under(load: Load, project: LiveProject, phones: Phones) -> Iterator[Figure]:
    say(f"posts over HTTP: {load.name}, {load.number}")
    # One process on SQLite, which starts the others; as many as docker-compose.yml has else.
    names = ("web", "worker") if on_postgresql() else ("installation",)
    watched = {name: process.pid for name, process in zip(names, project.processes, strict=False)}
    database = env.text("DATABASE_URL") if on_postgresql() else None
    with Meanwhile({**watched, "phones": phones.pid}, database) as meanwhile:
        seen = phones.act(load.act, load.number)
    taken = [post for post in seen.posts if post.version]
    for share in (50, 95, 99):
        name = f"POST over HTTP, {load.name}, p{share}"
        value = percentile(waits(taken), share)
        yield Figure("evening", name, value, "ms", goal=load.goals.get(share))
    failed = len(seen.posts) - len(taken)
    yield Figure("evening", f"answered 5xx, {load.name}", failed, "posts", goal=Goal(0))
    if load.wave:
        rate = answered(seen.posts, load.wave)
        yield Figure("evening", f"answered, {load.name}", rate, "a second", goal=load.rate)
    name = f"the generator's own processor time, {load.name}"
    yield Figure("evening", name, IN_MS * seen.processor_s / len(seen.posts), "ms a post")
    yield from _what_limits(meanwhile, load.name)
    late = delays(Seen(taken, seen.looks), of="answered")
    for share, goal in ((50, None), (95, Goal(1000)), (100, None)):
        what = "longest" if share == 100 else f"p{share}"
        name = f"standings behind the answer, {load.name}, {what}"
        yield Figure("evening", name, percentile(late, share), "ms", goal=goal)
    reads = [IN_MS * (look.answered - look.sent) for look in seen.looks]
    name = f"GET standings meanwhile, {load.name}, p95"
    yield Figure("evening", name, percentile(reads, 95), "ms", goal=Goal(100))
    made = len({look.number for look in seen.looks if look.number})
    yield Figure(
        "burst", f"publications of {len(seen.posts):,} posts, {load.name}", made, "publications"
    )


def answered(posts: Sequence[Post], wave: int) -> float:
    """Return how many of a wave were answered a second, from its first post to its last answer.

    The median of all waves.
    """
    rates = []
    for start in range(0, len(posts), wave):
        some = posts[start : start + wave]
        taken = max(post.answered for post in some) - min(post.sent for post in some)
        rates.append(len(some) / taken)
    return median(rates)


def _what_limits(meanwhile: Meanwhile, hosts: str) -> Iterator[Figure]:
    said: Mapping[str, str] = {
        "all": f"processors busy, of {os.cpu_count()}, {hosts}",
        "web": f"of these by the web processes, {hosts}",
        "worker": f"of these by the worker, {hosts}",
        "installation": f"of these by the web process and the worker, {hosts}",
        "phones": f"of these by the phones, {hosts}",
    }
    for name, busy in meanwhile.processors.items():
        yield Figure("evening", said[name], busy, "processors")
    said = {
        "row": f"sessions that wait for a locked row, {hosts}",
        "disk": f"that wait for the disk, {hosts}",
        "database": f"that the database works on, {hosts}",
        "python": f"that wait for Python within a transaction, {hosts}",
    }
    for name, number in meanwhile.sessions.items():
        yield Figure("evening", said[name], number, "sessions")


def _taps(phones: Phones, sizes: Sizes) -> Iterator[Figure]:
    say(f"following {sizes.taps} hands into the standings")
    seen = phones.act("taps", sizes.taps)
    for share, goal in ((50, None), (95, Goal(500))):
        name = f"from the tap to the changed standings, {sizes.taps} hands, p{share}"
        value = percentile(delays(seen, of="sent"), share)
        yield Figure("burst", name, value, "ms", goal=goal)


def waits(posts: Sequence[Post]) -> list[float]:
    """Return how long each post took, in milliseconds."""
    return [IN_MS * (post.answered - post.sent) for post in posts]


def delays(seen: Seen, *, of: str) -> list[float]:
    """Return how long after a moment of its own each post could be read, in milliseconds.

    `of`: `sent` or `answered`. What could be read before the answer came was no time behind it.
    """
    news = [look for look in seen.looks if look.version]
    versions = [look.version for look in news]
    found = [news[bisect_left(versions, post.version)].answered for post in seen.posts]
    begun = [float(getattr(post, of)) for post in seen.posts]
    return [IN_MS * max(0.0, there - at) for there, at in zip(found, begun, strict=True)]


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value that so many per cent of the values do not exceed; 100 is the largest.

    On a busy machine there may be one value only, which is all there is to say.

    >>> percentile([4.0, 1.0, 2.0, 3.0, 5.0], 50), percentile([1.0, 2.0], 100)
    (3.0, 2.0)
    """
    if share == 100 or len(values) == 1:
        return max(values)
    return quantiles(values, n=100, method="inclusive")[share - 1]
