"""Challenges in one line each: `issue(cast, event, "H", "E")`, `answer(…)`, `result(…)`."""

from collections.abc import Callable
from datetime import datetime, timedelta

from scoring.errors import Refused
from tests.support.builders import NOW, Cast
from tests.support.scenarios.ladders import member, totals
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.ladders import Challenge
from tournaments.policy import Actor
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.operations import Operation
from tournaments.tasks import run_deadline_job

LATER = NOW + timedelta(hours=1)


def issue(cast: Cast, event: Event, low: str, high: str, now: datetime = NOW) -> Challenge:
    return issue_challenge(Operation(member(cast, low), now), event, challenged=high)


def answer(
    cast: Cast, event: Event, who: str | Actor, to: str, now: datetime = LATER, number: int = 1
) -> Challenge:
    actor = member(cast, who) if isinstance(who, str) else who
    return answer_challenge(Operation(actor, now), challenge_at(event, number), to=to)


def result(
    cast: Cast, event: Event, who: str, finish: str, now: datetime = LATER, number: int = 1
) -> Challenge:
    return enter_result(
        Operation(member(cast, who), now), challenge_at(event, number), points=totals(*finish)
    )


def run_clock(event: Event, now: datetime, **which: str) -> int:
    """Run every deadline of the event that is due, as the dispatcher does; returns how many did."""
    due = Deadline.objects.filter(event=event, done_at=None, due_at__lte=now, **which)
    return sum(
        run_deadline_job(pk, now=now)
        for pk in due.order_by("due_at", "pk").values_list("pk", flat=True)
    )


def codes(operation: Callable[[], object]) -> list[str]:
    """The codes of what is refused; nothing is written then."""
    before = [AuditLine.objects.count(), *Challenge.objects.order_by("pk").values_list("state")]
    try:
        operation()
    except Refused as refused:
        found = [problem.code for problem in refused.problems]
    except (Conflict, Forbidden, Missing) as refused:
        found = [refused.problem.code]
    else:
        return []
    after = [AuditLine.objects.count(), *Challenge.objects.order_by("pk").values_list("state")]
    assert after == before
    return found


def played(cast: Cast, event: Event, finish: str = "HIE") -> Challenge:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    return result(cast, event, "H", finish)
