"""Challenges of a ladder for its pages, and the buttons that move them."""

import re

from django.utils import timezone

from tests.support.cast import Cast
from tests.support.scenarios.ladders import member
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.ladders.challenges import answer_challenge, issue_challenge
from tournaments.services.operations import Operation

EVENT = "/clubs/riverside/events/ladder"


def sent(cast: Cast, event: Event, low: str = "E", high: str = "C") -> Challenge:
    return issue_challenge(Operation(member(cast, low), timezone.now()), event, challenged=high)


def accepted(cast: Cast, event: Event) -> Challenge:
    made = sent(cast, event)
    actor, now = member(cast, "C"), timezone.now()
    return answer_challenge(Operation(actor, now), challenge_at(event, made.number), to="accepted")


def buttons(page: str) -> set[str]:
    """What stands on the buttons of forms that move a challenge."""
    forms = re.findall(r'action="[^"]*/challenges/\d+/move">(.*?)</form>', page, re.S)
    texts = {
        re.sub(r"<[^>]*>", " ", form.partition("<button")[2].partition(">")[2]) for form in forms
    }
    return {" ".join(text.split()).removeprefix("Confirm : ") for text in texts}
