"""Crowds: processor time of every page of a club that is far larger than usual, in one way each."""

from collections.abc import Callable, Iterator
from datetime import date
from itertools import combinations, islice
from typing import Final, NamedTuple

from django.utils import timezone

from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from tests.support.builders import league, players, table
from tests.support.evenings import check_in
from tests.support.pages.club_reads import cost_of, reader
from tests.support.pages.linked_pages import linked_pages, route_of
from tournaments.models.events import EntrantKind, Event
from tournaments.models.rounds import Meeting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.policy import command
from tournaments.services.clubs.clubs import create_club
from tournaments.services.events.entrants import add_entrant
from tournaments.services.operations import Operation

DAY: Final = date(2025, 11, 13)
GOAL_S: Final = 1.0
"""Processor time of a page at most."""
OF_A_ROUTE: Final = 1
REST: Final = ("", "/rounds", "/entrants", "/standings", "/hands", "/constraints", "/meetings")
"""Addresses of an event that are read over REST."""


class Row(NamedTuple):
    """One way to be large: how many of `what`, an ordinary number, and what makes them."""

    what: str
    size: int
    ordinary: int
    make: Callable[[Event, int], None]


def _waiting(event: Event, number: int) -> None:
    people = players(event.club, *(f"Guest {at}" for at in range(number + 5)))
    table(event, people[:5], on=DAY)
    check_in(Meeting.objects.get(event=event), people)


def _tables(event: Event, number: int) -> None:
    people = players(event.club, *(f"Guest {at}" for at in range(5 * number)))
    for at in range(number):
        table(event, people[5 * at : 5 * at + 5], table_number=at + 1, on=DAY)


def _rounds(event: Event, number: int) -> None:
    people = players(event.club, *(f"Guest {at}" for at in range(5)))
    for at in range(number):
        table(event, people, round_number=at + 1, on=DAY)


def _players(event: Event, number: int) -> None:
    players(event.club, *(f"Guest {at}" for at in range(number)))


def _constraints(event: Event, number: int) -> None:
    people = players(event.club, *(f"Guest {at}" for at in range(60)))
    op = Operation(command("bench"), timezone.now())
    for player in people:
        add_entrant(op, event, kind=EntrantKind.PLAYER, players=[player])
    SeatingConstraint.objects.bulk_create(
        SeatingConstraint(
            club=event.club, event=event, kind="apart", player=first, other=second,
            created_at=timezone.now(),
        )
        for first, second in islice(combinations(people, 2), number)
    )  # fmt: skip
    table(event, people[:5], on=DAY)


ROWS: Final = (
    Row("waiting", 60, 3, _waiting),
    Row("tables", 200, 8, _tables),
    Row("rounds", 40, 4, _rounds),
    Row("players", 3_000, 60, _players),
    Row("constraints of 60 entrants", 40, 2, _constraints),
)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Read every page that links of the event lead to, and its lists over REST, as an owner."""
    for row in ROWS:
        size = max(row.ordinary, row.size // sizes.crowd_share)
        for prefix, number in (("usual", row.ordinary), ("crowd", size)):
            path, seconds = _slowest(row, number, prefix)
            name = f"{number} {row.what}: slowest page ({route_of(path) or 'REST'})"
            goal = Goal(GOAL_S) if prefix == "crowd" else None
            yield Figure("hostile sizes", name, seconds, "s", goal=goal)


def _slowest(row: Row, size: int, prefix: str) -> tuple[str, float]:
    say(f"reading pages with {size} {row.what}")
    op = Operation(command("bench"), timezone.now())
    slug = "-".join([prefix, *row.what.split()])
    club = create_club(op, name=slug, slug=slug)
    event = league(club, variant="hearts-multipack", settings={"primary": "beaten_mean"})
    row.make(event, size)
    client = reader(club, "owner")
    start = f"/clubs/{club.slug}/events/{event.slug}"
    paths = [
        *(f"/api/v1{start}{list_}" for list_ in REST),
        f"/api/v1/clubs/{club.slug}/players",
        *linked_pages(client, [start, f"{start}/rounds/1"], of_a_route=OF_A_ROUTE),
    ]
    taken = {path: cost_of(client, path).processor_ms / 1000 for path in paths}
    for path in sorted(taken, key=lambda path: -taken[path])[:5]:
        say(f"{taken[path]:6.3f} s {path}")
    path = max(taken, key=lambda path: taken[path])
    return path, taken[path]
