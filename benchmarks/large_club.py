"""A club of ten seasons among 119 others: every page and list, and the same pages of one season."""

from collections.abc import Iterator
from pathlib import Path

from django.db import connection

from benchmarks.full_evening import percentile
from benchmarks.measure import Figure, Goal, compared, in_turn, many, say
from benchmarks.sizes import Sizes
from tests.support.pages import club_reads as reads
from tests.support.scenarios.large_club import bring_in_clubs

PAGES = {"club": "", "event": "/events/{0}", "round": "/events/{0}/rounds/1"}
PAGES |= {"player": "/events/{0}/players/{1}"}


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Read the large club as each role, print what is slowest, then compare four pages."""
    say("bringing in the clubs")
    hands, others = 3 * sizes.page_hands // 10, 119 // sizes.crowd_share
    clubs = {"players": sizes.page_players, "hands": hands, "others": others}
    large, single = bring_in_clubs(folder, seasons=sizes.years, **clubs)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    costs, goals = [], {"pages": Goal(150), "lists and files": None}
    for role in reads.ROLES:
        client = reads.reader(large.club, role)
        paths = reads.pages_of(client, large.club.slug, [large.slug], of_a_route=2)
        for what, part in zip(goals, (paths, list(reads.lists_of(large))), strict=True):
            read = reads.read_all(client, part, times=sizes.repeats)
            name = f"{what} of {sizes.years * hands:,} hands, {role}, {len(read)} addresses, p95"
            processor = percentile([cost.processor_ms for cost in read], 95)
            yield Figure("large club", f"{name} of processor", processor, "ms")
            elapsed = percentile([cost.milliseconds for cost in read], 95)
            yield Figure("large club", name, elapsed, "ms", goal=goals[what])
            costs += read
    for line in reads.list_slowest(costs, 20):
        say(line)
    for line in reads.list_slowest_statements(costs, 10) if connection.vendor != "sqlite" else ():
        say(line)
    client, player = reads.reader(large.club, "visitor"), large.entrants.order_by("code")[0].code
    for name, path in PAGES.items():
        two = [f"/clubs/{e.club.slug}{path.format(e.slug, player)}" for e in (large, single)]
        timed = (many(5, lambda path=path: client.get(path)) for path in two)  # type: ignore[misc]
        ten, one = in_turn(sizes.repeats, f"reading the {name}", *timed)
        yield compared("large club", f"{name}, ten seasons", ten, "one season", one, Goal(1.3))
