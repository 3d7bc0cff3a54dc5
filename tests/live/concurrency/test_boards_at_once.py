"""On PostgreSQL, two tables take one board at one moment: two hosts, or a host and a file.

Or a host takes a board that a director deletes.
"""

from functools import partial
from pathlib import Path

import pytest

from scoring.duplicate.deals import commitment_of
from scoring.errors import Refused
from tests.live.concurrency.test_edit_conflict import Within, game_of, together
from tests.live.concurrency.test_edit_conflict import within as within
from tests.support.builders import counts, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.lengths import short_or_long
from tournaments.errors import Conflict
from tournaments.models.deals import Board
from tournaments.models.hands import Hand
from tournaments.services.boards.deals import deal_boards, delete_deals
from tournaments.services.hands.record_entry import record_entry

pytestmark = pytest.mark.pg

BOARDS = short_or_long(3, 20)
RACES = short_or_long(3, 12)


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


def test_player_plays_a_board_once_though_a_file_is_imported_while_a_host_saves(
    within: Within, tmp_path: Path
) -> None:
    """The table of round 1 enters by a host, that of round 2 by a file; one player sits at both."""
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings={"duplicate": True, "primary": "matchpoints"})
        people = players(cast.riverside, *"ABCDEFG")
        seats = ((0, 1, 2, 3), (0, 4, 5, 6))
        for number, at_table in enumerate(seats, start=1):
            table(event, [people[at] for at in at_table], round_number=number)
        deal_boards(actor=cast.actor("dirk"), event=event, count=RACES, now=NOW)
        ids = [people[at].player_id for at in seats[1]]

    def save(board: int) -> str:
        game = game_of(1)
        number = Hand.objects.filter(game=game).count() + 1
        try:
            record_entry(
                actor=cast.actor("hanna"), game=game, number=number, now=NOW, source="host",
                entry=counts([4, 1, 2, 6], 3), board=board,
            )  # fmt: skip
        except Refused as refused:
            return refused.problems[0].code
        return "recorded"

    def load(board: int) -> str:
        number = Hand.objects.filter(game=game_of(2)).count() + 1
        rows = ["round,table,hand,board,seat,player_id,hearts,queen_spades"]
        rows += [
            f"2,1,{number},{board},{'NESW'[at]},{code},{(4, 1, 2, 6)[at]},{at // 3}"
            for at, code in enumerate(ids)
        ]
        path = tmp_path / f"board-{board}.csv"
        path.write_text("\n".join(rows))
        report = imported(path, now=NOW)
        return "recorded" if report.added else report.problems[0].code

    for board in range(1, RACES + 1):
        said = together(within, partial(save, board), partial(load, board))
        assert sorted(said) == ["board_played_by_player", "recorded"]
    with within():
        assert Hand.objects.count() == RACES
        assert Hand.objects.values("board").distinct().count() == RACES


def test_board_is_played_or_deleted_and_never_both(within: Within) -> None:
    """Each round has deals of its own: they are deleted while a host enters a hand with them."""
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings={"duplicate": True, "primary": "matchpoints"})
        people = players(cast.riverside, *"ABCD")
        dirk = cast.actor("dirk")
        for number in range(1, RACES + 1):
            table(event, people, round_number=number)
            deal_boards(actor=dirk, event=event, count=1, seed=f"seed {number}", now=NOW)

    def save(number: int) -> str:
        try:
            record_entry(
                actor=cast.actor("hanna"), game=game_of(number), number=1, now=NOW, source="host",
                entry=counts([4, 1, 2, 6], 3), board=number,
            )  # fmt: skip
        except Refused as refused:
            return refused.problems[0].code
        return "recorded"

    def delete(number: int) -> str:
        try:
            delete_deals(
                actor=dirk, event=event, commitment=commitment_of(f"seed {number}"), now=NOW
            )
        except Conflict as conflict:
            return conflict.problem.code
        return "deleted"

    for number in range(1, RACES + 1):
        said = together(within, partial(save, number), partial(delete, number))
        assert said in (["recorded", "deals_played"], ["no_such_board", "deleted"])
    with within():
        hands = Hand.objects.count()
        assert hands == Board.objects.count()
        assert not Hand.objects.filter(board=None).exists()
