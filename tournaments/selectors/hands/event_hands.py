"""The hands of a whole event, in the order of its sheets, as they count.

Takes an event that `selectors.events.events.event_at` has let the actor read. What a hand says here
is what the sheet of its table says of it (`selectors.hands.score_sheet`), without what needs the
rules. The number of queries is fixed; it does not grow with hands, tables or seats.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from django.db.models import Exists, F, OuterRef, Q

from scoring.entry.sheet import seat_names
from scoring.numbers import ScoreJson
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, HandState, SeatScore
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.numbers import as_json
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of, texts_for
from tournaments.selectors.db.raw_pagination import RenderedRows
from tournaments.selectors.hands.bylines import Bylines, bylines
from tournaments.selectors.hands.disputes import open_of_hands
from tournaments.selectors.hands.hands_by_place import HandsByPlace
from tournaments.selectors.hands.score_sheet_views import MoonView, SeatView, moon_view
from tournaments.selectors.hands.seat_holders import holder_at
from tournaments.selectors.hands.void_reasons import HandKey, void_reasons


@dataclass(frozen=True, slots=True)
class BookedSeat:
    """What a seat was booked for a hand; empty numbers where the hand does not count."""

    seat: SeatView
    score: ScoreJson | None
    total: ScoreJson | None


@dataclass(frozen=True, slots=True)
class EventHand:
    """One hand of an event; `place` is its place in the order, larger than that of all before."""

    place: int
    round_number: int
    code: str
    variant: str
    number: int
    board: int | None
    revision: int
    state: str
    verified: str
    entry: Mapping[str, Any]
    cells: tuple[BookedSeat, ...]
    moon: MoonView | None
    n_disputes: int
    entered_by: str
    entered_at: datetime
    reason: str


def event_hands(event: Event, *, player: str = "") -> RenderedRows:
    """Return the hands of an event in the order of round, table and number (`place`).

    The rows can be limited by `round` (number), `table` (code) and `state`.

    Args:
        player: an id; only the hands at which this player sat. All hands without.

    Returns:
        Rows that are an `EventHand` each when they are read.
    """
    # A hand that has no revision was never entered.
    rows = Hand.objects.filter(revision__gte=1)
    if player:
        rows = rows.filter(_played_by(player))
    return RenderedRows(HandsByPlace(event, rows), partial(_as_read, event))


def _played_by(player: str) -> Q:
    """Return the condition of hands at which a player had a seat, by the rule of `holder_at`."""
    own = Sitting.objects.filter(seat__table=OuterRef("game__table"), player__player_id=player)
    later = Sitting.objects.filter(seat=OuterRef("seat"), from_hand__gt=OuterRef("from_hand"))
    number = OuterRef("number")
    then = own.filter(Q(to_hand=None) | Q(to_hand__gte=number), from_hand__lte=number)
    return Q(Exists(then), number__gt=TOTALS) | Q(Exists(own.exclude(Exists(later))), number=TOTALS)


_Row: TypeAlias = Mapping[str, Any]
"""What `HandsByPlace` selects of a hand."""


def _as_read(event: Event, rows: Sequence[_Row]) -> list[EventHand]:
    """Return hands as whoever the event was read for reads them; a fixed number of queries."""
    entries = _entries(rows)
    scores: dict[int, dict[int, SeatScore]] = defaultdict(dict)
    for score in SeatScore.objects.filter(entry__in=[row["entry_id"] for row in rows]):
        scores[score.entry_id][score.seat_id] = score
    void = {_key(row) for row in rows if row["state"] == HandState.VOID}
    read = _Read(
        entries=entries,
        scores=scores,
        tables=_seats({row["game__table_id"] for row in rows}, name_column(event)),
        names=bylines(event, {one.entered_by_id for one in entries.values()}),
        reasons=void_reasons(event, void),
        disputes=open_of_hands(event, [row["pk"] for row in rows]),
        say=texts_for(event) if rows else str,
    )
    return [read.hand(row) for row in rows]


def _key(row: _Row) -> HandKey:
    return row["table"], row["number"]


def _entries(rows: Sequence[_Row]) -> dict[int, Entry]:
    """Return the entry of each hand, by its row: the one that counts, or else the newest."""
    shown = Q(pk=F("hand__entry")) | Q(hand__entry=None)
    found = Entry.objects.filter(shown, hand__in=[row["pk"] for row in rows])
    return {entry.hand_id: entry for entry in found.order_by("revision")}


_Held: TypeAlias = tuple[Seat, str, Sequence[Sitting]]
"""A seat with its label and its sittings by their first hand."""


def _seats(tables: Collection[int], column: NameColumn) -> "Mapping[int, _Seats]":
    """Return the seats of tables, by row; two queries."""
    held: dict[int, list[Sitting]] = defaultdict(list)
    sittings = Sitting.objects.filter(seat__table__in=tables).select_related("player")
    for sitting in sittings.order_by("from_hand"):
        held[sitting.seat_id].append(sitting)
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(table__in=tables).order_by("number"):
        seats[seat.table_id].append(seat)
    return {table: _Seats(own, held, column) for table, own in seats.items()}


class _Seats:
    """The seats of one table, and who held them at which hand."""

    def __init__(
        self, rows: Sequence[Seat], held: Mapping[int, Sequence[Sitting]], column: NameColumn
    ) -> None:
        labels = seat_names(len(rows))
        self._rows: Sequence[_Held] = [
            (row, label, held.get(row.pk, ())) for row, label in zip(rows, labels, strict=True)
        ]
        self._column = column

    def at(self, hand: int) -> list[tuple[int, SeatView]]:
        """Return each seat's row with its holder at hand number `hand`."""
        return [(row.pk, self._view(row, label, held, hand)) for row, label, held in self._rows]

    def _view(self, row: Seat, label: str, held: Sequence[Sitting], hand: int) -> SeatView:
        sitting = holder_at(held, hand)
        return SeatView(
            number=row.number,
            label=label,
            side=row.side,
            player_id=sitting.player.player_id if sitting else "",
            player=name_of(sitting.player, self._column) if sitting else "",
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read for some hands at once."""

    entries: Mapping[int, Entry]
    scores: Mapping[int, Mapping[int, SeatScore]]
    tables: Mapping[int, _Seats]
    names: Bylines
    reasons: Mapping[HandKey, str]
    disputes: Mapping[int, int]
    say: Callable[[str], str]

    def hand(self, row: _Row) -> EventHand:
        """Return one of the hands."""
        entry, is_void = self.entries[row["pk"]], row["state"] == HandState.VOID
        booked = self.scores.get(row["entry_id"], {})
        seats = self.tables[row["game__table_id"]].at(row["number"])
        moon = entry.moon if row["state"] == HandState.ACCEPTED else None
        return EventHand(
            place=row["place"],
            round_number=row["round"],
            code=row["table"],
            variant=row["game__snapshot__variant"],
            number=row["number"],
            board=row["board__number"],
            revision=row["revision"],
            state=row["state"],
            verified=entry.verified,
            entry=entry.typed,
            cells=tuple(_booked(view, booked.get(pk)) for pk, view in seats),
            moon=moon_view(moon, [view for _, view in seats]),
            n_disputes=self.disputes.get(row["pk"], 0),
            entered_by=self.names.get(entry.entered_by_id or 0, entry.entered_as),
            entered_at=entry.entered_at,
            reason=self.say(self.reasons.get(_key(row), "") if is_void else entry.reason),
        )


def _booked(seat: SeatView, score: SeatScore | None) -> BookedSeat:
    if score is None:
        return BookedSeat(seat, None, None)
    return BookedSeat(
        seat, as_json(score.score, score.score_im), as_json(score.total, score.total_im)
    )
