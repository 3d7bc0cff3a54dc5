"""From the sums of an event to a numbered, immutable publication.

`publish` is the only writer of publications. It locks the event's dirty row first: whoever
changes the event raises that row's version before committing, so what is read afterwards is
whole, and exactly what the version says. Safe twice, late and out of order.
"""

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction

from django.db import transaction
from django.db.models import F, Max, Prefetch, Sum

from scoring.standings.explain import four_places, reason
from scoring.standings.rank import PRIMARIES, Standing, standings
from scoring.standings.rows import Row, Sums
from tournaments.errors import Missing
from tournaments.formulas import guarded
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.numbers import UNIT, as_json, exact
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import PLACES, Aggregate, Publication
from tournaments.services.event_settings import Settings, settings_of
from tournaments.services.events import default_snapshot
from tournaments.services.rule_sets import low_wins, rules_of

PLACE_KEYS = (
    "wins", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth",
)  # fmt: skip
ALWAYS = 4
"""Places up to the fourth are columns of every table; further ones where somebody has them."""

COLUMNS = {
    "rank": ("#", "Place"),
    "player_id": ("Id", "Player id"),
    "player": ("Player", "Player"),
    "tables": ("T", "Tables"),
    "hands": ("H", "Hands"),
    "points": ("Pts", "Points"),
    "average_per_hand": ("Avg", "Average a hand"),
    "wins": ("1st", "Tables won, shared ones included"),
    "shared_wins": ("1=", "Wins that were shared"),
    "second": ("2nd", "Second places"),
    "third": ("3rd", "Third places"),
    "fourth": ("4th", "Fourth places"),
    "moons": ("M", "Moons shot"),
}
"""Column key → short head, title; the first of them in this order (design.md 8.7)."""

CRITERIA = {"difference": ("±", "Points less those of the opponents")}
"""Tie-break criteria that are a column where the event's chain has them: short head, title."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entrant as published: its code is its public id."""

    code: str
    name: str
    withdrawn: bool
    members: tuple[tuple[str, str], ...] = ()
    """Ids and names of a pair's or a team's players; empty for a player alone."""


@transaction.atomic
def publish(event_id: int, *, now: datetime) -> Publication | None:
    """Publish the event's standings if they are behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one; only the dirty
    row's `done` moves. Returns None where the event is gone.
    """
    scope = event_scope(event_id)
    Dirty.objects.get_or_create(scope=scope)
    dirty = Dirty.objects.select_for_update().get(scope=scope)
    newest = Publication.objects.filter(event_id=event_id).order_by("-number").first()
    if newest is not None and dirty.done >= dirty.version:
        return newest
    event = Event.objects.select_related("club", "season").filter(pk=event_id).first()
    if event is not None:
        newest = _store(event, newest, dirty.version, now)
    Dirty.objects.filter(pk=dirty.pk).update(
        done=dirty.version, done_at=now, attempts=0, due_at=None, parked=False, error=""
    )
    return newest


def publish_by_slug(*, club: str, event: str, now: datetime) -> Publication:
    """Publish the event under these slugs.

    Raises:
        Missing: unknown_event.
    """
    found = Event.objects.filter(club__slug=club, slug=event).values_list("pk", flat=True).first()
    publication = publish(found, now=now) if found is not None else None
    if publication is None:
        raise Missing("event")
    return publication


def _store(event: Event, newest: Publication | None, version: int, now: datetime) -> Publication:
    remainder, table = render(event)
    digest = hashlib.sha256(remainder).hexdigest()
    if newest is not None and newest.digest == f"sha256:{digest}":
        return newest
    number = newest.number + 1 if newest is not None else 1
    head = {
        "number": number,
        "version": version,
        "published_at": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "digest": f"sha256:{digest}",
    }
    return Publication.objects.create(
        club_id=event.club_id,
        event=event,
        number=number,
        version=version,
        digest=f"sha256:{digest}",
        etag=f'"{number}-{digest[:12]}"',
        body=b'{"publication":' + _compact(head) + b"," + remainder[1:],
        csv=table,
        published_at=now,
    )


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def render(event: Event) -> tuple[bytes, bytes]:
    """Return the event's standings from its sums: the JSON without `publication`, and the CSV.

    A function of stored rows alone: no clock, no database id, no order of insertion shows.
    """
    settings = settings_of(event)
    is_low = low_wins(rules_of(default_snapshot(event)))
    direction = _ascending(settings, is_low=is_low)
    rows = standings(
        [Row(sums) for sums in _sums(event)],
        primary=settings.primary,
        ascending=direction,
        min_games=settings.min_games,
        tie_breaks=settings.tie_breaks,
        low_wins=is_low,
    )
    names = _names(event)
    extra = _extra_places(rows)
    columns = _columns(extra, settings)
    placed = [
        _row(row, rows[position - 1] if position else None, names, settings, extra)
        for position, row in enumerate(rows)
    ]
    body = {
        "club": {"slug": event.club.slug, "name": event.club.name},
        "event": {
            "slug": event.slug,
            "name": event.name,
            "kind": event.kind,
            "season": event.season.slug if event.season else None,
            "variants": _variants(event),
            "state": event.state,
            "provisional_until": None,
        },
        "as_of": _as_of(event),
        "scheme": {
            "primary": settings.primary,
            "direction": "asc" if direction else "desc",
            "tie_breaks": list(settings.tie_breaks),
            "drop_worst": 0,
            "min_games": settings.min_games,
            "seed": None,
        },
        "columns": [
            {"key": key, "short": short, "title": title} for key, (short, title) in columns.items()
        ],
        "rows": [row for row in placed if row["qualified"]],
        "provisional_rows": [row for row in placed if not row["qualified"]],
    }
    return _compact(body), _csv(placed, tuple(columns))


