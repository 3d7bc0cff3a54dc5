"""Counted results, byes and carried points; place points, par and index."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rules.catalogue import catalogue
from scoring.standings.counting import (
    BYE_AWARDS,
    CARRIES,
    CarryRule,
    Played,
    can_award,
    carry_lines,
    dropped,
    kept,
    opening_worth,
    weight,
    weighted,
)
from scoring.standings.metrics import EVENING_POINTS, FROM_GAMES, PRIMARIES
from scoring.standings.rank import required_games, standings
from scoring.standings.rows import Row, Worth, nominal_penalty, share_of
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES
from tests.support.scoring.worked_league import order, shares

FOUR = DEFAULT_SCHEMES[4]


def worth(points: int, *, place_points: int = 0, hands: int = 5) -> Worth:
    return Worth(1, 1, points, hands, Fraction(place_points), Fraction(1, 2), Fraction(0),
                 Fraction(-points), 0, 0)  # fmt: skip


def evenings(*scores: list[int]) -> list[Played]:
    """One evening a list, one game a number of placement points; raw points the reverse."""
    return [
        ((10 * evening + number, 1), f"2025-10-{evening:02}", worth(50 - score, place_points=score))
        for evening, games in enumerate(scores, 1)
        for number, score in enumerate(games, 1)
    ]


def rounds(keys: frozenset[tuple[int, int]]) -> list[int]:
    return sorted(number for number, _ in keys)


@pytest.mark.parametrize(
    ("number", "expected"), [(0, []), (1, [41]), (2, [31, 41]), (3, [11, 31, 41]), (4, []), (9, [])]
)
def test_worst_games_are_dropped_once_there_are_more(number: int, expected: list[int]) -> None:
    games = evenings([3], [5], [1], [1])
    assert rounds(dropped(games, primary="placement_points", drop_worst=number)) == expected


@pytest.mark.parametrize("primary", [key for key in PRIMARIES if key != EVENING_POINTS])
def test_order_of_the_games_never_matters(primary: str) -> None:
    games = evenings([3], [5, 5], [1], [1])
    found = dropped(games, primary=primary, drop_worst=2)
    assert len(found) == 2
    assert dropped(games[::-1], primary=primary, drop_worst=2) == found


@pytest.mark.parametrize(("primary", "low_wins", "expected"), [
    ("raw_total", True, [31]), ("raw_total", False, [21]),
    ("raw_per_hand", True, [31]), ("index_per_game", True, [31]),
    ("placement_points", False, [31]),
])  # fmt: skip
def test_worst_is_what_the_primary_says(primary: str, low_wins: bool, expected: list[int]) -> None:
    games = evenings([3], [5], [1])
    assert rounds(dropped(games, primary=primary, low_wins=low_wins, drop_worst=1)) == expected


@pytest.mark.parametrize(("played", "counted"), [(1, 1), (5, 5), (6, 6), (7, 6), (9, 7), (15, 10)])
def test_best_of_drops_one_evening_for_each_two_beyond_five(played: int, counted: int) -> None:
    games = evenings(*([5] for _ in range(played)))
    rule = {"unit": "meeting", "min": 5, "per": 2}
    assert played - len(dropped(games, primary="placement_points", best_of=rule)) == counted


def test_evening_is_dropped_whole_and_measured_whole() -> None:
    games = evenings([5, 0], [2, 2], [5, 1])
    by_evening = {"unit": "meeting", "min": 1, "per": 2}
    by_game = {"unit": "game", "min": 4, "per": 2}
    assert rounds(dropped(games, primary="placement_points", best_of=by_evening)) == [21, 22]
    assert rounds(dropped(games, primary="placement_points", best_of=by_game)) == [12]


def on(day: str | None, number: int, points: int = 5) -> Played:
    return (number, 1), day, worth(50 - points, place_points=points)


@pytest.mark.parametrize("rule", [
    {"drop_worst": 1}, {"best_of": {"unit": "game", "min": 1, "per": 2}},
    {"best_of": {"unit": "meeting", "min": 1, "per": 2}},
])  # fmt: skip
@pytest.mark.parametrize(("games", "expected"), [
    ([on("2025-10-09", 1), on("2025-10-02", 2), on("2025-10-01", 3)], 1),  # imported in reverse
    ([on("2025-10-01", 1), on("2025-10-02", 2), on("2025-10-03", 3)], 3),
    ([on("2025-10-09", 1), on("2025-10-02", 2), on("2025-10-01", 3, 4)], 3),  # worth less
    ([on("2025-10-02", 1), on(None, 2), on("2025-10-01", 3)], 2),  # follows those before it
    ([on("2025-10-02", 1), on(None, 2), on("2025-10-03", 3)], 3),
])  # fmt: skip
def test_later_by_date_is_dropped_of_games_worth_the_same(
    rule: dict[str, Any], games: list[Played], expected: int
) -> None:
    for in_any_order in (games, games[::-1]):
        assert rounds(dropped(in_any_order, primary="placement_points", **rule)) == [expected]


def test_of_one_day_the_later_round_is_dropped() -> None:
    games = [on("2025-10-02", 2), on("2025-10-02", 10), on("2025-10-02", 9)]
    assert rounds(dropped(games, primary="placement_points", drop_worst=1)) == [10]


def test_value_from_before_has_its_day_too() -> None:
    before = opening_worth("placement_points", Fraction(5), games=1)
    for day, expected in (("2025-10-02", [1]), ("2025-10-03", [1]), ("2025-10-04", [0])):
        games = [((0, 1), day, before), on("2025-10-03", 1)]
        assert rounds(dropped(games, primary="placement_points", drop_worst=1)) == expected


def test_game_without_a_meeting_is_an_evening_by_itself() -> None:
    games = [(key, None, each) for key, _, each in evenings([1, 5, 4])]
    rule = {"unit": "meeting", "min": 1, "per": 2}
    assert rounds(dropped(games, primary="placement_points", best_of=rule)) == [11]


def test_game_whose_worth_is_not_known_is_dropped_first() -> None:
    unknown = Worth(1, 1, 0, 0, None, Fraction(1), Fraction(1), None, 0, 0, uncounted=1)
    games = [*evenings([3], [5]), ((1, 1), None, unknown)]
    found = dropped(games, primary="raw_per_hand", drop_worst=1)
    assert rounds(found) == [1]
    assert PRIMARIES["raw_per_hand"].value(kept("A", games)) is None
    assert PRIMARIES["raw_per_hand"].value(kept("A", games, found)) == Fraction(92, 10)


def row(code: str, points: int, *, games: int = 2, byes: int = 0, ledger: int = 0) -> Row:
    played = [((n, 1), None, worth(0, place_points=points)) for n in range(games)]
    return Row(kept(code, played, byes=byes), ledger=Fraction(ledger))


def test_bye_is_worth_the_mean_of_the_scheme_or_of_the_entrant() -> None:
    rows = [row("A", 4, byes=1), row("B", 5), row("C", 2, byes=2)]

    def values(award: str) -> dict[str, Fraction | None]:
        found = standings(
            rows, primary="placement_points", bye_award=award, scheme_mean=Fraction(11, 4)
        )
        return {each.sums.code: each.value for each in found}

    assert values("none") == {"A": 8, "B": 10, "C": 4}
    assert values("scheme_mean") == {"A": Fraction(43, 4), "B": 10, "C": Fraction(19, 2)}
    assert values("own_mean") == {"A": 12, "B": 10, "C": 8}


@pytest.mark.parametrize(("games", "expected"), [
    (None, Fraction(23)),  # 13, and 5 twice: nobody knows of how many games the 13 are
    (0, Fraction(23)),
    (1, Fraction(27)),  # 18 in 2 games
    (4, Fraction(108, 5)),
])  # fmt: skip
def test_own_mean_leaves_out_a_value_of_an_unknown_number_of_games(
    games: int | None, expected: Fraction
) -> None:
    before = opening_worth("placement_points", Fraction(13), games=games)
    played = [((0, 1), "2025-09-01", before), on("2025-10-02", 1)]
    for byes, worth_of_byes in ((0, 0), (1, 1), (2, 2)):
        one = Row(kept("A", played, byes=byes))
        (found,) = standings([one], primary="placement_points", bye_award="own_mean")
        assert found.value == 18 + worth_of_byes * (expected - 18)


def test_value_from_before_adds_to_its_own_sum_only() -> None:
    sums = kept("A", [((0, 1), "2025-09-01", opening_worth("placement_points", Fraction(13)))])
    assert (sums.place_points, sums.points, sums.games, sums.hands) == (Fraction(13), 0, 0, 0)


def test_bye_with_nothing_of_a_known_number_is_worth_nothing() -> None:
    before = opening_worth("placement_points", Fraction(13))
    alone = Row(kept("A", [((0, 1), "2025-09-01", before)], byes=1))
    (found,) = standings([alone], primary="placement_points", bye_award="own_mean")
    assert found.value == 13


@pytest.mark.parametrize("primary", ["placement_points", "wins", "raw_total"])
def test_bye_is_never_worth_more_than_the_best_game_here(primary: str) -> None:
    before = opening_worth(primary, Fraction(900), hands=5)
    played = [((0, 1), "2025-09-01", before), on("2025-10-02", 1), on("2025-10-03", 2, 3)]
    best = max(PRIMARIES[primary].worth(each) or Fraction(0) for _, _, each in played[1:])
    values = [
        standings([Row(kept("A", played, byes=byes))], primary=primary, bye_award="own_mean")[0]
        for byes in (0, 1)
    ]
    assert (values[1].value or 0) - (values[0].value or 0) <= best


@pytest.mark.parametrize(("byes", "expected"), [(0, 3), (1, Fraction(9, 2)), (2, 6)])
def test_bye_of_a_team_is_the_mean_of_its_matches_forfeited_ones_included(
    byes: int, expected: Fraction
) -> None:
    """One match forfeited by the others, without a table, and one tied."""
    sums = replace(kept("A", [on("2025-10-02", 1)], byes=byes), match_points=Fraction(3), matches=2)
    (found,) = standings([Row(sums)], primary="match_points", bye_award="own_mean")
    assert found.value == expected


def test_half_of_what_a_stage_carries_over_halves_a_value_of_unknown_games() -> None:
    before = opening_worth("placement_points", Fraction(13))
    parts = [
        (Fraction(1, 2), kept("A", [((0, 1), "2025-09-01", before), on("2025-10-02", 1)])),
        (Fraction(1), kept("A", [on("2025-10-09", 2)], byes=1)),
    ]
    row = Row(parts[0][1], carried=weighted(parts))
    (found,) = standings([row], primary="placement_points", bye_award="own_mean")
    assert found.value == Fraction(13, 2) + Fraction(5, 2) + 5 + 5


@pytest.mark.parametrize("primary", [key for key in FROM_GAMES if PRIMARIES[key].is_mean])
def test_own_mean_leaves_a_mean_what_it_is(primary: str) -> None:
    with_bye, without = row("A", 4, byes=3), row("A", 4)
    (one,) = standings([with_bye], primary=primary, bye_award="own_mean")
    (other,) = standings([without], primary=primary)
    assert one.value == other.value is not None


@pytest.mark.parametrize("primary", PRIMARIES)
def test_scheme_mean_goes_with_placement_points_only(primary: str) -> None:
    fits = primary == "placement_points"
    assert [can_award(award, primary) for award in BYE_AWARDS] == [True, fits, True]
    if not fits:
        one = row("A", 4, byes=1)
        known = replace(
            one,
            sums=replace(
                one.sums, matchpoints=Fraction(50), datum=Fraction(0), match_points=Fraction(2)
            ),
        )
        with pytest.raises(ValueError, match="scheme_mean"):
            standings([known], primary=primary, bye_award="scheme_mean",
                      scheme_mean=Fraction(2))  # fmt: skip


def test_penalty_makes_it_worse_whichever_way_it_is_ordered() -> None:
    rows = [row("A", 5, ledger=3), row("B", 4)]
    assert order(standings(rows, primary="placement_points")) == "1 B, 2 A"
    for low_wins in (True, False):
        found = standings(
            [row("A", 5, ledger=3), row("B", 5)], primary="raw_total", low_wins=low_wins
        )
        assert order(found) == "1 B, 2 A"
        assert found[1].value == (3 if low_wins else -3)
    bonus = [row("A", 4, ledger=-3), row("B", 5)]
    assert order(standings(bonus, primary="placement_points")) == "1 A, 2 B"


def test_who_has_too_few_games_is_listed_last_in_the_same_order() -> None:
    rows = [row("A", 1), row("B", 9, games=1), row("C", 8, games=1), row("D", 2)]
    found = standings(rows, primary="placement_points", min_games=2)
    assert order(found) == "1 D, 2 A, - B, - C"
    assert [each.decided_by for each in found] == [
        None, "placement_points", None, "placement_points",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("games", "needed", "expected"),
    [
        ((6, 2, 1), 2, "1 A, 2 B, - C"),
        ((7, 2, 1), 3, "1 A, - B, - C"),  # 7 / 3 is rounded up
        ((7, 3, 1), 3, "1 A, 2 B, - C"),
        ((2, 2, 2), 1, "1 A, 2 B, 3 C"),
        ((1, 1, 1), 1, "1 A, 2 B, 3 C"),
    ],
)
def test_third_of_the_most_games_moves_with_the_player_who_has_most(
    games: tuple[int, ...], needed: int, expected: str
) -> None:
    rows = [row(code, 9 - at, games=games[at]) for at, code in enumerate("ABC")]
    found = standings(rows, primary="placement_points", min_third=True)
    assert (required_games(games, 0, third=True), order(found)) == (needed, expected)


def test_larger_of_the_number_and_the_third_is_needed_for_a_place() -> None:
    assert required_games([9], 5, third=True) == 5
    assert required_games([9], 2, third=True) == 3
    assert required_games([9], 2, third=False) == 2
    assert required_games([], 0, third=True) == 0


def test_least_number_of_games_counts_dropped_ones() -> None:
    games = evenings([3], [5])
    found = dropped(games, primary="placement_points", drop_worst=1)
    one = Row(kept("A", games), kept("A", games, found))
    assert order(standings([one], primary="placement_points", min_games=2)) == "1 A"


def test_who_has_no_known_value_is_listed_last_without_a_rank() -> None:
    unknown = Worth(1, 1, 0, 0, None, Fraction(1), Fraction(1), None, 0, 0, uncounted=1)
    rows = [Row(kept("A", [((1, 1), None, unknown)])), row("B", 1)]
    found = standings(rows, primary="raw_per_hand")
    assert (order(found), found[1].value, dict(found[1].values)) == ("1 B, - A", None, {})


ROUNDS = st.lists(st.integers(1, 9), min_size=1, max_size=9, unique=True)
POINTS = st.integers(0, 104)


def games(points: dict[int, int]) -> list[Played]:
    return [
        (
            (number, 1), None,
            Worth(1, 1, own, 4, Fraction(own), Fraction(1, 2), Fraction(1), None, 0, 0),
        )
        for number, own in points.items()
    ]  # fmt: skip


@given(st.dictionaries(st.integers(1, 9), POINTS, min_size=1), st.permutations(range(1, 10)))
def test_weights_of_one_are_the_sums_themselves(points: dict[int, int], order: list[int]) -> None:
    every = games(points)
    mixed = sorted(every, key=lambda game: order.index(game[0][0]))
    parts = [(Fraction(1), kept("a", [game])) for game in mixed]
    assert weighted(parts) == kept("a", every, byes=0)


@given(ROUNDS, st.integers(1, 9), st.sampled_from(sorted(CARRIES)))
def test_only_games_before_the_stage_count_less(played: list[int], start: int, carry: str) -> None:
    rule = CarryRule(frozenset(range(start, 10)), CARRIES[carry])
    lines = carry_lines("a", set(played), [rule])
    inside = [number for number in played if number >= start]
    if not inside:
        assert lines == ()
    for number in played:
        is_earlier = bool(inside) and number < min(inside)
        assert weight(number, lines) == (CARRIES[carry] if is_earlier else 1)


@given(ROUNDS)
def test_halves_of_two_stages_are_a_quarter(played: list[int]) -> None:
    rules = [
        CarryRule(frozenset({4, 5, 6}), Fraction(1, 2)),
        CarryRule(frozenset({7, 8, 9}), Fraction(1, 2)),
    ]
    lines = carry_lines("a", set(played), rules)
    first = [number for number in played if number <= 3]
    in_both = any(4 <= one <= 6 for one in played) and any(one >= 7 for one in played)
    for number in first:
        assert (weight(number, lines) == Fraction(1, 4)) == in_both


def test_rule_is_for_those_of_its_stage() -> None:
    rule = CarryRule(frozenset({2}), Fraction(0), frozenset({"b"}))
    assert carry_lines("a", {1, 2}, [rule]) == ()
    assert carry_lines("b", {1, 2}, [rule]) == ((2, Fraction(0)),)


def test_unknown_index_of_a_game_that_does_not_count_is_no_matter() -> None:
    unknown = kept("a", games({1: 5}))
    known = kept("a", [])
    assert unknown.index is None
    assert weighted([(Fraction(0), unknown), (Fraction(1), known)]).index == 0


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ([20, 33, 33, 44], ["5", "5/2", "5/2", "1"]),
        ([20, 20, 20, 70], ["10/3", "10/3", "10/3", "1"]),
        ([30, 30, 30, 30], ["11/4"] * 4),
        ([44, 33, 20, 33], ["1", "5/2", "5", "5/2"]),
    ],
)
def test_who_ties_shares_what_the_places_are_worth(totals: list[int], expected: list[str]) -> None:
    assert [str(points) for points in shares(totals, FOUR)] == expected


def test_game_that_names_only_a_loser_has_two_tiers() -> None:
    assert [share_of(1, 3, FOUR)] * 3 + [share_of(4, 1, FOUR)] == [Fraction(10, 3)] * 3 + [1]


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=13), st.data())
def test_table_always_gives_the_sum_of_its_list(totals: list[int], data: st.DataObject) -> None:
    size = len(totals)
    drawn = data.draw(st.lists(st.integers(0, 20), min_size=size, max_size=size))
    scheme = sorted(drawn, reverse=True)
    points = shares(totals, scheme)
    assert sum(points) == sum(scheme)
    assert points == shares([total + 7 for total in totals], scheme)


VARIANTS = sorted(catalogue().ids)


@pytest.mark.parametrize(
    ("variant", "seats", "penalty"),
    [
        ("hearts", 4, 26),
        ("omnibus-hearts", 4, 26),
        ("spot-hearts", 4, 129),
        ("cancellation-hearts", 7, 52),
        ("cancellation-hearts-3", 12, 78),
        ("hearts-multipack", 7, 52),
        ("hearts-multipack", 11, 78),
        ("gong-zhu", 4, 300),
        ("black-lady-low-hand", 4, 26),
        ("black-lady-sweepstakes", 4, 26),
        ("complex-hearts", 4, None),
    ],
)
def test_penalty_points_of_deals_omit_bonus(variant: str, seats: int, penalty: int | None) -> None:
    assert nominal_penalty(catalogue().rules(variant), seats) == penalty


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_but_those_without_an_order_has_a_par(variant: str) -> None:
    rules = catalogue().rules(variant)
    least, most = rules.keys.players
    found = [nominal_penalty(rules, seats) for seats in range(least, most + 1)]
    assert all((penalty is None) == (rules.keys.number == "complex") for penalty in found)
