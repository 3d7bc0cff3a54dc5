"""A worked league by evening points, counted by hand: three evenings of one round each.

A table gives 5-3-2-1; an evening is ranked by place points, then by tables won.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import pytest

from scoring.standings.counting import (
    Facts,
    Scheme,
    dropped,
    evening_values,
    kept,
    opening_worth,
    refusals,
)
from scoring.standings.evenings import (
    ExcuseRule,
    PlacedEvening,
    count_evenings,
    evening_results,
    periods_of,
    points_of_places,
    worth_of_evening,
)
from scoring.standings.rank import Standing, ranked_tiers, standings
from scoring.standings.rows import EveningWorth, GameResult, InMemory, Row, Worth
from tests.support.scoring.worked_league import played_by, result

DAYS = ("2026-01-08", "2026-01-15", "2026-01-22")

# The place points of each table, by card points: the smaller the better.
TABLES: Mapping[tuple[int, int], Mapping[str, int]] = {
    (1, 1): {"A": 10, "B": 20, "C": 30, "D": 40},
    (1, 2): {"E": 10, "F": 20, "G": 20, "H": 40},
    (2, 1): {"C": 10, "D": 20, "B": 30, "A": 40},
    (2, 2): {"F": 10, "E": 20, "G": 30, "Z": 40},
    (3, 1): {"E": 10, "D": 20, "C": 30, "B": 40},
    (3, 2): {"Z": 10, "F": 20, "H": 30, "G": 40},
}
GAMES = [replace(result(key, totals), meeting=DAYS[key[0] - 1]) for key, totals in TABLES.items()]
LIST = (10, 8, 6, 5, 4, 3, 2, 1)
LOWEST = ExcuseRule("lowest")


def tiers_of(day: str) -> list[list[str]]:
    games = [game for game in GAMES if game.meeting == day]
    codes = sorted({code for game in games for code in game.chairs})
    rows = [Row(kept(code, played_by(code, games))) for code in codes]
    placed = standings(
        rows, primary="placement_points", tie_breaks=["wins"], evidence=InMemory(games)
    )
    return ranked_tiers(placed)


def worth(points: int, place: int) -> Worth:
    return worth_of_evening(EveningWorth(Fraction(points), place))


def season(
    points: Sequence[int] = (),
    *,
    best: int = 0,
    guests: frozenset[str] = frozenset(),
    excused: Mapping[str, Sequence[str]] = MappingProxyType({}),
    excuse: ExcuseRule = LOWEST,
    tie_breaks: Sequence[str] = (),
    min_games: int = 0,
) -> tuple[Standing, ...]:
    placed = [
        PlacedEvening(day, number, tiers_of(day), excused=excused.get(day, ()))
        for number, day in enumerate(DAYS, 1)
    ]
    evenings = evening_results(placed, points, guests=guests, excuse=excuse)
    every: list[GameResult] = [*GAMES, *evenings]
    best_of = {"unit": "meeting", "min": best, "per": 1} if best else None
    rows = []
    for code in sorted({code for game in every for code in game.chairs}):
        played = played_by(code, every)
        without = dropped(played, primary="evening_points", best_of=best_of)
        counted = kept(code, played, without) if best_of else None
        rows.append(Row(kept(code, played), counted, left_out=without))
    return standings(
        [row for row in rows if row.code not in guests],
        primary="evening_points",
        tie_breaks=tie_breaks,
        min_games=min_games,
        min_unit="meeting",
        evidence=InMemory(GAMES),
    )


def values(table: Sequence[Standing]) -> list[tuple[int | None, str, str]]:
    return [(row.rank, row.sums.code, str(row.value)) for row in table]


def test_who_ties_in_an_evening_shares_the_points_of_the_places() -> None:
    assert tiers_of(DAYS[0]) == [["A", "E"], ["B"], ["F", "G"], ["C"], ["D", "H"]]
    points = points_of_places(tiers_of(DAYS[0]))
    assert {code: str(value) for code, value in points.items()} == {
        "A": "15/2", "E": "15/2", "B": "6", "F": "9/2", "G": "9/2", "C": "3", "D": "3/2",
        "H": "3/2",
    }  # fmt: skip


def test_three_evenings_make_the_season() -> None:
    assert values(season()) == [
        (1, "E", "41/2"),
        (2, "F", "35/2"),
        (3, "C", "14"),
        (4, "D", "25/2"),
        (5, "B", "11"),
        (6, "G", "19/2"),
        (7, "A", "9"),
        (7, "Z", "9"),
        (9, "H", "5"),
    ]


def test_the_best_two_evenings_count_and_a_guest_takes_no_points() -> None:
    # The lowest of evening 3 is 2.5: B and G share 3 and 2.
    table = season(LIST, best=2, guests=frozenset({"Z"}), excused={DAYS[2]: ["A"]})
    assert values(table) == [
        (1, "E", "19"),
        (2, "F", "16"),
        (3, "C", "27/2"),
        (4, "D", "25/2"),
        (5, "A", "23/2"),
        (6, "B", "19/2"),
        (7, "G", "8"),
        (8, "H", "6"),
    ]
    (ada,) = (row for row in table if row.sums.code == "A")
    # Her second evening is left out, with its game; the excused one counts and was not played.
    assert ada.row.left_out == {(2, 0), (2, 1)}
    assert (ada.row.shown.games, ada.row.shown.evenings) == (1, 1)


def test_of_equal_evenings_the_later_is_left_out() -> None:
    values = dict.fromkeys(DAYS, Fraction(4))
    counted = count_evenings(values, best_of={"unit": "meeting", "min": 2, "per": 1})
    assert counted.left_out == {DAYS[2]}


def test_of_equal_periods_the_later_is_left_out_with_all_its_evenings() -> None:
    values = dict.fromkeys((*DAYS, "2026-01-29"), Fraction(4))
    periods = periods_of(values, 2)
    counted = count_evenings(values, periods=periods, best_periods=1)
    assert counted.left_out == {DAYS[2], "2026-01-29"}
    assert [(period.number, period.counts) for period in counted.periods] == [(1, True), (2, False)]


def test_the_last_period_is_complete_only_with_all_its_evenings() -> None:
    assert [period.is_complete for period in periods_of(DAYS, 2)] == [True, False]
    assert [period.is_complete for period in periods_of(DAYS, 3)] == [True]


def test_a_game_without_a_date_is_of_no_evening_and_stays() -> None:
    undated = result((4, 1), {"A": 1, "B": 2, "C": 3, "D": 4})
    placed = [PlacedEvening(day, number, tiers_of(day)) for number, day in enumerate(DAYS, 1)]
    evenings = evening_results(placed)
    played = played_by("B", [*GAMES, *evenings, undated])
    best_of = {"unit": "meeting", "min": 1, "per": 1}
    left_out = dropped(played, primary="evening_points", best_of=best_of)
    assert left_out == {(2, 0), (2, 1), (3, 0), (3, 1)}
    assert evening_values(played) == {DAYS[0]: 6, DAYS[1]: Fraction(7, 2), DAYS[2]: Fraction(3, 2)}


def test_evenings_won_and_then_second_places_break_ties() -> None:
    # Ada shared the first place of evening 1 as Zoë did that of evening 3; so they stay tied.
    assert [row.rank for row in season(tie_breaks=["evenings"]) if row.sums.code in "AZ"] == [7, 7]
    # Of 9 points each, who won an evening is before who was second twice.
    table = standings(
        [
            Row(kept("X", [((1, 0), DAYS[0], worth(5, 2)), ((2, 0), DAYS[1], worth(4, 2))])),
            Row(kept("Y", [((1, 0), DAYS[0], worth(6, 1)), ((2, 0), DAYS[1], worth(3, 3))])),
            Row(kept("W", [((1, 0), DAYS[0], worth(6, 1)), ((2, 0), DAYS[1], worth(3, 2))])),
        ],
        primary="evening_points",
        tie_breaks=["evenings"],
    )
    assert [(row.rank, row.sums.code) for row in table] == [(1, "W"), (2, "Y"), (3, "X")]
    assert table[1].values["evenings"] == "1-0"


def test_a_minimum_of_evenings_counts_those_played_and_no_excused_one() -> None:
    excused = {DAYS[2]: ["A"]}
    ranked = {row.sums.code: row.rank for row in season(excused=excused, min_games=3)}
    assert [code for code, rank in ranked.items() if rank is None] == ["A", "Z", "H"]
    assert None not in {row.rank for row in season(excused=excused, min_games=2)}


# With 10-8-6-2 Ada has 6 and 10 of two evenings; the last place of the third one gives 2.
FOURS = (10, 8, 6, 2)
THREE = (
    PlacedEvening(DAYS[0], 1, [["B"], ["C"], ["A"], ["D"]]),
    PlacedEvening(DAYS[1], 2, [["A"], ["B"], ["C"], ["D"]]),
    PlacedEvening(DAYS[2], 3, [["B"], ["C"], ["D"], ["E"]], excused=["A"]),
)


def total_of(code: str, evenings: Sequence[PlacedEvening], rule: ExcuseRule) -> Fraction:
    results = evening_results(evenings, FOURS, excuse=rule)
    worths = [game.chairs[code].evening for game in results if code in game.chairs]
    return sum((worth.points for worth in worths if worth is not None), Fraction(0))


@pytest.mark.parametrize(
    ("rule", "total"),
    [
        (ExcuseRule(), 16),
        (ExcuseRule("lowest"), 18),
        (ExcuseRule("mean"), 24),
        (ExcuseRule("fixed", 5), 21),
        (ExcuseRule("fixed", 0), 16),
    ],
)
def test_an_excused_evening_gives_what_the_rule_says(rule: ExcuseRule, total: int) -> None:
    assert total_of("A", THREE, rule) == total
    results = evening_results(THREE, FOURS, excuse=rule)
    assert ("A" in results[2].chairs) == (rule.gives != "nothing")


def test_the_own_mean_is_over_the_evenings_played_and_changes_with_each() -> None:
    rule = ExcuseRule("mean")
    excused_twice = (*THREE, PlacedEvening("2026-01-29", 4, [["B"], ["C"]], excused=["A"]))
    # 8 for each: an excused evening is no evening played.
    assert total_of("A", excused_twice, rule) == 32
    later = (*excused_twice, PlacedEvening("2026-02-05", 5, [["B"], ["C"], ["D"], ["A"]]))
    # 6, 10 and 2 make 6 for each of the excused ones, the earlier too.
    assert total_of("A", later, rule) == 30


@pytest.mark.parametrize(("gives", "points"), [("lowest", "2"), ("fixed", "5"), ("mean", None)])
def test_an_entrant_without_an_evening_played_has_no_mean_and_the_points_of_other_rules(
    gives: str, points: str | None
) -> None:
    rule = ExcuseRule(gives, 5)
    evenings = [replace(THREE[0], excused=["X"]), THREE[1]]
    worth = evening_results(evenings, FOURS, excuse=rule)[0].chairs.get("X")
    assert (worth and worth.evening and str(worth.evening.points)) == points
    played = [*evenings, PlacedEvening(DAYS[2], 3, [["B"], ["C"], ["D"], ["X"]])]
    assert "X" in evening_results(played, FOURS, excuse=rule)[0].chairs


def test_the_lowest_points_are_shared_ones_where_the_last_places_tie() -> None:
    tied = replace(THREE[2], tiers=[["B"], ["C"], ["D", "E"]])
    assert total_of("A", (*THREE[:2], tied), ExcuseRule("lowest")) == 16 + 4


@pytest.mark.parametrize(("n_points", "lowest"), [(4, 2), (3, 0)])
def test_the_lowest_points_are_none_after_the_end_of_the_list(n_points: int, lowest: int) -> None:
    rule = ExcuseRule("lowest")
    results = evening_results(THREE, FOURS[:n_points], excuse=rule)
    award = results[2].chairs["A"].evening
    assert award == EveningWorth(Fraction(lowest), place=0, evenings=0)


def test_the_lowest_points_of_an_evening_of_guests_are_none() -> None:
    of_guests = replace(THREE[2], tiers=[["G"]])
    results = evening_results(
        (*THREE[:2], of_guests), FOURS, guests={"G"}, excuse=ExcuseRule("lowest")
    )
    worths = results[2].chairs
    assert {
        code: str(worth.evening and worth.evening.points) for code, worth in worths.items()
    } == {"A": "0", "G": "0"}


def test_whoever_plays_all_the_same_has_the_points_of_the_place() -> None:
    played = replace(THREE[2], tiers=[["A"], ["B"], ["C"], ["D"]])
    assert total_of("A", (*THREE[:2], played), ExcuseRule("fixed", 5)) == 26


def test_a_guest_is_not_excused() -> None:
    results = evening_results(THREE, FOURS, guests={"A"}, excuse=ExcuseRule("fixed", 5))
    worths = [game.chairs["A"].evening for game in results if "A" in game.chairs]
    # Two evenings played, for which a guest gets 0, and none of which they were excused.
    assert worths == [EveningWorth(Fraction(0)), EveningWorth(Fraction(0))]


def test_an_excused_evening_can_be_dropped_and_is_in_its_period() -> None:
    values = {DAYS[0]: Fraction(6), DAYS[1]: Fraction(10), DAYS[2]: Fraction(2)}
    best = {"unit": "meeting", "min": 2, "per": 1}
    assert count_evenings(values, best_of=best).left_out == {DAYS[2]}
    periods = periods_of(DAYS, 2)
    counted = count_evenings(values, periods=periods)
    assert [str(period.value) for period in counted.periods] == ["16", "2"]


@pytest.mark.parametrize(("differ", "codes"), [(False, []), (True, ["hands_differ"])])
def test_equal_hands_are_asked_of_each_evening(differ: bool, codes: list[str]) -> None:
    scheme = Scheme("evening_points", evening_ranking="raw_total")
    facts = Facts(hands_differ=True, hands_differ_in_evening=differ)
    problems = refusals(scheme, facts)
    assert [(problem.code, problem.at) for problem in problems] == [
        (code, ("evening_ranking",)) for code in codes
    ]


def test_an_opening_value_is_one_evening() -> None:
    sums = kept("A", [((0, 1), DAYS[0], opening_worth("evening_points", 8, games=3))])
    assert sums.evening_points == 8
    assert (sums.evenings, sums.games, sums.evenings_won) == (1, 3, 0)
