"""Figures of plans with partners: never below the least possible, and counted as by hand."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.seating.partnership_figures import (
    full_set,
    least_partner_repeats,
    partnership_figures,
    unit_repeats,
)

ROUNDS = st.integers(4, 13).flatmap(
    lambda n: st.lists(
        st.permutations(range(n)).map(
            lambda order: [tuple(order[at : at + 4]) for at in range(0, len(order) - 3, 4)]
        ),
        min_size=1,
        max_size=9,
    ).map(lambda rounds: (n, rounds))
)


@given(ROUNDS)
def test_no_plan_has_fewer_repeats_than_the_least_possible(
    made: tuple[int, list[list[tuple[int, ...]]]],
) -> None:
    players, rounds = made
    figures = partnership_figures(rounds)
    assert figures.partners >= least_partner_repeats(players, rounds)
    tables = sum(len(tables) for tables in rounds)
    assert figures.most_opponents <= tables
    assert figures.opponents <= 4 * tables


@given(ROUNDS)
def test_repeats_of_pairs_are_never_below_the_least_possible(
    made: tuple[int, list[list[tuple[int, ...]]]],
) -> None:
    players, _rounds = made
    units = [(at, at + 1) for at in range(0, players - 1, 2)]
    of_pairs = [
        [(a[0], b[0], a[1], b[1]) for a, b in zip(own[::2], own[1::2], strict=False)]
        for own in (sorted(units, key=lambda unit: (unit[0] * turn) % 7) for turn in range(9))
    ]
    repeats, least = unit_repeats(units, of_pairs)
    assert repeats >= least >= 0


def test_two_tables_of_one_match_are_one_meeting() -> None:
    teams = [(1, 2, 3, 4), (5, 6, 7, 8)]
    assert unit_repeats(teams, [[(1, 5, 2, 6), (7, 3, 8, 4)]]) == (0, 0)
    assert unit_repeats(teams, [[(1, 5, 2, 6), (7, 3, 8, 4)]] * 2) == (1, 1)


def test_full_sets_of_pairs_and_teams() -> None:
    assert [full_set("pairs", "all_play_all", n) for n in (8, 9)] == [7, 9]
    assert full_set("pairs", "swiss", 8) is None
    assert full_set("teams", "two_tables", 4) == 3
