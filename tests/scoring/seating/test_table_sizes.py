"""Table sizes, seats and sit-outs of a plan, and the generator that draws them."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.catalogue import catalogue
from scoring.seating.brackets import size_choices, sizes_of_rules, table_sizes
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, Presence, SeatingRequest
from scoring.seating.seat_order import balanced_seats, neighbours, seats_by_sides
from scoring.seating.sit_outs import shares
from scoring.seating.splitmix import SplitMix, stream_of
from tests.support.scoring.plan_checker import faults_of_plan

HEAD_COUNTS = range(1, 401)
Tables = list[tuple[int, ...]]
VECTORS = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)


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


def request(players: int, rounds: int, **more: object) -> SeatingRequest:
    return SeatingRequest(tuple(range(1, players + 1)), rounds, **more)  # type: ignore[arg-type]


def spreads_of(asked: SeatingRequest) -> tuple[int, int]:
    plan = plan_seats(asked)
    assert faults_of_plan(asked, plan) == ()
    assert plan.uneven == ()
    return plan.cost.sit_out_spread, plan.cost.small_table_spread


def test_earlier_rounds_count_and_late_comers_have_the_average_of_those() -> None:
    """Three rounds of 4 4 3 have nine seats at threes for eleven people: a late-comer has one."""
    first = plan_seats(request(11, 3, seed=4, moves=4000))
    later = request(13, 2, seed=4, moves=4000, history=first.rounds)
    before = shares(later, ())
    assert [before[3][player] for player in (12, 13)] == [1, 1]
    assert max(spreads_of(later)) <= 1


def test_who_comes_later_and_who_leaves_early_share_evenly() -> None:
    presence = {2: Presence(3), 5: Presence(1, 2), 9: Presence(2, 3)}
    for players, sizes in ((14, (4, 3)), (18, (4,)), (18, (4, 5))):
        asked = request(players, 4, sizes=sizes, presence=presence, seed=2, moves=4000)
        assert max(spreads_of(asked)) <= 1


def test_plan_names_who_cannot_share_evenly_and_why() -> None:
    pairs = tuple((one, one + 1) for one in range(1, 8, 2))
    asked = request(9, 3, sizes=(4,), together=pairs, seed=1, moves=400)
    plan = plan_seats(asked)
    assert plan.uneven == ((0, (9,), "together"),)
    assert faults_of_plan(asked, plan) == ()


def test_earlier_rounds_that_cannot_be_made_up_for_are_the_reason() -> None:
    before = (PlannedRound(((1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))),) * 4
    asked = request(11, 1, seed=1, history=before, moves=400)
    plan = plan_seats(asked)
    assert plan.uneven == ((3, (1, 2, 3), "history"),)
    assert not {1, 2, 3} & {player for table in plan.rounds[0].tables[2:] for player in table}
    assert faults_of_plan(asked, plan) == ()


def test_stream_has_the_numbers_of_the_reference_code() -> None:
    stream = SplitMix(1234567)
    assert tuple(stream.next64() for _ in VECTORS) == VECTORS


def test_every_order_of_three_is_drawn_about_equally_often() -> None:
    stream = SplitMix(5)
    found = Counter("".join(stream.shuffled("abc")) for _ in range(6000))
    assert len(found) == 6
    assert max(found.values()) - min(found.values()) < 250


def test_parts_of_a_plan_have_streams_of_their_own() -> None:
    assert len(set([stream_of(1, part).next64() for part in range(50)])) == 50
    assert stream_of(1, 2, 3).next64() != stream_of(1, 3, 2).next64()
