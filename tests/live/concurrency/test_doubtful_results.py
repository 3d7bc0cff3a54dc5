"""A result called wrong beside its confirmation, the clock, or the other side's word, at once."""

from datetime import timedelta
from functools import partial

import pytest

from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.live.at_once import Within
from tests.support.scenarios.challenges import LATER, answer, played, run_clock
from tests.support.scenarios.ladders import ladder, member, order
from tournaments.models.events import Event
from tournaments.models.hands import Dispute
from tournaments.models.ladders import Challenge
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import Operation

pytestmark = pytest.mark.pg

DUE = LATER + timedelta(hours=60)
"""When a result that nobody answered counts."""

BEFORE, AFTER = "ABCDEFGHIJ", "ABCDHEFGIJ"


@pytest.fixture
def cast(within: Within) -> Cast:
    with within():
        return enter_the_cast()


@pytest.fixture
def event(within: Within, cast: Cast) -> Event:
    with within():
        event = ladder(cast, now=NOW)
        played(cast, event)
        return event


def dispute(cast: Cast, event: Event, who: str, words: str = "I had 10.") -> None:
    dispute_result(Operation(member(cast, who), LATER), challenge_at(event, 1), words=words)


def outcome(event: Event) -> tuple[str, int, str]:
    state = Challenge.objects.get(event=event).state
    return str(state), Dispute.objects.filter(hand__game__event=event).count(), order(event)


def test_result_is_confirmed_or_called_wrong_and_the_second_is_told(
    within: Within, cast: Cast, event: Event
) -> None:
    refused = within.at_once(
        partial(answer, cast, event, "E", "confirmed"), partial(dispute, cast, event, "E")
    )
    with within():
        found = outcome(event)
    assert (refused, found) in (
        (["challenge_state"], ("confirmed", 0, AFTER)),
        (["result_is_disputed"], ("played", 1, BEFORE)),
    )


def test_clock_counts_no_result_that_was_called_wrong_before_it(
    within: Within, cast: Cast, event: Event
) -> None:
    def clock() -> None:
        run_clock(event, DUE)

    refused = within.at_once(partial(dispute, cast, event, "E"), clock)
    with within():
        found = outcome(event)
    assert (refused, found) in (
        ([], ("played", 1, BEFORE)),
        (["challenge_state"], ("confirmed", 0, AFTER)),
    )


def test_one_side_says_it_twice_at_one_moment_and_both_sides_once_each(
    within: Within, cast: Cast, event: Event
) -> None:
    assert within.at_once(*[partial(dispute, cast, event, "E")] * 2) == ["dispute_exists"]
    assert within.at_once(partial(dispute, cast, event, "H")) == []
    with within():
        assert outcome(event) == ("played", 2, BEFORE)
