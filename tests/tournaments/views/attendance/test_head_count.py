"""What the attendance list says above: who is here, or that nobody was checked in."""

from datetime import date

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.rounds import Attendance, Meeting
from tournaments.services.attendance.set_attendance import set_attendance

pytestmark = pytest.mark.django_db

DAY = date(2025, 11, 6)
PAGE = f"/clubs/riverside/events/league/meetings/{DAY}/attendance"


def test_an_evening_from_paper_expects_nobody(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCDE")
    game = table(event, people[:4], on=DAY)
    dirk = cast.client("dirk")
    assert "0 here, 4 expected" in text_of(dirk.get(PAGE)), "nobody has played yet"
    hand(game, 1, [4, 1, 2, 6], queen=3)
    meeting = Meeting.objects.get(event=event)
    set_attendance(by_tests(), meeting, player=people[4], state="absent")
    words = text_of(dirk.get(PAGE))
    assert "4 players played. Nobody was checked in." in words
    assert "0 here" not in words
    set_attendance(by_tests(), meeting, player=people[0], state="here")
    assert "1 here, 3 expected" in text_of(dirk.get(PAGE))
    Attendance.objects.filter(player=people[0]).update(state="left")
    assert "Nobody was checked in" not in text_of(dirk.get(PAGE))
