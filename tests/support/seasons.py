"""Seasons and the events that belong to them."""

from tests.support.cast import NOW
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season
from tournaments.policy import command
from tournaments.services.events.seasons import change_season, make_season
from tournaments.services.operations import Operation

BY_TESTS = Operation(command("tests"), NOW)


def autumn_season(
    club: Club, *, name: str = "Autumn", slug: str = "", preset: str = "places"
) -> Season:
    days = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}
    return make_season(BY_TESTS, club, name=name, slug=slug, preset=preset, **days)


def assign_event(event: Event, season: Season) -> None:
    slugs = season.events.values_list("slug", flat=True)
    change_season(BY_TESTS, season, events=[*slugs, event.slug])
    event.refresh_from_db(fields=["season"])
