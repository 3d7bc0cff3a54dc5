"""The demo club with all its events, published."""

from pathlib import Path
from typing import Final

from django.conf import settings

from tests.support.builders import TESTS, by_tests, publish_all
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.imports.imports import imported
from tournaments.management.commands.demo import create_demo_events
from tournaments.models.events import Event
from tournaments.services.clubs.change_club import change_club
from tournaments.services.demo import FRONT
from tournaments.services.publishing.publications import publish

DEMO: Final = Path(settings.BASE_DIR) / "tournaments" / "demo"


def demo_club() -> Cast:
    cast = enter_the_cast()
    change_club(by_tests(), cast.riverside, wanted=FRONT)
    imported(DEMO / "sheets.csv", create=True)
    list(create_demo_events(TESTS, cast.riverside, DEMO))
    for event in Event.objects.filter(club=cast.riverside):
        publish(event.pk, now=NOW)
        make_all(event.pk)
        if event.kind == "ladder":
            publish_all(event)
    return cast
