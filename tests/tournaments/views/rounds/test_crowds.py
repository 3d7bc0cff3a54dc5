"""Pages of a round with a crowd that waits: they compare few choices, and say so."""

import pytest
from django.test import Client

from tests.support.builders import league, table
from tests.support.cast import Cast
from tests.support.evenings import EVENING, check_in, evening
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.rounds import Round

EVENT = "/clubs/riverside/events/league"
NOT_ALL = "Not every choice of players was compared: those who have waited longest come first."


@pytest.fixture
def crowd(cast: Cast) -> Event:
    """60 people wait, one table is seated, and tables may have 5 to 13 players."""
    event = league(cast.riverside, variant="hearts-multipack", settings={"primary": "beaten_mean"})
    meeting, people = evening(event, 65)
    table(event, people[:5], on=EVENING)
    check_in(meeting, people)
    assert Round.objects.get().meeting == meeting
    return event


@pytest.fixture
def dirk(cast: Cast) -> Client:
    return cast.client("dirk")


def test_round_seats_an_arrival_and_says_not_all_was_compared(crowd: Event, dirk: Client) -> None:
    text = text_of(dirk.get(f"{EVENT}/rounds/1"))
    assert "Seat Farid S. in round 1" in text
    assert "Sitting out 60" in text
    assert NOT_ALL in text


@pytest.mark.parametrize("page", ["rounds/1/board", "meetings/2025-11-13/attendance", "direct"])
def test_other_pages_of_the_evening_answer(crowd: Event, dirk: Client, page: str) -> None:
    assert dirk.get(f"{EVENT}/{page}", follow=True).status_code == 200


@pytest.mark.parametrize(
    ("change", "is_partial"),
    [("seat=RL01&as=leave", True), ("seat=RL09", True), ("seat=RL01", False), ("close=1", False)],
)
def test_preview_of_a_change_says_whether_every_choice_was_compared(
    crowd: Event, dirk: Client, change: str, is_partial: bool
) -> None:
    text = text_of(dirk.get(f"{EVENT}/rounds/1?{change}"))
    assert "Preview" in text
    assert (NOT_ALL in text) == is_partial
