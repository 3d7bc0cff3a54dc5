"""What an evening did to the standings of its event: whose place it changed, as stored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.domain.figures import place_text
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.players import table_as_read
from tournaments.selectors.standings.history import stored_document

MOST_MOVED: Final = 50
"""Entrants who moved on an evening that its page lists; the others are counted."""


@dataclass(frozen=True, slots=True)
class PlaceMove:
    """The places of an entrant before and after an evening, as written; "" without one.

    `way` is up, dn, "new" for a first place of all, or "out" for one that was lost.
    """

    code: str
    name: str
    before: str
    after: str
    way: str
    by: int


@dataclass(frozen=True, slots=True)
class EveningMoves:
    """Who moved on an evening, by the place after it; `n_more` are not listed.

    `is_first` says that nobody had a place before it.
    """

    moves: Sequence[PlaceMove]
    n_more: int
    is_first: bool


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    rank: int | None
    text: str


def evening_moves(event: Event, meeting: Meeting) -> EveningMoves | None:
    """Return whose place in an event changed on an evening; None until its table is made.

    It compares the stored tables as of the day and as of the last day before it. Two queries, and
    those of the names where a club hides them.
    """
    days: Mapping[str, Sequence[str]] = stored_document(event, "days") or {}
    day = meeting.date.isoformat()
    if day not in days:
        return None
    earlier = [other for other in days if other < day]
    before_key = days[max(earlier)][0] if earlier else ""
    after_key = days[day][0]
    rows = StoredHistory.objects.filter(event=event, kind="as_of", key__in=(before_key, after_key))
    bodies = {key: bytes(body) for key, body in rows.values_list("key", "body")}
    if after_key not in bodies:
        return None
    before = _places(event, bodies.get(before_key))
    after = _places(event, bodies[after_key])
    moves = []
    for code, place in after.items():
        move = _move(code, before.get(code), place)
        if move is not None:
            moves.append(move)
    is_first = all(place.rank is None for place in before.values())
    return EveningMoves(moves[:MOST_MOVED], max(0, len(moves) - MOST_MOVED), is_first)


def _places(event: Event, body: bytes | None) -> Mapping[str, _Place]:
    """Return the entrants of a stored table by code, the best first."""
    if body is None:
        return {}
    document: StandingsDocument = json.loads(table_as_read(body, event)[0])
    places: dict[str, _Place] = {}
    for row in (*document["rows"], *document["provisional_rows"]):
        text = place_text(row["rank"], is_tied=row["tied"])
        places[row["player_id"]] = _Place(row["player"], row["rank"], text)
    return places


def _move(code: str, before: _Place | None, after: _Place) -> PlaceMove | None:
    """Return the move of an entrant; None for a place that is the same, or only shared now."""
    was = before.rank if before is not None else None
    was_text = before.text if before is not None else ""
    if was == after.rank:
        return None
    if was is None or after.rank is None:
        way = "new" if was is None else "out"
        return PlaceMove(code, after.name, was_text, after.text, way, 0)
    way = "up" if after.rank < was else "dn"
    return PlaceMove(code, after.name, was_text, after.text, way, abs(was - after.rank))
