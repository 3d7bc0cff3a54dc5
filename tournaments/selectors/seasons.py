"""Seasons of a club: their events as divisions, their own table, who would go up and down.

Who may know of a club may know of its seasons; of their events everybody reads what they may read
anyway. A season's own table holds public events only (`publishing.seasons`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db.models import F, QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season
from tournaments.models.outbox import Dirty, season_scope
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs import club_at
from tournaments.selectors.events import events_for
from tournaments.selectors.readiness import is_worker_heard
from tournaments.selectors.standings import current_publication


@dataclass(frozen=True, slots=True)
class Mover:
    """Somebody at a boundary between two divisions."""

    player_id: str
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Swap:
    """Who would go up from a division, and who would come down to it for them.

    `is_tied` where a tie runs over one of the two lines, so that it is not settled who.
    """

    upper: Event
    lower: Event
    up: tuple[Mover, ...]
    down: tuple[Mover, ...]
    is_tied: bool


@dataclass(frozen=True, slots=True)
class Behind:
    """Whether a season's table waits to be made; `fault` is why that was given up, empty else."""

    is_behind: bool
    fault: str
    has_worker: bool = True
    """False where nobody is there to make it."""


def seasons_of(club: Club) -> QuerySet[Season]:
    """Return a club's seasons, the newest first."""
    return Season.objects.filter(club=club).order_by("-starts_on", "slug")


def season_at(actor: Actor, club: str, season: str) -> Season:
    """Return the season at an address, its `club` with the actor's role there.

    Raises:
        Missing: no such club or season, or not one that the actor may know of.
    """
    home = club_at(actor, club)
    found = seasons_of(home).filter(slug=season).first()
    if found is None:
        raise Missing("season", {"season": season})
    found.club = home
    return found


def divisions(actor: Actor, season: Season) -> Sequence[Event]:
    """Return the events of a season that the actor may read, the first made first.

    That order is the order of divisions: the first is the highest.
    """
    return tuple(events_for(actor).filter(season=season).order_by("created_at", "pk"))


def season_publication(season: Season, number: int | None = None) -> Publication | None:
    """Return a numbered publication of a season's own table, or the newest; None before any.

    Raises:
        Missing: the season has no publication with that number.
    """
    there = Publication.objects.filter(season=season).order_by("-number")
    found = (there if number is None else there.filter(number=number)).first()
    if found is None and number is not None:
        raise Missing("publication", {"publication": number})
    return found


@dataclass(frozen=True, slots=True)
class Uncounted:
    """Penalties and bonuses of an event that do not count in its season: how many, and the primary
    value that they are in units of."""

    event: str
    name: str
    primary: str
    lines: int


def uncounted_lines(season: Season, publication: Publication) -> Sequence[Uncounted]:
    """Return what a season's table leaves out because it is in another unit, by event.

    Publications that are older than this say nothing of it.
    """
    told = json.loads(bytes(publication.body))["season"].get("uncounted_lines", ())
    names = dict(Event.objects.filter(club=season.club_id).values_list("slug", "name"))
    return tuple(
        Uncounted(
            one["event"],
            names.get(one["event"], one["event"]),
            one["primary"],
            one["lines"],
        )
        for one in told
    )


def newest_number(season: Season) -> int:
    """Return the number of a season's newest publication; 0 before the first."""
    numbers = Publication.objects.filter(season=season).order_by("-number")
    return numbers.values_list("number", flat=True).first() or 0


def progress_of_season(season: Season, now: datetime) -> Behind:
    """Return whether a season's table is behind its events."""
    row = Dirty.objects.filter(scope=season_scope(season.pk), done__lt=F("version")).first()
    if row is None:
        return Behind(is_behind=False, fault="")
    fault = row.error if row.parked else ""
    return Behind(is_behind=True, fault=fault, has_worker=is_worker_heard(now))


def swaps(events: Sequence[Event]) -> Sequence[Swap]:
    """Return who would change places between neighbouring divisions, as now published.

    Of each division but the highest the best k go up, k being its boundary `promotion`, and as many
    of the last come down from the division above. Who withdrew is passed over.
    """
    tables = [(event, _table(event)) for event in events]
    found = []
    for (upper, above), (lower, below) in pairwise(tables):
        places = below.get("scheme", {}).get("boundaries", {}).get("promotion", 0)
        best, last = _standing(below), _standing(above)[::-1]
        if places and best and last:
            found.append(
                Swap(
                    upper,
                    lower,
                    tuple(map(_mover, best[:places])),
                    tuple(map(_mover, last[:places])),
                    _is_tied(best, places) or _is_tied(last, places),
                )
            )
    return tuple(found)


def _table(event: Event) -> Mapping[str, Any]:
    publication = current_publication(event)
    return json.loads(bytes(publication.body)) if publication else {}


def _standing(table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in table.get("rows", ()) if not row.get("withdrawn")]


def _is_tied(rows: Sequence[Mapping[str, Any]], places: int) -> bool:
    return len(rows) > places and rows[places - 1]["rank"] == rows[places]["rank"]


def _mover(row: Mapping[str, Any]) -> Mover:
    place = f"{row['rank']}{'=' if row['tied'] else ''}"
    return Mover(row["player_id"], row["player"], place)
