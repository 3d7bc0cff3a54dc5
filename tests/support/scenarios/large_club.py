"""A club of many seasons among other clubs, each brought in from files of sheets."""

from datetime import date
from pathlib import Path

from django.utils import timezone

from tests.support.builders import season
from tests.support.imports.make_league import main as make_league
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

FIRST_YEAR = 2016


def bring_in_season(file: Path, club: str, *, year: int = 0, players: int, hands: int) -> Event:
    """Bring in the league of a year into a club, which is created with the first, and publish."""
    start = date(FIRST_YEAR + year, 1, 5).isoformat()
    sizes = ["--players", str(players), "--hands", str(hands), "--seed", str(year + 1)]
    make_league([*sizes, "--start", start, "--out", str(file)])
    by = command("import_sheets")
    target = find_target(actor=by, club=club, event=f"season-{year}", create=True)
    import_file(Operation(by, timezone.now()), target, ImportRequest(file, file.name))
    event = Event.objects.select_related("club").get(club__slug=club, slug=f"season-{year}")
    Club.objects.filter(pk=event.club_id).update(is_public=True)
    Event.objects.filter(pk=event.pk).update(visibility="public")
    event.refresh_from_db()
    publish(event.pk, now=timezone.now())
    make_history(event.pk)
    return event


def bring_in_clubs(
    folder: Path, *, seasons: int, players: int, hands: int, others: int
) -> tuple[Event, Event]:
    """Make a club of ten seasons, one of a single season, and so many small ones.

    Returns the last season of the first, which has a table over it, and that of the second.
    """
    file = folder / "season.csv"
    sizes = {"players": players, "hands": hands}
    events = [bring_in_season(file, "large", year=year, **sizes) for year in range(seasons)]
    season(events[-1])
    single = bring_in_season(file, "single", year=seasons - 1, **sizes)
    for number in range(others):
        bring_in_season(file, f"other-{number}", players=max(8, players // 8), hands=hands // 12)
    return events[-1], single
