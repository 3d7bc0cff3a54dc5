"""Changes of a seated round: nobody seated twice or nowhere, and the fewest people moved."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.seating.arrangements import Arrangement, SeatingLimits, Way, swapped, way_from
from scoring.seating.changes import (
    MOST_COMPARED,
    Comparisons,
    least_disturbing,
    table_to_form,
    ways_to_close,
    ways_to_move,
    ways_to_release,
    ways_to_seat,
)
from scoring.seating.group_changes import RoundOfSides

SIZES = st.sampled_from([(4,), (4, 3), (4, 5), (4, 3, 5), (3, 4, 5, 6)])


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Arrangement, SeatingLimits]:
    """Two tables with up to two people who wait, and pairs who met or stay apart."""
    sizes = draw(SIZES)
    counts = [draw(st.sampled_from(sizes)) for _ in range(2)]
    people = iter(range(1, 99))
    tables = tuple(tuple(next(people) for _ in range(count)) for count in counts)
    waiting = tuple(next(people) for _ in range(draw(st.integers(0, 2))))
    everybody = [*tables[0], *tables[1], *waiting]
    pairs = st.frozensets(st.sampled_from(everybody), min_size=2, max_size=2)
    apart = draw(st.frozensets(pairs, max_size=2))
    apart = frozenset(pair for pair in apart if not any(pair <= set(table) for table in tables))
    met = draw(st.frozensets(pairs, max_size=6))
    return Arrangement(tables, waiting), SeatingLimits(sizes, apart=apart, met=met)


def holds(way: Way, people: set[int], limits: SeatingLimits) -> None:
    """Everybody has exactly one place, tables have allowed sizes, nobody sits against a rule."""
    assert Counter(way.after.people) == Counter(people)
    assert {len(table) for table in way.after.tables} <= {0, *limits.sizes}
    for pair in limits.apart:
        assert not any(pair <= set(table) for table in way.after.tables)


def fewest_moved(before: Arrangement, sizes: tuple[int, ...]) -> int:
    """The fewest people who lose their table in any seating with allowed sizes, tried one by one:
    what counts is how many stay at each table, and whether the others fill what is left."""
    fewest = len(before.people)
    stays = [range(len(table) + 1) for table in before.tables]
    for stay in product(*stays):
        moved = sum(len(table) for table in before.tables) - sum(stay)
        free = moved + len(before.waiting)
        for counts in product((0, *sizes), repeat=len(stay)):
            missing = [count - there for count, there in zip(counts, stay, strict=True)]
            if min(missing) >= 0 and sum(missing) <= free:
                fewest = min(fewest, moved)
    return fewest


@given(rounds(), st.data())
def test_somebody_leaves(round_: tuple[Arrangement, SeatingLimits], data: st.DataObject) -> None:
    before, limits = round_
    player = data.draw(st.sampled_from(before.people))
    ways = ways_to_release(before, player, limits)
    people = set(before.people) - {player}
    for way in ways:
        holds(way, people, limits)
    assert list(ways) == sorted(ways, key=lambda way: way.cost)
    rest = Arrangement(
        tuple(tuple(one for one in table if one != player) for table in before.tables),
        tuple(one for one in before.waiting if one != player),
    )
    if not limits.apart:
        assert len(ways[0].moved) == fewest_moved(rest, limits.sizes)


@given(rounds())
def test_somebody_comes(round_: tuple[Arrangement, SeatingLimits]) -> None:
    before, limits = round_
    ways = ways_to_seat(before, 100, limits)
    for way in ways:
        holds(way, {*before.people, 100}, limits)
    assert ways[0].moved == ()
    may_grow = [table for table in before.tables if len(table) + 1 in limits.sizes]
    if may_grow:
        assert 100 not in ways[0].after.waiting


@given(rounds(), st.integers(0, 1))
def test_table_closes(round_: tuple[Arrangement, SeatingLimits], table: int) -> None:
    before, limits = round_
    for way in ways_to_close(before, table, limits):
        holds(way, set(before.people), limits)
        assert way.after.tables[table] == ()


@given(rounds(), st.data())
def test_somebody_moves(round_: tuple[Arrangement, SeatingLimits], data: st.DataObject) -> None:
    before, limits = round_
    for way in ways_to_move(before, data.draw(st.sampled_from(before.people)), limits):
        holds(way, set(before.people), limits)


@given(rounds(), st.data())
def test_several_leave_and_come(
    round_: tuple[Arrangement, SeatingLimits], data: st.DataObject
) -> None:
    before, limits = round_
    leaving = data.draw(st.lists(st.sampled_from(before.people), unique=True, max_size=3))
    after = least_disturbing(before, leaving, [100, 101], limits)
    holds(Way(after, (), ()), {*before.people, 100, 101} - set(leaving), limits)


def test_walk_in_sits_at_the_table_of_three_without_a_repeat_first() -> None:
    before = Arrangement(((1, 2, 3), (4, 5, 6), (7, 8, 9, 10)))
    limits = SeatingLimits((4, 3), met=frozenset({frozenset({11, 1})}))
    ways = ways_to_seat(before, 11, limits)
    assert [way.after.tables[:2] for way in ways[:2]] == [
        ((1, 2, 3), (4, 5, 6, 11)),
        ((1, 2, 3, 11), (4, 5, 6)),
    ]
    assert ways[1].repeats == ((1, 11),)
    assert ways[2].after.waiting == (11,)


def test_person_fixed_at_a_table_and_partners_stay() -> None:
    before = Arrangement(((1, 2, 3, 4), (5, 6, 7, 8)))
    limits = SeatingLimits(
        (4,), fixed={5: 1}, together=frozenset({frozenset({6, 7})}), locked=frozenset({1})
    )
    for way in ways_to_release(before, 1, limits):
        assert way.after.tables[1] == (5, 6, 7, 8)


def test_swap_names_who_meets_again() -> None:
    before = Arrangement(((1, 2, 3), (4, 5, 6)))
    limits = SeatingLimits((3,), met=frozenset({frozenset({1, 6}), frozenset({2, 3})}))
    way = way_from(before, swapped(before, 3, 6), limits)
    assert (way.moved, way.repeats) == ((3, 6), ((1, 6),))


def crowd(tables: int, size: int, waiting: int) -> Arrangement:
    people = iter(range(1, tables * size + waiting + 1))
    return Arrangement(
        tuple(tuple(next(people) for _ in range(size)) for _ in range(tables)), tuple(people)
    )


LARGE_TABLES = SeatingLimits(tuple(range(3, 12)))


@pytest.mark.parametrize("before", [crowd(1, 4, 60), crowd(60, 8, 2)])
def test_crowd_costs_a_bounded_number_of_choices(before: Arrangement) -> None:
    player, waiting = before.tables[0][0], before.waiting[0]
    for search in (
        lambda tried: ways_to_seat(before, waiting, LARGE_TABLES, tried),
        lambda tried: ways_to_release(before, player, LARGE_TABLES, tried),
        lambda tried: ways_to_close(before, 0, LARGE_TABLES, tried),
        lambda tried: ways_to_move(before, player, LARGE_TABLES, tried),
        lambda tried: table_to_form(before, LARGE_TABLES, tried),
        lambda tried: least_disturbing(
            before, before.tables[0], range(9_000, 9_020), LARGE_TABLES, tried
        ),
    ):
        tried = Comparisons()
        search(tried)
        assert tried.compared <= MOST_COMPARED


def test_new_table_of_a_crowd_compares_one_choice_a_size_and_says_so() -> None:
    tried = Comparisons()
    assert ways_to_seat(crowd(1, 4, 60), 5, LARGE_TABLES, tried)[0].after.tables[1][0] == 5
    assert (tried.compared, tried.cut) == (10, True)
    alone = Comparisons()
    ways_to_seat(crowd(1, 4, 1), 5, LARGE_TABLES, alone)
    assert not alone.cut


def test_forbidden_table_of_a_crowd_is_searched_in_part() -> None:
    before = crowd(1, 4, 60)
    apart = frozenset(frozenset({5, other}) for other in before.waiting[1:])
    tried = Comparisons()
    assert table_to_form(before, SeatingLimits((4,), apart=apart), tried) == ()
    assert (tried.compared, tried.cut) == (400, True)


def test_closing_a_table_compares_no_more_than_is_left() -> None:
    before = Arrangement(((1, 2, 3), (4, 5, 6), (7, 8, 9)))
    tried = Comparisons()
    ways_to_close(before, 2, SeatingLimits((4, 3)), tried)
    assert tried.compared > 0
    none_left = Comparisons(most=0)
    ways_to_close(before, 2, SeatingLimits((4, 3)), none_left)
    assert none_left.cut


def test_table_can_be_closed_when_nothing_more_may_be_compared() -> None:
    before = crowd(2, 4, 3)
    (way,) = ways_to_release(before, 1, SeatingLimits((4,)), Comparisons(most=0))
    assert way.after == Arrangement(((), (5, 6, 7, 8)), (9, 10, 11, 2, 3, 4))


def test_pairs_with_players_who_stay_apart_share_no_table_after_a_change() -> None:
    sides = ((0, 2), (1, 3))
    before = Arrangement(((1, 3, 2, 4), (5, 7, 6, 8)), (9, 10))
    round_ = RoundOfSides(before, sides, [(9, 10)])
    apart = frozenset({frozenset({3, 10})})
    for limits, n_ways in ((SeatingLimits((4,)), 1), (SeatingLimits((4,), apart=apart), 0)):
        of_units = round_.limits(limits)
        ways = ways_to_release(round_.arrangement, round_.unit_of[1], of_units)
        seated = [way for way in ways if way.after.tables[0] == (4, 1)]
        assert len(seated) == n_ways
