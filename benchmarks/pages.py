"""Every page that links lead to, read by a visitor and by an owner of a large club."""

from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone

from benchmarks.full_evening import percentile
from benchmarks.leagues import CLUB, bring_in, write_league
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from tests.support.pages.club_reads import list_slowest, pages_of, read_all, reader
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

EVENT = "pages"


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Bring the club in and read its pages so often; the first read of each is not counted."""
    say("bringing in the club whose pages are read")
    league = folder / "pages.csv"
    bring_in(write_league(league, players=sizes.page_players, hands=sizes.page_hands), EVENT)
    event = Event.objects.select_related("club").get(club__slug=CLUB, slug=EVENT)
    publish(event.pk, now=timezone.now())
    make_history(event.pk)
    of = f"{sizes.page_players:,} players and {sizes.page_hands:,} hands"
    for role in ("visitor", "owner"):
        client = reader(event.club, role)
        say(f"reading pages as {role}")
        paths = pages_of(client, CLUB, [], of_a_route=2)
        costs = read_all(client, paths, times=sizes.repeats)
        medians = [cost.milliseconds for cost in costs]
        p95, goal = percentile(medians, 95), Goal(200)
        yield Figure("pages", f"all pages, {role}, {of}, p95", p95, "ms", goal=goal)
        for line in list_slowest(costs, 8):
            say(line)
        yield Figure("pages", f"slowest page, {role}, {of}", max(medians), "ms", goal=goal)
