"""What other settings would do to the standings: the games ranked again by the code that ranks the
real table, compared by the code that previews a correction. Nothing is stored or locked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.numbers import ScoreJson
from tournaments.domain.event_settings import Settings, as_stored
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.events.settings_checks import facts_of, setting_refusals
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.standings.standings_view import StandingsRow, StandingsView
from tournaments.services.previewing.diff import Crossing, rank_in
from tournaments.services.previewing.run_preview import (
    as_laid_out,
    crossings_between,
    hidden_names,
    standings_now,
)
from tournaments.services.publishing.season_table import MOST, results_in, standings_under

TOP: Final = 5
"""Rows at the top of the table that are shown at once, beside those that cross a cut-off."""


NAMED: Final = 4
"""Names of each side of a cut-off that a page lists."""


SHOWN: Final = 100
"""Rows of the whole table that are shown."""


@dataclass(frozen=True, slots=True)
class PlaceMove:
    """A row of the table under the wanted settings, with its place now and then."""

    code: str
    name: str
    place: str
    place_then: str
    up: int
    """How many places it goes up; below 0 down."""
    value: ScoreJson | None
    why: str
    crosses: str = ""
    """`in` or `out`, where it crosses a cut-off."""

    @property
    def moves(self) -> bool:
        """Whether it has another place then."""
        return self.place != self.place_then

    @property
    def down(self) -> int:
        """How many places it goes down."""
        return -self.up


@dataclass(frozen=True, slots=True)
class CutOffChange:
    """A cut-off that others are above then; names with their places then."""

    boundary: str
    comes_in: tuple[tuple[str, str], ...]
    goes_out: tuple[tuple[str, str], ...]

    @property
    def n_more(self) -> int:
        """How many cross it beyond those that a page names."""
        return sum(max(0, len(some) - NAMED) for some in (self.comes_in, self.goes_out))


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPreview:
    """What other settings would change. `problems` say why the results of `event` cannot be ranked
    so; `is_too_long`: it has more results than a preview ranks."""

    event: Event
    n_results: int
    problems: tuple[str, ...] = ()
    rows: tuple[PlaceMove, ...] = ()
    n_rows: int = 0
    n_moved: int = 0
    n_tied: int = 0
    head: str = ""
    cut_offs: tuple[CutOffChange, ...] = ()
    n_dropped: int = 0
    """Results that count now and not then."""
    n_restored: int = 0
    publication: int | None = None
    publication_then: int | None = None

    @property
    def is_too_long(self) -> bool:
        """Whether there are more results than a preview ranks."""
        return self.n_results > MOST

    @property
    def top(self) -> tuple[PlaceMove, ...]:
        """The top of the table then, and whoever crosses a cut-off."""
        return tuple(row for at, row in enumerate(self.rows) if at < TOP - 1 or row.crosses)[
            : 2 * TOP
        ]

    @property
    def n_more(self) -> int:
        """How many rows are not listed."""
        return self.n_rows - len(self.rows)


def preview_settings(event: Event, settings: Settings, *, is_own: bool = True) -> SettingsPreview:
    """Return what `settings` would make of the standings of `event`.

    Args:
        is_own: whether they are wanted for this very event and were checked against its data; for
            another one everything that its data cannot give is said.
    """
    n_results = results_in(event)
    if not is_own:
        facts = facts_of(event, min_games=settings.min_games)
        found = setting_refusals(settings, facts, seed=event.seed, changed=as_stored(settings))
        if found:
            problems = tuple(map(sentence, found))
            return SettingsPreview(event=event, n_results=n_results, problems=problems)
    if not 0 < n_results <= MOST:
        return SettingsPreview(event=event, n_results=n_results)
    before, newest = standings_now(event, event_version(event))
    after = as_laid_out(standings_under(event, settings))
    names = hidden_names(event)
    crossings = crossings_between(event, before, after, names, boundaries_then=settings.boundaries)
    crossed = tuple(crossing for crossing in crossings if crossing.is_crossed)
    rows = _rows(before, after, names, crossed)
    old, new = _all(before), _all(after)
    dropped = [_dropped(new.get(code)) - _dropped(row) for code, row in old.items()]
    published = newest.number if newest is not None else None
    is_same = before.digest == after.digest
    return SettingsPreview(
        event=event,
        n_results=n_results,
        rows=rows[:SHOWN],
        n_rows=len(rows),
        n_moved=sum(1 for row in rows if row.moves),
        n_tied=sum(1 for row in after.rows if row.facts.get("tied")),
        head=str(after.columns[0].head),
        cut_offs=tuple(_with_places(one, rows) for one in crossed),
        n_dropped=sum(n for n in dropped if n > 0),
        n_restored=-sum(n for n in dropped if n < 0),
        publication=published,
        publication_then=published if is_same else (published or 0) + 1,
    )


def _all(view: StandingsView) -> dict[str, StandingsRow]:
    return {row.entrant_id: row for row in (*view.rows, *view.provisional_rows)}


def _dropped(row: StandingsRow | None) -> int:
    """How many games of a row do not count."""
    return int(row.facts.get("dropped") or 0) if row else 0


def _rows(
    before: StandingsView,
    after: StandingsView,
    names: Mapping[str, str],
    crossed: Sequence[Crossing],
) -> tuple[PlaceMove, ...]:
    comes = {name for one in crossed for name in one.comes_in}
    goes = {name for one in crossed for name in one.goes_out}
    old = _all(before)
    found = []
    for code, row in _all(after).items():
        was = old.get(code)
        name = names.get(code, row.name)
        rank, rank_was = rank_in(row.facts), rank_in(was.facts) if was else None
        found.append(
            PlaceMove(
                code,
                name,
                (was.place or "–") if was else "–",
                row.place or "–",
                rank_was - rank if rank and rank_was else 0,
                row.cells[0].number,
                row.why,
                "in" if name in comes else "out" if name in goes else "",
            )
        )
    return tuple(found)


def _with_places(crossing: Crossing, rows: Sequence[PlaceMove]) -> CutOffChange:
    places = {row.name: row.place_then for row in rows}
    return CutOffChange(
        crossing.boundary,
        tuple((name, places.get(name, "–")) for name in crossing.comes_in),
        tuple((name, places.get(name, "–")) for name in crossing.goes_out),
    )
