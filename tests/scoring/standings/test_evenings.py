"""A worked league by evening points, counted by hand: three evenings of one round each.

A table gives 5-3-2-1; an evening is ranked by place points, then by tables won.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

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
    PlacedEvening,
    count_evenings,
    evening_result,
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
    awards: Mapping[str, Mapping[str, Fraction]] | None = None,
    tie_breaks: Sequence[str] = (),
    min_games: int = 0,
) -> tuple[Standing, ...]:
    evenings = []
    for number, day in enumerate(DAYS, 1):
        evening = PlacedEvening(day, number, tiers_of(day), (awards or {}).get(day))
        evenings.append(evening_result(evening, points, guests=guests))
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
    awards = {DAYS[2]: {"A": Fraction(5, 2)}}
    table = season(LIST, best=2, guests=frozenset({"Z"}), awards=awards)
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
    # Her second evening is left out, with its game; the award counts and is no evening played.
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
    evenings = [
        evening_result(PlacedEvening(day, number, tiers_of(day)))
        for number, day in enumerate(DAYS, 1)
    ]
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


def test_a_minimum_of_evenings_counts_those_played_and_no_award() -> None:
    awards = {DAYS[2]: {"A": Fraction(5, 2)}}
    ranked = {row.sums.code: row.rank for row in season(awards=awards, min_games=3)}
    assert [code for code, rank in ranked.items() if rank is None] == ["A", "Z", "H"]
    assert None not in {row.rank for row in season(awards=awards, min_games=2)}


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
