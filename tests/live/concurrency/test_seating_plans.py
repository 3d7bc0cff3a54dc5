"""Two directors at one evening: two plans chosen at once, and one chosen while others are made."""

from functools import partial
from uuid import UUID

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import evening, plans
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

__all__ = ["project"]

pytestmark = [pytest.mark.pg]


def chosen(event: Event, plan: UUID) -> None:
    """Choose a plan; one that is gone is a refusal like any other here."""
    try:
        choose_plan(actor=TESTS, event=event, plan=plan, now=NOW)
    except Missing as gone:
        raise Conflict(gone.problem) from gone


@pytest.mark.tier_long
def test_two_plans_chosen_at_once_leave_one_chosen(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        meeting, _people = evening(event, 9)
    for turn in range(short_or_long(2, 20)):
        with inside(project):
            SeatingPlan.objects.filter(meeting=meeting).delete()
            one, other, _third = (plan.public_id for plan in plans(meeting, 2, seed=turn))
        refused = at_once(
            inside,
            project,
            [
                partial(choose_plan, actor=TESTS, event=event, plan=one, now=NOW),
                partial(choose_plan, actor=TESTS, event=event, plan=other, now=NOW),
            ],
        )
        assert refused == []
        with inside(project):
            states = SeatingPlan.objects.filter(public_id__in=(one, other))
            assert sorted(states.values_list("state", flat=True)) == ["chosen", "superseded"]


def test_plan_chosen_while_others_are_made_is_kept_or_gone(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        meeting, _people = evening(event, 8)
    for turn in range(short_or_long(2, 20)):
        with inside(project):
            SeatingPlan.objects.filter(meeting=meeting).delete()
            (plan,) = (one.public_id for one in plans(meeting, 2, seed=turn))
        refused = at_once(
            inside,
            project,
            [
                partial(chosen, event, plan),
                lambda: make_plans(actor=TESTS, meeting=meeting, rounds=3, seed=1, now=NOW),
            ],
        )
        assert refused in ([], ["unknown_plan"])
        with inside(project):
            left = SeatingPlan.objects.filter(meeting=meeting)
            states = sorted(left.values_list("state", flat=True))
            assert states == (["draft"] if refused else ["chosen", "draft"])
