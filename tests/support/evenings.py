"""An evening with people who are checked in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from scoring.seating.requests import SeatingRequest
from tests.support.builders import by_tests, players
from tests.support.cast import NOW
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.seating_plans.people_here import earlier_rounds
from tournaments.services.seating_plans.compute_plan import seating_request
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.tasks import plan_seating

EVENING = date(2025, 11, 13)

NAMES = (
    *("Alma D.", "Bruno K.", "Cleo S.", "Dario D.", "Edda K.", "Farid S.", "Greta D.", "Hugo K."),
    *("Ines S.", "Jonas D.", "Kira K.", "Lars S.", "Mina D.", "Nico K.", "Odile S.", "Pavel D."),
    *("Quinn K.", "Rosa D.", "Sven K.", "Tara S.", "Udo D.", "Vera K."),
)


def evening(event: Event, head_count: int, *, on: date = EVENING) -> tuple[Meeting, list[Player]]:
    """Plan an evening of an event, with so many people here: their ids are RL01, RL02 …"""
    meeting = Meeting.objects.create(club=event.club, event=event, date=on)
    meeting.event = event
    people = list(Player.objects.filter(club=event.club).order_by("pk"))[:head_count]
    missing = head_count - len(people)
    if missing:
        spare = (*NAMES, *(f"Guest {number}" for number in range(1, 500)))
        people += players(event.club, *spare[len(people) : head_count])
    check_in(meeting, people)
    return meeting, people


def check_in(
    meeting: Meeting,
    people: Sequence[Player],
    *,
    state: str = "here",
    first: int | None = None,
    last: int | None = None,
    at: datetime = NOW,
) -> None:
    for player in people:
        Attendance.objects.update_or_create(
            meeting=meeting,
            player=player,
            defaults={
                "club_id": meeting.club_id,
                "state": state,
                "from_round": first,
                "leaves_after_round": last,
                "stated_at": at,
            },
        )


def plans(
    meeting: Meeting, rounds: int, *, seed: int | None = 7, sizes: Sequence[int] = ()
) -> list[SeatingPlan]:
    made = make_plans(by_tests(), meeting, rounds=rounds, seed=seed, sizes=sizes)
    for plan in made:
        if not plan.is_ready:
            plan_seating(plan.pk)
        plan.refresh_from_db()
    return list(made)


def request_of_plan(plan: SeatingPlan) -> SeatingRequest:
    """What the planner is asked for to make a plan again, with the history of today.

    A plan that was taken early ends after as many moves again.
    """
    request = seating_request(
        plan.inputs,
        rounds=plan.round_count,
        seed=plan.seed,
        history=earlier_rounds(plan.event),
        movement=plan.movement,
    )
    return replace(request, stop_after=plan.iterations) if plan.is_ready else request


LATER = timedelta(minutes=1)
