"""The movement of boards: each player meets each set once, and no pair twice."""

from itertools import combinations

import pytest

from scoring.errors import Refused
from scoring.seating.movements.moving_boards import (
    TABLES,
    moving_boards,
    table_with,
)


@pytest.mark.parametrize("tables", TABLES)
def test_every_player_meets_every_set_once_and_nobody_twice(tables: int) -> None:
    rounds = moving_boards(tables)
    met = {(player, one.board_set) for each in rounds for one in each for player in one.players}
    assert len(rounds) == tables
    assert len(met) == 4 * tables * tables
    pairs = [
        pair for tables in rounds for table in tables for pair in combinations(table.players, 2)
    ]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 6 * tables * tables


@pytest.mark.parametrize("tables", TABLES)
def test_players_keep_their_line_and_sit_once_in_each_round(tables: int) -> None:
    for one in moving_boards(tables):
        assert sorted(player for table in one for player in table.players) == [
            *range(1, 4 * tables + 1)
        ]
        assert sorted(table.board_set for table in one) == [*range(1, tables + 1)]
        for table in one:
            assert [(player - 1) // tables for player in table.players] == [0, 1, 2, 3]


@pytest.mark.parametrize("tables", TABLES)
def test_set_is_at_the_table_where_the_movement_has_it(tables: int) -> None:
    for number, one in enumerate(moving_boards(tables), start=1):
        at = {table.board_set: place for place, table in enumerate(one, start=1)}
        found = {chosen: table_with(chosen, number, tables) for chosen in range(1, tables + 1)}
        assert found == at


@pytest.mark.parametrize("tables", [1, 2, 3, 4, 6, 9, 25])
def test_other_numbers_of_tables_are_refused(tables: int) -> None:
    with pytest.raises(Refused) as refused:
        moving_boards(tables)
    assert [one.code for one in refused.value.problems] == ["no_moving_boards"]
