"""A plan of pairs is chosen while one of its pairs changes: no round has partners of yesterday."""

from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import evening
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.meetings import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

__all__ = ["project"]

pytestmark = [pytest.mark.pg]


def planned(meeting: Meeting) -> SeatingPlan:
    (plan,) = make_plans(actor=TESTS, meeting=meeting, rounds=1, movement="pairs", seed=1, now=NOW)
    return plan


def test_plan_chosen_while_a_pair_changes_seats_nobody_with_a_former_partner(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside, variant="partnership-hearts-pooled")
        meeting, people = evening(event, 4)
        spare = players(event.club, "Zoe Z.")[0]
        for one, other in (people[:2], people[2:]):
            add_entrant(actor=TESTS, event=event, kind="pair", players=[one, other], now=NOW)

    def change(partner: Player) -> None:
        change_entrant(
            actor=TESTS, event=event, code="pair-2", name="", players=[people[2], partner], now=NOW
        )

    for _turn in range(short_or_long(2, 20)):
        with inside(project):
            SeatingPlan.objects.all().delete()
            change(people[3])
            plan = planned(meeting)
        refused = at_once(
            inside,
            project,
            [
                partial(choose_plan, actor=TESTS, event=event, plan=plan.public_id, now=NOW),
                partial(change, spare),
            ],
        )
        assert refused in ([], ["plan_partners_changed"])
        with inside(project):
            plan.refresh_from_db()
            assert (plan.state == "chosen") == (refused == [])
            if plan.state == "chosen":
                with pytest.raises(Conflict, match="plan_partners_changed"):
                    make_round_of_plan(actor=TESTS, plan=plan, now=NOW)
            assert not Round.objects.exists()
