"""P3: scoring every stored hand of a league again and comparing, beside only fetching the rows."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.large import double
from benchmarks.leagues import CLUB, bring_in, write_league
from benchmarks.measure import Figure, Goal, compared, in_turn, once
from benchmarks.rows import on_postgresql
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.selectors.standings.hands_bulk import stored_games, stored_hands
from tournaments.services.verification.verify_scores import rescore

EVENT = "rescored"
DOUBLINGS = 4
"""The league is brought in from sheets and then doubled so often."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Fetch, rescore what is fetched and, on PostgreSQL, what is copied out, in turn."""
    hands = sizes.rescored_hands >> DOUBLINGS
    file = write_league(folder / "rescored.csv", players=sizes.import_players, hands=hands)
    bring_in(file, EVENT)
    event = Event.objects.get(club__slug=CLUB, slug=EVENT)
    for _ in range(DOUBLINGS):
        double(event)
    stored = hands << DOUBLINGS
    ways = [("rescore and compare", False, 2.0)]
    if on_postgresql():
        ways.append(("rescore and compare what COPY gives", True, 1.2))
    fetching, *rescoring = in_turn(
        sizes.repeats,
        f"rescoring {stored:,} hands",
        partial(once, partial(fetch, event)),
        *[partial(once, partial(again, event, stored, copied)) for _, copied, _ in ways],
    )
    for (name, _, bound), seconds in zip(ways, rescoring, strict=True):
        said = f"{name}, {stored:,} hands"
        yield compared("P3", said, seconds, "fetching these rows", fetching, Goal(bound))


def fetch(event: Event) -> None:
    """Fetch the rows that are compared, batch by batch as rescoring does."""
    games = stored_games(event)
    while games:
        stored_hands(event, first=games[0].id, last=games[-1].id)
        games = stored_games(event, after=games[-1].id)


def again(event: Event, hands: int, copied: bool) -> None:
    """Rescore the event, in which nothing may differ."""
    found = rescore(event=event, copied=copied)
    if (found.hands, found.differing) != (hands, 0):
        raise AssertionError(f"{found.differing} of {found.hands} hands differ: {found}")
