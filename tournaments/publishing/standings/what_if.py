"""How an event that was played would stand under other settings; nothing is stored.

By the code that ranks the real table: the games are counted again in memory under the wanted
settings, and go through `render.ranked`. Costs what there are games, so it is bounded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from scoring.place_points import share_of
from scoring.standings.explain import reason
from scoring.standings.rank import Standing
from scoring.standings.rows import GameResult, InMemory, Key, Worth
from tournaments.domain.event_settings import Settings, as_stored, settings_of
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.models.standings import Contribution
from tournaments.publishing.standings.render import rank_rows
from tournaments.publishing.standings.rows import entrant_inputs, rows_from, rows_of
from tournaments.publishing.standings.tie_break_evidence import every_game
from tournaments.selectors.standings.reason_text import sentence as named
from tournaments.services.events.data_availability import facts_of, sizes_of
from tournaments.services.events.events import default_snapshot
from tournaments.services.events.settings_validation import setting_refusals
from tournaments.services.rules.rule_sets import low_wins, rules_of

MOST: Final = 20_000
"""Results (one an entrant and game) that a trial counts at once."""

SHOWN: Final = 100
"""Rows that a trial shows."""


@dataclass(frozen=True, slots=True)
class WhatIfRow:
    """One row: its place under the wanted settings, the one it has, and what put it there."""

    code: str
    name: str
    rank: int | None
    tied: bool
    was: int | None
    reason: str

    @property
    def up(self) -> int:
        """How many places it goes up, 0 where it does not."""
        return max(0, self.was - self.rank) if self.rank and self.was else 0

    @property
    def down(self) -> int:
        """How many places it goes down, 0 where it does not."""
        return max(0, self.rank - self.was) if self.rank and self.was else 0


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What a trial found. `problems` say why the event's sheets cannot be ranked so, `results` is
    how many there are where they are too many."""

    event: Event
    rows: tuple[WhatIfRow, ...] = ()
    n_rows: int = 0
    n_moved: int = 0
    n_tied: int = 0
    problems: tuple[str, ...] = ()
    results: int = 0

    @property
    def n_more(self) -> int:
        """How many rows are not shown."""
        return self.n_rows - len(self.rows)


def standings_under(event: Event, settings: Settings) -> WhatIf:
    """Return how `event` would stand under `settings`."""
    facts = facts_of(event, min_games=settings.min_games)
    found = setting_refusals(settings, facts, seed=event.seed, changed=as_stored(settings))
    if found:
        return WhatIf(event, problems=tuple(map(sentence, found)))
    results = Contribution.objects.filter(event=event).count()
    if results > MOST:
        return WhatIf(event, results=results)
    there = entrant_inputs(event)
    before = rank_rows(event, rows_of(event, settings_of(event), there))
    games = games_under(settings, every_game(event), sizes_of(event))
    is_low = low_wins(rules_of(default_snapshot(event)))
    rows = rows_from(games, settings, there, low_wins=is_low)
    after = rank_rows(event, rows, InMemory(games), settings=settings)
    return _compared(event, after, before, {code: one.name for code, one in there.names.items()})


def _compared(
    event: Event, after: Sequence[Standing], before: Sequence[Standing], names: Mapping[str, str]
) -> WhatIf:
    was = {row.sums.code: row.rank for row in before}
    rows = [
        WhatIfRow(
            row.sums.code,
            names[row.sums.code],
            row.rank,
            row.tied,
            was.get(row.sums.code),
            _why(row, after[at - 1] if at else None, names),
        )
        for at, row in enumerate(after)
    ]
    return WhatIf(
        event,
        rows=tuple(rows[:SHOWN]),
        n_rows=len(rows),
        n_moved=sum(1 for row in rows if row.rank != row.was),
        n_tied=sum(1 for row in rows if row.tied),
    )


def _why(row: Standing, above: Standing | None, names: Mapping[str, str]) -> str:
    """What separates a row from the one above, who is named as in the standings."""
    if above is None:
        return reason(row, None)
    return named(reason(row, above), above.sums.code, names[above.sums.code])


def games_under(
    settings: Settings, games: Sequence[GameResult], sizes: Mapping[Key, int]
) -> list[GameResult]:
    """Return the games with the place points of other settings."""
    return [
        replace(
            game,
            chairs={
                code: replace(worth, place_points=_points(settings, worth, sizes.get(game.key, 0)))
                for code, worth in game.chairs.items()
            },
        )
        for game in games
    ]


def _points(settings: Settings, worth: Worth, size: int) -> Fraction | None:
    """What a finish is worth at a table of `size`; None where the settings have no list for it."""
    scheme = settings.placement.get(str(size))
    if scheme is None:
        return None
    return share_of(worth.place, worth.shared, scheme)
