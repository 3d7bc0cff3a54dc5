"""Scoring every stored hand of a league again and comparing, beside only fetching the rows."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from django.db import connection

from benchmarks.databases import on_postgresql
from benchmarks.leagues import CLUB, bring_in, double, write_league
from benchmarks.measure import Figure, Goal, compared, in_turn, once
from benchmarks.sizes import Sizes
from tests.support.comparisons.scores import verify_scores
from tournaments.models.events import Event
from tournaments.selectors.standings.bulk_reads import Row, hands_statement, stored_hands
from tournaments.services.verification.games import HandReader, batches

EVENT = "rescored"
DOUBLINGS = 4
"""Number of times that the imported league is doubled."""
COPIED_AT_ONCE = 1000
"""Copied rows that are taken apart together."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Fetch, rescore what is fetched and, on PostgreSQL, what is copied out, in turn."""
    hands = sizes.rescored_hands >> DOUBLINGS
    file = write_league(folder / "rescored.csv", players=sizes.import_players, hands=hands)
    bring_in(file, EVENT)
    event = Event.objects.get(club__slug=CLUB, slug=EVENT)
    for _ in range(DOUBLINGS):
        double(event)
    stored = hands << DOUBLINGS
    ways: list[tuple[str, HandReader, float]] = [("rescore and compare", stored_hands, 2.0)]
    if on_postgresql():
        ways.append(("rescore and compare what COPY gives", copied_hands, 1.2))
    fetching, *rescoring = in_turn(
        sizes.repeats,
        f"rescoring {stored:,} hands",
        partial(once, partial(fetch, event)),
        *[partial(once, partial(again, event, stored, read)) for _, read, _ in ways],
    )
    for (name, _, bound), seconds in zip(ways, rescoring, strict=True):
        said = f"{name}, {stored:,} hands"
        yield compared("rescoring", said, seconds, "fetching these rows", fetching, Goal(bound))


def fetch(event: Event) -> None:
    for games in batches(event):
        stored_hands(event, first=games[0].id, last=games[-1].id)


def again(event: Event, hands: int, read: HandReader) -> None:
    scores = verify_scores(event, read=read)
    if (scores.hands, scores.differing) != (hands, 0):
        raise AssertionError(f"{scores.differing} of {scores.hands} hands differ: {scores}")


def copied_hands(event: Event, *, first: int, last: int) -> Iterator[Row]:
    """Yield the same rows as PostgreSQL copies them out, a message each.

    Nothing else can be asked on the connection until the last row is taken.
    """
    statement = f"COPY ({hands_statement(event, first, last)}) TO STDOUT (NULL '')"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        messages = map(bytes, copy)
        while some := b"".join(islice(messages, COPIED_AT_ONCE)):
            yield from map(_row, some.decode().split("\n")[:-1])


def _row(line: str) -> Row:
    fields = line.split("\t")
    if "\\" in line:
        fields = [field.replace("\\\\", "\\") for field in fields]
    game, number, typed, scores, totals, verified, moon = fields
    return (
        int(game), int(number), typed, scores or None, totals or None, verified, moon or None,
    )  # fmt: skip
