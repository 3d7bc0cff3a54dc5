"""Some people do every action there is, by chance, at one moment: no deadlock, and right totals.

`EVERY_ACT_SECONDS=300` runs it for that long, `EVERY_ACT_WRITERS=30` with so many people; the table
of what was done is printed (`pytest -rP`).
"""

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.db.models import F

from tests.live.conftest import Inside
from tests.support.audit import line_digest
from tests.support.cast import NOW
from tests.support.lengths import short_or_long
from tests.support.live.project import LiveProject
from tests.support.random_operations.operations import RandomOperations
from tests.support.random_operations.world import World, make_world
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, SeatScore
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import Aggregate
from tournaments.services.db import transactions
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import recount_now, verify_event

pytestmark = pytest.mark.pg

SECONDS = int(os.environ.get("EVERY_ACT_SECONDS", short_or_long(8, 60)))
THREADS = int(os.environ.get("EVERY_ACT_WRITERS", short_or_long(2, 8)))
WHOLE = 300
"""From so many seconds on, each action is done at least so often:"""
LEAST = 50
NAMES = sorted(name.removeprefix("do_") for name in dir(RandomOperations) if name.startswith("do_"))


def test_every_act_at_once_waits_in_no_ring_and_adds_up(
    live_project: Callable[..., LiveProject],
    inside: Inside,
    migrated_pg_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """A few writers do the same actions each time; many search with the seed of the long run."""
    first = short_or_long(0, request.config.getoption("randomly_seed"))
    project = live_project(DATABASE_URL=migrated_pg_url)
    repeated: list[str] = []
    may_repeat = transactions.may_repeat

    def counted(fault: OperationalError) -> bool:
        repeated.append(str(fault))
        return may_repeat(fault)

    monkeypatch.setattr(transactions, "may_repeat", counted)
    with inside(project):
        world = make_world()
    end = time.monotonic() + SECONDS
    is_whole = SECONDS >= WHOLE

    def goes_on() -> bool:
        """Until the time is up; longer on a busy machine, until each action was done enough."""
        if time.monotonic() < end:
            return True
        return is_whole and time.monotonic() < end + SECONDS and bool(too_seldom(world))

    def person(seed: int) -> None:
        with inside(project):
            actions = RandomOperations(world, seed, tmp_path)
            while goes_on():
                actions.one()

    with ThreadPoolExecutor(THREADS) as pool:
        people = [pool.submit(person, first + number) for number in range(THREADS)]
    raised = [fault for fault in (each.exception() for each in people) if fault is not None]
    with inside(project):
        print(world.table_of_operations())
        print(f"repeated: {len(repeated)}, deadlocks by the server: {deadlocks()}")
        print("\n".join(repeated[:3]))
        for fault in raised[:3]:
            traceback.print_exception(fault)
        assert raised == []
        assert {name: said for name, said in wrong(world)} == {}
    if is_whole:
        assert too_seldom(world) == []


def too_seldom(world: World) -> list[str]:
    """The actions that were not done often enough yet."""
    return [name for name in NAMES if world.accepted[name] < LEAST]


def deadlocks() -> int:
    """How many the server has ended since the database was made."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def wrong(world: World) -> Iterator[tuple[str, object]]:
    """Say what does not hold once everybody is done."""
    for pk in (*world.events, world.ladder):
        recount_now(pk, now=NOW)
        publish(pk, now=NOW)
        event = Event.objects.select_related("club").get(pk=pk)
        if pk == world.ladder:
            publish_ladder(pk, now=NOW)
        verification = verify_event(event, repair=False, now=NOW, report=lambda words: None)
        if verification.found.differences or verification.found.publication == "differs":
            yield (
                f"replay of {event.slug}",
                (verification.found.publication, verification.found.differences[:3]),
            )
        if (sums := unlike(event)) != {}:
            yield f"sums of {event.slug}", sums
        open_ones = Round.objects.filter(event=event, state__in=("posted", "playing"))
        live = Playoff.objects.filter(event=event, state__in=LIVE, is_waived=False)
        if event.state in ("closed", "final"):
            open_ones = open_ones.exclude(stage__in=live.values("stage"))
            if open_ones:
                yield f"open rounds of {event.slug}", list(open_ones.values("number", "stage"))
        games = Game.objects.filter(event=event)
        final = games.filter(state="final").exclude(table__round__state="closed")
        if final:
            yield f"final games in open rounds of {event.slug}", list(final.values("table__code"))
        unfinished = games.filter(table__round__state="closed", state__in=("seated", "playing"))
        if unfinished:
            yield (
                f"games going on in closed rounds of {event.slug}",
                list(unfinished.values_list("table__code", "state", "hands_counted")),
            )
    if broken := broken_line(world):
        yield "audit", broken


def unlike(event: Event) -> dict[int, tuple[object, object]]:
    """Each entrant's hands and points totalled one by one, where the stored sums are others."""
    found: Counter[int] = Counter()
    points: Counter[int] = Counter()
    scores = SeatScore.objects.filter(
        entry__hand__game__event=event, entry__hand__game__counts=True,
        entry__hand__state="accepted", entry=F("entry__hand__entry"),
    )  # fmt: skip
    sat = Sitting.objects.filter(
        seat__table__event=event, player__entries_in_events__event=event
    ).values_list("seat", "from_hand", "to_hand", "player__entries_in_events__entrant")
    who: dict[int, list[tuple[int, int | None, int]]] = {}
    for seat, first, last, entrant in sat:
        who.setdefault(seat, []).append((first, last, entrant))
    for seat, number, score in scores.values_list("seat", "entry__hand__number", "score"):
        for first, last, entrant in who.get(seat, ()):
            if (number == 0 and last is None) or (
                number and first <= number and (last is None or number <= last)
            ):
                found[entrant] += 1 if number else 0
                points[entrant] += score
    stored = {
        entrant: (hands, own)
        for entrant, hands, own in Aggregate.objects.filter(event=event).values_list(
            "entrant", "hands", "points"
        )
    }
    every = {*stored, *found, *points}
    return {
        one: ((found[one], points[one]), stored.get(one, (0, 0)))
        for one in every
        if (found[one], points[one]) != stored.get(one, (0, 0))
    }


def broken_line(world: World) -> int | None:
    """The first line of the club's chain that does not follow from the one before it."""
    digest = ""
    for number, line in enumerate(AuditLine.objects.filter(club=world.club).order_by("number"), 1):
        if line.number != number or (digest and line.digest != line_digest(digest, line)):
            return line.number
        digest = line.digest
    return None
