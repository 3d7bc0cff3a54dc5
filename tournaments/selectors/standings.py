"""Standings as published: stored bytes, and the same bytes laid out for a page.

A read never computes: no function here touches a hand, a contribution or an aggregate. What a page
shows of a standing is parsed from the publication's own JSON (design.md 8.7).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, QuerySet, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Concat
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.outbox import EVENT_PREFIX, Dirty
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events import event_at, events_for
from tournaments.selectors.joined import Columns
from tournaments.selectors.paged import Paged

OWN_COLUMN: Final[Mapping[str, str]] = {"raw_per_hand": "average_per_hand", "raw_total": "points"}
"""Key of the scheme → the figure of a row that is its value; other schemes show `values`."""

SCHEMES: Final[Mapping[str, str | Promise]] = {
    "beaten_mean": _("Opponents beaten"),
    "wins": _("Wins, shared ones in part"),
}
"""Heads of the deciding column where no figure of the row is the value itself."""

HEADS: Final[Mapping[str, tuple[str | Promise, str]]] = {
    "average_per_hand": (_("Average a hand"), ""),
    "points": (_("Points"), "p2"),
    "hands": (_("Hands"), "p2"),
    "tables": (_("Tables"), "p3"),
    "wins": (_("Won"), "p1"),
    "second": (_("2nd"), "p3"),
    "third": (_("3rd"), "p3"),
    "fourth": (_("4th"), "p3"),
    "moons": (_("Moons"), "p2"),
}
"""Columns a page shows, in order: head, and the width from which there is room for it."""

_NOT_SHOWN: Final = frozenset({"rank", "player_id", "player", "shared_wins"})
_REASON: Final = re.compile(r"(?P<before>.*\bbehind |level with )(?P<code>.+?)(?P<after>: .*)?")
_DASH_FOR_NONE: Final = frozenset({"moons"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; `rank` is the class that hides it on narrow screens."""

    key: str
    head: str | Promise
    rank: str
    decides: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell: a number as JSON has it (None shows as a dash)."""

    column: Column
    number: Any


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line, ready to print. `why` is the publication's own reason, with a name."""

    place: str
    entrant_id: str
    name: str
    members: tuple[str, ...]
    cells: tuple[Figure, ...]
    why: str
    is_withdrawn: bool
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StandingsView:
    """A publication laid out. `provisional_rows` have too few games to be ranked."""

    number: int
    published_at: datetime
    digest: str
    as_of: date | None
    round: int | None
    hands: int
    primary: str
    ascending: bool
    provisional_until: datetime | None
    variants: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    provisional_rows: tuple[Row, ...]

    @property
    def width(self) -> int:
        """Columns of the table, place and player included."""
        return len(self.columns) + 2

    def row_of(self, entrant_id: str) -> Row | None:
        """Return the entrant's row, or None where this publication has none."""
        rows = (*self.rows, *self.provisional_rows)
        return next((row for row in rows if row.entrant_id == entrant_id), None)


def with_publication(events: QuerySet[Event]) -> QuerySet[Event]:
    """Annotate `events` with what a 304 needs: `published` (ETag or None) and `is_behind`.

    `is_behind` is true while a change waits to be published, `is_parked` when publishing gave up.
    """
    newest = Publication.objects.filter(event=OuterRef("pk")).order_by("-number")
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    behind = Dirty.objects.filter(scope=scope, done__lt=F("version"))
    return events.annotate(
        published=newest.values("etag")[:1],
        is_behind=Exists(behind),
        is_parked=Exists(behind.filter(parked=True)),
    )


def event_with_state(actor: Actor, club: str, event: str) -> Event:
    """Return what `event_at` returns, with the annotations of `with_publication`; one query.

    Raises:
        Missing: no such club or event, or not one that the actor may know of.
    """
    events = with_publication(events_for(actor))
    found = events.filter(club__slug=club, slug=event).first()
    if found is None:
        raise Missing("event", {"club": club, "event": event})
    return found


def current_publication(event: Event) -> Publication | None:
    """Return the newest publication of `event`, or None before the first."""
    return Publication.objects.filter(event=event).order_by("-number").first()


def publication_at(event: Event, number: int) -> Publication:
    """Return one numbered publication of `event`.

    Raises:
        Missing: the event has no publication with that number.
    """
    found = Publication.objects.filter(event=event, number=number).first()
    if found is None:
        raise Missing("publication", {"publication": number})
    return found


def publications_of(event: Event) -> QuerySet[Publication]:
    """Return an event's publications without their bytes, the newest first."""
    return Publication.objects.filter(event=event).defer("body", "csv").order_by("-number")


