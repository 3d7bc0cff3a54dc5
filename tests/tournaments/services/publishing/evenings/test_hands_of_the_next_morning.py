"""Hands that come the morning after: of a table that kept its evening on."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.evening_work import work_on_evenings
from tests.support.webhooks import HOOK
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.events.meetings import is_over, meeting_on
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.evenings import end_evenings_at_noon
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
NOON = datetime(2025, 11, 7, 12, 0, tzinfo=UTC)


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two tables with a hand each; the second one is not complete, and nobody presses anything."""
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"])
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCDEFGH")
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), Game.objects.get(event=event, table__number=1), to="complete")
    return event


def bring_last_hand(event: Event, now: datetime) -> None:
    game = Game.objects.get(event=event, table__number=2)
    hand(game, 2, [0, 2, 4, 7], queen=3, now=now)
    move_game(by_tests(now), game, to="complete")


def results(event: Event) -> list[tuple[int, int]]:
    rows = results_of(meeting_on(event, TONIGHT)).order_by("number")
    return [(row.number, row.document["as_of"]["hands"]) for row in rows]


@pytest.mark.parametrize("wait", [timedelta(minutes=-1), timedelta(), timedelta(hours=3)])
def test_last_hand_that_comes_before_or_after_noon_is_in_the_first_result(
    night: Event, wait: timedelta
) -> None:
    at = NOON + wait
    assert end_evenings_at_noon(now=at) == 0
    assert not is_over(meeting_on(night, TONIGHT))
    bring_last_hand(night, at)
    ends_at = max(at, NOON)
    assert end_evenings_at_noon(now=ends_at) == 1
    work_on_evenings(night, ends_at)
    assert results(night) == [(1, 3)]
    told = WebhookEvent.objects.filter(kind="evening.closed")
    assert [message.data["number"] for message in told] == [1]
