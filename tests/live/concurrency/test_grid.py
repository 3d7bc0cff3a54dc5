"""A grid of several hands is saved while others write at the same table, in both orders.

Each pair of actions waits for the game's row, which the test holds until both wait there: so the
first of them is first. Pages are asked over HTTP; a fault of the server would be raised.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import MappingProxyType

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.test import Client

from tests.support.builders import by_tests, table
from tests.support.lengths import only_long
from tests.support.live.at_once import Action, Within, waiting_for_locks
from tests.support.live.player_changes import Night
from tests.support.live.project import wait_until
from tests.support.pages.hand_entry import hidden
from tournaments.errors import Conflict, Missing
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Table
from tournaments.models.standings import Aggregate
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import clear_table

pytestmark = pytest.mark.pg
KNOWN = (Conflict, Missing)
ROWS = {3: "1 2 4 6q", 4: "4q 1 2 6"}
SAVED, NOT_ALL = 302, 422


class Evening(Night):
    """A night whose grid is sent by a director."""

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            self.dirk = User.objects.get(username="dirk")

    def client(self) -> Client:
        client = Client()
        client.force_login(self.dirk)
        return client

    def address(self, at: int = 1, number: int | None = None) -> str:
        event = self.event
        start = f"/clubs/{event.club.slug}/events/{event.slug}/tables"
        return f"{start}/r{number or self.number}t{at}/grid"

    def rows(self, texts: dict[int, str], **more: str) -> dict[str, str]:
        """What the form of the grid sends for some hands."""
        fields: dict[str, str] = {"go": "save", "not_twice": "1", **more}
        for number, text in texts.items():
            fields |= {f"key-{number}": f"{id(fields)}-{number}", f"way-{number}": "counts"}
            for row, cell in enumerate(text.split(), start=1):
                fields[f"c-{number}-{row}"] = cell
        return fields

    def grid(self, texts: dict[int, str], **more: str) -> Action:
        """Save rows of the grid; gives the answer's status."""

        def action() -> int:
            return self.client().post(self.address(), self.rows(texts, **more)).status_code

        return action

    @contextmanager
    def held(self, rows: Callable[[], QuerySet[Model]]) -> Iterator[None]:
        """Hold some rows: whoever wants them waits until the block ends."""
        with self.within(), transaction.atomic():
            list(rows().select_for_update(of=("self",), no_key=True))
            yield

    def in_turn(
        self, actions: Sequence[Action], rows: Callable[[], QuerySet[Model]]
    ) -> list[object]:
        """Let actions begin one after the other, each once the one before it waits for the rows."""

        def begin(action: Action) -> object:
            with self.within():
                try:
                    return action()
                except KNOWN as refused:
                    return refused.problem.code

        with ThreadPoolExecutor(len(actions)) as pool:
            begun: list[Future[object]] = []
            with self.held(rows):
                for n, action in enumerate(actions, start=1):
                    begun.append(pool.submit(begin, action))

                    def are_there(n: int = n) -> bool:
                        return waiting_for_locks() + sum(one.done() for one in begun) >= n

                    wait_until(are_there, what=f"{n} acts wait")
            return [one.result() for one in begun]

    def hands(self) -> dict[int, tuple[str, int]]:
        """Number → state and revision of each hand of the first table."""
        with self.within():
            hands = Hand.objects.filter(game__table__code=f"r{self.number}t1")
            return {one.number: (one.state, one.revision) for one in hands}


@pytest.fixture
def evening(within: Within) -> Evening:
    return Evening(within)


def game_of(evening: Evening) -> Callable[[], QuerySet[Game]]:
    return lambda: Game.objects.filter(event=evening.event.pk, table__code=f"r{evening.number}t1")


