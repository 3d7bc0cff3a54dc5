"""History of an event, as stored: tables as of a round, places round by round, records.

A read never computes: everything here was made by a worker after a publication. Takes an event that
`selectors.events.events.event_at` has let the actor read.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Final

from scoring.errors import Problem
from scoring.numbers import ScoreJson
from tournaments.domain.etags import etag, mark_of
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    HeadToHeadDocument,
    HistoryColumn,
    HistoryDocument,
    NightDocument,
    RecordsDocument,
)
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.standings import StoredHistory
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import entrant_name
from tournaments.selectors.events.published_names import table_as_read
from tournaments.selectors.standings.standings import current_publication

MOST_IN_A_MATRIX: Final = 200
"""With more entrants than this there are lists of each, and no matrix."""


class NothingPlayed(Missing):
    """Nobody had played by the round or the date that was asked for."""

    def __init__(self, facts: Mapping[str, int | str]) -> None:
        super().__init__("round")
        self.problem = Problem("nothing_played_by_then", facts=facts)


@dataclass(frozen=True, slots=True)
class HistoryRound:
    """A round that there is a table as of; `day` is that of its meeting."""

    number: int
    day: date | None
    hands: int


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """The stored table as of a round: the JSON of docs/api.md without `publication`."""

    round: HistoryRound
    digest: str
    body: bytes

    @property
    def etag(self) -> str:
        """Names exactly these bytes."""
        return etag(f"as-of-{self.round.number}-{mark_of(self.digest)}")


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """An entrant's place and primary value after a round; empty where it had none yet."""

    round: HistoryRound
    place: str
    value: str | None

    @property
    def number(self) -> int | None:
        """The place without its sign of a tie."""
        return int(self.place.rstrip("=")) if self.place else None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How one entrant fared against another, over all games they shared."""

    entrant_id: str
    name: str
    games: int
    ahead: int
    level: int
    behind: int
    share: Fraction
    difference: ScoreJson | None

    @property
    def percent(self) -> int:
        """The share in whole percent, half to even."""
        return round(100 * self.share)

    @property
    def won(self) -> str:
        """Games ended ahead, level ones half: 2 or 1½."""
        return (
            f"{self.ahead + self.level // 2 or ''}½"
            if self.level % 2
            else str(self.ahead + self.level // 2)
        )


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where something stands: an evening, its tables, and how many hands it took."""

    points: ScoreJson
    hands: int
    meeting: date | None
    round: int
    tables: tuple[str, ...]

    @property
    def rounds(self) -> tuple[tuple[str, str], ...]:
        """Each of its tables: the number of the round, and the table's code."""
        return tuple((code.partition("t")[0].removeprefix("r"), code) for code in self.tables)


@dataclass(frozen=True, slots=True)
class EntrantRecords:
    """The best and the worst that an entrant made in an event.

    There are no nights where scores are complex numbers, which have no order.
    """

    games: int
    hands: int
    wins: int
    moons: int | None
    moon_tables: tuple[str, ...]
    best_night: RecordPlace | None
    worst_night: RecordPlace | None
    lowest_game: RecordPlace | None
    highest_game: RecordPlace | None
    series: int
    series_tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordHolder:
    """Who holds a record, and the tables where it was made."""

    entrant_id: str
    name: str
    tables: tuple[str, ...]
    meeting: date | None
    hands: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """A record of an event: `key` says of what."""

    key: str
    value: int | str
    holders: tuple[RecordHolder, ...]


def rounds_with_history(event: Event) -> tuple[HistoryRound, ...]:
    """Return the rounds that there are tables as of, by number."""
    return tuple(_round(one) for one in history_of(event)["rounds"])


