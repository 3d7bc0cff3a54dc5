"""What other settings would do to the standings: the games ranked again by the code that ranks the
real table, compared by the code that previews a correction. Nothing is stored or locked."""

from collections.abc import Mapping, Sequence
from typing import Final

from tournaments.domain.event_settings import Settings, as_stored
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.events.settings_checks import facts_of, setting_refusals
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.standings.standings_view import StandingsRow, StandingsView
from tournaments.services.previewing.diff import Crossing
from tournaments.services.previewing.run_preview import (
    as_laid_out,
    crossings_between,
    hidden_names,
    standings_now,
)
from tournaments.services.previewing.snapshot import publication_numbers
from tournaments.services.publishing.season_table import MOST, results_in, standings_under

TOP: Final = 5
"""Rows at the top of the table that the page lists, with those that cross a cut-off."""
MOST_NAMES: Final = 4
"""Names of each side of a cut-off that the page lists."""
MOST_ROWS: Final = 100


def preview_settings(event: Event, settings: Settings, *, is_own: bool = True) -> dict[str, object]:
    """Return what `settings` would make of the standings of `event`, as a page shows it.

    `problems` say why the results of `event` cannot be ranked so; `is_too_long`: it has more
    results than a preview ranks.

    Args:
        is_own: whether the settings are for this event and were checked against its data; for
            another one the preview names everything that its data cannot give.
    """
    n_results = results_in(event)
    preview: dict[str, object] = {
        "event": event,
        "n_results": n_results,
        "is_too_long": n_results > MOST,
        "problems": (),
        "rows": (),
    }
    if not is_own:
        facts = facts_of(event, min_games=settings.min_games)
        problems = setting_refusals(settings, facts, seed=event.seed, changed=as_stored(settings))
        if problems:
            return preview | {"problems": tuple(map(sentence, problems))}
    if not 0 < n_results <= MOST:
        return preview
    before, newest = standings_now(event, event_version(event))
    after = as_laid_out(standings_under(event, settings))
    names = hidden_names(event)
    crossings = crossings_between(event, before, after, names, boundaries_then=settings.boundaries)
    crossed = [crossing for crossing in crossings if crossing.is_crossed]
    old, new = _rows_by_code(before), _rows_by_code(after)
    rows = _place_moves(old, new, names, crossed)
    dropped = [_n_dropped(new.get(code)) - _n_dropped(row) for code, row in old.items()]
    published, published_then = publication_numbers(newest, is_same=before.digest == after.digest)
    head = [row for at, row in enumerate(rows[:MOST_ROWS]) if at < TOP - 1 or row["crosses"]]
    return preview | {
        "rows": rows[:MOST_ROWS],
        "top": head[: 2 * TOP],
        "n_rows": len(rows),
        "n_more": len(rows[MOST_ROWS:]),
        "n_moved": sum(1 for row in rows if row["moves"]),
        "n_tied": sum(1 for row in after.rows if row.facts.get("tied")),
        "head": str(after.columns[0].head),
        "cut_offs": [_cut_off(crossing, rows) for crossing in crossed],
        "n_dropped": sum(n for n in dropped if n > 0),
        "n_restored": -sum(n for n in dropped if n < 0),
        "publication": published,
        "publication_then": published_then,
    }


def _rows_by_code(view: StandingsView) -> dict[str, StandingsRow]:
    return {row.entrant_id: row for row in (*view.rows, *view.provisional_rows)}


def _n_dropped(row: StandingsRow | None) -> int:
    return int(row.facts.get("dropped") or 0) if row else 0


def _place_moves(
    old: Mapping[str, StandingsRow],
    new: Mapping[str, StandingsRow],
    names: Mapping[str, str],
    crossed: Sequence[Crossing],
) -> list[dict[str, object]]:
    """Return the rows of the table under the new settings, with the places before and after."""
    comes_in = {name for crossing in crossed for name in crossing.comes_in}
    goes_out = {name for crossing in crossed for name in crossing.goes_out}
    moves: list[dict[str, object]] = []
    for code, row in new.items():
        name = names.get(code, row.name)
        place = (old[code].place if code in old else "") or "–"
        place_then = row.place or "–"
        moves.append(
            {
                "name": name,
                "place": place,
                "place_then": place_then,
                "moves": place != place_then,
                "value": row.cells[0].number,
                "why": row.why,
                "crosses": "in" if name in comes_in else "out" if name in goes_out else "",
            }
        )
    return moves


def _cut_off(crossing: Crossing, rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return a cut-off with the names on each side and their places then."""
    places = {row["name"]: row["place_then"] for row in rows}
    sides = (crossing.comes_in, crossing.goes_out)
    comes_in, goes_out = ([(name, places.get(name, "–")) for name in names] for names in sides)
    return {
        "boundary": crossing.boundary,
        "comes_in": comes_in,
        "goes_out": goes_out,
        "n_more": sum(len(names[MOST_NAMES:]) for names in sides),
    }
