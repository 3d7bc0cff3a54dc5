"""A round is redrawn while hosts enter hands: each hand was asked about, or finds no table."""

from collections import Counter
from collections.abc import Callable

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
from tournaments.models.meetings import Round, Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.hands.redraw_tables import redraw_tables
from tournaments.services.rounds.rounds import move_round

__all__ = ["project"]

pytestmark = pytest.mark.pg

TURNS = short_or_long(2, 20)
ROUNDS: list[tuple[list[tuple[int, ...]], list[int]]] = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9])] * (
    2 * TURNS
)
FOUR = [4, 1, 2, 6]


class Night:
    """An evening in a project of its own; each turn posts a round and enters a hand."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        self.number = 0
        with inside(project):
            self.evening: PlannedEvening = planned_evening(enter_the_cast(), ROUNDS)
            self.evening.here(*range(1, 10))

    def begin(self) -> None:
        with self.inside(self.project):
            Round.objects.update(state="closed")
            made = self.evening.seat()
            self.number = made.number
            move_round(actor=TESTS, round_=made, to="posted", now=NOW)
            self.enter(1, 1)()

    def enter(self, table: int, number: int) -> Callable[[], object]:
        code = f"r{self.number}t{table}"
        return lambda: hand(
            Game.objects.select_related("event", "table").get(table__code=code), number, FOUR, 3
        )

    def redraw(self, scope: str, hands: int = 1) -> Callable[[], object]:
        """A redraw by somebody who looked at the round as it is now."""
        with self.inside(self.project):
            rounds = Round.objects.select_related("event__club", "club", "meeting")
            round_ = rounds.get(number=self.number)
            tag = round_seating(round_).tag
        return lambda: redraw_tables(
            actor=TESTS, round_=round_, scope=scope, reason="Wrong seats.", hands=hands, tag=tag,
            now=NOW,
        )  # fmt: skip

    def at_once(self, *acts: Callable[[], object]) -> list[str]:
        return at_once(self.inside, self.project, acts)

    def holds(self, *, is_redrawn: bool) -> None:
        """Each of the eight has one open seat; what counts is what the open tables have."""
        with self.inside(self.project):
            open_ones = Sitting.objects.filter(round__number=self.number, to_hand__isnull=True)
            seats = Counter(open_ones.values_list("player_id", flat=True))
            assert set(seats.values()) == {1}
            assert len(seats) == 8
            counted = Hand.objects.filter(state="accepted")
            games = set(counted.values_list("game_id", flat=True))
            assert set(Contribution.objects.values_list("game_id", flat=True)) == games
            assert not counted.filter(game__state="abandoned").exists()
            own = f"event:league/round:{self.number}"
            acts = AuditLine.objects.filter(act="redraw_tables", subject=own)
            assert acts.count() == int(is_redrawn)


@pytest.fixture
def night(inside: Inside, project: LiveProject) -> Night:
    return Night(inside, project)


def test_another_hand_at_a_table_that_a_redraw_abandons(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        refused = night.at_once(night.redraw("all"), night.enter(1, 2))
        assert refused in (["redraw_discards_hands"], ["table_abandoned"]), refused
        night.holds(is_redrawn=refused == ["table_abandoned"])


def test_first_hand_at_a_table_that_is_redrawn(night: Night) -> None:
    for scope in ("unplayed", "all") * TURNS:
        night.begin()
        refused = night.at_once(night.redraw(scope), night.enter(2, 1))
        assert refused in ([], ["round_seating_outdated"]), refused
        night.holds(is_redrawn=not refused)


def test_two_redraws(night: Night) -> None:
    for _ in range(TURNS):
        night.begin()
        refused = night.at_once(night.redraw("all"), night.redraw("all"))
        assert refused == ["round_seating_outdated"]
        night.holds(is_redrawn=True)
