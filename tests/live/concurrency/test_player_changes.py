"""Who played is changed at one moment with everybody else who writes there: nothing half done."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import OperationalError

from tests.live.conftest import Inside
from tests.support.builders import TESTS, counts, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round, Sitting
from tournaments.publishing.publish_event import publish
from tournaments.selectors.rounds.seatings import table_seating
from tournaments.services.db import transactions
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.changed_tables import PlayerChange
from tournaments.services.hands.games import move_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.rounds import move_round
from tournaments.verification.event import verify_event

pytestmark = [pytest.mark.pg, pytest.mark.timeout(300)]

Act = Callable[[], object]
HEARTS = [2, 6, 3, 2]
TIMES = 4


def never(fault: OperationalError) -> bool:
    return False


@pytest.fixture
def project(
    live_project: Callable[..., LiveProject], migrated_pg_url: str, monkeypatch: pytest.MonkeyPatch
) -> LiveProject:
    monkeypatch.setattr(transactions, "may_repeat", never)
    return live_project(DATABASE_URL=migrated_pg_url)


class Night:
    """A round of two tables with two hands each, and what people do there at one moment."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        with inside(project):
            self.event = league(enter_the_cast().riverside)
            self.people = players(self.event.club, *(f"Player {at}" for at in range(1, 10)))

    def begin(self, number: int) -> None:
        """Seat a further round."""
        self.number = number
        with self.inside(self.project):
            for at in (0, 4):
                game = table(
                    self.event, self.people[at : at + 4], round_number=number,
                    table_number=1 + at // 4,
                )  # fmt: skip
                hand(game, 1, HEARTS, 3)
                hand(game, 2, HEARTS, 1)

    def game(self, at: int = 1) -> Game:
        games = Game.objects.select_related("event__club", "club", "snapshot", "table__round")
        return games.get(event=self.event, table__code=f"r{self.number}t{at}")

    def round(self) -> Round:
        rounds = Round.objects.select_related("event", "club")
        return rounds.get(event=self.event, number=self.number)

    def swap(self, other: str, hands: str = "keep", tag: str | None = None, at: int = 1) -> Act:
        def act() -> None:
            change_players(
                actor=TESTS, game=self.game(at), wanted=PlayerChange("swap", 1, other, hands),
                reason="Wrong seats.", now=NOW, tag=tag,
            )  # fmt: skip

        return act

    def enter(self, number: int, at: int = 1, based_on: int | None = None) -> Act:
        def act() -> None:
            record_entry(
                actor=TESTS, game=self.game(at), number=number, entry=counts(HEARTS, 2), now=NOW,
                source="host", based_on=based_on, reason="Read again." if based_on else "",
            )  # fmt: skip

        return act

    def at_once(self, *acts: Act) -> list[str]:
        """Do these at one moment; returns the codes of what was refused."""
        line = threading.Barrier(len(acts))

        def begin(act: Act) -> str:
            with self.inside(self.project):
                line.wait()
                try:
                    act()
                except Conflict as conflict:
                    return conflict.problem.code
            return ""

        with ThreadPoolExecutor(len(acts)) as pool:
            done = [one.result() for one in [pool.submit(begin, act) for act in acts]]
        return [code for code in done if code]

    def holds(self) -> None:
        """Everything adds up, and nobody sits at two tables or twice in a seat."""
        with self.inside(self.project):
            event = Event.objects.select_related("club").get(pk=self.event.pk)
            found = verify_event(event, repair=False, now=NOW, report=lambda words: None)
            assert found.found.differences == []
            sat = Sitting.objects.filter(round__event=event, round__number=self.number)
            assert sat.filter(to_hand=None).count() == 8

    def north(self, at: int = 1) -> str:
        with self.inside(self.project):
            holder = table_seating(self.event, f"r{self.number}t{at}").holder(1)
            assert holder is not None
            return holder.player_id


@pytest.fixture
def night(inside: Inside, project: LiveProject) -> Night:
    return Night(inside, project)


@pytest.mark.parametrize("hands", ["keep", "remap", "void"])
def test_beside_hosts_who_enter_and_correct_hands(night: Night, hands: str) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        acts = [night.swap("RL06", hands), night.enter(3), night.enter(3, at=2)]
        correction = night.enter(1, based_on=1)
        refused = night.at_once(*acts, correction)
        assert refused in ([], ["entry_outdated"]), refused
        assert night.north() == "RL06"
        night.holds()


def test_two_directors_one_of_whom_is_told(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        with night.inside(night.project):
            tag = table_seating(night.event, f"r{number}t1").tag
        refused = night.at_once(night.swap("RL02", tag=tag), night.swap("RL03", tag=tag))
        assert refused == ["seating_outdated"]
        assert night.north() in ("RL02", "RL03")
        night.holds()


def test_swaps_between_two_tables_both_ways_wait_in_no_ring(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        assert night.at_once(night.swap("RL06"), night.swap("RL03", at=2)) == []
        night.holds()


def test_beside_closing_of_tables_round_and_a_publication(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)

        def close_table() -> None:
            move_game(actor=TESTS, game=night.game(), to="complete", now=NOW)

        def close_round() -> None:
            close_tables(actor=TESTS, round_=night.round(), now=NOW)
            move_round(actor=TESTS, round_=night.round(), to="closed", now=NOW)

        def publication() -> None:
            publish(night.event.pk, now=NOW)

        refused = night.at_once(night.swap("RL06"), close_table, close_round, publication)
        assert set(refused) <= {"state_not_allowed", "round_is_closed"}, refused
        assert night.north() == "RL06"
        night.holds()


def test_beside_an_import_of_that_round(night: Night, tmp_path: Path) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        path = tmp_path / f"{number}.csv"
        path.write_text(_sheet(number, ["RL01", "RL02", "RL03", "RL04"]))

        def bring(path: Path = path) -> None:
            imported(path)

        assert night.at_once(night.swap("RL06"), bring) == []
        night.holds()
        with night.inside(night.project):
            # Either the hand came first, or its player does not sit there any more.
            assert Hand.objects.filter(game=night.game(), number=50).count() in (0, 1)


def _sheet(number: int, people: Sequence[str]) -> str:
    rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
    rows += [
        f"2025-11-06,{number},1,50,{'NESW'[seat]},{one},{HEARTS[seat]},{int(seat == 3)}"
        for seat, one in enumerate(people)
    ]
    return "\n".join(rows)
