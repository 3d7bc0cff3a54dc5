"""History of an event, as stored: tables as of a round, places round by round, records.

Arrows and sparklines of a table show the change of place since the last round, and all places;
where evenings give points, since the last evening. A read never computes: everything else was made
by a worker after a publication. Takes an event that `selectors.events.events.get_event` has let the
actor read.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any, Final, TypeAlias

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.etags import etag, mark_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import exact_json
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    HeadToHeadDocument,
    HistoryColumn,
    HistoryDocument,
    HolderDocument,
    RecordDocument,
    StandingsDocument,
    played_for_a_place,
)
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.rounds import Round
from tournaments.models.standings import StoredHistory
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_name
from tournaments.selectors.events.events import SAT_DOWN
from tournaments.selectors.events.players import table_as_read
from tournaments.selectors.stages import stages_of
from tournaments.selectors.standings.publications import current_publication

LAST_ROUND: Final = 10**8
"""The largest number of a round that a reader may ask for."""
MOST_IN_A_MATRIX: Final = 200
"""With more entrants than this there are lists of each, and no matrix."""


class NothingPlayed(Missing):
    """Nobody had played by the round or the date of the request."""

    def __init__(self, facts: Mapping[str, int | str]) -> None:
        super().__init__("round")
        self.problem = Problem("nothing_played_by_then", facts=facts)


@dataclass(frozen=True, slots=True)
class HistoryRound:
    """A round with a stored table; `day` is that of its meeting."""

    number: int
    day: date | None


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """A stored table: the JSON of docs/api.md without `publication`.

    `name` is `as-of-` with the number of a round or a day, or `stage-` with that of a stage.
    """

    name: str
    digest: str
    body: bytes

    @property
    def day(self) -> date | None:
        """The day of a table as of a day that is none as of a round."""
        key = self.name.removeprefix("as-of-")
        if "-" not in key:
            return None
        return date.fromisoformat(key)

    @property
    def query(self) -> str:
        """The query of its address, for a table as of a round or a day."""
        return f"{'date' if self.day else 'round'}={self.name.removeprefix('as-of-')}"

    @property
    def etag(self) -> str:
        return etag(f"{self.name}-{mark_of(self.digest)}")


WIDTH: Final = 88
HEIGHT: Final = 22

EDGE: Final = 2
"""Room for the dot at the end of a line, in the units of the picture."""

FEWEST_ROUNDS: Final = 4
"""Fewer rounds make no line."""


def rounds_with_history(event: Event) -> list[HistoryRound]:
    return [_round(column) for column in history_of(event)["rounds"]]


def table_as_of(
    event: Event, *, number: int | None = None, day: date | None = None
) -> tuple[HistoryRound, HistoryTable]:
    """Return the table over the rounds up to `number`, or over the evenings up to `day`.

    The round is the last one of the table, with the last day of its evenings.
    """
    rounds = rounds_with_history(event)
    keys = [str(round_.number) for round_ in rounds if round_.number <= (number or 0)]
    if day is not None and number is None:
        days = stored_document(event, "days") or {
            round_.day.isoformat(): (str(round_.number), "") for round_ in rounds if round_.day
        }
        keys = [days[then][0] for then in sorted(days) if then <= day.isoformat()]
    rows = StoredHistory.objects.filter(event=event, kind="as_of", key__in=keys[-1:])
    if (row := rows.first()) is not None:
        body, digest = table_as_read(bytes(row.body), event)
        as_of = json.loads(body)["as_of"]
        last = HistoryRound(as_of["round"], _day(as_of["meeting"]))
        return last, HistoryTable(f"as-of-{row.key}", digest, body)
    text: int | str = ""
    if number is not None:
        text = number
    elif day:
        text = day.isoformat()
    raise NothingPlayed({"asked": text, "first": rounds[0].number if rounds else 0})


def n_evenings(event: Event) -> int:
    played = Round.objects.filter(event=event, state__in=SAT_DOWN, meeting__isnull=False)
    return played.values("meeting").distinct().count()


def history_of(event: Event) -> HistoryDocument:
    document: HistoryDocument | None = stored_document(event, "history")
    return document or {"rounds": []}


def newly_below_minimum(event: Event) -> tuple[int, int]:
    """Return how many have too few games, or evenings, for a place, and how many it needs.

    Nobody, if somebody had no place on an earlier evening.
    """
    publication = current_publication(event)
    if publication is None:
        return 0, 0
    document: StandingsDocument = publication.document
    needed = document["scheme"]["min_games"]
    rows = [row for row in document["provisional_rows"] if not row.get("guest")]
    n = sum(played_for_a_place(row, document["scheme"]) < needed for row in rows)
    rounds = history_of(event)["rounds"] if n else []
    earlier = (column for column in rounds if column["meeting"] != rounds[-1]["meeting"])
    return (0 if any("" in column["places"].values() for column in earlier) else n), needed


def places_of(event: Event, entrant_id: str) -> list[tuple[HistoryRound, str]]:
    """Return an entrant's place after each round from its first on; "" where it had none."""
    return [
        (_round(column), column["places"][entrant_id])
        for column in history_of(event)["rounds"]
        if entrant_id in column["places"]
    ]


