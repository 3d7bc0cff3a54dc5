"""Hands are moved to another table at one moment with everybody else who writes there."""

from functools import partial

import pytest

from tests.support.builders import by_tests, counts, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import OPERATION, Action, Within
from tests.support.live.player_changes import Night
from tournaments.models.hands import Entry, Game, Hand
from tournaments.services.boards import deal_boards
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.move_hands import move_hands
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg

TIMES = short_or_long(2, 20)


@pytest.fixture
def night(within: Within) -> Night:
    return Night(within)


def move(night: Night, source: int, target: int, act: str = "move") -> Action:
    def action() -> None:
        move_hands(
            by_tests(), night.game(source), to=night.game(target), act=act, reason="Wrong link."
        )

    return action


def standing(night: Night, at: int) -> list[int]:
    with night.within():
        hands = Hand.objects.filter(game=night.game(at)).exclude(state="void")
        return list(hands.order_by("number").values_list("number", flat=True))


def test_beside_hosts_who_save_a_hand_at_either_table(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        refused = night.within.at_once(move(night, 2, 1), night.enter(3), night.enter(3, at=2))
        assert refused in ([], ["hand_exists"]), refused
        with night.within():
            entries = Entry.objects.filter(hand__game__table__round__number=number)
            hands = Hand.objects.filter(game__table__round__number=number).exclude(state="void")
            assert hands.count() == 6 - len(refused)
            assert entries.count() >= 8 - len(refused)
        night.holds()


def test_moves_both_ways_and_exchanges_wait_in_no_ring(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)
        acts = [move(night, 2, 1, "exchange"), move(night, 1, 2, "exchange")]
        assert night.within.at_once(*acts) == []
        assert (standing(night, 1), standing(night, 2)) == ([1, 2], [1, 2])
        night.holds()
        refused = night.within.at_once(move(night, 2, 1), move(night, 1, 2))
        assert refused == []
        assert len(standing(night, 1) + standing(night, 2)) == 4
        night.holds()


def test_beside_closing_of_a_table_and_a_publication(night: Night) -> None:
    for number in range(1, TIMES + 1):
        night.begin(number)

        def close_table() -> None:
            move_game(by_tests(), night.game(), to="complete")

        def publication() -> None:
            publish(night.event.pk, now=NOW)

        assert night.within.at_once(move(night, 2, 1), close_table, publication) == []
        assert standing(night, 1) == [1, 2, 3, 4]
        night.holds()


def test_host_who_knows_no_move_is_asked_or_was_first(night: Night) -> None:
    """The hand of a page from before goes along with the others, or is asked about."""
    for number in range(1, TIMES + 1):
        night.begin(number)

        def enter() -> None:
            record_entry(
                by_tests(),
                night.game(2),
                number=3,
                entry=counts([1, 0, 12, 0], 1),
                source="host",
                known_moves=0,
            )

        refused = night.within.at_once(move(night, 2, 1), enter)
        assert refused in ([], ["hands_moved"]), refused
        assert standing(night, 2) == []
        assert len(standing(night, 1)) == 5 - len(refused)
        night.holds()


def test_player_plays_a_board_once_though_one_is_moved_to_their_other_table(within: Within) -> None:
    with within():
        settings = {"duplicate": True, "primary": "matchpoints"}
        event = league(enter_the_cast().riverside, settings=settings)
        deal_boards(by_tests(), event, count=1)
        people = players(event.club, *(f"Player {at}" for at in range(1, 12)))
        own = table(event, people[:4])
        other = table(event, people[4:8], table_number=2)
        later = table(event, [people[0], *people[8:]], round_number=2)

    def enter(game: Game) -> None:
        record_entry(
            by_tests(), game, number=1, board=1, entry=counts([4, 1, 2, 6], 3), source="host"
        )

    with within():
        enter(other)

    def move_to_own() -> None:
        move_hands(by_tests(), other, to=own, act="move", reason="Wrong link.")

    said = within.in_between(move_to_own, OPERATION, partial(enter, later))
    assert said == ("", "board_played_by_player")
