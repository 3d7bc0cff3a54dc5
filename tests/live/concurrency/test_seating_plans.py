"""Directors at one evening choose plans and form tables at one moment: nobody is seated twice."""

from collections import Counter
from functools import partial

import pytest

from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import check_in, evening, plans
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Within
from tests.support.scenarios.open_nights import OpenNightEvening
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.meetings import Meeting, Round, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.seating_plans.plans import plan_at
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.operations import Operation
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = pytest.mark.pg


@pytest.mark.tier_long
def test_two_plans_chosen_at_once_leave_one_chosen(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        meeting, _people = evening(event, 9)
    for turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.filter(meeting=meeting).delete()
            one, other, _third = (plan.public_id for plan in plans(meeting, 2, seed=turn))
        refused = within.at_once(
            partial(choose_plan, Operation(TESTS, NOW), plan_at(event, one)),
            partial(choose_plan, Operation(TESTS, NOW), plan_at(event, other)),
        )
        assert refused == []
        with within():
            states = SeatingPlan.objects.filter(public_id__in=(one, other))
            assert sorted(states.values_list("state", flat=True)) == ["chosen", "superseded"]


def test_plan_chosen_while_others_are_made_is_kept_or_gone(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        meeting, _people = evening(event, 8)
    for turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.filter(meeting=meeting).delete()
            (plan,) = (one.public_id for one in plans(meeting, 2, seed=turn))
        refused = within.at_once(
            partial(choose_plan, Operation(TESTS, NOW), plan_at(event, plan)),
            lambda: make_plans(Operation(TESTS, NOW), meeting, rounds=3, seed=1),
        )
        assert refused in ([], ["unknown_plan"])
        with within():
            left = SeatingPlan.objects.filter(meeting=meeting)
            states = sorted(left.values_list("state", flat=True))
            assert states == (["draft"] if refused else ["chosen", "draft"])


def planned(meeting: Meeting) -> SeatingPlan:
    (plan,) = make_plans(Operation(TESTS, NOW), meeting, rounds=1, movement="pairs", seed=1)
    return plan


@pytest.mark.tier_long
def test_plan_chosen_while_a_pair_changes_seats_nobody_with_a_former_partner(
    within: Within,
) -> None:
    with within():
        event = league(enter_the_cast().riverside, variant="partnership-hearts-pooled")
        meeting, people = evening(event, 4)
        spare = players(event.club, "Zoe Z.")[0]
        for one, other in (people[:2], people[2:]):
            add_entrant(Operation(TESTS, NOW), event, kind="pair", players=[one, other])

    def change(partner: Player) -> None:
        change_entrant(
            Operation(TESTS, NOW),
            get_entrant(event, "pair-2"),
            name="",
            players=[people[2], partner],
        )

    for _turn in range(short_or_long(2, 20)):
        with within():
            SeatingPlan.objects.all().delete()
            change(people[3])
            plan = planned(meeting)
        refused = within.at_once(
            partial(choose_plan, Operation(TESTS, NOW), plan),
            partial(change, spare),
        )
        assert refused in ([], ["plan_partners_changed"])
        with within():
            plan.refresh_from_db()
            assert (plan.state == "chosen") == (refused == [])
            if plan.state == "chosen":
                with pytest.raises(Conflict, match="plan_partners_changed"):
                    make_round_of_plan(Operation(TESTS, NOW), plan)
            assert not Round.objects.exists()


def seated() -> Counter[int]:
    """How many tables that play each player sits at."""
    rows = Sitting.objects.filter(to_hand=None, seat__table__game__state__in=("seated", "playing"))
    return Counter(rows.values_list("player_id", flat=True))


def test_tables_formed_twice_at_once_seat_nobody_twice(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 9)
        meeting = night.meeting
    form = partial(form_tables, Operation(TESTS, NOW), meeting)
    picked = ["RL01", "RL02", "RL03"]
    both = (
        [form, form],
        [form, partial(form, is_single=True)],
        [partial(form, players=picked), partial(form, players=["RL03", "RL04", "RL05"])],
        [form, partial(form, players=picked)],
    )
    for turn in range(short_or_long(4, 24)):
        refused = within.at_once(*both[turn % len(both)])
        assert set(refused) <= {"too_few_free", "player_not_free"}
        assert len(refused) <= 1
        with within():
            times = seated()
            assert times
            assert set(times.values()) == {1}
            Game.objects.filter(event=event).update(state="complete")


def test_two_rounds_are_not_made_for_two_directors(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 4)
        night.form()
        night.end("r1t1")
        check_in(night.meeting, players(event.club, "Wim W.", "Xaver W.", "Yann W.", "Zita W."))
        meeting = night.meeting
    picked = ["RL05", "RL06", "RL01"], ["RL07", "RL08", "RL02"]
    acts = [partial(form_tables, Operation(TESTS, NOW), meeting, players=one) for one in picked]
    assert within.at_once(*acts) == []
    with within():
        assert list(Round.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
        assert Round.objects.get(number=2).tables.count() == 2
