"""Promotion and relegation: who would change places between neighbouring divisions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tournaments.domain.standings.standings_documents import StandingsDocument, StandingsDocumentRow
from tournaments.models.events import Event
from tournaments.selectors.standings.standings import current_publication


@dataclass(frozen=True, slots=True)
class PromotedEntrant:
    """Somebody at a boundary between two divisions."""

    player_id: str
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class DivisionSwap:
    """Who would go up from a division, and who would come down to it for them.

    `is_tied` where a tie runs over one of the two lines, so that it is not settled who.
    """

    upper: Event
    lower: Event
    up: tuple[PromotedEntrant, ...]
    down: tuple[PromotedEntrant, ...]
    is_tied: bool


def swaps(events: Sequence[Event]) -> Sequence[DivisionSwap]:
    """Return who would change places between neighbouring divisions, as now published.

    Of each division but the highest the best k go up, k being its boundary `promotion`, and as many
    of the last come down from the division above. Who withdrew is passed over.
    """
    tables = [(event, _table(event)) for event in events]
    found = []
    for (upper, above), (lower, below) in pairwise(tables):
        places = below["scheme"].get("boundaries", {}).get("promotion", 0) if below else 0
        best, last = _standing(below), _standing(above)[::-1]
        if places and best and last:
            found.append(
                DivisionSwap(
                    upper,
                    lower,
                    tuple(map(_mover, best[:places])),
                    tuple(map(_mover, last[:places])),
                    _is_tied(best, places) or _is_tied(last, places),
                )
            )
    return tuple(found)


def _table(event: Event) -> StandingsDocument | None:
    publication = current_publication(event)
    return json.loads(bytes(publication.body)) if publication else None


def _standing(table: StandingsDocument | None) -> list[StandingsDocumentRow]:
    return [row for row in (table["rows"] if table else ()) if not row.get("withdrawn")]


def _is_tied(rows: Sequence[StandingsDocumentRow], places: int) -> bool:
    return len(rows) > places and rows[places - 1]["rank"] == rows[places]["rank"]


def _mover(row: StandingsDocumentRow) -> PromotedEntrant:
    place = f"{row['rank']}{'=' if row['tied'] else ''}"
    return PromotedEntrant(row["player_id"], row["player"], place)
