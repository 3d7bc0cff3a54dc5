"""The demo's challenges, each brought to where its plan says, as people would have done it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from scoring.json_types import JsonObject
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.policy import Actor
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.ladders.log import sync_log


@transaction.atomic
def set_up_demo_challenges(
    *, actor: Actor, event: Event, plans: Sequence[JsonObject], now: datetime
) -> int:
    """Let people challenge each other as `plans` say, unless somebody did already.

    Args:
        plans: `challenger`, `challenged`, and how many days before `now` it was `sent`,
            `accepted`, `played` (with `points` by player id) and `confirmed`, as far as it came.

    Returns:
        How many challenges are new.
    """
    if Challenge.objects.filter(event=event).exists():
        return 0
    sync_log(event, event.created_at)
    acts: list[tuple[float, int, str]] = []
    for number, plan in enumerate(plans, 1):
        acts += [(plan[act], number, act) for act in _ACTS if act in plan]
    for days, number, act in sorted(acts, key=lambda one: -one[0]):
        at = now - timedelta(days=days)
        _ACTS[act](actor, event, number, plans[number - 1], at)
    return len(plans)


def _send(actor: Actor, event: Event, number: int, plan: JsonObject, at: datetime) -> None:
    issue_challenge(
        actor=actor, event=event, challenger=plan["challenger"], challenged=plan["challenged"],
        words=plan.get("words", ""), now=at,
    )  # fmt: skip


def _accept(
    actor: Actor, event: Event, number: int, plan: Mapping[str, object], at: datetime
) -> None:
    answer_challenge(actor=actor, event=event, number=number, to="accepted", now=at)


def _play(actor: Actor, event: Event, number: int, plan: JsonObject, at: datetime) -> None:
    enter_result(actor=actor, event=event, number=number, points=plan["points"], now=at)


def _confirm(
    actor: Actor, event: Event, number: int, plan: Mapping[str, object], at: datetime
) -> None:
    answer_challenge(actor=actor, event=event, number=number, to="confirmed", now=at)


_ACTS = {"sent": _send, "accepted": _accept, "played": _play, "confirmed": _confirm}
