"""Seats: everybody holds each seat equally often, and neighbours change."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.seating.seat_order import balanced_seats, neighbours, seats_by_sides
from scoring.seating.splitmix import SplitMix

Tables = list[tuple[int, ...]]


@st.composite
def tables_of_one_size(draw: st.DrawFn) -> Tables:
    size = draw(st.integers(2, 7))
    players = draw(st.integers(size, 20))
    rng = SplitMix(draw(st.integers(0, 1000)))
    count = draw(st.integers(1, 30))
    return [tuple(rng.shuffled(range(players))[:size]) for _ in range(count)]


@settings(max_examples=60, deadline=None)
@given(tables_of_one_size())
def test_seats_of_each_player_differ_by_one_at_most(tables: Tables) -> None:
    seated = balanced_seats(tables)
    assert [sorted(table) for table in seated] == [sorted(table) for table in tables]
    held = Counter((player, seat) for table in seated for seat, player in enumerate(table))
    for player in {player for table in tables for player in table}:
        counts = [held[player, seat] for seat in range(len(tables[0]))]
        assert max(counts) - min(counts) <= 1


def test_same_four_in_four_rounds_hold_each_seat_once_with_new_neighbours() -> None:
    seated = balanced_seats([(1, 2, 3, 4)] * 4)
    assert {tuple(sorted(seats)) for seats in zip(*seated, strict=True)} == {(1, 2, 3, 4)}
    pairs = Counter(pair for table in seated for pair in neighbours(table))
    assert sum(pairs.values()) - len(pairs) <= 4


def test_partners_sit_on_one_side_and_change_seats() -> None:
    seated = seats_by_sides([(1, 2, 3, 4)] * 4, [(1, 2), (3, 4)], ((0, 2), (1, 3)))
    assert all(abs(table.index(1) - table.index(2)) == 2 for table in seated)
    assert {table.index(1) for table in seated} == {0, 1, 2, 3}
