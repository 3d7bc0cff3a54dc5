"""A walk-over is recorded or undone while others write at its table: nobody is lost or twice."""

import pytest
from django.db.models import Model, QuerySet

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within, get_game
from tests.support.scenarios.cuts import NAMES
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.stages import get_stage
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import change_stage
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over

pytestmark = pytest.mark.pg

TURNS = short_or_long(2, 20)
ALL = ["RL01", "RL02", "RL03", "RL04"]


class Cup:
    """A knock-out with a round that is posted, in a project of its own; each turn has another."""

    def __init__(self, within: Within) -> None:
        self.within, self.number = within, 0
        with within():
            club = enter_the_cast().riverside
            self.people = players(club, *NAMES)
            self.event: Event = league(club)
            fields = {"movement": "knockout", "name": "Cup"}
            change_stage(by_tests(), get_stage(self.event, 1), fields=fields)

    def begin(self, *given_up: str) -> None:
        """Seat and post a round; these have given up their table already."""
        self.number += 1
        with self.within():
            for at in (1, 2):
                seated = self.people[4 * at - 4 : 4 * at]
                table(self.event, seated, round_number=self.number, table_number=at)
        for code in given_up:
            with self.within():
                self.walk_over(code)()

    def game(self) -> Game:
        return get_game(table__code=f"r{self.number}t1")

    def walk_over(self, code: str) -> Action:
        return lambda: record_walk_over(
            by_tests(), self.game(), entrant=code, reason="Did not come."
        )

    def undo(self, code: str) -> Action:
        return lambda: undo_walk_over(by_tests(), self.game(), entrant=code, reason="Came.")

    def move(self, to: str) -> Action:
        def action() -> None:
            round_ = Round.objects.select_related("event__club", "club", "meeting").get(
                number=self.number
            )
            move_round(by_tests(), round_, to=to)

        return action

    def enter(self) -> None:
        hand(self.game(), 1, [1, 3, 5, 4], 3)

    def mine(self, model: type[Model]) -> QuerySet[Model]:
        return model._default_manager.filter(round__number=self.number)

    def table(self) -> tuple[str, list[str], list[str]]:
        """The state of the table, who sits there, and who gave it up; nobody is in two places."""
        with self.within():
            sitting = Sitting.objects.filter(seat__table=self.game().table, to_hand__isnull=True)
            seated = sorted(sitting.values_list("player__player_id", flat=True))
            out = sorted(self.mine(SitOut).values_list("entrant__code", flat=True))
            assert sorted(seated + out) == ALL
            gone = sorted(self.mine(WalkOver).values_list("entrant__code", flat=True))
            return self.game().state, seated, gone


@pytest.fixture
def cup(within: Within) -> Cup:
    return Cup(within)


def test_host_posts_a_hand_of_four(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin()
        refused = cup.within.at_once(cup.walk_over("RL02"), cup.enter)
        state, seated, gone = cup.table()
        assert gone == ["RL02"]
        with cup.within():
            scored = Contribution.objects.filter(game=cup.game())
            assert Hand.objects.filter(game=cup.game()).count() == (0 if refused else 1)
            assert scored.count() == (0 if refused else 4)
        if refused:
            assert (state, seated) == ("seated", ["RL01", "RL03", "RL04"]), refused
        else:
            assert (state, seated) == ("abandoned", ALL)


def test_one_entrant_gives_up_once(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin()
        actions = [cup.walk_over("RL02")] * 2
        assert cup.within.at_once(*actions) == ["walk_over_recorded"]
        assert cup.table() == ("seated", ["RL01", "RL03", "RL04"], ["RL02"])


def test_two_give_up_and_the_other_two_go_on(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin()
        assert cup.within.at_once(cup.walk_over("RL02"), cup.walk_over("RL03")) == []
        state, seated, gone = cup.table()
        assert (state, len(seated), gone) == ("abandoned", 3, ["RL02", "RL03"])


def test_last_two_give_up_and_one_of_them_goes_on(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin("RL02", "RL03")
        refused = cup.within.at_once(cup.walk_over("RL01"), cup.walk_over("RL04"))
        assert refused == ["nobody_goes_on"]
        assert len(cup.table()[2]) == 3


def test_round_is_closed_for_the_next_one(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin("RL01", "RL02")
        with cup.within():
            Game.objects.filter(table__code=f"r{cup.number}t2").update(state="complete")
        refused = cup.within.at_once(cup.walk_over("RL03"), cup.move("closed"))
        assert refused in ([], ["round_is_closed"]), refused
        with cup.within():
            lines = AuditLine.objects.order_by("-number").values_list("act", flat=True)
            assert lines[0] == "move_round", "no walk-over is recorded in a round that is closed"
        gone = ["RL01", "RL02"] if refused else ["RL01", "RL02", "RL03"]
        assert cup.table()[2] == gone


def test_walk_over_is_undone_once(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin("RL02")
        assert cup.within.at_once(cup.undo("RL02"), cup.undo("RL02")) == ["no_walk_over"]
        assert cup.table() == ("seated", ALL, [])


def test_one_comes_and_another_gives_up(cup: Cup) -> None:
    for _ in range(TURNS):
        cup.begin("RL02")
        assert cup.within.at_once(cup.undo("RL02"), cup.walk_over("RL03")) == []
        assert cup.table() == ("seated", ["RL01", "RL02", "RL04"], ["RL03"])
