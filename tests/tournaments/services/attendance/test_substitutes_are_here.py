"""Who takes over a seat tonight is checked in, and is asked no more whether they are here."""

from datetime import date, timedelta

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.attendance.attendance_list import attendance_of
from tournaments.selectors.attendance.own_evenings import evening_of_player
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange

pytestmark = pytest.mark.both_databases

TONIGHT = NOW.date()


def substitute(cast: Cast, day: date, *, gathers: bool = True) -> tuple[Meeting, list[Player]]:
    """Let Hanna play on for Greta from hand 2 of a table of that day."""
    event = league(cast.riverside)
    people = players(cast.riverside, "Greta L.", "Bert O.", "Cleo S.", "Dora K.", "Hanna N.")
    game = table(event, people[:4], on=day)
    meeting = meeting_on(event, day)
    Meeting.objects.filter(pk=meeting.pk).update(gathers=gathers)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    check_in(meeting, people[:4])
    put_in_place_of_greta(game, people[4])
    return meeting_on(event, day), people


def put_in_place_of_greta(game: Game, player: Player) -> None:
    change = PlayerChange("substitute", seat=1, player_id=player.player_id, from_hand=2)
    change_players(by_tests(), game, change=change, reason="She leaves.")


def states(meeting: Meeting) -> dict[str, str]:
    return dict(Attendance.objects.filter(meeting=meeting).values_list("player__name", "state"))


def test_substitute_of_tonight_is_here(cast: Cast) -> None:
    meeting, people = substitute(cast, TONIGHT)
    assert states(meeting)["Hanna N."] == "here"
    assert people[4].pk not in [row.pk for row in attendance_of(meeting).awaited]
    assert not evening_of_player(meeting, people[4], now=NOW).may_check_in


def test_who_was_replaced_stays_as_stated(cast: Cast) -> None:
    meeting, _people = substitute(cast, TONIGHT)
    assert states(meeting)["Greta L."] == "here"


@pytest.mark.parametrize(
    ("day", "gathers"),
    [(TONIGHT, False), (TONIGHT - timedelta(days=2), True), (TONIGHT + timedelta(days=1), True)],
)
def test_substitute_of_another_day_or_of_sheets_alone_is_not_checked_in(
    cast: Cast, day: date, gathers: bool
) -> None:
    meeting, _people = substitute(cast, day, gathers=gathers)
    assert "Hanna N." not in states(meeting)


def test_exchange_of_two_players_checks_nobody_in(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, "Greta L.", "Bert O.", "Cleo S.", "Dora K.")
    game = table(event, people, on=TONIGHT)
    Meeting.objects.update(gathers=True)
    change = PlayerChange("swap", seat=1, player_id=people[1].player_id)
    change_players(by_tests(), game, change=change, reason="Wrong seats.")
    assert not Attendance.objects.exists()
