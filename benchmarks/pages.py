"""Every page that links lead to, read by a visitor and by an owner of a large club."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from benchmarks.leagues import CLUB, bring_in, write_league
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from tests.support.pages.linked_pages import linked_pages, route_of
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.services.clubs.members import give_role
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

EVENT = "pages"
OF_A_ROUTE = 2
"""Pages that are read of each route."""
GOAL_MS = 200
SLOWEST = 8
"""Number of slowest pages that are printed."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Bring the club in and read its pages so often; the first read of each is not counted."""
    say("bringing in the club whose pages are read")
    league = folder / "pages.csv"
    bring_in(write_league(league, players=sizes.page_players, hands=sizes.page_hands), EVENT)
    event = Event.objects.select_related("club").get(club__slug=CLUB, slug=EVENT)
    publish(event.pk, now=timezone.now())
    make_history(event.pk)
    of = f"{sizes.page_players:,} players and {sizes.page_hands:,} hands"
    for reader in ("visitor", "owner"):
        client = Client(SERVER_NAME="127.0.0.1")
        if reader == "owner":
            client.force_login(_owner(event.club))
        say(f"reading pages as {reader}")
        taken: dict[str, list[float]] = {}
        for path in linked_pages(client, ["/", f"/clubs/{CLUB}"], of_a_route=OF_A_ROUTE):
            taken[path] = [_milliseconds(client, path) for _ in range(sizes.repeats)]
        every = [one for each in taken.values() for one in each]
        p95 = statistics.quantiles(every, n=20)[-1]
        goal = Goal(GOAL_MS)
        yield Figure("pages", f"all pages, {reader}, {of}, p95", p95, "ms", goal=goal)
        medians = {path: statistics.median(each) for path, each in taken.items()}
        for path in sorted(medians, key=lambda path: -medians[path])[:SLOWEST]:
            say(f"{medians[path]:6.0f} ms {route_of(path)}")
        slowest = max(medians.values())
        yield Figure("pages", f"slowest page, {reader}, {of}", slowest, "ms", goal=goal)


def _owner(club: Club) -> User:
    owner, _is_new = User.objects.get_or_create(username="bench-owner")
    actor = command("bench")
    give_role(Operation(actor, timezone.now()), club, user_id=owner.pk, role="owner")
    return owner


def _milliseconds(client: Client, path: str) -> float:
    begun = time.perf_counter()
    client.get(path)
    return 1000 * (time.perf_counter() - begun)
