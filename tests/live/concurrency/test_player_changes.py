"""Who played is changed at one moment with everybody else who writes there: nothing half done."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.builders import by_tests
from tests.support.cast import NOW
from tests.support.imports.imports import imported
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import Within, sheets
from tests.support.live.player_changes import HEARTS, Night, PairsNight
from tournaments.models.hands import Hand
from tournaments.selectors.rounds.tables import table_seating
from tournaments.services.hands.close_tables import close_tables, move_game
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.pg

TIMES = short_or_long(2, 20)


@pytest.fixture
def night(within: Within) -> Night:
    return Night(within)


@pytest.mark.parametrize("hands", [only_long("keep"), "remap", only_long("void")])
def test_beside_hosts_who_enter_and_correct_hands(night: Night, hands: str) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        actions = [night.swap("RL06", hands), night.enter(3), night.enter(3, at=2)]
        correction = night.enter(1, based_on=1)
        refused = night.within.at_once(*actions, correction)
        assert refused in ([], ["entry_outdated"]), refused
        assert night.north() == "RL06"
        night.holds()


def test_two_directors_one_of_whom_is_told(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        with night.within():
            tag = table_seating(night.event, f"r{number}t1")["tag"]
        refused = night.within.at_once(night.swap("RL02", tag=tag), night.swap("RL03", tag=tag))
        assert refused == ["seating_outdated"]
        assert night.north() in ("RL02", "RL03")
        night.holds()


def test_swaps_between_two_tables_both_ways_wait_in_no_ring(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        assert night.within.at_once(night.swap("RL06"), night.swap("RL03", at=2)) == []
        night.holds()


def test_beside_closing_of_tables_round_and_a_publication(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)

        def close_table() -> None:
            move_game(by_tests(), night.game(), to="complete")

        def close_round() -> None:
            close_tables(by_tests(), night.round())
            move_round(by_tests(), night.round(), to="closed")

        def publication() -> None:
            publish(night.event.pk, now=NOW)

        refused = night.within.at_once(night.swap("RL06"), close_table, close_round, publication)
        assert set(refused) <= {"state_not_allowed", "round_is_closed"}, refused
        assert night.north() == "RL06"
        night.holds()


def test_beside_an_import_of_that_round(night: Night, tmp_path: Path) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        path = tmp_path / f"{number}.csv"
        path.write_text(sheets(night.people[:4], {number: [50]}, HEARTS))
        assert night.within.at_once(night.swap("RL06"), partial(imported, path)) == []
        night.holds()
        with night.within():
            # Either the hand came first, or its player does not sit there any more.
            assert Hand.objects.filter(game=night.game(), number=50).count() in (0, 1)


@pytest.fixture
def pairs(within: Within) -> PairsNight:
    return PairsNight(within)


def test_sides_of_two_tables_swap_beside_hands_there_and_a_publication(pairs: PairsNight) -> None:
    for number in range(1, TIMES + 1):
        pairs.begin(number)

        def publication() -> None:
            assert publish(pairs.event.pk, now=NOW) is not None

        swap = pairs.move_side("swap", "RL05", "RL07")
        hands = [pairs.enter(3), pairs.enter(3, at=2)]
        assert pairs.within.at_once(swap, *hands, publication) == []
        assert pairs.north() == "RL05"
        pairs.holds()
        with pairs.within():
            assert Hand.objects.filter(game=pairs.game(), state="accepted").count() == 3


def test_two_changes_of_sides_wait_in_no_ring_and_break_no_pair(pairs: PairsNight) -> None:
    """Both tables swap with each other while a pair without a seat comes to the first one."""
    for number in range(1, TIMES + 1):
        pairs.begin(number)
        swaps = [
            pairs.move_side("swap", "RL05", "RL07"),
            pairs.move_side("swap", "RL02", "RL04", at=2),
        ]
        refused = pairs.within.at_once(*swaps, pairs.move_side("replace", "RL09", "RL10"))
        assert refused in ([], ["nobody_to_swap"]), refused
        pairs.holds()
