"""The result of an evening: its table as a numbered publication of its own."""

import json
from collections.abc import Mapping
from datetime import date

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.standings.evening_results import (
    newest_result,
    result_numbered,
    results_of,
)
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two tables of a first round with two hands each; the club is in UTC."""
    event = league(cast.riverside, settings=SCHEME)
    people = players(cast.riverside, *"ABCDEFGH")
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
        hand(game, 2, [4, 1, 2, 6], queen=3)
    return event


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def compute(event: Event) -> None:
    """Publish the event and make its evenings, as the workers do."""
    publish(event.pk, now=NOW)
    make_all(event.pk)


def correct(event: Event) -> None:
    game = Game.objects.get(event=event, table__round__number=1, table__number=1)
    void_hand(by_tests(), game, number=1, based_on=1, reason="Wrong table.")


def numbers(event: Event) -> list[int]:
    return [result.number for result in results_of(the_meeting(event))]


def test_result_has_the_bytes_of_the_table_under_a_number_of_its_own(night: Event) -> None:
    compute(night)
    stored = evening_table(night, the_meeting(night))
    announced = WebhookEvent.objects.count()
    result = publish_result(the_meeting(night), now=NOW)
    assert result is not None
    assert (result.number, result.event, result.meeting) == (1, None, the_meeting(night))
    assert result.digest == stored.digest
    document = result.document
    assert document.pop("publication")["number"] == 1
    assert document == json.loads(stored.body)
    assert Publication.objects.filter(event=night).count() == 1
    assert WebhookEvent.objects.count() == announced


def test_same_bytes_make_no_number_and_others_the_next(night: Event) -> None:
    compute(night)
    first = publish_result(the_meeting(night), now=NOW)
    assert publish_result(the_meeting(night), now=NOW) == first
    assert numbers(night) == [1]
    correct(night)
    compute(night)
    second = publish_result(the_meeting(night), now=NOW)
    assert numbers(night) == [2, 1]
    assert newest_result(the_meeting(night)) == second
    assert result_numbered(the_meeting(night), 1) == first
    with pytest.raises(Missing):
        result_numbered(the_meeting(night), 3)


def test_evening_whose_table_is_not_made_has_no_result(night: Event) -> None:
    publish(night.pk, now=NOW)
    assert publish_result(the_meeting(night), now=NOW) is None
    assert newest_result(the_meeting(night)) is None
