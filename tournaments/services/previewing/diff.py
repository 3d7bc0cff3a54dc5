"""Changes of a hand and of the standings, as pages and REST show them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.numbers import ScoreJson
from tournaments.selectors.hands.score_sheet_views import Finish, HandView, ScoreCell, SeatView
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.services.previewing.documents import (
    HandPreviewDocument,
    NumberedHandPair,
    PreviewedHand,
    PreviewedRow,
    PreviewedSeat,
    SeatEnd,
    StandingsEffectsDocument,
)
from tournaments.services.previewing.other_effects import Consequences


@dataclass(frozen=True, slots=True)
class SeatChange:
    """A seat of the table: its cell of the hand, and its total and place at the table."""

    seat: SeatView
    cell: ScoreCell | None
    cell_then: ScoreCell | None
    end: Finish
    end_then: Finish

    @property
    def took_differs(self) -> bool:
        """Whether the cards or points entered differ."""
        return (self.cell and self.cell.typed) != (self.cell_then and self.cell_then.typed)

    @property
    def score(self) -> ScoreJson | None:
        return self.cell.score if self.cell else None

    @property
    def score_then(self) -> ScoreJson | None:
        return self.cell_then.score if self.cell_then else None

    @property
    def score_differs(self) -> bool:
        return self.score != self.score_then

    @property
    def total_differs(self) -> bool:
        return self.end.total != self.end_then.total

    @property
    def place_differs(self) -> bool:
        """Whether the seat finishes in another place of its table."""
        ends = (self.end, self.end_then)
        return len({(end.place, end.is_tied) for end in ends}) > 1


@dataclass(frozen=True, slots=True)
class HandChange:
    """A hand of the table now and then; number 0 is the totals of the whole game."""

    number: int
    hand: HandView
    hand_then: HandView
    seats: tuple[SeatChange, ...]

    def as_json(self) -> NumberedHandPair:
        before, after = _hand_json(self.hand), _hand_json(self.hand_then)
        return {"number": self.number, "before": before, "after": after}


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of the standings that is not the same then; one of the two may be missing."""

    player_id: str
    name: str
    row: StandingsRow | None
    row_then: StandingsRow | None
    changed: tuple[str, ...]

    @property
    def place(self) -> str:
        return self.row.place if self.row else "–"

    @property
    def place_then(self) -> str:
        return self.row_then.place if self.row_then else "–"

    @property
    def up(self) -> int:
        """How many places it goes up; below 0 down, 0 where it stays or has none."""
        was, will = (rank_in(row.facts) if row else None for row in (self.row, self.row_then))
        return was - will if was is not None and will is not None else 0

    @property
    def down(self) -> int:
        return -self.up

    @property
    def value(self) -> ScoreJson | None:
        return self.row.cells[0].number if self.row else None

    @property
    def value_then(self) -> ScoreJson | None:
        return self.row_then.cells[0].number if self.row_then else None

    @property
    def has_own_figures(self) -> bool:
        """Whether figures of its own change, not only its place among the others."""
        cells = (self.row.cells if self.row else (), self.row_then.cells if self.row_then else ())
        return [cell.number for cell in cells[0]] != [cell.number for cell in cells[1]]

    @property
    def is_visible(self) -> bool:
        """Whether a reader of the table sees a difference: place, name, a figure, or why it
        stands below the row above."""
        row, then = self.row, self.row_then
        if row is None or then is None:
            return True
        now, later = ((r.place, r.name, r.why, r.is_withdrawn) for r in (row, then))
        return now != later or bool(self.value != self.value_then or self.others)

    @property
    def others(self) -> tuple[tuple[object, ScoreJson | None, ScoreJson | None], ...]:
        """Further figures that differ: the head of their column, now and then."""
        now, then = (
            {cell.column.key: cell for cell in (row.cells[1:] if row else ())}
            for row in (self.row, self.row_then)
        )
        return tuple(
            (cell.column.head, now[key].number, cell.number)
            for key, cell in then.items()
            if key in now and now[key].number != cell.number
        )

    @property
    def order(self) -> tuple[bool, int]:
        """Where it stands in a list by place: that of then, and at the end without one."""
        rank = rank_in(self.row_then.facts) if self.row_then else None
        return rank is None, rank or 0

    def as_json(self) -> PreviewedRow:
        return {
            "player_id": self.player_id,
            "changed": list(self.changed),
            "before": dict(self.row.facts) if self.row else None,
            "after": dict(self.row_then.facts) if self.row_then else None,
        }

    @property
    def is_decided_otherwise(self) -> bool:
        """Whether another rule separates it from the row above."""
        return bool({"decided_by", "reason"} & set(self.changed))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A cut-off, with who comes above it and who falls below it."""

    boundary: str
    places: int
    comes_in: tuple[str, ...]
    goes_out: tuple[str, ...]

    @property
    def is_crossed(self) -> bool:
        return bool(self.comes_in or self.goes_out)


@dataclass(frozen=True, kw_only=True)
class StandingsEffects:
    """What previews of hands and of players share: what a change does to the standings and beyond.

    `digest` names exactly these consequences; publication numbers are not in it, for somebody
    else's hand may be published first.
    """

    state: str
    rows: tuple[RowChange, ...]
    n_rows: int
    n_moved: int
    n_same: int
    head: str
    crossings: tuple[Crossing, ...]
    n_corrected: int
    beyond: Consequences
    publication: int | None
    publication_then: int | None
    version: int

    @property
    def under_review(self) -> bool:
        """Whether a director decides something before the standings are published."""
        return self.state in ("closed", "final") and self.beyond.is_asked

    @property
    def digest(self) -> str:
        effects: dict[str, Any] = {
            key: value for key, value in self.as_json().items() if key != "publication"
        }
        if effects["ladder"]:
            effects["ladder"] = {**effects["ladder"], "publication": None}
        text = json.dumps(effects, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def n_more(self) -> int:
        return self.n_rows - len(self.rows)

    @property
    def crossed(self) -> tuple[Crossing, ...]:
        return tuple(crossing for crossing in self.crossings if crossing.is_crossed)

    def as_json(self) -> StandingsEffectsDocument:
        return {
            "boundaries": [
                {
                    "boundary": crossing.boundary,
                    "places": crossing.places,
                    "in": list(crossing.comes_in),
                    "out": list(crossing.goes_out),
                }
                for crossing in self.crossings
            ],
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "same": self.n_same,
                "results": [row.as_json() for row in self.rows],
            },
            **self.beyond.as_json(),
            "publication": {
                "before": self.publication,
                "after": self.publication if self.under_review else self.publication_then,
                "under_review": self.under_review,
            },
        }


@dataclass(frozen=True, kw_only=True)
class Preview(StandingsEffects):
    """The effects of a correction of hands."""

    table: str
    hands: tuple[HandChange, ...]
    other_hands: tuple[int, ...]
    table_state: str
    table_state_then: str

    @property
    def first(self) -> HandChange:
        """The hand that it is about; the first one where several are corrected at once."""
        return self.hands[0]

    @property
    def seats(self) -> tuple[SeatChange, ...]:
        return self.first.seats

    @property
    def places_stay(self) -> bool:
        return not any(seat.place_differs for seat in self.seats)

    def as_json(self) -> HandPreviewDocument:
        return {
            "table": self.table,
            "number": self.first.number,
            "event": {"state": self.state, "corrected": self.n_corrected},
            "hand": {
                "before": _hand_json(self.first.hand),
                "after": _hand_json(self.first.hand_then),
            },
            "hands": [hand.as_json() for hand in self.hands],
            "game": {
                "state": {"before": self.table_state, "after": self.table_state_then},
                "seats": [_seat_json(seat) for seat in self.seats],
                "other_hands": list(self.other_hands),
                "places_stay": self.places_stay,
            },
            **StandingsEffects.as_json(self),
        }


def rank_in(facts: Mapping[str, object]) -> int | None:
    """Return the place of a published row; None where it has none."""
    rank = facts.get("rank")
    return rank if isinstance(rank, int) else None


def _hand_json(hand: HandView) -> PreviewedHand:
    return {
        "state": hand.state,
        "revision": hand.revision,
        "entry": dict(hand.entry),
        "scores": [cell.score for cell in hand.cells],
    }


def _seat_json(seat: SeatChange) -> PreviewedSeat:
    return {
        "seat": seat.seat.number,
        "player_id": seat.seat.player_id or None,
        "before": _end_json(seat.end),
        "after": _end_json(seat.end_then),
    }


def _end_json(end: Finish) -> SeatEnd:
    return {"total": end.total, "place": end.place, "tied": end.is_tied}
