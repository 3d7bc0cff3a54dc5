"""An evening with open tables waits for a director from the next day on."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.selectors.waiting import list_waiting
from tournaments.services.rounds.evenings import end_evenings_at_noon

pytestmark = pytest.mark.django_db

TONIGHT = date(2025, 11, 6)
NOON = datetime(2025, 11, 7, 12, 0, tzinfo=UTC)


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two tables of one round, posted at nine in the evening."""
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCDEFGH")
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [4, 1, 2, 6], queen=3)
    Round.objects.update(posted_at=NOW)
    return event


def waiting(cast: Cast, now: datetime) -> list[tuple[str, str]]:
    lines = list_waiting([(cast.riverside, "director")], now=now)
    return [(line.title, line.path) for line in lines]


LINE = ("Round 1 of 6 Nov 2025 is not closed", "/clubs/riverside/events/league/rounds/1")


def test_evening_with_an_open_table_waits_once_its_night_is_over(night: Event, cast: Cast) -> None:
    Game.objects.filter(table__number=1).update(state="complete")
    end_evenings_at_noon(now=NOON)
    assert waiting(cast, NOW) == []
    assert waiting(cast, NOW + timedelta(hours=11, minutes=59)) == [], "it is played past midnight"
    assert waiting(cast, NOON) == [LINE]


def test_evening_whose_tables_are_complete_ends_at_noon_and_waits_no_longer(
    night: Event, cast: Cast
) -> None:
    Game.objects.update(state="complete")
    end_evenings_at_noon(now=NOON - timedelta(seconds=1))
    assert waiting(cast, NOON) == [LINE]
    end_evenings_at_noon(now=NOON)
    assert waiting(cast, NOON) == []


def test_evening_of_another_round_that_is_closed_waits_for_the_open_one_alone(
    night: Event, cast: Cast
) -> None:
    people = list(night.club.players.order_by("pk")[:4])
    hand(table(night, people, round_number=2, on=TONIGHT), 1, [4, 1, 2, 6], queen=3)
    Round.objects.filter(number=2).update(state="closed", closed_at=NOW)
    assert waiting(cast, NOON) == [LINE]
