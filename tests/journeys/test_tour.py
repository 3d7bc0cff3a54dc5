"""Each stop of the tour of the demo club shows on its page what its text names."""

import csv
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from tests.support.builders import TESTS, by_tests
from tournaments.management.commands.demo import create_demo_events, create_demo_league
from tournaments.selectors.clubs.demo_club import DEMO_CLUB, DEMO_SIGN_IN, tour_stops
from tournaments.services.demo import set_up_demo_club, set_up_sign_in
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.publishing import publications
from tournaments.services.publishing.ladders import publish_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

DEMO = Path(settings.BASE_DIR) / "tournaments" / "demo"
PASSWORD = "seven hearts of a club"
LEAGUE = f"/clubs/{DEMO_CLUB}/events/league"
SHOWN = [
    (
        "Choose “Why” beside a name",
        r'<details class="why".*?Why <span class="vh">Xenia S\. is at place 1\b',
    ),
    ("leads to its sheet", rf'<a href="{LEAGUE}/tables/r10t5"'),
    ("the number of a hand", rf'<a href="{LEAGUE}/tables/r10t5/hands/1"'),
    ("Each move shows its reason", r"won a table with Bette, Piet and Wout"),
    ("what to do next", r"Next step|Nothing to do until"),
]
"""What the text of a stop names, and the pattern of it on the page."""


def create_demo() -> None:
    now = timezone.now()
    with (DEMO / "players.csv").open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    club, _ = set_up_demo_club(actor=TESTS, slug=DEMO_CLUB, people=people, now=now)
    set_up_sign_in(actor=TESTS, club=club, username=DEMO_SIGN_IN, password=PASSWORD, now=now)
    league = create_demo_league(TESTS, club, DEMO)
    target = find_target(actor=TESTS, club=DEMO_CLUB, event="league", create=True)
    sheets = ImportRequest(DEMO / "sheets.csv", "sheets.csv")
    import_file(by_tests(now), target, sheets)
    publications.publish(league.pk, now=now)
    events = create_demo_events(TESTS, club, DEMO)
    ladder = next(event for event, _ in events if event.slug == "ladder")
    publications.publish(ladder.pk, now=now)
    publish_ladder(ladder.pk, now=now)


def test_each_stop_of_the_tour_shows_what_its_text_names(client: Client) -> None:
    create_demo()
    client.login(username=DEMO_SIGN_IN, password=PASSWORD)
    stops = tour_stops()
    assert len(stops) == len(SHOWN)
    wrong = []
    for stop, (words, pattern) in zip(stops, SHOWN, strict=True):
        response = client.get(stop.url)
        page = response.content.decode()
        if (
            response.status_code != 200
            or words not in str(stop.text)
            or f"Stop {stop.number} of {len(stops)}: {stop.title}" not in page
            or not re.search(pattern, page, re.DOTALL)
        ):
            wrong.append(stop.title)
    assert wrong == []