def both_orders(
    evening: Evening,
    other: Callable[[], Action],
    *,
    before: Callable[[], object] = list,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[tuple[object, ...]]:
    """Save the grid and do another action, each of them first once; gives what each came to."""
    for is_first in (True, False):
        evening.begin(int(not is_first) + 1)
        with evening.within():
            before()
        actions = [evening.grid(ROWS, **more), other()]
        done = evening.in_turn(actions if is_first else actions[::-1], game_of(evening))
        yield is_first, *(done if is_first else done[::-1])
        evening.holds()


NEW = {1: ("accepted", 1), 2: ("accepted", 1), 3: ("accepted", 1), 4: ("accepted", 1)}


def test_same_grid_is_sent_from_two_devices(evening: Evening) -> None:
    for _is_first, *done in both_orders(evening, lambda: evening.grid(ROWS)):
        assert done == [SAVED, SAVED]
        assert evening.hands() == NEW


def test_another_grid_is_sent_from_a_second_device(evening: Evening) -> None:
    other = {3: "2 2 3 6q", 4: "4 1q 2 6"}
    for is_first, *done in both_orders(evening, lambda: evening.grid(other)):
        # Which hand of which device came first may differ; whoever was second is told of each.
        assert set(done) <= {SAVED, NOT_ALL}
        assert NOT_ALL in done, is_first
        assert evening.hands() == NEW


def test_a_host_enters_one_of_the_hands(evening: Evening) -> None:
    for is_first, grid, host in both_orders(evening, lambda: evening.enter(3)):
        assert (grid, host) == ((SAVED, "hand_exists") if is_first else (NOT_ALL, None))
        assert evening.hands() == NEW


def test_a_host_corrects_a_hand_that_the_grid_corrects(evening: Evening) -> None:
    fields = {
        "key-1": "k", "way-1": "counts", "based_on-1": "1", "reason": "Read again.",
        **{f"c-1-{row}": text for row, text in enumerate(["1", "6", "3q", "3"], start=1)},
    }  # fmt: skip
    for is_first, grid, host in both_orders(
        evening, lambda: evening.enter(1, based_on=1), more=fields
    ):
        assert (grid, host) == ((SAVED, "entry_outdated") if is_first else (NOT_ALL, None))
        assert evening.hands() == NEW | {1: ("accepted", 2)}


def test_a_hand_is_deleted(evening: Evening) -> None:
    def void() -> Action:
        def action() -> None:
            void_hand(by_tests(), evening.game(), number=2, based_on=1, reason="Twice.")

        return action

    for _is_first, *done in both_orders(evening, void):
        assert done == [SAVED, None]
        assert evening.hands() == NEW | {2: ("void", 1)}


def test_a_correction_is_undone(evening: Evening) -> None:
    def correct() -> None:
        evening.enter(2, based_on=1)()

    def undo() -> Action:
        def action() -> int:
            address = evening.address().replace("/grid", "/hands/2/undo")
            return evening.client().post(address, {"based_on": "2"}).status_code

        return action

    for _is_first, *done in both_orders(evening, undo, before=correct):
        assert done == [SAVED, SAVED]
        assert evening.hands() == NEW | {2: ("accepted", 3)}


@pytest.mark.parametrize("hands", [only_long("keep"), "remap", only_long("void")])
def test_who_played_is_changed(evening: Evening, hands: str) -> None:
    for is_first, grid, swap in both_orders(evening, lambda: evening.swap("RL06", hands)):
        assert (grid, swap) == (SAVED, None), is_first
        assert set(evening.hands()) == {1, 2, 3, 4}
        assert evening.north() == "RL06"


def test_the_round_is_closed(evening: Evening) -> None:
    def closed() -> Action:
        def action() -> None:
            close_tables(by_tests(), evening.round())
            move_round(by_tests(), evening.round(), to="closed")

        return action

    for _is_first, grid, closing in both_orders(evening, closed):
        assert (grid, closing) == (SAVED, None)  # a director may add to a closed round
        assert evening.hands() == NEW
        with evening.within():
            assert evening.round().state == "closed"


def test_the_table_is_removed(evening: Evening) -> None:
    for is_first in (True, False):
        with evening.within():
            evening.number = int(is_first) + 1
            game = table(evening.event, evening.people[:4], round_number=evening.number)

        def removed(game: Game = game) -> None:
            clear_table(by_tests(), game)

        actions = [evening.grid(ROWS), removed]
        done = evening.in_turn(actions if is_first else actions[::-1], game_of(evening))
        there = evening.hands()
        if is_first:
            assert done == [SAVED, "table_has_hands"]
            assert set(there) == {3, 4}
        else:
            assert done == [None, 404]
            assert there == {}
            with evening.within():
                assert not Table.objects.filter(code=f"r{evening.number}t1").exists()


def test_corrections_looked_at_wait_in_no_ring_with_another_table(evening: Evening) -> None:
    """The first hand moves the sums of two people, the second those of the others."""
    evening.begin(1)
    with evening.within():
        close_tables(by_tests(), evening.round())
        move_round(by_tests(), evening.round(), to="closed")
    changed = evening.rows({1: "2 6 2 3q", 2: "3 5q 3 2"}, reason="Read again.")
    changed |= {"based_on-1": "1", "based_on-2": "1"}
    with evening.within():
        looked = evening.client().post(evening.address(), changed)
        assert looked.status_code == 200
        kept = {name: values[-1] for name, values in hidden(looked).items()}
        kept |= {"reason": "Read again.", "go": "save"}
    evening.begin(2)

    def save() -> int:
        return evening.client().post(evening.address(number=1), kept).status_code

    done = evening.in_turn(
        [evening.enter(3), save],
        lambda: Aggregate.objects.filter(event=evening.event.pk).order_by("entrant")[:1],
    )
    assert done[0] is None
    assert done[1] in (SAVED, 409), "saved, or to be looked at once more"
    evening.holds()