def last_place(event: Event) -> int:
    """Return the last place that anybody had after any round; 0 before the first."""
    return max((column["last"] for column in history_of(event)["rounds"]), default=0)


def encounters_of(event: Event, entrant_id: str) -> list[JsonDict]:
    """Return an entrant's results against each opponent, most games first; two queries."""
    names = names_of(event)
    return _encounters(stored_document(event, "head_to_head", entrant_id), names)


def matrix(event: Event) -> Mapping[str, Mapping[str, JsonDict]]:
    """Return everybody's encounters, by the two codes; two queries."""
    names = names_of(event)
    rows = StoredHistory.objects.filter(event=event, kind="head_to_head").order_by("key")
    return {
        key: {met["entrant_id"]: met for met in _encounters(json.loads(bytes(body)), names)}
        for key, body in rows.values_list("key", "body")
    }


def n_met(event: Event) -> int:
    return StoredHistory.objects.filter(event=event, kind="head_to_head").count()


def nights_of(event: Event, entrant_id: str) -> dict[str, Mapping[str, object]]:
    """Return an entrant's `best_night` and `worst_night`, as far as there are any.

    `rounds` of a night are its tables: the number of the round and the table's code.
    """

    def rounds(codes: Sequence[str]) -> list[tuple[str, str]]:
        return [(code.partition("t")[0].removeprefix("r"), code) for code in codes]

    body: BestsDocument | None = stored_document(event, "bests", entrant_id)
    nights = {"best_night": body["best_night"], "worst_night": body["worst_night"]} if body else {}
    return {
        key: {**night, "rounds": rounds(night["tables"])}
        for key, night in nights.items()
        if night is not None
    }


def bests_in(events: Sequence[tuple[int, str]]) -> dict[int, BestsDocument]:
    """Return the bests of one player in several events, by the event's row; one query."""
    return documents_in(events, "bests")


def documents_in(events: Sequence[tuple[int, str]], kind: str) -> dict[int, Any]:
    """Return the documents of a kind about one entrant, (event, code) in each event; one query."""
    pks = [pk for pk, _ in events]
    codes = {code for _, code in events}
    rows = StoredHistory.objects.filter(event__in=pks, kind=kind, key__in=codes)
    return {
        event: json.loads(bytes(body))
        for event, key, body in rows.values_list("event_id", "key", "body")
        if (event, key) in events
    }


def names_of(event: Event) -> dict[str, str]:
    """Return the names of an event's entrants, as they are shown, by code; from the publication."""
    publication = current_publication(event)
    if publication is None:
        return {}
    table = publication.document
    return {row["player_id"]: row["player"] for row in (*table["rows"], *table["provisional_rows"])}


def stored_document(event: Event, kind: str, key: str = "") -> Any:
    """Return a stored document, whose type follows from its kind, or None."""
    rows = StoredHistory.objects.filter(event=event, kind=kind, key=key)
    body = rows.values_list("body", flat=True).first()
    return json.loads(bytes(body)) if body is not None else None


def _round(column: HistoryColumn) -> HistoryRound:
    return HistoryRound(column["round"], _day(column["meeting"]))


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _encounters(body: HeadToHeadDocument | None, names: Mapping[str, str]) -> list[JsonDict]:
    """Return an entrant's results; `won` counts games ended ahead, level ones half: 2 or 1½."""
    encounters: list[JsonDict] = []
    for encounter in body["against"] if body else ():
        level = encounter["level"]
        share = Fraction(encounter["share"])
        full = encounter["ahead"] + level // 2
        encounters.append(
            {
                "entrant_id": encounter["player_id"],
                "name": names.get(encounter["player_id"], encounter["player_id"]),
                "games": encounter["games"],
                "ahead": encounter["ahead"],
                "level": level,
                "behind": encounter["behind"],
                "share": share,
                "difference": encounter["difference"],
                "percent": round(100 * share),
                "won": f"{full or ''}½" if level % 2 else str(full),
            }
        )
    return encounters


RECORDS_OF_CLUB: Final = (
    *("moons", "wins", "games", "hands", "longest_series", "best_night", "worst_night"),
    *("lowest_game", "highest_game"),
)


def club_records(
    events: Sequence[Event],
) -> list[tuple[str, int | str, list[tuple[Event, str, HolderDocument, date | None]]]]:
    """Return key and value of the records over several events, with their holders; three queries.

    A holder is the event, the name, the holder as stored and the day. Best and worst nights are
    compared where the lowest total wins in the events that say so: the lowest best night and the
    highest worst one.
    """
    rows = StoredHistory.objects.filter(event__in=events, kind="records")
    stored: dict[int, Sequence[RecordDocument]] = {
        event: json.loads(bytes(body))["records"]
        for event, body in rows.values_list("event_id", "body")
    }
    names = _holder_names(events, stored)
    records = []
    for key in RECORDS_OF_CLUB:
        reached = [
            (event, record)
            for event in events
            for record in stored.get(event.pk, ())
            if record["key"] == key
        ]
        if not reached:
            continue
        pick = min if key in ("lowest_game", "best_night") else max
        best = pick(Fraction(record["value"]) for _, record in reached)
        holders = [
            (
                event,
                names.get((event.pk, holder["player_id"]), holder["player_id"]),
                holder,
                _day(holder.get("meeting")),
            )
            for event, record in reached
            if Fraction(record["value"]) == best
            for holder in record["holders"]
        ]
        records.append((key, exact_json(best), holders))
    return records