def table_as_of(
    event: Event, *, number: int | None = None, day: date | None = None
) -> HistoryTable:
    """Return the table as of a round, or of the last round whose meeting is on `day` or before."""
    rounds = rounds_with_history(event)
    if number is not None:
        then = [round_ for round_ in rounds if round_.number <= number]
    else:
        then = [round_ for round_ in rounds if day is not None and round_.day and round_.day <= day]
    asked: dict[str, int | str] = (
        {"round": number} if number is not None else {"date": day.isoformat() if day else ""}
    )
    if then:
        last = max(then, key=lambda one: one.number)
        stored_history = StoredHistory.objects.filter(
            event=event, kind="as_of", key=str(last.number)
        ).first()
        if stored_history is not None:
            body, digest = table_as_read(bytes(stored_history.body), event)
            return HistoryTable(last, digest, body)
    first = rounds[0].number if rounds else 0
    raise NothingPlayed({"asked": next(iter(asked.values())), "first": first})


def history_of(event: Event) -> HistoryDocument:
    """Return places and primary values of everybody after each round, as stored."""
    history_document: HistoryDocument | None = _body(event, "history")
    return history_document or {"rounds": []}


def places_of(event: Event, entrant_id: str) -> tuple[HistoryPlace, ...]:
    """Return an entrant's places after each round, from the first one with its name in it."""
    history_places = [
        HistoryPlace(_round(one), one["places"][entrant_id], one["values"].get(entrant_id))
        for one in history_of(event)["rounds"]
        if entrant_id in one["places"]
    ]
    return tuple(history_places)


def last_place(event: Event) -> int:
    """Return the last place that anybody had after any round; 0 before the first."""
    return max((one["last"] for one in history_of(event)["rounds"]), default=0)


def encounters_of(event: Event, entrant_id: str) -> tuple[HeadToHead, ...]:
    """Return how an entrant fared against everybody it met, most games first; two queries."""
    names = names_of(event)
    return _met(_body(event, "head_to_head", entrant_id), names)


def matrix(event: Event) -> Mapping[str, Mapping[str, HeadToHead]]:
    """Return everybody's encounters, by the two codes; two queries."""
    names = names_of(event)
    rows = StoredHistory.objects.filter(event=event, kind="head_to_head").order_by("key")
    return {
        key: {met.entrant_id: met for met in _met(json.loads(bytes(body)), names)}
        for key, body in rows.values_list("key", "body")
    }


def n_met(event: Event) -> int:
    """Return of how many entrants encounters are kept."""
    return StoredHistory.objects.filter(event=event, kind="head_to_head").count()


def bests_of(event: Event, entrant_id: str) -> EntrantRecords | None:
    """Return an entrant's best and worst, or None before the first game."""
    body = _body(event, "bests", entrant_id)
    return _bests(body) if body else None


def bests_in(events: Sequence[tuple[int, str]]) -> dict[int, EntrantRecords]:
    """Return the bests of one player in several events, by the event's row; one query.

    Args:
        events: the events' rows with the player's code in each.
    """
    rows = StoredHistory.objects.filter(
        event__in=[pk for pk, _ in events], kind="bests", key__in={code for _, code in events}
    )
    wanted = set(events)
    return {
        event: _bests(json.loads(bytes(body)))
        for event, key, body in rows.values_list("event_id", "key", "body")
        if (event, key) in wanted
    }


def records_in(events: Sequence[Event]) -> dict[int, tuple[Record, ...]]:
    """Return the records of several events, by row; three queries."""
    rows = StoredHistory.objects.filter(event__in=events, kind="records")
    bodies = {
        event: json.loads(bytes(body)) for event, body in rows.values_list("event_id", "body")
    }
    held = {
        holder["player_id"]
        for body in bodies.values()
        for record in body["records"]
        for holder in record["holders"]
    }
    entrants = Entrant.objects.filter(event__in=list(bodies), code__in=held)
    names: dict[int, dict[str, str]] = {}
    columns = {event.pk: name_column(event) for event in events}
    for entrant in entrants.prefetch_related("members__player"):
        name = entrant_name(entrant, columns[entrant.event_id])
        names.setdefault(entrant.event_id, {})[entrant.code] = name
    return {event: _records(body, names.get(event, {})) for event, body in bodies.items()}


