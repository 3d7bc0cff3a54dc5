"""The hands of a whole event, in the order of its sheets.

No index has that order, which spans three tables. A page starts in the round of its cursor, using
an index of tables and one of hands, and continues in later rounds. The number of queries and what
they read do not grow with the hands of the event.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

from django.db.models import BigIntegerField, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast

from scoring.json_types import JsonDict
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, HandState, SeatScore
from tournaments.models.rounds import Round, Seat, Sitting
from tournaments.selectors.clubs.names import NameColumn, name_column, texts_for
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.hands.disputes import count_open_by_hand
from tournaments.selectors.hands.entry_display import Deletion, bylines, find_deletions
from tournaments.selectors.hands.score_sheet_views import (
    TableSeats,
    booked,
    moon_view,
    place_of,
)

_HANDS: Final = LAST_HAND + 1
_TABLES: Final = 1_000_000
"""More than there are numbers of hands at a table, and of tables in a round."""
_AT_ONCE: Final = 1000
_ROUND: Final = "game__table__round__number"
_TABLE: Final = "game__table__number"
_COLUMNS: Final = (
    *("pk", "place", "round", "table", "number", "state", "revision", "entry_id", "board__number"),
    *("game__table_id", "game__snapshot__variant"),
)


Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HandsByPlace:
    """Hands of an event, ordered by `place`: a number made of round, table and hand.

    `hands` are limited to any condition but the event. A page costs two queries at most.
    """

    event: Event
    hands: QuerySet[Hand]
    is_reversed: bool = False
    only_round: int | None = None
    start: int | None = None
    """The place that the rows come after, in their order; None for all."""

    def order_by(self, *names: str) -> "HandsByPlace":
        if names not in (("place",), ("-place",)):
            raise ValueError(f"hands have no order {names}")
        return replace(self, is_reversed=names == ("-place",))

    def filter(self, **conditions: Any) -> "HandsByPlace":
        """Return the hands of a `round` (number), a `table` (code), in a `state`, or after a place.

        After a place is `place__gt`, or `place__lt` where the order is descending.
        """
        hands = self
        for name, value in conditions.items():
            if name == ("place__lt" if self.is_reversed else "place__gt"):
                hands = replace(hands, start=int(value))
            elif name == "round":
                hands = replace(hands, only_round=int(value))
            elif name == "table":
                of_table = Q(game__table__event=self.event, game__table__code=value)
                hands = replace(hands, hands=hands.hands.filter(of_table))
            else:
                hands = replace(hands, hands=hands.hands.filter(**{name: value}))
        return hands

    def __getitem__(self, part: slice) -> list[Row]:
        most = part.stop
        begin = self.only_round if self.only_round is not None else self._start_round
        rounds = Round.objects.filter(event=self.event)
        ordered = rounds.order_by("-number" if self.is_reversed else "number")
        first = ordered if begin is None else rounds.filter(number=begin)
        first_hands = self.hands.filter(
            self._beyond_start(), game__table__round=first.values("pk")[:1]
        )
        rows = self._read(first_hands, (_TABLE, "number"), most)
        if len(rows) < most and self.only_round is None:
            number = Subquery(ordered.values("number")[:1]) if begin is None else begin
            later = {f"{_ROUND}__{'lt' if self.is_reversed else 'gt'}": number}
            later_hands = self.hands.filter(game__table__round__event=self.event, **later)
            rows += self._read(later_hands, (_ROUND, _TABLE, "number"), most - len(rows))
        return rows[part.start or 0 :]

    def __iter__(self) -> Iterator[Row]:
        rows = self[0:_AT_ONCE]
        while rows:
            yield from rows
            rows = replace(self, start=rows[-1]["place"])[0:_AT_ONCE]

    @property
    def _start_round(self) -> int | None:
        if self.start is None:
            return None
        return self.start // _HANDS // _TABLES

    def _beyond_start(self) -> Q:
        begin = self._start_round
        if self.start is None or begin is None:
            return Q()
        if self.only_round is not None and begin != self.only_round:
            if (begin > self.only_round) == self.is_reversed:
                return Q()
            return Q(pk__in=())
        table, hand = divmod(self.start % (_HANDS * _TABLES), _HANDS)
        if self.is_reversed:
            beyond = Q(**{f"{_TABLE}__lt": table}) | Q(number__lt=hand)
            return Q(**{f"{_TABLE}__lte": table}) & beyond
        beyond = Q(**{f"{_TABLE}__gt": table}) | Q(number__gt=hand)
        return Q(**{f"{_TABLE}__gte": table}) & beyond

    def _read(self, hands: QuerySet[Hand], order: tuple[str, ...], most: int) -> list[Row]:
        place = (Cast(_ROUND, BigIntegerField()) * Value(_TABLES) + F(_TABLE)) * Value(_HANDS)
        rows = hands.annotate(
            place=place + F("number"), round=F(_ROUND), table=F("game__table__code")
        ).values(*_COLUMNS)
        down = "-" if self.is_reversed else ""
        return list(rows.order_by(*(down + name for name in order))[:most])


def event_hands(event: Event, *, player: str = "") -> RenderedRows:
    """Return the hands of an event in the order of round, table and number (`place`).

    They are documents with their round and `place` when they are read, and can be limited by
    `round` (number), `table` (code) and `state`; with the id of a `player`, to those at which this
    player sat.
    """
    # A hand that has no revision was never entered.
    rows = Hand.objects.filter(revision__gte=1)
    if player:
        sittings = Sitting.objects.filter(
            seat__table=OuterRef("game__table"), player__player_id=player
        )
        number = OuterRef("number")
        then = sittings.filter(Q(to_hand=None) | Q(to_hand__gte=number), from_hand__lte=number)
        still = sittings.filter(to_hand=None)  # as `has_hand` says
        rows = rows.filter(Q(Exists(then), number__gt=TOTALS) | Q(Exists(still), number=TOTALS))
    return RenderedRows(HandsByPlace(event, rows), partial(_get_event_hands, event))


def _get_event_hands(event: Event, rows: Sequence[Row]) -> list[JsonDict]:
    """Return hands as the event's reader sees them; a fixed number of queries."""
    hand_ids = [row["pk"] for row in rows]
    # Of each hand the entry that counts, or else the newest.
    is_shown = Q(pk=F("hand__entry")) | Q(hand__entry=None)
    entry_rows = Entry.objects.filter(is_shown, hand__in=hand_ids).order_by("revision")
    entries = {entry.hand_id: entry for entry in entry_rows}
    scores: dict[int, dict[int, SeatScore]] = defaultdict(dict)
    for score in SeatScore.objects.filter(entry__in=[row["entry_id"] for row in rows]):
        scores[score.entry_id][score.seat_id] = score
    void = {(row["table"], row["number"]) for row in rows if row["state"] == HandState.VOID}
    tables = _get_seats({row["game__table_id"] for row in rows}, name_column(event))
    names = bylines(event, {entry.entered_by_id for entry in entries.values()})
    deletions = find_deletions(event, void)
    disputes = count_open_by_hand(event, hand_ids)
    say = texts_for(event) if rows else str
    hands = []
    for row in rows:
        entry = entries[row["pk"]]
        state = row["state"]
        seat_scores = scores.get(row["entry_id"], {})
        seats = tables[row["game__table_id"]].at(row["number"])
        deletion = Deletion(entry.reason)
        if state == HandState.VOID:
            deletion = deletions.get((row["table"], row["number"]), Deletion(""))
        moved_to = place_of(deletion.moved_to)
        moon = None
        if state == HandState.ACCEPTED:
            moon = moon_view(entry.moon, seats.values())
        if moon is not None and not moon["choice"]:
            moon["choice"] = None
        seat_documents = []
        for pk, view in seats.items():
            points, total = booked(seat_scores.get(pk))
            seat_documents.append({**view.as_json(), "score": points, "total": total})
        hands.append(
            {
                "place": row["place"],
                "round": row["round"],
                "table": row["table"],
                "number": row["number"],
                "board": row["board__number"],
                "revision": row["revision"],
                "state": state,
                "verified": entry.verified,
                "variant": row["game__snapshot__variant"],
                "entry": entry.typed,
                "seats": seat_documents,
                "moon": moon,
                "disputes": disputes.get(row["pk"], 0),
                "entered_by": names.get(entry.entered_by_id or 0, entry.entered_as),
                "entered_at": entry.entered_at,
                "reason": say(deletion.reason),
                "moved_to": moved_to.as_json() if moved_to else None,
            }
        )
    return hands


def _get_seats(tables: Collection[int], column: NameColumn) -> Mapping[int, TableSeats]:
    """Return the seats of tables, by row; two queries."""
    of_seat: dict[int, list[Sitting]] = defaultdict(list)
    sittings = Sitting.objects.filter(seat__table__in=tables).select_related("player")
    for sitting in sittings.order_by("from_hand"):
        of_seat[sitting.seat_id].append(sitting)
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(table__in=tables).order_by("number"):
        seats[seat.table_id].append(seat)
    return {table: TableSeats(rows, of_seat, column, {}) for table, rows in seats.items()}
