"""Rounds of a plan are made, changed and posted at one moment: once, whole, and nobody twice."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, hand
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Attendance, Round, SitOut, Sitting
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    digest_of_way,
    seating_now,
    ways_of,
)
from tournaments.services.events.entrants import add_entrant
from tournaments.services.ladders.members import move_entrant
from tournaments.services.rounds.arrange_round import change_seating
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import change_round_game, move_round

__all__ = ["project"]

pytestmark = pytest.mark.pg

ROUNDS: list[tuple[list[tuple[int, ...]], list[int]]] = [
    ([(1, 2, 3, 4), (5, 6, 7, 8)], [9]),
    ([(9, 5, 1, 6), (2, 7, 3, 8)], [4]),
]
OUTDATED = "round_seating_outdated"
TURNS = short_or_long(2, 15)


class Night:
    """The evening in a project of its own; each turn begins without rounds."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        with inside(project):
            self.evening: PlannedEvening = planned_evening(enter_the_cast(), ROUNDS)
            self.evening.here(*range(1, 10))

    def begin(self, *, posted: bool = False) -> None:
        with self.inside(self.project):
            Round.objects.all().delete()
            made = self.evening.seat()
            if posted:
                move_round(actor=TESTS, round_=made, to="posted", now=NOW)

    def at_once(self, *acts: Callable[[], object]) -> list[str]:
        return at_once(self.inside, self.project, acts)

    def change(self, change: SeatingChange) -> Callable[[], object]:
        """The first way of a change, as it is looked at now."""
        with self.inside(self.project):
            round_ = Round.objects.select_related("event__club", "meeting", "club").get(number=1)
            now = seating_now(round_)
            way = digest_of_way(ways_of(now, change)[0])
        return lambda: change_seating(
            actor=TESTS, round_=round_, change=change, way=way, tag=now.seating.tag, now=NOW
        )

    def holds(self, number: int = 1) -> None:
        """Everybody has one place in the round: a seat, or a sit-out."""
        with self.inside(self.project):
            seating = round_seating(Round.objects.get(number=number))
            places = Counter(player for table in seating.tables for player in table.players)
            places.update(list(seating.sit_outs))
            assert set(places.values()) == {1}, places
            assert len(places) == 9


@pytest.fixture
def night(inside: Inside, project: LiveProject) -> Night:
    return Night(inside, project)


def test_next_round_is_seated_once_by_two_directors(night: Night) -> None:
    def seat() -> object:
        plan = night.evening.plan
        return make_round_of_plan(actor=TESTS, plan=plan, plan_round=1, now=NOW)

    for turn in range(1, TURNS + 1):
        with night.inside(night.project):
            Round.objects.all().delete()
        assert night.at_once(seat, seat) == []
        night.holds()
        with night.inside(night.project):
            assert Round.objects.count() == 1
            assert AuditLine.objects.filter(act="make_round_of_plan").count() == turn


def test_player_is_checked_out_before_or_after_the_round_is_made(night: Night) -> None:
    event, evening = night.evening.event, night.evening
    with night.inside(night.project):
        add_entrant(actor=TESTS, event=event, kind="player", players=evening.people[:1], now=NOW)
    move = partial(move_entrant, actor=TESTS, event=event, code="RL01", reason="Ill.", now=NOW)
    leave = partial(move, to="withdrawn", check_out=True)
    for _ in range(TURNS):
        with night.inside(night.project):
            Round.objects.all().delete()
            evening.here(1)
        refused = night.at_once(leave, evening.seat)
        assert refused in ([], ["planned_players_changed"]), refused
        with night.inside(night.project):
            assert Attendance.objects.get(player=evening.row(1)).state == "left"
            is_seated = Sitting.objects.filter(player=evening.row(1)).exists()
            assert is_seated == (not refused) == Round.objects.exists()
            move(to="active")


def test_round_is_posted_once(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()

        def post() -> object:
            return move_round(actor=TESTS, round_=Round.objects.get(), to="posted", now=NOW)

        assert night.at_once(post, post) == ["state_not_allowed"]
        night.holds()


def test_swap_and_a_first_hand_at_its_table(night: Night) -> None:
    night.begin(posted=True)
    rows = night.evening.row
    swap = night.change(SeatingChange("swap", (rows(1), rows(5))))

    def enter() -> object:
        return hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)

    refused = night.at_once(swap, enter)
    assert refused in ([], [OUTDATED], ["table_has_hands"]), refused
    night.holds()
    with night.inside(night.project):
        north = Sitting.objects.get(seat__table__code="r1t1", seat__number=1)
        assert north.player_id == (rows(1) if refused else rows(5))
        assert Hand.objects.count() == 1


def test_somebody_leaves_while_two_swap(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        rows = night.evening.row
        swap = night.change(SeatingChange("swap", (rows(2), rows(6))))
        leave = night.change(SeatingChange("leave", (rows(2),)))
        assert night.at_once(swap, leave) == [OUTDATED]
        night.holds()
        with night.inside(night.project):
            assert SitOut.objects.count() == 1


@pytest.mark.tier_long
def test_change_while_the_round_is_posted(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        rows = night.evening.row
        swap = night.change(SeatingChange("swap", (rows(1), rows(5))))

        def post() -> object:
            return move_round(actor=TESTS, round_=Round.objects.get(), to="posted", now=NOW)

        assert night.at_once(swap, post) in ([], [OUTDATED])
        night.holds()
        with night.inside(night.project):
            assert Round.objects.get().state == "posted"


def test_round_changes_its_game_before_its_first_hand_or_not_at_all(night: Night) -> None:
    def change() -> object:
        target = {"target": 61}
        return change_round_game(
            actor=TESTS, round_=Round.objects.get(), variant="hearts", options=target, now=NOW
        )

    def enter() -> object:
        return hand(Game.objects.get(table__number=1), 1, [4, 1, 2, 6], 3)

    night.begin(posted=True)
    refused = night.at_once(change, enter)
    assert refused in ([], ["table_has_hands"]), refused
    with night.inside(night.project):
        targets = {game.snapshot.options.get("target") for game in Game.objects.all()}
        assert targets == {None if refused else 61}
        assert Hand.objects.count() == 1
