"""The demo club with all its events, published."""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from tests.support.builders import TESTS, by_tests, publish_all
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.imports.imports import imported
from tournaments.management.commands.demo import create_demo_events, create_demo_season
from tournaments.models.events import Event, Season
from tournaments.services.clubs.change_club import change_club
from tournaments.services.demo import FRONT
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

DEMO: Final = Path(settings.BASE_DIR) / "tournaments" / "demo"


def demo_club() -> Cast:
    cast = enter_the_cast()
    change_club(by_tests(), cast.riverside, wanted=FRONT)
    imported(DEMO / "sheets.csv", create=True)
    list(create_demo_events(TESTS, cast.riverside, DEMO))
    list(create_demo_season(TESTS, cast.riverside, DEMO))
    for event in Event.objects.filter(club=cast.riverside):
        publish(event.pk, now=NOW)
        make_all(event.pk)
        if event.kind == "ladder":
            publish_all(event)
    for event in Event.objects.filter(season__club=cast.riverside):
        work_on_evenings(event, timezone.now())
    for season in Season.objects.filter(club=cast.riverside):
        publish_season(season.pk, now=NOW)
    return cast
