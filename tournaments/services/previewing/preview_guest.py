"""The preview of a guest who becomes a member, or the other way round; made, then rolled back."""

from collections.abc import Sequence
from typing import Final, TypedDict

from scoring.json_types import JsonDict
from tournaments.models.events import Entrant
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.services.db.transactions import dry_run
from tournaments.services.events.entrants import set_guest
from tournaments.services.operations import Operation
from tournaments.services.previewing.run_preview import (
    MOST_ROWS,
    as_laid_out,
    hidden_names,
    rows_by_code,
    standings_now,
)
from tournaments.services.publishing.rank_and_render import standings_as_stored

REASON: Final = "Preview."
"""What stands for the reason of a change that is rolled back."""


class GuestRowChange(TypedDict):
    """A row of the standings whose place or value differs, before and after."""

    player_id: str
    player: str
    place: int | None
    place_then: int | None
    value: int | str | None
    value_then: int | str | None


class GuestPreview(TypedDict):
    """What changes in the standings: the number of rows, the first of them, the unit of values."""

    n_changed: int
    value_name: str
    rows: Sequence[GuestRowChange]


def preview_guest(op: Operation, entrant: Entrant, *, guest: bool) -> GuestPreview:
    """Return the rows of the standings that differ once `entrant` is a guest, or a member."""
    event = entrant.event
    before, _newest = standings_now(event, event_version(event))
    with dry_run():
        set_guest(op, entrant, guest=guest, reason=REASON)
        after = as_laid_out(standings_as_stored(event.pk))
    names = hidden_names(event)
    old = rows_by_code(before)
    changes: list[GuestRowChange] = []
    for code, then in rows_by_code(after).items():
        now = old.get(code)
        change: GuestRowChange = {
            "player_id": code,
            "player": names.get(code, then.name),
            "place": _rank(now),
            "place_then": _rank(then),
            "value": _value(now),
            "value_then": _value(then),
        }
        if (_rank(now), _value(now)) != (_rank(then), _value(then)):
            changes.append(change)
    return {
        "n_changed": len(changes),
        "value_name": str(after.columns[0].head),
        "rows": changes[:MOST_ROWS],
    }


def _rank(row: StandingsRow | None) -> int | None:
    facts: JsonDict = dict(row.facts) if row is not None else {}
    return facts.get("rank")


def _value(row: StandingsRow | None) -> int | str | None:
    if row is None:
        return None
    number: int | str | None = row.cells[0].number
    return number
