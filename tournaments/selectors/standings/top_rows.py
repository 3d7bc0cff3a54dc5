"""The first rows of a table, with few of its columns, for pages that lead to the whole."""

from collections.abc import Collection
from dataclasses import replace

from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.selectors.events.events import SAT_DOWN
from tournaments.selectors.standings import trends
from tournaments.selectors.standings.standings_view import StandingsColumn, StandingsView


def top_of(
    view: StandingsView, event: Event, *, at_most: int, keys: Collection[str]
) -> StandingsView:
    """Return a table of the first `at_most` rows, each with what moved it; one query."""
    rows = tuple(
        replace(row, cells=tuple(cell for cell in row.cells if _stays(cell.column, keys)))
        for row in view.rows[:at_most]
    )
    entrant_ids = {row.entrant_id for row in rows}
    return replace(
        view,
        rows=rows,
        columns=tuple(column for column in view.columns if _stays(column, keys)),
        paths=trends.get_trends(event, view.round, view.places, entrant_ids),
        is_full=True,
    )


def _stays(column: StandingsColumn, keys: Collection[str]) -> bool:
    return column.decides or column.key in keys


def n_evenings(event: Event) -> int:
    played = Round.objects.filter(event=event, state__in=SAT_DOWN, meeting__isnull=False)
    return played.values("meeting").distinct().count()
