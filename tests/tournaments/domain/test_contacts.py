"""No way of naming a player makes an e-mail address or a telephone number public."""

from collections.abc import Callable
from datetime import date

import pytest

from scoring.errors import Refused
from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.services.attendance.set_attendance import add_meeting_guest
from tournaments.services.clubs.clubs import add_guest, add_player, change_player
from tournaments.services.clubs.player_paste import PastedPlayer, add_roster
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.django_db

CALLED = "Ella Moss 0170 1234567"


def _at_an_evening(op: Operation, cast: Cast) -> object:
    meeting = plan_meeting(op, league(cast.riverside), day=date(2025, 11, 13))
    return add_meeting_guest(op, meeting, name=CALLED)


def _renamed(op: Operation, cast: Cast) -> object:
    player = Player.objects.create(club=cast.riverside, player_id="RL01", name="Ella Moss")
    return change_player(op, player, name=CALLED)


@pytest.mark.parametrize(
    "act",
    [
        lambda op, cast: add_player(op, cast.riverside, name=CALLED),
        lambda op, cast: add_guest(op, cast.riverside, name=CALLED),
        lambda op, cast: add_roster(
            op, cast.riverside, pasted=[PastedPlayer(1, "ella@example.org")], seen=""
        ),
        _at_an_evening,
        _renamed,
    ],
)
def test_name_with_a_contact_is_refused(
    cast: Cast, act: Callable[[Operation, Cast], object]
) -> None:
    with pytest.raises(Refused, match="contact_in_name"):
        act(Operation(cast.actor("olga"), NOW), cast)
    assert not Player.objects.filter(name__contains="0170").exists()
