"""Choosing a plan: when it is outdated, what becomes of the one before, who may."""

import pytest

from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import check_in, evening, plans
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.people.merges import get_merge
from tournaments.selectors.seating_plans.plans import plan_at
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return league(enter_the_cast().riverside)


def choose(plan: SeatingPlan, *, anyway: bool = False) -> SeatingPlan:
    return choose_plan(Operation(TESTS, NOW), plan, anyway=anyway)


def refusal(plan: SeatingPlan, *, anyway: bool = False) -> Conflict:
    with pytest.raises(Conflict) as refused:
        choose(plan, anyway=anyway)
    plan.refresh_from_db()
    assert plan.state != "chosen"
    return refused.value


def states(meeting: Meeting) -> list[str]:
    return list(
        SeatingPlan.objects.filter(meeting=meeting).order_by("pk").values_list("state", flat=True)
    )


def test_chosen_plan_supersedes_the_one_before_and_choosing_twice_is_one_act(event: Event) -> None:
    meeting, _people = evening(event, 9)
    one, other, third = plans(meeting, 2)
    choose(one)
    assert states(meeting) == ["chosen", "draft", "draft"]
    chosen_at = SeatingPlan.objects.get(pk=one.pk).chosen_at
    choose(one)
    assert AuditLine.objects.filter(act="choose_plan").count() == 1
    choose(other)
    assert states(meeting) == ["superseded", "chosen", "draft"]
    assert SeatingPlan.objects.get(pk=one.pk).chosen_at == chosen_at
    assert refusal(one).problem.code == "state_not_allowed"
    line = AuditLine.objects.filter(act="choose_plan").latest("pk")
    assert line.facts["superseded"] == str(one.public_id)
    assert third.state == "draft"


def test_new_plans_leave_the_chosen_one(event: Event) -> None:
    meeting, _people = evening(event, 9)
    choose(plans(meeting, 2)[0])
    plans(meeting, 3)
    assert states(meeting) == ["chosen", "draft", "draft", "draft"]


def test_plan_is_outdated_once_somebody_in_it_leaves_and_says_who(event: Event) -> None:
    meeting, people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    check_in(meeting, people[:1], state="left")
    check_in(meeting, players(event.club, "Zoe Z."))
    refused = refusal(plan, anyway=True)
    assert refused.problem.code == "plan_outdated"
    assert refused.problem.facts == {"left": "Alma D.", "came": "Zoe Z."}


def test_plan_is_outdated_where_somebody_must_leave_before_its_last_round(event: Event) -> None:
    meeting, people = evening(event, 9)
    plan = plans(meeting, 3)[0]
    check_in(meeting, people[:1], last=3)
    choose(plan)
    other = plans(meeting, 3)[1]
    check_in(meeting, people[:1], last=2)
    assert refusal(other).problem.facts == {"left": "Alma D."}


def test_people_who_came_in_addition_are_named_and_the_plan_can_be_chosen_anyway(
    event: Event,
) -> None:
    meeting, _people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    check_in(meeting, players(event.club, "Zoe Z."))
    refused = refusal(plan)
    assert (refused.problem.code, refused.problem.facts) == (
        "plan_lacks_players",
        {"came": "Zoe Z."},
    )
    assert choose(plan, anyway=True).state == "chosen"


def test_plan_is_too_late_once_its_first_round_was_posted(event: Event) -> None:
    meeting, people = evening(event, 8)
    plan = plans(meeting, 2)[0]
    table(event, people[:4], on=meeting.date)
    table(event, people[4:], table_number=2, on=meeting.date)
    assert refusal(plan).problem.code == "plan_round_is_over"


def test_plan_that_is_computed_or_failed_is_not_chosen(event: Event) -> None:
    meeting, _people = evening(event, 27)
    plan = make_plans(Operation(TESTS, NOW), meeting, rounds=6, seed=1)[0]
    assert refusal(plan).problem.code == "plan_not_ready"
    SeatingPlan.objects.update(problem={"code": "constraints_not_met", "facts": {}})
    assert refusal(plan).problem.code == "plan_failed"


def test_plan_of_a_merged_player_has_the_one_who_remains_until_the_merge_is_undone(
    event: Event,
) -> None:
    meeting, people = evening(event, 9)
    check_in(meeting, people[:1], last=2)
    plan, other, _third = plans(meeting, 2)
    before = plan.inputs, plan.rounds
    twin = players(event.club, "Alma Dee")[0]
    merge_players(Operation(TESTS, NOW), people[0], target=twin)
    plan.refresh_from_db()
    assert people[0].pk not in plan.inputs["present"]
    assert str(plan.rounds) == str(before[1]).replace(str(people[0].pk), str(twin.pk))
    assert twin.pk in plan.inputs["present"]
    assert choose(other).state == "chosen"
    undo_merge(Operation(TESTS, NOW), get_merge(event.club, people[0].player_id))
    plan.refresh_from_db()
    assert (plan.inputs, plan.rounds) == before
    assert choose(plan).state == "chosen"


def test_plan_in_which_both_of_a_merge_play_is_outdated(event: Event) -> None:
    meeting, people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    merge_players(Operation(TESTS, NOW), people[0], target=people[1])
    assert refusal(plan).problem.code == "plan_outdated"


def test_plan_of_an_erased_player_is_outdated(event: Event) -> None:
    meeting, people = evening(event, 9)
    other = plans(meeting, 2)[1]
    erase_player(
        Operation(TESTS, NOW), people[1], confirmed=people[1].player_id, reason="Asked for."
    )
    assert "Bruno" not in str(refusal(other).problem.facts)
    assert "Bruno" not in "".join(f"{one.inputs}{one.rounds}" for one in SeatingPlan.objects.all())
    assert not Player.objects.filter(name="Bruno K.").exists()


def test_only_directors_choose_and_only_plans_of_their_own_event() -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    meeting, _people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    for name in ("hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            choose_plan(Operation(cast.actor(name), NOW), plan)
    elsewhere = league(cast.hilltop, slug="other")
    for wrong in (plan.public_id, "x"):
        with pytest.raises(Missing):
            choose_plan(Operation(TESTS, NOW), plan_at(elsewhere, wrong))
    assert (
        choose_plan(Operation(cast.actor("dirk"), NOW), plan_at(event, str(plan.public_id))).state
        == "chosen"
    )
