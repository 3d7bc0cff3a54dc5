"""The sheets of a request are entered while others enter the same: nothing twice, no deadlock."""

from collections.abc import Sequence
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.comparisons.scores import verify_scores
from tests.support.lengths import only_long
from tests.support.live.bulk_acts import at_once, project, tables
from tests.support.live.project import LiveProject
from tournaments.domain.imports.imported_sheets import SentHand, SentSheet
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting, Round, Table
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.enter_sheets import enter_sheets
from tournaments.services.imports.targets import find_target

pytestmark = pytest.mark.pg
__all__ = ["project"]

TABLES = 4
SAME = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}


@pytest.fixture
def night(inside: Inside, project: LiveProject) -> Event:
    """Tables of one round with a hand each."""
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 4 * TABLES + 1)))
        tables(event, people, 1)
    return event


def sheets(event: Event, round_: int, numbers: Sequence[int]) -> list[SentSheet]:
    """A sheet of each table with the hands of these numbers."""
    ids = list(event.club.players.order_by("pk").values_list("player_id", flat=True))
    hands = tuple(SentHand(number, dict(SAME)) for number in numbers)
    return [
        SentSheet(round_, at + 1, NOW.date(), "", ids[4 * at : 4 * at + 4], hands)
        for at in range(TABLES)
    ]


def enter(event: Event, round_: int, numbers: Sequence[int], digest: str, mode: str) -> None:
    """What one request does."""
    target = find_target(actor=TESTS, club="riverside", event=event.slug)
    enter_sheets(
        target=target,
        event=event,
        sheets=sheets(event, round_, numbers),
        digest=digest,
        is_all=mode == "all",
        now=NOW,
    )


def host(number: int, table: int) -> None:
    """A host enters a hand at one of the tables."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    record_entry(
        actor=TESTS, game=games.get(table__code=f"r1t{table}"), number=number, entry=SAME,
        source="host", now=NOW,
    )  # fmt: skip


@pytest.mark.parametrize("mode", [only_long("all"), "each"])
def test_same_sheets_twice_at_once_are_entered_once(
    inside: Inside, project: LiveProject, night: Event, mode: str
) -> None:
    acts = [partial(enter, night, 2, range(1, 11), digest, mode) for digest in ("a", "b", "b")]
    assert at_once(inside, project, acts) == []
    with inside(project):
        assert Hand.objects.filter(game__table__round__number=2).count() == 10 * TABLES
        assert Entry.objects.filter(hand__game__table__round__number=2).count() == 10 * TABLES
        assert Table.objects.filter(round__number=2).count() == TABLES
        assert (Round.objects.filter(number=2).count(), Meeting.objects.count()) == (1, 1)
        assert [batch.added for batch in ImportBatch.objects.all()] == [10 * TABLES]
        assert verify_scores(night).differing == 0


def test_sheets_and_hosts_at_the_same_tables_double_nothing(
    inside: Inside, project: LiveProject, night: Event
) -> None:
    hosts = [partial(host, 2, table) for table in range(1, TABLES + 1)]
    batches = [partial(enter, night, 1, (1, 2, 3), "night", "each") for _ in range(2)]
    refused = at_once(inside, project, [hosts[0], *batches, *hosts[1:]])
    assert set(refused) <= {"hand_exists"}
    with inside(project):
        assert Hand.objects.count() == 3 * TABLES
        assert Entry.objects.count() == 3 * TABLES
        assert Round.objects.get(number=1).state in ("closed", "playing")
        assert verify_scores(night).differing == 0
