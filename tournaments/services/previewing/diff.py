"""Changes of a hand and of the standings, as pages and REST show them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.numbers import ScoreJson
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.services.previewing.documents import (
    HandPreviewDocument,
    NumberedHandPair,
    PreviewedGame,
    PreviewedHand,
    PreviewedRow,
    StandingsEffectsDocument,
)
from tournaments.services.previewing.other_effects import Consequences


@dataclass(frozen=True, slots=True)
class HandChange:
    """A hand of the table now and then; number 0 is the totals of the whole game."""

    number: int
    hand: HandView
    hand_then: HandView
    seats: Sequence[Mapping[str, object]]
    """Each seat with its cell of the hand and its end of the game, now and then."""

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
    game: PreviewedGame

    @property
    def first(self) -> HandChange:
        """The hand that it is about; the first one where several are corrected at once."""
        return self.hands[0]

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
            "game": self.game,
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
