"""Challenges of one game that are confirmed at one moment: both count, one after the other."""

from functools import partial

import pytest

from scoring.ladders.replay import replay
from tests.support.builders import finished, publish_all
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.at_once import Within
from tests.support.scenarios.challenges import LATER, answer, issue
from tests.support.scenarios.ladders import ladder, member, order, seated
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.ladders import LadderStep
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.log import events_of
from tournaments.services.ladders.challenges import enter_result
from tournaments.services.operations import Operation

pytestmark = pytest.mark.pg


def test_two_challenges_of_one_game_are_confirmed_at_one_moment(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = ladder(cast, now=NOW)
        for number, (low, high) in enumerate((("H", "E"), ("D", "B")), 1):
            issue(cast, event, low, high)
            answer(cast, event, high, "accepted", number=number)
        finished(seated(event, "HDEB"), [1, 2, 4, 6])
        for number, who in enumerate("HD", 1):
            enter_result(
                Operation(member(cast, who), LATER), challenge_at(event, number), table="r1t1"
            )
    refused = within.at_once(
        partial(answer, cast, event, "E", "confirmed", number=1),
        partial(answer, cast, event, "B", "confirmed", number=2),
    )
    assert refused == []
    with within():
        steps = LadderStep.objects.filter(kind="challenge").order_by("number")
        assert sorted(steps.values_list("challenge__number", flat=True)) == [1, 2]
        publish_all(event, now=LATER)
        assert order(event) == "ADBCHEFGIJ", "in either order"
        replayed = replay(events_of(event), ladder_rules_of(event)).ladder
        assert "".join(replayed.order) == order(event)