def names_of(event: Event) -> dict[str, str]:
    """Return the names of an event's entrants, as they are shown, by code; from the publication."""
    publication = current_publication(event)
    if publication is None:
        return {}
    table = json.loads(bytes(publication.body))
    return {row["player_id"]: row["player"] for row in (*table["rows"], *table["provisional_rows"])}


def _body(event: Event, kind: str, key: str = "") -> Any:
    """A document as it is stored: its kind says which type it is of. None where there is none."""
    rows = StoredHistory.objects.filter(event=event, kind=kind, key=key)
    body = rows.values_list("body", flat=True).first()
    return json.loads(bytes(body)) if body is not None else None


def _round(stored: HistoryColumn) -> HistoryRound:
    return HistoryRound(stored["round"], _day(stored["meeting"]), stored["hands"])


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _met(body: HeadToHeadDocument | None, names: Mapping[str, str]) -> tuple[HeadToHead, ...]:
    return tuple(
        HeadToHead(
            entrant_id=one["player_id"],
            name=names.get(one["player_id"], one["player_id"]),
            games=one["games"],
            ahead=one["ahead"],
            level=one["level"],
            behind=one["behind"],
            share=Fraction(one["share"]),
            difference=one["difference"],
        )
        for one in (body["against"] if body else ())
    )


def _stage(stored: NightDocument | None) -> RecordPlace | None:
    if stored is None:
        return None
    return RecordPlace(
        stored["points"],
        stored["hands"],
        _day(stored["meeting"]),
        stored["round"],
        tuple(stored["tables"]),
    )


def _bests(body: BestsDocument) -> EntrantRecords:
    return EntrantRecords(
        games=body["games"],
        hands=body["hands"],
        wins=body["wins"],
        moons=body["moons"],
        moon_tables=tuple(body["moon_tables"]),
        best_night=_stage(body["best_night"]),
        worst_night=_stage(body["worst_night"]),
        lowest_game=_stage(body["lowest_game"]),
        highest_game=_stage(body["highest_game"]),
        series=body["longest_series"]["wins"],
        series_tables=tuple(body["longest_series"]["tables"]),
    )


def _records(body: RecordsDocument | None, names: Mapping[str, str]) -> tuple[Record, ...]:
    return tuple(
        Record(
            key=one["key"],
            value=one["value"],
            holders=tuple(
                RecordHolder(
                    entrant_id=holder["player_id"],
                    name=names.get(holder["player_id"], holder["player_id"]),
                    tables=tuple(holder.get("tables", ())),
                    meeting=_day(holder.get("meeting")),
                    hands=holder.get("hands"),
                )
                for holder in one["holders"]
            ),
        )
        for one in (body["records"] if body else ())
    )


@dataclass(frozen=True, slots=True)
class ClubRecord:
    """A record of a club: the event's record that goes furthest, in each event that reached it."""

    key: str
    value: int | str
    made: tuple[tuple[Event, RecordHolder], ...]


LOWEST: Final = frozenset({"lowest_game"})
"""Records that are the smallest value; nights are best or worst by what their event plays for."""

OF_CLUB: Final = (
    "moons", "wins", "games", "hands", "longest_series", "best_night", "worst_night",
    "lowest_game", "highest_game",
)  # fmt: skip


def club_records(events: Sequence[Event]) -> tuple[ClubRecord, ...]:
    """Return the records over several events of a club, the events of each in their order.

    Best and worst nights are compared where the lowest total wins in the events that say so:
    the lowest best night and the highest worst one.
    """
    held = records_in(events)
    found = []
    for key in OF_CLUB:
        there = [
            (event, record)
            for event in events
            for record in held.get(event.pk, ())
            if record.key == key
        ]
        if there:
            lowest = key in LOWEST or key == "best_night"
            pick = min if lowest else max
            best = pick(Fraction(record.value) for _, record in there)
            made = tuple(
                (event, holder)
                for event, record in there
                if Fraction(record.value) == best
                for holder in record.holders
            )
            value = best.numerator if best.denominator == 1 else str(best)
            found.append(ClubRecord(key, value, made))
    return tuple(found)
