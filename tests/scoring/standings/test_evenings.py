"""A worked league by evening points, counted by hand: three evenings of one round each.

A table gives 5-3-2-1; an evening is ranked by place points, then by tables won.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from scoring.standings.counting import dropped, kept
from scoring.standings.evenings import (
    PlacedEvening,
    evening_result,
    points_of_places,
)
from scoring.standings.rank import Standing, ranked_tiers, standings
from scoring.standings.rows import GameResult, InMemory, Row
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
