"""A table's sheet as it is read: the view objects, frozen, without a query.

`selectors.hands.score_sheet` makes them; pages and REST print them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.cards import card_sign, read_card
from scoring.entry.codec import OF_A_SEAT
from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import ScoreJson
from tournaments.domain.table_codes import round_and_table
from tournaments.errors import Missing
from tournaments.models.columns import as_json
from tournaments.models.events import Event
from tournaments.models.hands import SeatScore
from tournaments.models.rounds import Seat, Sitting
from tournaments.selectors.clubs.names import NameColumn, name_of
from tournaments.selectors.hands.entry_display import (
    SLAM_CHOICES,
    TABLE_LABELS,
    DisplayedEntry,
    SeatEntry,
    displayed_entry,
    holder_at,
)
from tournaments.selectors.hands.games import missing_numbers

_BESIDE: Final = {"declared", *OF_A_SEAT} - {"shooter"}

COMPASS: Final = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
"""Labels of seats at tables of up to four, in words."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat with who holds it at the end; `others` are who held it before, and to which hand."""

    number: int
    label: str
    side: str
    player_id: str
    player: str
    entrant_id: str = ""
    others: tuple[tuple[str, int | None], ...] = ()

    @property
    def title(self) -> str | Promise:
        return COMPASS.get(self.label) or gettext("Seat %(number)s") % {"number": self.number}

    def as_json(self) -> JsonDict:
        return {
            "seat": self.number,
            "label": self.label,
            "side": self.side or None,
            "player_id": self.player_id or None,
            "player": self.player or None,
        }


@dataclass(frozen=True, slots=True)
class SideView:
    """Who has one column of the sheet: a seat, or the partners of a side."""

    seats: tuple[SeatView, ...]

    @property
    def title(self) -> str:
        return "–".join(str(seat.title) for seat in self.seats)

    @property
    def names(self) -> str:
        """The names of the players there; empty if nobody is named."""
        return " & ".join(seat.player for seat in self.seats if seat.player)

    @property
    def players(self) -> str:
        return " & ".join(seat.player or str(seat.title) for seat in self.seats)


class TableSeats:
    """The seats of one table and who held them at which hand; no query.

    Args:
        rows: the seats in order.
        sittings: by the row of a seat, in the order of their first hand.
        entrants: code of the entrant of each player, by the player's row.
    """

    def __init__(
        self,
        rows: Sequence[Seat],
        sittings: Mapping[int, Sequence[Sitting]],
        column: NameColumn,
        entrants: Mapping[int, str],
    ) -> None:
        self.rows, self._sittings, self._column = rows, sittings, column
        self._labels = seat_names(len(rows)) if rows else ()
        self._entrants = entrants

    def at(self, hand: int | None) -> dict[int, SeatView]:
        """Return seat row → the seat with its holder at hand number `hand`; None for now."""
        labelled = zip(self.rows, self._labels, strict=True)
        return {row.pk: self._view(row, label, hand) for row, label in labelled}

    def _view(self, row: Seat, label: str, hand: int | None) -> SeatView:
        sittings = self._sittings.get(row.pk, ())
        sitting = holder_at(sittings, hand)
        return SeatView(
            number=row.number,
            label=label,
            side=row.side,
            player_id=sitting.player.player_id if sitting else "",
            player=name_of(sitting.player, self._column) if sitting else "",
            entrant_id=self._entrants.get(sitting.player_id, "") if sitting else "",
            others=tuple(
                (name_of(other.player, self._column), other.to_hand)
                for other in sittings
                if other is not sitting
            ),
        )


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """The scores of a seat in one hand; empty numbers if the hand does not count.

    `lives` are those left after the hand, None if the rules have none; `lost_life`: whether the
    hand cost one.
    """

    seat: SeatView
    score: ScoreJson | None
    total: ScoreJson | None
    typed: SeatEntry
    was: SeatEntry | None = None
    shot: bool = False
    lives: int | None = None
    lost_life: bool = False
    side: SideView | None = None

    @property
    def column(self) -> SideView:
        return self.side or SideView((self.seat,))


@dataclass(frozen=True, slots=True)
class HandPlace:
    """The table to which a hand was moved, by its code, and the number that the hand got there."""

    code: str
    number: int

    @property
    def round(self) -> int:
        return round_and_table(self.code)[0]

    @property
    def table(self) -> int:
        return round_and_table(self.code)[1]

    def as_json(self) -> JsonDict:
        return {"table": self.code, "hand": self.number}


@dataclass(frozen=True, slots=True)
class SheetPlayoff:
    """The play-off whose table it is; `is_live` while hands are entered for it. `totals` are those
    of who was undecided, by hand and code: ties begin again from 0. `moved_to` is the round in
    which it continues once this table is closed."""

    number: int
    is_live: bool
    totals: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    moved_to: int | None = None


def booked(score: SeatScore | None) -> tuple[ScoreJson | None, ScoreJson | None]:
    """Return what a seat was booked for a hand, and its total; nothing without a score."""
    if score is None:
        return None, None
    return as_json(score.score, score.score_im), as_json(score.total, score.total_im)