def _ascending(settings: Settings, *, is_low: bool) -> bool:
    primary = PRIMARIES[settings.primary]
    return primary.ascending if is_low or not primary.is_raw else not primary.ascending


def _sums(event: Event) -> list[Sums]:
    rows = Aggregate.objects.filter(event=event, games__gt=0).select_related("entrant")
    return [
        Sums(
            code=row.entrant.code,
            games=row.games,
            hands=row.hands,
            points=exact(row.points),
            places=tuple(getattr(row, f"place_{place}") for place in range(1, PLACES + 1)),
            shared_wins=row.shared_wins,
            win_share=Fraction(row.win_share, UNIT),
            beaten=Fraction(row.beaten_halves, 2 * UNIT),
            moons=row.moons,
            moons_against=row.moons_against,
            difference=exact(row.difference),
            uncounted=row.uncounted,
        )
        for row in rows
    ]


def _names(event: Event) -> dict[str, Named]:
    # A prefetch of the players themselves is one condition each, too many for SQLite from 1,000.
    joined = EntrantMember.objects.select_related("player")
    entrants = Entrant.objects.filter(event=event).prefetch_related(Prefetch("members", joined))
    found = {}
    for entrant in entrants:
        people = sorted((one.player.player_id, one.player.name) for one in entrant.members.all())
        name = entrant.name or " & ".join(sorted(name for _, name in people))
        members = () if entrant.kind == EntrantKind.PLAYER else tuple(people)
        found[entrant.code] = Named(entrant.code, name, entrant.state == "withdrawn", members)
    return found


def _extra_places(rows: Sequence[Standing]) -> tuple[int, ...]:
    return tuple(
        index for index in range(ALWAYS, PLACES) if any(row.sums.places[index] for row in rows)
    )


def _columns(extra: Sequence[int], settings: Settings) -> dict[str, tuple[str, str]]:
    further = {
        PLACE_KEYS[index]: (f"{index + 1}th", f"{PLACE_KEYS[index].capitalize()} places")
        for index in extra
    }
    return (
        COLUMNS | further | {key: CRITERIA[key] for key in settings.tie_breaks if key in CRITERIA}
    )


def _row(
    row: Standing,
    above: Standing | None,
    names: dict[str, Named],
    settings: Settings,
    extra: Sequence[int],
) -> dict[str, object]:
    sums = row.sums
    has_average = sums.hands and not sums.uncounted
    average = Fraction(sums.points) / sums.hands if has_average else None
    return {
        "rank": row.rank,
        "tied": row.tied,
        "qualified": row.rank is not None,
        "player_id": sums.code,
        "player": names[sums.code].name,
        **_members(names[sums.code]),
        "tables": sums.games,
        "hands": sums.hands,
        "points": as_json(int(sums.points * UNIT)),
        "average_per_hand": four_places(average) if average is not None else None,
        "average_exact": str(average) if average is not None else None,
        "wins": sums.places[0],
        "shared_wins": sums.shared_wins,
        "second": sums.places[1],
        "third": sums.places[2],
        "fourth": sums.places[3],
        **{PLACE_KEYS[index]: sums.places[index] for index in extra},
        "moons": sums.moons,
        "withdrawn": names[sums.code].withdrawn,
        **_criteria(row, settings),
        "values": {key: str(value) for key, value in row.values.items()},
        "decided_by": row.decided_by,
        "reason": reason(row, above),
    }


def _members(named: Named) -> dict[str, object]:
    """A pair's or team's players; a player alone has no such member."""
    if not named.members:
        return {}
    return {"members": [{"player_id": code, "player": name} for code, name in named.members]}


def _criteria(row: Standing, settings: Settings) -> dict[str, object]:
    return {
        key: as_json(int(getattr(row.sums, key) * UNIT))
        for key in settings.tie_breaks
        if key in CRITERIA
    }


def _variants(event: Event) -> list[str]:
    played = Game.objects.filter(event=event, hands_counted__gt=0)
    found = set(played.values_list("snapshot__variant", flat=True).distinct())
    return sorted(found or {event.variant})


def _as_of(event: Event) -> dict[str, object]:
    found = Game.objects.filter(event=event, hands_counted__gt=0).aggregate(
        meeting=Max(F("table__round__meeting__date")),
        round=Max(F("table__round__number")),
        hands=Sum("hands_counted"),
    )
    meeting: date | None = found["meeting"]
    return {
        "meeting": meeting.isoformat() if meeting else None,
        "round": found["round"],
        "hands": found["hands"] or 0,
    }


def _csv(rows: Sequence[dict[str, object]], keys: Sequence[str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(keys)
    for row in rows:
        writer.writerow([_cell(row[key], is_typed=key in _TYPED) for key in keys])
    return text.getvalue().encode()


def _cell(value: object, *, is_typed: bool) -> str:
    """Return `value` as text; what a person typed never starts a formula (stack.md 7)."""
    text = "" if value is None else str(value)
    return guarded(text) if is_typed else text


_TYPED = frozenset({"player_id", "player"})
