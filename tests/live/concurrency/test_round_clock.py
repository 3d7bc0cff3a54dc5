"""The time of a round is extended at one moment by two people, while a host saves hands."""

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, counts, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.bulk_acts import HEARTS, at_once, project, tables
from tests.support.live.project import LiveProject
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.rounds.rounds import extend_round

__all__ = ["project"]

pytestmark = pytest.mark.pg


def test_two_buttons_pressed_at_once_extend_a_round_once_while_hands_come_in(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside, settings={"round_minutes": 40})
        people = players(event.club, *(f"Player {at}" for at in range(1, 17)))
        games = tables(event, people, 1)

    def press() -> None:
        found = Round.objects.select_related("club", "event").get(event=event)
        extend_round(actor=TESTS, round_=found, minutes=5, based_on=0, now=NOW)

    def save() -> None:
        rows = Game.objects.select_related("event", "club", "snapshot", "table__round")
        for number in range(2, 6):
            record_entry(
                actor=TESTS, game=rows.get(pk=games[0]), number=number,
                entry=counts(HEARTS, 3), now=NOW, source="host",
            )  # fmt: skip

    assert at_once(inside, project, [press, press, save]) == ["round_extended"]
    with inside(project):
        assert Round.objects.get(event=event).extra_minutes == 5
        assert AuditLine.objects.filter(act="extend_round").count() == 1
