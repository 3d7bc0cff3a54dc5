"""Table sizes: the policies of docs/algorithms/seating.md, for every head-count."""

import pytest

from scoring.rules.catalogue import catalogue
from scoring.seating.brackets import size_choices, sizes_of_rules, table_sizes
from scoring.seating.cost import least_pair_cost

HEAD_COUNTS = range(1, 401)


def test_threes_seat_every_head_count_from_six_and_three_and_four() -> None:
    for players in HEAD_COUNTS:
        found = table_sizes(players, (4, 3))
        if players < 3:
            assert found is None
        elif players != 5:
            short = -players % 4
            assert found is not None
            assert (found.tables.count(3), found.sit_outs) == (short, 0)
            assert found.tables.count(4) == (players - 3 * short) // 4


def test_fives_need_as_many_fours_as_are_left_over() -> None:
    choices = {
        players: [policy for policy, *_ in size_choices(players, (4, 5))]
        for players in range(4, 30)
    }
    assert [players for players, found in choices.items() if "fives" not in found] == [6, 7, 11]


def test_byes_leave_out_what_four_does_not_divide() -> None:
    found = {players: table_sizes(players, (4,)) for players in range(4, 401)}
    assert all(one and one.sit_outs == players % 4 for players, one in found.items())


@pytest.mark.parametrize(
    ("variant", "sizes"),
    [
        ("hearts", (4, 3, 5, 6)),
        ("cancellation-hearts", (5, 6, 7, 8, 9, 10, 11)),
        ("partnership-hearts-pooled", (4,)),
        ("huse-hearts-two", (2,)),
        ("pinochle-two-hand", (2,)),
    ],
)
def test_sizes_come_from_the_data_of_the_variant(variant: str, sizes: tuple[int, ...]) -> None:
    assert sizes_of_rules(catalogue().rules(variant)) == sizes


def test_one_cancellation_table_seats_all_up_to_eleven() -> None:
    sizes = sizes_of_rules(catalogue().rules("cancellation-hearts"))
    one_table = [
        n for n in range(3, 30) if (found := table_sizes(n, sizes)) and found.tables == (n,)
    ]
    assert one_table == [5, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(
    ("players", "rounds", "bound"), [(16, 6, 24), (16, 8, 72), (20, 8, 50), (12, 8, 90)]
)
def test_lower_bound_of_the_worked_examples(players: int, rounds: int, bound: int) -> None:
    assert least_pair_cost(players, [4] * (players // 4 * rounds)) == bound