def _holder_names(
    events: Sequence[Event], stored: Mapping[int, Sequence[RecordDocument]]
) -> dict[tuple[int, str], str]:
    codes = {
        holder["player_id"]
        for records in stored.values()
        for record in records
        for holder in record["holders"]
    }
    columns = {event.pk: name_column(event) for event in events}
    entrants = Entrant.objects.filter(event__in=list(stored), code__in=codes)
    return {
        (entrant.event_id, entrant.code): entrant_name(entrant, columns[entrant.event_id])
        for entrant in entrants.prefetch_related(WITH_PLAYERS)
    }


class NothingInStage(Missing):
    """No hand counts in the stage, or its table is still being computed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__("stage")
        self.problem = Problem("stage_without_standings", facts={"stage": stage.title})


def stage_to_rank(event: Event, number: int) -> Stage:
    """Return a stage that can have standings; play-offs have none of their own. One query."""
    for stage in stages_of(event):
        if stage.number == number:
            return stage
    raise Missing("stage", {"stage": number})


def stage_table(event: Event, stage: Stage) -> HistoryTable:
    """Return the stored table of a stage; where the event has one stage, that of its last round."""
    name = f"stage-{stage.number}"
    rows = {row.key: row for row in StoredHistory.objects.filter(event=event, kind="stage")}
    if (row := rows.get(str(stage.number))) is not None:
        body, digest = table_as_read(bytes(row.body), event)
        return HistoryTable(name, digest, body)
    rounds = rounds_with_history(event)
    if rows or not rounds or stages_of(event)[0].pk != stage.pk:
        raise NothingInStage(stage)
    return replace(table_as_of(event, number=rounds[-1].number)[1], name=name)


Trend: TypeAlias = Mapping[str, Mapping[str, object] | None]
"""`movement` and `sparkline` of a row; None where there is nothing to compare.

`movement` says which `way` (up, dn, same) and `by` how much a place moved, and what it `was`.
`sparkline` has the `points` of a line for SVG, `x` and `y` of its last dot, and all `places`.
"""


def get_trends(
    event: Event,
    until_round: int | None,
    day: date | None,
    places: Mapping[str, str],
    codes: Collection[str] | None = None,
) -> Mapping[str, Trend]:
    """Return the trend of each row of a table, by the entrant's id; one query.

    Args:
        until_round: the table's own round; `places` are the ones after it, whether or not a worker
            has been there since.
        day: the evening of that round. Where evenings give points, the table is compared with that
            after the evening before, for points within an evening are those so far.
        places: as they are written, "2="; "–" without a rank.
        codes: the rows of a page; else all.
    """
    columns = (stored_document(event, "movement") or {"rounds": ()})["rounds"]
    before = [col for col in columns if until_round is not None and col["round"] < until_round]
    if day is not None and settings_of(event).counts_evenings:
        before = [col for col in before if col.get("meeting") != day.isoformat()]
    if not before:
        return {}
    last = max(
        [column["last"] for column in before] + [_number(place) for place in places.values()]
    )
    return {
        code: {
            "movement": _movement(place, before[-1]["places"].get(code, "")),
            "sparkline": _sparkline([col["places"].get(code, "") for col in before], place, last),
        }
        for code, place in places.items()
        if codes is None or code in codes
    }


def _movement(place: str, was: str) -> Mapping[str, object] | None:
    if not (_number(was) and _number(place)):
        return None
    by = _number(was) - _number(place)
    way = "same"
    if by > 0:
        way = "up"
    elif by < 0:
        way = "dn"
    return {"way": way, "by": abs(by), "was": was}


def _sparkline(before: Sequence[str], now: str, last: int) -> Mapping[str, object] | None:
    """Return the line from the first known place to `now`; place 1 is at the top, `last` below."""
    places = [*before, now if _number(now) else ""]
    numbers = [(at, _number(place)) for at, place in enumerate(places) if place]
    if not places[-1] or len(places) < FEWEST_ROUNDS or len(numbers) < 2:
        return None
    step = (WIDTH - 3 * EDGE) / (len(places) - 1)
    points = [(f"{EDGE + at * step:.1f}", f"{_height(place, last):.1f}") for at, place in numbers]
    return {
        "points": " ".join(f"{x},{y}" for x, y in points),
        "x": points[-1][0],
        "y": points[-1][1],
        "places": ", ".join(place or "–" for place in places),
    }


def _height(place: int, last: int) -> float:
    if last < 2:
        return EDGE
    return EDGE + (place - 1) * (HEIGHT - 2 * EDGE) / (last - 1)


def _number(place: str) -> int:
    """Return the place without its sign of a tie; 0 without a place."""
    digits = place.rstrip("=")
    if not digits.isdecimal():
        return 0
    return int(digits)
