"""The same name typed at two tables at one moment: one player and one guest of the event."""

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.services.events.entrants import add_event_guest
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg


@pytest.fixture
def event(within: Within) -> Event:
    with within():
        club = enter_the_cast().riverside
        event = league(club, settings={"primary": "placement_points", "guests": "evening"})
        hand(table(event, players(club, *"ABCD")), 1, [4, 1, 2, 6], queen=3)
        return event


def add(event: Event, name: str) -> Action:
    def action() -> None:
        add_event_guest(by_tests(), Event.objects.get(pk=event.pk), name=name)

    return action


def test_one_name_typed_twice_makes_one_player_who_is_one_guest(
    within: Within, event: Event
) -> None:
    for turn in range(short_or_long(3, 20)):
        name = f"Vera {turn}"
        assert within.at_once(add(event, name), add(event, name)) == []
        with within():
            visitor = Player.objects.get(club=event.club, name=name)
            assert Entrant.objects.get(event=event, members__player=visitor).guest


def test_a_guest_beside_the_publication_is_entered_once(within: Within, event: Event) -> None:
    def publish_it() -> None:
        publish(event.pk, now=NOW)

    assert within.at_once(add(event, "Wim"), publish_it) == []
    with within():
        assert Entrant.objects.filter(event=event, guest=True).count() == 1
