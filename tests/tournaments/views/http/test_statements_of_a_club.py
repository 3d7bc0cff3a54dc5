"""No page or list of a club takes more statements when the club has more of everything."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest
from django.test import Client

from api.v1.standings.standings import CACHED_PUBLICATIONS
from benchmarks.leagues import CLUB, bring_in, double, write_league
from tests.support.builders import TESTS, ladder, league, worker_runs
from tests.support.cast import NOW
from tests.support.pages.club_reads import ROLES, cost_of, lists_of, pages_of, reader
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.services.clubs.clubs import add_player
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

MORE = 12
FEWEST_READS = {"visitor": 120, "host": 160, "director": 200, "owner": 240}
WHOLE_CLUB = "/export"
"""An archive of everything is read event by event."""
FILES = (".xlsx", ".pdf", ".png")
"""They take long to make and are the same for every role."""


@pytest.fixture
def event(tmp_path: Path) -> Event:
    """A small public league, and a ladder and a league without hands, so that pages have all of
    their parts."""
    bring_in(write_league(tmp_path / "league.csv", players=16, hands=64), "league")
    event = Event.objects.select_related("club").get(club__slug=CLUB)
    event.visibility, event.club.is_public = "public", True
    event.save()
    event.club.save()
    for make in (ladder, league):
        publish(make(event.club, slug=f"one-{make.__name__}", name="One more").pk, now=NOW)
    _publish(event)
    return event


def _publish(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_history(event.pk)
    worker_runs()


def grow(event: Event) -> None:
    """Make a large club of a small one: hands, players, events, publications."""
    for _ in range(3):
        double(event)
    for number in range(MORE):
        player = f"Quentin {number}", f"Q{number:03d}"
        add_player(Operation(TESTS, NOW), event.club, name=player[0], player_id=player[1])
        make = ladder if number % 2 else league
        publish(make(event.club, slug=f"more-{number}", name=f"Event {number}").pk, now=NOW)
    newest = Publication.objects.filter(event=event).order_by("-number")[0]
    for _ in range(MORE):
        newest.pk, newest.number, newest.version = None, newest.number + 1, newest.version + 1
        newest.save(force_insert=True)
    _publish(event)


def count_statements(client: Client, paths: Iterable[str]) -> dict[str, int]:
    """Read addresses that no process has read before; returns their numbers of statements."""
    counts = {}
    for path in paths:
        for kept in (CACHED_PUBLICATIONS, import_module("tournaments.views.http.responses").KEPT):
            kept.forget()
        cost = cost_of(client, path)
        if cost.status == 200:
            counts[path] = len(cost.statements)
    return counts


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ROLES)
def test_statements_of_a_read_do_not_grow_with_rows(event: Event, role: str) -> None:
    client = reader(event.club, role)
    paths = [*pages_of(client, CLUB, ["league"], of_a_route=1), *lists_of(event)]
    left_out = (WHOLE_CLUB,) if role == "owner" else (WHOLE_CLUB, *FILES)
    paths = [path for path in paths if not path.endswith(left_out)]
    small = count_statements(client, paths)
    assert len(small) >= FEWEST_READS[role]
    grow(event)
    large = count_statements(client, small)
    assert {path: (small[path], large[path]) for path in small if large[path] > small[path]} == {}
