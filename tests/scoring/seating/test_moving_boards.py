"""The movement of boards: each player meets each set once, and no pair twice."""

from itertools import combinations

import pytest

from scoring.errors import Refused
from scoring.seating.movements.moving_boards import TABLES, moving_boards, set_at, table_with


@pytest.mark.parametrize("tables", TABLES)
def test_every_player_meets_every_set_once_and_nobody_twice(tables: int) -> None:
    rounds = moving_boards(tables)
    met = {
        (player, set_at(at, number, tables))
        for number, seated in enumerate(rounds, start=1)
        for at, players in enumerate(seated, start=1)
        for player in players
    }
    assert len(rounds) == tables
    assert len(met) == 4 * tables * tables
    pairs = [pair for seated in rounds for players in seated for pair in combinations(players, 2)]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 6 * tables * tables


@pytest.mark.parametrize("tables", TABLES)
def test_players_keep_their_line_and_sit_once_in_each_round(tables: int) -> None:
    for number, seated in enumerate(moving_boards(tables), start=1):
        assert sorted(player for players in seated for player in players) == [
            *range(1, 4 * tables + 1)
        ]
        sets = [set_at(at, number, tables) for at in range(1, tables + 1)]
        assert sorted(sets) == [*range(1, tables + 1)]
        for players in seated:
            assert [(player - 1) // tables for player in players] == [0, 1, 2, 3]


@pytest.mark.parametrize("tables", TABLES)
def test_set_is_at_the_table_where_the_movement_has_it(tables: int) -> None:
    for number in range(1, tables + 1):
        at = {set_at(place, number, tables): place for place in range(1, tables + 1)}
        found = {chosen: table_with(chosen, number, tables) for chosen in range(1, tables + 1)}
        assert found == at


@pytest.mark.parametrize("tables", [1, 2, 3, 4, 6, 9, 25])
def test_other_numbers_of_tables_are_refused(tables: int) -> None:
    with pytest.raises(Refused) as refused:
        moving_boards(tables)
    assert [one.code for one in refused.value.problems] == ["no_moving_boards"]
