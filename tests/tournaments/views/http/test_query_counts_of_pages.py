"""No page makes more queries in a club of many players, evenings and events than in a small one.

Pages are found as a reader finds them, by their links. The large club is the small one with its
league doubled three times, and with as many players, events, seasons and invitations more.
"""

from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.leagues import CLUB, bring_in, double, write_league
from tests.support.builders import TESTS, ladder, worker_runs
from tests.support.builders import league as league_of
from tests.support.cast import NOW
from tests.support.pages.linked_pages import linked_pages
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.members import give_role
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

OF_A_ROUTE = 2
"""Pages that are compared of each route."""
MORE = 30


def queries_of(client: Client, path: str) -> int:
    """Count the queries of a page that was read before."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200, path
    return len(queries)


def grow(club: Club, league: Event) -> None:
    """Make a large club of a small one."""
    for _ in range(3):
        double(league)
    for at in range(MORE):
        add_player(actor=TESTS, club=club, name=f"Quentin {at}", player_id=f"Q{at:03d}", now=NOW)
        make = ladder if at % 2 else league_of
        publish(make(club, slug=f"more-{at}", name=f"Event {at}").pk, now=NOW)
    newest = Publication.objects.filter(event=league).order_by("-number")[0]
    for _ in range(MORE):
        newest.pk, newest.number, newest.version = None, newest.number + 1, newest.version + 1
        newest.save(force_insert=True)
    make_history(league.pk)
    worker_runs()


@pytest.mark.django_db(transaction=True)
def test_queries_of_a_page_do_not_grow_with_rows(tmp_path: Path) -> None:
    bring_in(write_league(tmp_path / "league.csv", players=16, hands=64), "league")
    league = Event.objects.select_related("club").get(club__slug=CLUB)
    publish(league.pk, now=NOW)
    make_history(league.pk)
    for make in (ladder, league_of):  # pages have all of their parts
        publish(make(league.club, slug=f"one-{make.__name__}", name="One more").pk, now=NOW)
    worker_runs()
    owner = User.objects.create_user("olga", password="long enough to try")
    give_role(actor=TESTS, club=league.club, user_id=owner.pk, role="owner", now=NOW)
    visitor, signed_in = Client(), Client()
    signed_in.force_login(owner)
    starts = ("/", f"/clubs/{CLUB}")
    small = {
        (client, path): queries_of(client, path)
        for client in (visitor, signed_in)
        for path in linked_pages(client, starts, of_a_route=OF_A_ROUTE)
    }
    assert min(Counter(client for client, _ in small).values()) > 30
    grow(league.club, league)
    for client, path in small:
        client.get(path)  # what is kept between requests is there from now on
    large = {(client, path): queries_of(client, path) for client, path in small}
    assert {
        path: large[client, path]
        for client, path in small
        if large[client, path] > small[client, path]
    } == {}
