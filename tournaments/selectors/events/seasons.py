"""Seasons of a club: their events as divisions, their own table, promotion and relegation.

Readers of a club may read its seasons; each event of a season keeps its own visibility. A season's
own table has public events only (`publishing.season_table`).
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F, QuerySet

from scoring.json_types import JsonDict
from tournaments.errors import Missing, first_or_missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season, Visibility
from tournaments.models.jobs import Dirty, season_scope
from tournaments.models.publication_packs import DISCARDED, Discarded
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.clubs.names import FULL_NAME, name_column
from tournaments.selectors.events.events import events_for, is_for_everybody
from tournaments.selectors.events.players import as_read, is_behind_names
from tournaments.selectors.jobs.queue import is_worker_heard


def seasons_of(club: Club) -> QuerySet[Season]:
    return Season.objects.filter(club=club).order_by("-starts_on", "slug")


def get_season(actor: Actor, club: str, season: str) -> Season:
    return season_in(get_club(actor, club), season)


def season_in(club: Club, slug: str) -> Season:
    season = first_or_missing(seasons_of(club).filter(slug=slug), "season", season=slug)
    season.club = club
    return season


def divisions(actor: Actor, season: Season) -> Sequence[Event]:
    """Return the events of a season that the actor may read, the first made first.

    That order is the order of divisions: the first is the highest. Archived ones are not listed;
    the season's table counts them as before.
    """
    events = events_for(actor).filter(season=season, archived_at__isnull=True)
    return tuple(events.order_by("created_at", "pk"))


def season_publication(
    actor: Actor, season: Season, number: int | None = None, *, as_stored: bool = False
) -> Publication | None:
    """Return a numbered publication of a season's own table, or the newest; None before any.

    One that counts an event which the actor may not read, as it is not public any more, is not
    there for them: until the newest is made again without it, there is none.

    Args:
        as_stored: whether members get the bytes as they are, not with full names.
    """
    publications = Publication.objects.filter(season=season).order_by("-number")
    publication = (publications if number is None else publications.filter(number=number)).first()
    if publication is None and number is not None:
        raise Missing("publication", {"publication": number})
    hidden = _events_not_for(actor, season)
    if publication is not None and hidden and not hidden.isdisjoint(_events_in(publication)):
        if number is not None:
            raise Missing("publication", {"publication": number})
        return None
    if publication is not None and publication.pack == DISCARDED:
        raise Discarded(publication)
    if publication is None or (as_stored and name_column(season.club) == FULL_NAME):
        return publication
    return as_read(publication, season.club, None)


def is_season_for_everybody(season: Season, publication: Publication) -> bool:
    """Whether the public reads a publication of a season, so that shared caches may store it."""
    hidden = _events_not_for(ANYBODY, season)
    if is_behind_names(publication, season.club):
        return False  # members get other names than the public
    return is_for_everybody(season.club) and hidden.isdisjoint(
        _events_in(publication) if hidden else ()
    )


def _events_not_for(actor: Actor, season: Season) -> frozenset[str]:
    """Return the slugs of the club's events that the actor may not read; mostly there are none."""
    kept_back = Event.objects.filter(club=season.club_id).exclude(visibility=Visibility.PUBLIC)
    slugs = frozenset(kept_back.values_list("slug", flat=True))
    if not slugs:
        return slugs
    read = events_for(actor).filter(club=season.club_id, slug__in=slugs)
    return slugs - frozenset(read.values_list("slug", flat=True))


def _events_in(publication: Publication) -> Sequence[str]:
    counted: Sequence[str] = publication.document["season"]["events"]
    return counted


def uncounted_lines(season: Season, publication: Publication) -> Sequence[tuple[str, str, int]]:
    """Return the penalties and bonuses that a season's table leaves out: those in other units.

    By event: its name, the primary value that they are in units of, and how many there are.
    Publications that are older than this say nothing of it.
    """
    lines = publication.document["season"].get("uncounted_lines", ())
    names = dict(Event.objects.filter(club=season.club_id).values_list("slug", "name"))
    return tuple(
        (names.get(line["event"], line["event"]), line["primary"], line["lines"]) for line in lines
    )


def newest_number(season: Season) -> int:
    numbers = Publication.objects.filter(season=season).order_by("-number")
    return numbers.values_list("number", flat=True).first() or 0


def progress_of_season(season: Season, now: datetime) -> JsonDict:
    """Return whether a season's table `is_behind` its events; `fault` is why that was given up."""
    row = Dirty.objects.filter(scope=season_scope(season.pk), done__lt=F("version")).first()
    if row is None:
        return {"is_behind": False, "fault": "", "has_worker": True}
    fault = row.error if row.parked else ""
    return {"is_behind": True, "fault": fault, "has_worker": is_worker_heard(now)}