def place_of(key: tuple[str, int] | None) -> HandPlace | None:
    if key is None:
        return None
    return HandPlace(*key)


def moon_view(finding: JsonObject | None, seats: Iterable[SeatView]) -> JsonDict | None:
    """Return the moon of an entry: its id, the seats and names of those at `seats`, their choice.

    The choice is empty where there was none.
    """
    if not finding:
        return None
    by = tuple(finding.get("by", ()))
    names = tuple(seat.player or str(seat.title) for seat in seats if seat.number in by)
    choice = str(finding.get("choice") or "")
    return {"id": str(finding.get("id", "")), "by": by, "names": names, "choice": choice}


@dataclass(frozen=True, slots=True)
class Revision:
    """One entry of a hand, exactly as typed.

    `file` is the name of the file that it came in with; a command, no person, may have brought it.
    `is_new`: it was entered as a new hand, maybe where one had been undone or moved away; those are
    the only ones without a reason.
    """

    number: int
    form: str
    entry: JsonObject
    typed: DisplayedEntry
    entered_by: str
    entered_at: datetime
    source: str
    reason: str
    note: str
    counts: bool
    seats: tuple[SeatView, ...]
    file: str = ""
    is_by_person: bool = True
    is_new: bool = False
    sides: tuple[tuple[int, ...], ...] = ()
    copies: Mapping[str, int] = field(default_factory=dict)

    def with_entry(self, entry: JsonObject) -> "Revision":
        """Return this revision with another entry of its hand, to compare both."""
        typed = displayed_entry(entry, len(self.seats), sides=self.sides, copies=self.copies)
        return replace(self, entry=entry, typed=typed)

    @property
    def by(self) -> str:
        if self.source == "link":
            if not self.entered_by:
                return gettext("at the table")
            return gettext("%(name)s, at the table") % {"name": self.entered_by}
        if not self.file:
            return self.entered_by
        if not self.is_by_person:
            return gettext("from %(file)s") % {"file": self.file}
        return gettext("%(name)s, from %(file)s") % {"name": self.entered_by, "file": self.file}

    @property
    def lines(self) -> tuple[tuple[SideView, SeatEntry], ...]:
        sides = self.sides or tuple((index,) for index in range(len(self.seats)))
        return tuple(
            (SideView(tuple(self.seats[seat] for seat in side)), self.typed.seats[side[0]])
            for side in sides
        )

    @property
    def table(self) -> tuple[tuple[str | Promise, str | Promise], ...]:
        return table_words(self.typed, self.seats)

    @property
    def beside(self) -> tuple[tuple[str | Promise, str | Promise], ...]:
        """The parts of `table` that change the hand's score and are not shown elsewhere."""
        pairs = tuple(
            (key, text) for key, text in self.typed.table if key in _BESIDE and text != "–"
        )
        return table_words(replace(self.typed, table=pairs), self.seats)


def table_words(
    display: DisplayedEntry, seats: tuple[SeatView, ...]
) -> tuple[tuple[str | Promise, str | Promise], ...]:
    def said(key: str, text: str) -> str | Promise:
        if key in OF_A_SEAT and text.isdecimal() and int(text) < len(seats):
            return seats[int(text)].player or seats[int(text)].title
        if key == "slam_choice":
            return SLAM_CHOICES.get(text, text)
        if key not in {"unclaimed", "kitty", "declared"}:
            return text
        return format_cards(text)

    return tuple((TABLE_LABELS.get(key, key), said(key, text)) for key, text in display.table)


@dataclass(frozen=True, slots=True)
class HandView:
    """One hand: its current entry, the scores of each seat, and every earlier revision."""

    number: int
    n_hands: int | None
    state: str
    revision: int
    verified: str
    entry: JsonObject
    moon: JsonDict | None
    passing: str
    cells: tuple[ScoreCell, ...]
    entered_by: str
    entered_at: datetime | None
    reason: str
    revisions: tuple[Revision, ...]
    n_disputes: int = 0
    """Number of open disputes of the hand, which counts nevertheless."""
    unclaimed: str = ""
    """Cards that nobody has, as they are written."""
    claimed: tuple[ScoreJson, ScoreJson] | None = None
    """Value of the other cards, and of all of them; None if not asked."""
    board: int | None = None
    """The number of its board, in a duplicate event."""
    is_undone: bool = False
    repeats: int | None = None
    """The number of the hand before it, if that is the same."""
    moved_to: HandPlace | None = None
    """Where the hand was moved, if it is void for that reason."""

    @property
    def columns(self) -> tuple[ScoreCell, ...]:
        return tuple(cell for cell in self.cells if cell.column.seats[0] == cell.seat)

    @property
    def shown_revision(self) -> Revision:
        """The revision that counts, or else the last."""
        return next((row for row in self.revisions if row.counts), self.revisions[-1])

    @property
    def is_corrected(self) -> bool:
        """Whether the revision that is shown corrects one before it."""
        return not self.shown_revision.is_new

    @property
    def beside(self) -> tuple[tuple[str | Promise, str | Promise], ...]:
        return self.shown_revision.beside

    @property
    def by(self) -> str:
        return self.shown_revision.by

    @property
    def newest_first(self) -> tuple[tuple[Revision, Revision | None], ...]:
        later = (*self.revisions[1:], None)
        return tuple(zip(self.revisions, later, strict=True))[::-1]


