"""A guest who wins an evening is named first in its chat text, feed and mail, and not in those of
the season."""

from collections.abc import Mapping
from datetime import date

import feedparser
import pytest
import time_machine

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of
from tournaments.delivery.mail.sender import compose
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.jobs import Outbox
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.personal_links import set_contact
from tournaments.services.publishing.evening_results import publish_result

pytestmark = pytest.mark.django_db

TONIGHT = date(2025, 11, 6)
SETTINGS: Mapping[str, object] = {
    "primary": "evening_points",
    "evening_points": [10, 8, 6, 4],
    "guests": "evening",
}


@pytest.fixture
def event(cast: Cast) -> Event:
    """Gale, a guest, wins the evening before Ada, who is first in the season; its result is
    drawn."""
    event = league(cast.riverside, name="Autumn league", settings=SETTINGS)
    people = players(cast.riverside, "Gale G.", "Ada A.", "Bea B.", "Cleo C.")
    set_contact(by_tests(), people[0], email="gale@river.example", has_consent=True)
    hand(table(event, people, on=TONIGHT), 1, [0, 1, 5, 7], queen=3)
    Entrant.objects.filter(event=event, code=people[0].player_id).update(guest=True)
    make_tables_of(event, NOW)
    assert publish_result(meeting_on(event, TONIGHT), now=NOW) is not None
    return event


def test_the_chat_text_has_the_guest_in_the_evening_and_not_in_the_season(
    event: Event, cast: Cast
) -> None:
    path = f"/api/v1/clubs/riverside/events/{event.slug}/meetings/2025-11-06/result.txt"
    evening, _head, season = cast.client().get(path).content.decode().partition("The season after")
    assert "1. Gale G." in evening
    assert "2. Ada A." in evening
    assert "1. Ada A." in season
    assert "Gale" not in season


def test_the_feed_has_the_guest_first(event: Event, cast: Cast) -> None:
    feed = feedparser.parse(
        cast.client().get(f"/clubs/riverside/events/{event.slug}/evenings.atom").content
    )
    assert "1. Gale G." in feed.entries[0].summary


def test_the_mail_of_the_guest_has_the_place_of_the_evening_and_none_of_the_season(
    event: Event,
) -> None:
    gale = Player.objects.get(name="Gale G.")
    with time_machine.travel(NOW, tick=False):
        mail = compose(Outbox.objects.get(kind="digest", player=gale))
    assert mail is not None
    text = " ".join(str(mail.body).split())
    assert "You finished the evening at place 1 of 4." in text
    assert "You won the evening." in text
    assert "season" not in text.lower()
