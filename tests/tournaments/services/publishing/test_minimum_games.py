"""A third of the most games as minimum: what is published, what pages say, switching it off."""

import json

import pytest

from tests.support.builders import by_tests, finished, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Change
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish

DIRECT = "/clubs/riverside/events/league/direct"
OFF = "Switch minimum off"


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Ada", "Ben", "Cleo", "Dora", "Emil")


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"min_third": True, "primary": "raw_per_hand"})


def play(event: Event, seated: list[Player], number: int) -> Game:
    on = NOW.date().replace(day=number)
    return finished(table(event, seated, round_number=number, on=on), [3, 3, 3, 4])


def published(event: Event) -> tuple[int, list[str]]:
    """Publish; returns the games needed, and who is below the line."""
    document = json.loads(bytes(publish(event.pk, now=NOW).body))  # type: ignore[union-attr]
    make_all(event.pk)
    assert document["scheme"]["min_third"]
    below = [row["player"] for row in document["provisional_rows"]]
    assert all(row["rank"] is None for row in document["provisional_rows"])
    return document["scheme"]["min_games"], below


def test_third_is_of_the_games_of_this_publication(event: Event, people: list[Player]) -> None:
    play(event, people[1:], 1)
    for number in (2, 3, 4):
        assert published(event) == (1, [])
        last = play(event, people[:4], number)
    assert published(event) == (2, ["Emil"])
    void_hand(by_tests(), last, number=1, based_on=1, reason="Wrong table.")
    assert published(event) == (1, [])
    event.refresh_from_db()
    assert settings_of(event).min_games == 0


def test_manage_says_on_the_first_evening_with_somebody_below_and_one_click_switches_it_off(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    dirk = cast.client("dirk")
    play(event, people[1:], 1)
    for number in (2, 3, 4):
        published(event)
        assert OFF not in text_of(dirk.get(DIRECT))
        play(event, people[:4], number)
    assert published(event) == (2, ["Emil"])
    page = text_of(dirk.get(DIRECT))
    assert "1 player has no place yet: fewer than 2 games" in page
    assert OFF in page
    standings = text_of(dirk.get("/clubs/riverside/events/league"))
    assert "Not ranked yet: fewer than 2 games, a third of the most" in standings
    assert "no place yet: 1 of 2 games" in standings
    play(event, people[:4], 5)
    published(event)
    assert OFF not in text_of(dirk.get(DIRECT))
    dirk.post(DIRECT, {"minimum": "off"})
    event.refresh_from_db()
    assert not settings_of(event).min_third
    change = Change.objects.get(event=event, kind="settings")
    assert change.facts == {"settings": {"min_third": [True, False]}}