def publication_rows(actor: Actor, club: str, event: str) -> Paged:
    """Return what names the publications at an address, the newest first.

    One query for an event that is public, two for any other. Asking for them raises

    Missing: no such club or event, or not one that the actor may know of.
    """

    def readable() -> Paged:
        values = (event_at(actor, club, event).pk,)
        return Paged(_NAMED, _OF_EVENT.format(event="%s"), values, ("-number",))

    public = _OF_EVENT.format(event=f"({_PUBLIC})")
    return Paged(_NAMED, public, (club, event), ("-number",), otherwise=readable)


_OF_EVENT: Final = "FROM tournaments_publication p WHERE p.event_id = {event}"
_PUBLIC: Final = """
    SELECT e.id FROM tournaments_event e JOIN tournaments_club c ON c.id = e.club_id
    WHERE c.slug = %s AND e.slug = %s AND c.is_public AND e.visibility = 'public'
"""
_NAMED: Final = Columns(Publication, "p", only=("number", "version", "published_at", "digest"))


def laid_out(publication: Publication) -> StandingsView:
    """Return the publication's own JSON as a page prints it; no query."""
    body = json.loads(bytes(publication.body))
    scheme, as_of = body["scheme"], body["as_of"]
    rows = (*body["rows"], *body["provisional_rows"])
    columns = _columns(scheme["primary"], body["columns"])
    names = {row["player_id"]: row["player"] for row in rows}
    return StandingsView(
        number=publication.number,
        published_at=publication.published_at,
        digest=publication.digest,
        as_of=date.fromisoformat(as_of["meeting"]) if as_of.get("meeting") else None,
        round=as_of.get("round"),
        hands=as_of.get("hands") or 0,
        primary=scheme["primary"],
        ascending=scheme.get("direction", "asc") == "asc",
        provisional_until=_moment(body["event"].get("provisional_until")),
        variants=tuple(body["event"].get("variants", ())),
        columns=columns,
        rows=tuple(_row(row, columns, names) for row in body["rows"]),
        provisional_rows=tuple(_row(row, columns, names) for row in body["provisional_rows"]),
    )


def most_wins(view: StandingsView, at_most: int) -> Sequence[tuple[str, Row]]:
    """Return the rows with the most tables won, with their places by wins; ties share a place."""
    wins = [row.facts.get("wins", 0) for row in view.rows]
    best_first = sorted(wins, reverse=True)
    placed = sorted(
        ((best_first.index(own) + 1, row) for own, row in zip(wins, view.rows, strict=True) if own),
        key=lambda pair: pair[0],
    )
    taken = [place for place, _row in placed]
    return tuple(
        (f"{place}{'=' if taken.count(place) > 1 else ''}", row) for place, row in placed[:at_most]
    )


def _columns(primary: str, published: Sequence[Mapping[str, str]]) -> tuple[Column, ...]:
    """The deciding column first, then those with a place of their own, then any further ones."""
    own = OWN_COLUMN.get(primary, "")
    title = HEADS[own][0] if own else SCHEMES.get(primary, primary.replace("_", " "))
    shorts = {column["key"]: column["short"] for column in published}
    further = {
        key: (short, "p3")
        for key, short in shorts.items()
        if key not in HEADS and key not in _NOT_SHOWN
    }
    others = (
        Column(key, head, rank, decides=False)
        for key, (head, rank) in (*HEADS.items(), *further.items())
        if key != own and key in shorts
    )
    return (Column(own or f"values.{primary}", title, "", decides=True), *others)


def _row(row: Mapping[str, Any], columns: Sequence[Column], names: Mapping[str, str]) -> Row:
    cells = tuple(Figure(column, _number(row, column.key)) for column in columns)
    rank = row["rank"]
    return Row(
        place="–" if rank is None else f"{rank}{'=' if row['tied'] else ''}",
        entrant_id=row["player_id"],
        name=row["player"],
        members=tuple(member["player"] for member in row.get("members", ())),
        cells=cells,
        why=_named(row.get("reason", ""), names),
        is_withdrawn=bool(row.get("withdrawn")),
        facts=row,
    )


def _number(row: Mapping[str, Any], key: str) -> Any:
    values, dot, primary = key.partition(".")
    if dot:
        return _four_places(row[values][primary])
    number = row.get(key)
    return None if key in _DASH_FOR_NONE and not number else number


def _four_places(exact: str) -> str:
    """Print an exact value as the published averages are: half to even, four places."""
    return f"{Decimal(round(Fraction(exact) * 10_000)).scaleb(-4):.4f}"


def _named(reason: str, names: Mapping[str, str]) -> str:
    """Publications name people by id in their reasons; a page says the name shown beside it."""
    found = _REASON.fullmatch(reason)
    if found is None or found["code"] not in names:
        return reason
    return f"{found['before']}{names[found['code']]}{found['after'] or ''}"


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
