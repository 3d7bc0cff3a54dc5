"""The rows of an event that is ranked by evening points: each evening is one more result.

An evening is ranked by its own games, and its places give points. They come as a result without a
game (scoring/standings/evenings.py), so that best evenings, tie-breaks, earlier stages and tables
as of a round take them as they take games. See docs/decisions/0071-points-for-evenings.md.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from scoring.standings.evenings import PlacedEvening, Tiers, evening_result
from scoring.standings.rank import Standing, ranked_tiers
from scoring.standings.rows import GameResult, InMemory, Key, Row
from tournaments.domain.event_settings import Settings, counts_matches, settings_of_evening
from tournaments.models.events import Event
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.entrant_rows import (
    BoardMeans,
    EntrantInputs,
    MatchPoints,
    rows_from,
    stored_rows,
)
from tournaments.services.publishing.ranking import answerable, order_rows
from tournaments.services.publishing.tie_break_evidence import every_game

Mark: TypeAlias = tuple[str, tuple[Key, ...]]
"""What tells one state of an evening from another within a run: its day, and its games."""


class EveningRanker:
    """Ranks single evenings of an event; what they all need is read once."""

    def __init__(self, event: Event, settings: Settings, *, seed: str = "") -> None:
        self._event = event
        self._settings = settings_of_evening(settings)
        self._seed = seed or event.seed
        self._rules = rules_of(default_snapshot(event))
        self._chain = answerable(event, self._settings.tie_breaks)

    def seed_of(self, day: str) -> str:
        """Return the seed of the lots of an evening: one for all would favour one entrant."""
        return f"{self._seed}:{day}"

    def placed(
        self, day: str, games: Sequence[GameResult], inputs: EntrantInputs
    ) -> tuple[Standing, ...]:
        """Return the order of an evening with these games; `inputs` are those of the evening."""
        rows: Sequence[Row] = rows_from(
            games, self._settings, inputs, low_wins=low_wins(self._rules)
        )
        if self._compared is not None:
            rows = self._compared.with_means(rows, {game.key[0] for game in games})
        return order_rows(
            rows,
            InMemory(games),
            settings=self._settings,
            chain=self._chain,
            rules=self._rules,
            seed=self.seed_of(day),
        )

    @cached_property
    def _compared(self) -> BoardMeans | MatchPoints | None:
        if self._settings.duplicate:
            return BoardMeans(self._event)
        if not counts_matches(self._settings):
            return None
        return MatchPoints(self._event)


class EveningPoints:
    """Turns evenings into results; an evening whose games are as before is not ranked again."""

    def __init__(self, event: Event, settings: Settings, *, seed: str = "") -> None:
        self._settings = settings
        self._ranker = EveningRanker(event, settings, seed=seed)
        self._tiers: dict[Mark, Tiers] = {}

    def results(self, games: Sequence[GameResult], inputs: EntrantInputs) -> list[GameResult]:
        """Return a result for each evening of these games; a game without a date is of none."""
        results = []
        for day, of_day in sorted(games_by_day(games).items()):
            evening = PlacedEvening(
                day=day,
                last_round=max(game.key[0] for game in of_day),
                tiers=self._tiers_of(day, of_day, inputs),
            )
            results.append(evening_result(evening, self._settings.evening_points))
        return results

    def _tiers_of(self, day: str, games: Sequence[GameResult], inputs: EntrantInputs) -> Tiers:
        mark = (day, tuple(game.key for game in games))
        if mark not in self._tiers:
            placed = self._ranker.placed(day, games, inputs_of_evening(inputs, day, games))
            self._tiers[mark] = ranked_tiers(placed)
        return self._tiers[mark]


def games_by_day(games: Sequence[GameResult]) -> Mapping[str, list[GameResult]]:
    by_day: dict[str, list[GameResult]] = defaultdict(list)
    for game in games:
        if game.meeting is not None:
            by_day[game.meeting].append(game)
    return by_day


def inputs_of_evening(
    inputs: EntrantInputs, day: str, games: Sequence[GameResult]
) -> EntrantInputs:
    """Return what counts in an evening besides its games: its own byes and ledger lines."""
    numbers = {game.key[0] for game in games}
    byes: Counter[str] = Counter()
    for code, rounds in inputs.bye_rounds.items():
        n_byes = sum(1 for number in rounds if number in numbers)
        if n_byes:
            byes[code] = n_byes
    return replace(
        inputs, ledger=inputs.lines_of(day), byes=byes, carry=(), bye_rounds={}, openings={}
    )


def rows_of_games(
    event: Event,
    games: Sequence[GameResult],
    settings: Settings,
    inputs: EntrantInputs,
    *,
    low_wins: bool,
    evenings: EveningPoints | None = None,
) -> list[Row]:
    """Return a row for each entrant of these games, counted from the games themselves.

    Args:
        evenings: ranks the evenings of an event with evening points; by default a new one.
    """
    if not settings.counts_evenings:
        return rows_from(games, settings, inputs, low_wins=low_wins)
    if evenings is None:
        evenings = EveningPoints(event, settings)
    results = [*games, *evenings.results(games, inputs)]
    return rows_from(results, settings, inputs.without_evening_lines(), low_wins=low_wins)


def event_rows(event: Event, settings: Settings, inputs: EntrantInputs) -> list[Row]:
    """Return a row for each entrant of an event, as it is stored now."""
    if not settings.counts_evenings:
        return stored_rows(event, settings, inputs)
    return rows_of_games(event, every_game(event), settings, inputs, low_wins=True)
