"""A ladder of ten members for its pages, with time standing still, and its challenges."""

import re

import pytest
import time_machine
from django.utils import timezone

from tests.support.builders import finished, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.ladders import ladder, member
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.services.ladders.challenges import answer_challenge, issue_challenge

EVENT = "/clubs/riverside/events/ladder"


@pytest.fixture
def cast(clock: time_machine.Traveller, cast: Cast) -> Cast:
    """The cast, while time stands still."""
    return cast


@pytest.fixture
def rungs(cast: Cast) -> Event:
    """A ladder of ten, of which four have played one table."""
    event = ladder(cast, now=NOW)
    finished(table(event, [Player.objects.get(player_id=code) for code in "GHIJ"]))
    publish_all(event)
    return event


def sent(cast: Cast, event: Event, low: str = "E", high: str = "C") -> Challenge:
    return issue_challenge(
        actor=member(cast, low), event=event, challenged=high, now=timezone.now()
    )


def accepted(cast: Cast, event: Event) -> Challenge:
    made = sent(cast, event)
    actor, now = member(cast, "C"), timezone.now()
    return answer_challenge(actor=actor, event=event, number=made.number, to="accepted", now=now)


def buttons(page: str) -> set[str]:
    """What stands on the buttons of forms that move a challenge."""
    forms = re.findall(r'action="[^"]*/challenges/\d+/move">(.*?)</form>', page, re.S)
    texts = {
        re.sub(r"<[^>]*>", " ", one.partition("<button")[2].partition(">")[2]) for one in forms
    }
    return {" ".join(one.split()) for one in texts}
