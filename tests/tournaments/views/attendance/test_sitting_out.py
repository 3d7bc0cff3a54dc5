"""A player who is here and sits out reads so, instead of being told to wait for a table."""

import pytest
import time_machine

from tests.support.builders import by_tests
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.selectors.attendance.attendance_list import recipients_to_ask
from tournaments.selectors.attendance.own_evenings import evening_of_player
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.members import link_account
from tournaments.services.rounds.rounds import move_round

SEATS = [
    ([(1, 2, 3, 4), (5, 6, 7, 8)], [9]),
    ([(9, 5, 1, 6), (2, 7, 3, 8)], [4]),
]
EVENING = "/clubs/riverside/events/league/meetings/2025-11-06"


@pytest.fixture
def night(cast: Cast) -> PlannedEvening:
    """Piet's account is the ninth player, who has the bye of round 1."""
    night = planned_evening(cast, SEATS)
    night.here(*range(1, 10))
    link_account(by_tests(), night.people[8], user=cast.users["piet"])
    return night


def posted_round(night: PlannedEvening) -> None:
    move_round(by_tests(), night.seat(), to="posted")


@time_machine.travel("2025-11-06 19:00:00+00:00", tick=False)
def test_player_with_the_bye_reads_which_round_it_is(cast: Cast, night: PlannedEvening) -> None:
    piet = cast.client("piet")
    assert "sit out" not in text_of(piet.get(f"{EVENING}/check-in"))
    posted_round(night)
    for page in (f"{EVENING}/check-in", "/me", "/clubs/riverside"):
        assert "You are checked in. You sit out round 1." in text_of(piet.get(page)), page
    evening = text_of(piet.get(f"{EVENING}/players/RL09"))
    assert "Round 1: bye" in evening
    assert "No table yet." not in evening


@pytest.mark.parametrize(("player", "bye", "table"), [(9, 1, ""), (8, None, "r1t2")])
@time_machine.travel("2025-11-06 19:00:00+00:00", tick=False)
def test_own_evening_has_a_bye_or_a_table(
    night: PlannedEvening, player: int, bye: int | None, table: str
) -> None:
    posted_round(night)
    meeting = meeting_on(night.event, night.meeting.date)
    person = night.people[player - 1]
    own = evening_of_player(meeting, person, now=NOW)
    assert (own.bye, own.table) == (bye, table)


def test_nobody_who_is_there_is_asked_whether_they_come(night: PlannedEvening) -> None:
    night.here(1, state="expected")
    night.here(2, state="left")
    assert set(recipients_to_ask(night.meeting).people) == {night.row(1)}
