"""On PostgreSQL, one player is entered at two tables with one board at one moment."""

from functools import partial

import pytest

from scoring.errors import Refused
from tests.live.concurrency.test_edit_conflict import Within, game_of, together
from tests.live.concurrency.test_edit_conflict import within as within
from tests.support.builders import counts, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tournaments.models.hands import Hand
from tournaments.services.boards.make_deals import deal_boards
from tournaments.services.hands.record_entry import record_entry

pytestmark = pytest.mark.pg

BOARDS = 20


def test_player_plays_a_board_once_though_two_tables_save_at_one_moment(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings={"duplicate": True, "primary": "matchpoints"})
        people = players(cast.riverside, *"ABCDEFG")
        for number, seats in enumerate(((0, 1, 2, 3), (0, 4, 5, 6)), start=1):
            table(event, [people[at] for at in seats], round_number=number)
        deal_boards(actor=cast.actor("dirk"), event=event, count=BOARDS, now=NOW)

    def save(round_number: int, board: int) -> str:
        game = game_of(round_number)
        number = Hand.objects.filter(game=game).count() + 1
        try:
            record_entry(
                actor=cast.actor("hanna"), game=game, number=number, now=NOW, source="host",
                entry=counts([4, 1, 2, 6], 3), board=board,
            )  # fmt: skip
        except Refused as refused:
            return refused.problems[0].code
        return "recorded"

    for board in range(1, BOARDS + 1):
        said = together(within, partial(save, 1, board), partial(save, 2, board))
        assert sorted(said) == ["board_played_by_player", "recorded"]
    with within():
        assert Hand.objects.count() == BOARDS