def format_cards(text: str) -> str:
    """Return codes of cards, with commas between, as cards are written: `QS, 10C` as Q♠, 10♣."""
    codes = [read_card(code.strip()) for code in text.split(",")]
    if not all(codes):
        return text
    return ", ".join(card_sign(code) for code in codes if code)


@dataclass(frozen=True, slots=True)
class PartOfSeat:
    """What one of several who shared a seat took there, over their own hands."""

    player_id: str
    name: str
    n_hands: int
    points: ScoreJson


@dataclass(frozen=True, slots=True)
class Finish:
    """A seat's final total at its table and its place among the seats; ties share the better.

    `lives` are those left, None where the rules have none; `far` is how far the total is from 0
    where that ranks. `parts` are of those who shared the seat, empty where one player had it.
    """

    seat: SeatView
    total: ScoreJson | None
    place: int | None
    is_tied: bool
    lives: int | None = None
    far: str = ""
    side: SideView | None = None
    parts: Sequence[PartOfSeat] = ()

    @property
    def column(self) -> SideView:
        return self.side or SideView((self.seat,))


@dataclass(frozen=True, slots=True)
class TableSheet:
    """A table's sheet: the twin of the paper."""

    code: str
    number: int
    round_number: int
    round_state: str
    date: date | None
    state: str
    variant: str
    variant_name: str
    seats: tuple[SeatView, ...]
    hands: tuple[HandView, ...]
    finishes: tuple[Finish, ...]
    neighbours: tuple[tuple[int, str], ...]
    playoff: SheetPlayoff | None = None
    decision: Mapping[str, object] | None = None
    """What decides the winner, once there is a hand (`decisions.standing`)."""
    plan: tuple[int, int] | None = None
    """The row of the plan that the round was seated from, and the number of the round in it."""
    moves: int = 0
    """How often hands went from or to the table."""

    @property
    def missing_numbers(self) -> tuple[int, ...]:
        return missing_numbers(hand.number for hand in self.hands)

    @property
    def columns(self) -> tuple[SideView, ...]:
        return tuple(end.column for end in self.ends)

    @property
    def ends(self) -> tuple[Finish, ...]:
        return tuple(end for end in self.finishes if end.column.seats[0] == end.seat)

    @property
    def has_shared_seat(self) -> bool:
        """Whether several players had hands in one seat, and so have its place."""
        return any(finish.parts for finish in self.finishes)

    @property
    def counts(self) -> bool:
        """Whether its hands count in the event's table; those of a play-off do not."""
        return self.playoff is None

    @property
    def takes_hands(self) -> bool:
        """Whether a new hand may be entered at all: not once its play-off is decided, shared or
        void, or continues elsewhere."""
        return self.playoff is None or (self.playoff.is_live and not self.playoff.moved_to)

    @property
    def n_hands(self) -> int:
        counted = [hand for hand in self.hands if hand.state == "accepted"]
        return sum(1 if hand.number else hand.n_hands or 0 for hand in counted)

    @property
    def has_totals(self) -> bool:
        return any(hand.number == 0 and hand.state != "void" for hand in self.hands)

    def repeat_of(self, hand: HandView) -> int | None:
        """Return the number of the hand beside `hand` that is the same; the earlier one first."""
        if hand.repeats is not None:
            return hand.repeats
        return next((other.number for other in self.hands if other.repeats == hand.number), None)

    @property
    def n_standing(self) -> int:
        return sum(hand.state != "void" for hand in self.hands)

    @property
    def n_corrected(self) -> int:
        return sum(hand.is_corrected for hand in self.hands)

    @property
    def n_disputed(self) -> int:
        return sum(hand.state == "disputed" for hand in self.hands)

    @property
    def n_disputes(self) -> int:
        return sum(hand.n_disputes for hand in self.hands)

    @property
    def entered_by(self) -> tuple[str, ...]:
        entries = (revision for hand in self.hands for revision in hand.revisions)
        names = (entry.entered_by for entry in entries if entry.is_by_person or not entry.file)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def files(self) -> tuple[str, ...]:
        names = (revision.file for hand in self.hands for revision in hand.revisions)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def has_passing(self) -> bool:
        return any(hand.passing for hand in self.hands)

    @property
    def width(self) -> int:
        return len(self.columns) + 1 + self.has_passing


def hand_of(sheet: TableSheet, number: int) -> HandView:
    for hand in sheet.hands:
        if hand.number == number:
            return hand
    raise Missing("hand", {"hand": number, "table": sheet.code, "hands": len(sheet.hands)})


def must_preview(event: Event, sheet: TableSheet) -> bool:
    return event.is_over or sheet.round_state == "closed"
