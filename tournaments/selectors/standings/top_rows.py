"""The first rows of a table, with few of its columns, for pages that lead to the whole."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.events.events import SAT_DOWN
from tournaments.selectors.standings import trends
from tournaments.selectors.standings.standings_view import (
    StandingsColumn,
    StandingsRow,
    StandingsView,
)


def top_of(
    view: StandingsView, event: Event, *, at_most: int, keys: Collection[str]
) -> StandingsView:
    """Return a table of the first `at_most` rows, each with what moved it; one query."""
    view = replace(view, rows=view.rows[:at_most])
    entrant_ids = {row.entrant_id for row in view.rows}
    paths = trends.get_trends(event, view.round, view.places, entrant_ids)
    return replace(with_columns(view, keys), paths=paths)


def first_figures(view: StandingsView) -> StandingsView:
    """Return a table with what decides, points, what was played, and what it is sorted by."""
    played = "hands" if view.primary in ("raw_per_hand", "raw_total") else "tables"
    keys = ("points", played, view.sorted_by)
    return replace(with_columns(view, keys), is_full=False)


def with_columns(view: StandingsView, keys: Collection[str]) -> StandingsView:
    def stays(column: StandingsColumn) -> bool:
        return column.decides or column.key in keys

    def narrowed(rows: Sequence[StandingsRow]) -> tuple[StandingsRow, ...]:
        return tuple(
            replace(row, cells=tuple(cell for cell in row.cells if stays(cell.column)))
            for row in rows
        )

    return replace(
        view,
        columns=tuple(filter(stays, view.columns)),
        rows=narrowed(view.rows),
        provisional_rows=narrowed(view.provisional_rows),
    )


def n_evenings(event: Event) -> int:
    played = Round.objects.filter(event=event, state__in=SAT_DOWN, meeting__isnull=False)
    return played.values("meeting").distinct().count()
