"""How an event that was played would stand under other settings; nothing is stored.

By the code that ranks and lays out the real table: the games are counted again in memory under the
wanted settings, and go through `render.draft_standings`. Costs what there are games, so it is
bounded; it locks nothing, so that hands go on being entered meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from scoring.standings.game_points import share_of
from scoring.standings.rows import GameResult, InMemory, Key, Worth
from tournaments.domain.event_settings import Settings
from tournaments.models.events import Event
from tournaments.models.standings import Contribution
from tournaments.publishing.standings.render import DraftStandings, draft_standings
from tournaments.publishing.standings.rows import entrant_inputs, rows_from
from tournaments.publishing.standings.tie_break_evidence import every_game
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.events.data_availability import sizes_of
from tournaments.services.events.events import default_snapshot

MOST: Final = 20_000
"""Results (one an entrant and game) that a trial counts at once."""


def results_in(event: Event) -> int:
    """Return how many results an event has: one an entrant and game."""
    return Contribution.objects.filter(event=event).count()


def standings_under(event: Event, settings: Settings) -> DraftStandings:
    """Return the table of `event` as it would be ranked under `settings`, not yet laid out."""
    beside = entrant_inputs(event)
    games = games_under(settings, every_game(event), sizes_of(event))
    is_low = low_wins(rules_of(default_snapshot(event)))
    rows = rows_from(games, settings, beside, low_wins=is_low)
    return draft_standings(event, rows, InMemory(games), settings=settings, standing_beside=beside)


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
