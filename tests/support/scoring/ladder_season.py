"""The ladder of tests/sheets/ladder: 30 members, 200 games, one of them corrected later."""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from scoring.ladders.positions import LadderEvent, Opened, TablePlayed, tiers_of
from scoring.ladders.rating import RatedGame

SHEETS = Path(__file__).resolve().parents[2] / "sheets" / "ladder"


@dataclass(frozen=True)
class Result:
    """One game as typed: its place in the order, its day, each player's place."""

    game: str
    played_on: date
    places: dict[str, int]


@cache
def members() -> tuple[str, ...]:
    with (SHEETS / "players.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["start_position"]))
    return tuple(row["player_id"] for row in rows)


@cache
def names() -> dict[str, str]:
    with (SHEETS / "players.csv").open(encoding="utf-8", newline="") as file:
        return {row["player_id"]: row["name"] for row in csv.DictReader(file)}


@cache
def results(*, corrected: bool = True) -> tuple[Result, ...]:
    """The games in their order; a correction replaces the game it names, in its place."""
    games: dict[str, Result] = {}
    with (SHEETS / "results.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["corrects"] and not corrected:
                continue
            game = row["corrects"] or row["entry_id"]
            if row["corrects"] and len(games[game].places) == 4:
                games[game] = Result(game, games[game].played_on, {})
            found = games.setdefault(game, Result(game, date.fromisoformat(row["played_on"]), {}))
            found.places[row["player_id"]] = int(row["place"])
    return tuple(games.values())


def events(*, corrected: bool = True) -> tuple[LadderEvent, ...]:
    return (
        Opened(1, date(2025, 1, 6), members()),
        *(
            TablePlayed(number, result.played_on, tiers_of(result.places), result.game)
            for number, result in enumerate(results(corrected=corrected), 2)
        ),
    )


@cache
def season(*, corrected: bool) -> tuple[RatedGame, ...]:
    return tuple(
        RatedGame(
            (result.played_on, number, 1, result.game),
            tuple((member,) for member in result.places),
            tuple(result.places.values()),
        )
        for number, result in enumerate(results(corrected=corrected), 1)
    )


# The order that the drawn page of the ladder shows for this season, by name.
END = (
    "Vigdis Enno Ragna Zeno Frode Dagny Amos Knut Jule Gino Fenna Dina Hilde Ylva Isak Bette Milo "
    "Ulf Nele Thea Ciro Wout Eske Abel Sami Cato Orla Piet Linn Berit"
)
