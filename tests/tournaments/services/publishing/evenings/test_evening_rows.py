"""Rows of evening points against a naive count, in random leagues: from games, and from sums."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Final

import pytest

from scoring.standings.counting import kept
from scoring.standings.evenings import EXCUSES
from scoring.standings.rank import ranked_tiers, standings
from scoring.standings.rows import GameResult, Row
from tests.support.scoring.naive_evenings import (
    NaiveEvening,
    NaiveRules,
    naive_evenings_won,
    naive_league,
)
from tests.support.scoring.worked_league import played_by, result
from tournaments.domain.event_settings import Settings
from tournaments.selectors.standings.evening_places import RankedEvening, results_of
from tournaments.services.publishing.entrant_rows import EntrantInputs, NamedEntrant, rows_from
from tournaments.services.publishing.evening_points import evening_rows, with_excused

N_LEAGUES: Final = 300
NO_INPUTS: Final = EntrantInputs(names={}, ledger={}, byes={})


@dataclass(frozen=True)
class League:
    rules: NaiveRules
    evenings: Sequence[NaiveEvening]
    guests: frozenset[str]

    @property
    def settings(self) -> Settings:
        best_of = None
        if self.rules.best:
            best_of = {"unit": "meeting", "min": self.rules.best, "per": 1}
        return Settings(
            primary="evening_points",
            evening_points=tuple(self.rules.places),
            best_of=best_of,
            period_evenings=self.rules.period,
            best_periods=self.rules.best_periods,
            excused=self.rules.excuse,
            excused_points=self.rules.excuse_points,
            tie_breaks=(),
        )

    @property
    def inputs(self) -> EntrantInputs:
        guests = {code: NamedEntrant(code, code, False, is_guest=True) for code in self.guests}
        excused = {day_of(at): evening.excused for at, evening in enumerate(self.evenings)}
        return EntrantInputs(names=guests, ledger={}, byes={}, excused=excused)


def random_league(seed: int) -> League:
    chance = Random(seed)  # noqa: S311 - plays cards, keeps no secret
    people = [f"P{number:02d}" for number in range(chance.randint(6, 30))]
    guests: frozenset[str] = frozenset()
    if chance.random() < 0.5:
        guests = frozenset(chance.sample(people, 2))
    evenings = []
    for _ in range(chance.randint(3, 12)):
        here = chance.sample(people, chance.randint(4, len(people)) // 4 * 4)
        tables = []
        for _round in range(chance.randint(1, 2)):
            chance.shuffle(here)
            for first in range(0, len(here), 4):
                seated = here[first : first + 4]
                tables.append({code: chance.randint(0, 6) for code in seated})
        # Some of them play all the same, and guests are among them.
        excused = chance.sample(people, chance.randint(0, 4))
        evenings.append(NaiveEvening(tables, excused))
    return League(_random_rules(chance), evenings, guests)


def _random_rules(chance: Random) -> NaiveRules:
    rules = NaiveRules(best=chance.choice([0, 1, 2, 4, 8]))
    if chance.random() < 0.5:
        n_places = chance.randint(1, 12)
        places = sorted((chance.randint(0, 20) for _ in range(n_places)), reverse=True)
        rules = replace(rules, places=tuple(places))
    if chance.random() < 0.5:
        rules = replace(rules, period=chance.randint(2, 5), best_periods=chance.randint(0, 3))
    excuse = chance.choice(EXCUSES)
    return replace(rules, excuse=excuse, excuse_points=chance.randint(0, 9))


def day_of(number: int) -> str:
    return (date(2026, 1, 6) + timedelta(weeks=number)).isoformat()


def games_of(league: League) -> list[GameResult]:
    games = []
    for number, evening in enumerate(league.evenings):
        for at, totals in enumerate(evening.tables, 1):
            games.append(replace(result((number + 1, at), totals), meeting=day_of(number)))
    return games


def ranked_evening(day: str, games: Sequence[GameResult]) -> RankedEvening:
    n_games: dict[str, int] = defaultdict(int)
    for game in games:
        for code in game.chairs:
            n_games[code] += 1
    rows = [Row(kept(code, played_by(code, games))) for code in sorted(n_games)]
    tiers = ranked_tiers(standings(rows, primary="placement_points"))
    rounds = tuple(sorted({game.key[0] for game in games}))
    return RankedEvening(day, rounds, tiers, n_games)


def ranked_evenings(games: Sequence[GameResult]) -> list[RankedEvening]:
    days: Mapping[str, list[GameResult]] = defaultdict(list)
    for game in games:
        days[game.meeting or ""].append(game)
    return [ranked_evening(day, of_day) for day, of_day in sorted(days.items())]


def rows_by_games(league: League) -> list[Row]:
    games = games_of(league)
    evenings = [with_excused(ranked, league.inputs) for ranked in ranked_evenings(games)]
    results = results_of(evenings, league.settings, guests=league.guests)
    rows = rows_from([*games, *results], league.settings, NO_INPUTS, low_wins=True)
    return [row for row in rows if row.code not in league.guests]


def counted(rows: Sequence[Row]) -> list[tuple[int | None, str, Fraction | None]]:
    placed = standings(rows, primary="evening_points")
    return sorted((row.rank, row.sums.code, row.value) for row in placed)


@pytest.mark.parametrize("first", range(0, N_LEAGUES, 30))
def test_rows_are_those_of_a_naive_count(first: int) -> None:
    for seed in range(first, first + 30):
        league = random_league(seed)
        naive = naive_league(league.evenings, league.rules, league.guests)
        assert counted(rows_by_games(league)) == naive, seed


@pytest.mark.parametrize("seed", range(0, N_LEAGUES, 15))
def test_rows_from_sums_are_those_from_games(seed: int) -> None:
    league = random_league(seed)
    games = games_of(league)
    codes = sorted({code for game in games for code in game.chairs})
    totals = {code: kept(code, played_by(code, games)) for code in codes}
    evenings = [with_excused(ranked, league.inputs) for ranked in ranked_evenings(games)]
    every = evening_rows(totals, evenings, league.settings, league.inputs)
    assert all(row.sums.evening_points == 0 for row in every if row.code in league.guests)
    fast = [row for row in every if row.code not in league.guests]
    slow = rows_by_games(league)
    assert counted(fast) == counted(slow)
    for mine, other in zip(fast, slow, strict=True):
        assert mine.periods == other.periods
        assert mine.shown.games == other.shown.games
        assert mine.shown.evenings_won == other.shown.evenings_won
        assert mine.shown.evenings_second == other.shown.evenings_second


@pytest.mark.parametrize("first", range(0, N_LEAGUES, 30))
def test_evenings_won_that_break_ties_are_those_of_a_naive_count(first: int) -> None:
    settings = Settings(primary="placement_points", tie_breaks=("evenings",))
    for seed in range(first, first + 30):
        league = random_league(seed)
        games = games_of(league)
        results = results_of(ranked_evenings(games), settings, guests=league.guests)
        rows = rows_from([*games, *results], settings, league.inputs, low_wins=True)
        counts = {
            row.code: (row.shown.evenings_won, row.shown.evenings_second)
            for row in rows
            if not row.is_guest
        }
        assert counts == naive_evenings_won(league.evenings, league.rules, league.guests), seed
