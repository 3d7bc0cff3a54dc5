"""Plans of an evening: who is in them, sizes, seeds, the chosen one, and what is refused."""

import pytest

from scoring.errors import Refused
from scoring.seating.plan_seats import Planning, plan_seats
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.evenings import check_in, evening, plans, request_of_plan
from tests.support.scoring.plan_checker import faults_of_plan
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, seating_scope
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.people.merges import get_merge
from tournaments.selectors.seating_plans.plans import plan_at, rounds_of_plan
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.entrants import add_entrant
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.seating_plans.compute_plan import (
    choose_plan,
    columns_of,
    planning_steps,
    take_best_so_far,
)
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return league(enter_the_cast().riverside)


def sizes(plan: SeatingPlan, number: int = 1) -> list[int]:
    return sorted(len(one) for one in rounds_of_plan(plan)[number - 1].tables)


def seated(plan: SeatingPlan, number: int) -> set[int]:
    return {player for one in rounds_of_plan(plan)[number - 1].tables for player in one}


def outside(plan: SeatingPlan) -> list[int]:
    return [player for one in rounds_of_plan(plan) for player in one.sitting_out]


def codes(refused: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [problem.code for problem in refused.value.problems]


def test_seventeen_people_get_a_plan_for_each_way_to_divide_them(event: Event) -> None:
    meeting, people = evening(event, 17)
    made = plans(meeting, 5)
    assert [plan.inputs["policy"] for plan in made] == ["threes", "fives", "byes"]
    assert [sizes(plan) for plan in made] == [[3, 3, 3, 4, 4], [4, 4, 4, 5], [4, 4, 4, 4]]
    assert [len(outside(plan)) for plan in made] == [0, 0, 5]
    assert len(set(outside(made[2]))) == 5, "nobody sits out twice"
    assert made[0].cost["repeats"] <= 2
    assert [plan.cost["small_table_spread"] for plan in made] == [1, 1, 0]
    assert {plan.state for plan in made} == {"draft"}
    everybody = {player.pk for player in people}
    for plan in made:
        for number in range(1, 6):
            out = set(rounds_of_plan(plan)[number - 1].sitting_out)
            assert seated(plan, number) | out == everybody


def test_preferences_of_the_club_decide_which_plans_come_first_or_never(event: Event) -> None:
    meeting, _people = evening(event, 18)
    Club.objects.filter(pk=event.club_id).update(
        seating={"threes": False, "fives": True, "prefer": "sit_outs"}
    )
    meeting.event.club.refresh_from_db()
    made = plans(meeting, 2)
    assert [(plan.inputs["policy"], sizes(plan)) for plan in made] == [
        ("byes", [4, 4, 4, 4]),
        ("fives", [4, 4, 5, 5]),
    ]


def test_no_threes_for_this_evening_leaves_two_to_sit_out_or_fives(event: Event) -> None:
    meeting, _people = evening(event, 18)
    made = plans(meeting, 2, sizes=(4, 5))
    assert [sizes(plan) for plan in made] == [[4, 4, 5, 5], [4, 4, 4, 4]]


def test_late_and_leaving_people_play_their_rounds_only(event: Event) -> None:
    meeting, people = evening(event, 14)
    late, unknown = players(event.club, "Late L.", "Unknown U.")
    check_in(meeting, [late], state="late", first=2)
    check_in(meeting, [unknown], state="late")
    check_in(meeting, people[:1], last=2)
    check_in(meeting, people[1:2], state="left")
    for plan in plans(meeting, 3):
        there = [late.pk in seated(plan, one) | set(outside(plan)) for one in (1, 2, 3)]
        assert there[1:] == [True, True]
        assert late.pk not in seated(plan, 1)
        assert people[0].pk not in seated(plan, 3)
        assert {unknown.pk, people[1].pk}.isdisjoint(plan.inputs["present"])


def test_same_people_rounds_and_seed_give_the_same_plan_only(event: Event) -> None:
    meeting, _people = evening(event, 18)
    first = [plan.rounds for plan in plans(meeting, 4, seed=5)]
    assert [plan.rounds for plan in plans(meeting, 4, seed=5)] == first
    assert [plan.rounds for plan in plans(meeting, 4, seed=6)] != first
    drawn = plans(meeting, 4, seed=None)
    assert {plan.seed for plan in drawn} != {5}
    again = [plan_seats(request_of_plan(plan)) for plan in drawn]
    assert [columns_of(one)["rounds"] for one in again] == [plan.rounds for plan in drawn]
    assert [
        faults_of_plan(request_of_plan(plan), one) for plan, one in zip(drawn, again, strict=True)
    ] == [() for _ in drawn]


def test_new_plans_take_the_place_of_earlier_drafts(event: Event) -> None:
    meeting, _people = evening(event, 9)
    plans(meeting, 2)
    made = plans(meeting, 3)
    assert list(SeatingPlan.objects.order_by("pk")) == made
    line = AuditLine.objects.filter(act="make_plans").latest("pk")
    assert (line.facts["players"], line.facts["rounds"], line.facts["seed"]) == (9, 3, 7)


def test_who_sat_out_last_time_plays_tonight(event: Event) -> None:
    meeting, people = evening(event, 9)
    table(event, people[:4], on=meeting.date.replace(day=6))
    table(event, people[4:8], table_number=2, on=meeting.date.replace(day=6))
    table(event, people[5:9], round_number=2, on=meeting.date.replace(day=6))
    table(event, people[1:5], round_number=2, table_number=2, on=meeting.date.replace(day=6))
    sit_out(
        by_tests(),
        Round.objects.get(event=event, number=2),
        entrant=people[0].player_id,
        reason="bye",
    )
    byes = plans(meeting, 8, sizes=(4,))[0]
    assert sorted(outside(byes)) == sorted(player.pk for player in people[1:])


def test_rounds_that_were_seated_tonight_are_not_planned_again(event: Event) -> None:
    meeting, people = evening(event, 8)
    late = players(event.club, "Late L.")[0]
    check_in(meeting, [late], state="late", first=3)
    table(event, people[:4], on=meeting.date)
    table(event, people[4:], table_number=2, on=meeting.date)
    plan = plans(meeting, 2, sizes=(4,))[0]
    assert (plan.inputs["first_round"], len(rounds_of_plan(plan))) == (2, 2)
    assert late.pk not in seated(plan, 1) | set(rounds_of_plan(plan)[0].sitting_out)
    assert late.pk in seated(plan, 2) | set(rounds_of_plan(plan)[1].sitting_out)


def test_numbers_out_of_range_and_other_movements_are_refused_together(event: Event) -> None:
    meeting, _people = evening(event, 8)
    with pytest.raises(Refused) as refused:
        make_plans(by_tests(), meeting, rounds=0, movement="spiral", seed=-1)
    assert sorted(codes(refused)) == ["bad_round_count", "bad_seed", "not_yet"]
    with pytest.raises(Refused, match="bad_table_sizes"):
        plans(meeting, 3, sizes=(4, 25))


def test_those_who_must_not_meet_are_named_where_the_constraints_contradict(event: Event) -> None:
    meeting, people = evening(event, 4)
    one, other = (player.player_id for player in people[:2])
    add_constraint(by_tests(), event, kind="apart", player=one, other=other)
    with pytest.raises(Refused) as refused:
        plans(meeting, 2)
    problem = refused.value.problems[0]
    assert problem.code == "apart_with_one_table"
    assert "Alma D. and Bruno K. must be apart" in problem.message


def test_larger_evening_is_computed_by_a_worker_and_ends_alike_after_a_kill(event: Event) -> None:
    meeting, _people = evening(event, 19)
    waiting = make_plans(by_tests(), meeting, rounds=6, sizes=(4, 5), seed=3)[0]
    assert (waiting.is_ready, waiting.rounds) == (False, [])
    SeatingPlan.objects.update(moves=20_000, inputs={**waiting.inputs, "moves": 20_000})
    killed = planning_steps(waiting.pk)
    assert next(killed)["done"] > 0
    del killed
    waiting.refresh_from_db()
    assert (waiting.is_ready, waiting.moves_done > 0) == (False, True)
    for _ in planning_steps(waiting.pk):
        pass
    waiting.refresh_from_db()
    assert waiting.is_ready
    assert columns_of(plan_seats(request_of_plan(waiting)))["rounds"] == waiting.rounds


def test_best_plan_so_far_is_taken_and_comes_again_from_its_moves(event: Event) -> None:
    meeting, _people = evening(event, 19)
    plan = make_plans(by_tests(), meeting, rounds=6, sizes=(4, 5), seed=3)[0]
    steps = planning_steps(plan.pk)
    next(steps)
    take_best_so_far(by_tests(), plan)
    assert list(steps) == []
    plan.refresh_from_db()
    assert plan.is_ready
    assert 0 < plan.iterations < plan.moves
    assert columns_of(plan_seats(request_of_plan(plan)))["rounds"] == plan.rounds


def test_deleted_plan_ends_its_job(event: Event) -> None:
    meeting, _people = evening(event, 19)
    plan = make_plans(by_tests(), meeting, rounds=6, sizes=(4, 5), seed=3)[0]
    steps = planning_steps(plan.pk)
    next(steps)
    plans(meeting, 2, sizes=(4,))
    assert list(steps) == []
    assert not Dirty.objects.filter(scope=seating_scope(plan.pk)).exists()


def test_plans_hold_no_names(event: Event) -> None:
    meeting, _people = evening(event, 9)
    for plan in plans(meeting, 2):
        stored = f"{plan.inputs} {plan.rounds} {plan.cost}"
        assert not [player.name for player in Player.objects.all() if player.name in stored]


def test_planning_of_pairs_keeps_partners_on_one_side() -> None:
    event = league(enter_the_cast().riverside, variant="partnership-hearts-pooled")
    meeting, people = evening(event, 9)
    for at in range(0, 8, 2):
        add_entrant(by_tests(), event, players=people[at : at + 2], kind="pair", name="")
    (plan,) = plans(meeting, 3)
    assert Planning(request_of_plan(plan)).request.sides == ((0, 2), (1, 3))
    for one in rounds_of_plan(plan):
        assert one.sitting_out == (people[8].pk,)
        for seats in one.tables:
            sides = {frozenset((seats[0], seats[2])), frozenset((seats[1], seats[3]))}
            assert sides <= {frozenset((people[at].pk, people[at + 1].pk)) for at in range(0, 8, 2)}


def test_only_directors_make_plans_and_of_running_events_and_evenings_that_take_place() -> None:
    cast = enter_the_cast()
    meeting, _people = evening(league(cast.riverside), 8)
    for name in ("hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            make_plans(cast.operation(name), meeting, rounds=2)
    assert make_plans(cast.operation("dirk"), meeting, rounds=2)
    Meeting.objects.update(state="cancelled")
    meeting.refresh_from_db()
    with pytest.raises(Conflict) as cancelled:
        plans(meeting, 2)
    assert cancelled.value.problem.code == "meeting_is_cancelled"


def choose(plan: SeatingPlan, *, anyway: bool = False) -> SeatingPlan:
    return choose_plan(by_tests(), plan, anyway=anyway)


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


def test_people_who_came_in_addition_are_named_and_the_plan_is_free(event: Event) -> None:
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
    plan = make_plans(by_tests(), meeting, rounds=6, seed=1)[0]
    assert refusal(plan).problem.code == "plan_not_ready"
    SeatingPlan.objects.update(problem={"code": "constraints_not_met", "facts": {}})
    assert refusal(plan).problem.code == "plan_failed"


def test_plan_of_a_merged_player_has_who_remains_until_it_is_undone(event: Event) -> None:
    meeting, people = evening(event, 9)
    check_in(meeting, people[:1], last=2)
    plan, other, _third = plans(meeting, 2)
    before = plan.inputs, plan.rounds
    twin = players(event.club, "Alma Dee")[0]
    merge_players(by_tests(), people[0], target=twin)
    plan.refresh_from_db()
    assert people[0].pk not in plan.inputs["present"]
    assert str(plan.rounds) == str(before[1]).replace(str(people[0].pk), str(twin.pk))
    assert twin.pk in plan.inputs["present"]
    assert choose(other).state == "chosen"
    undo_merge(by_tests(), get_merge(event.club, people[0].player_id))
    plan.refresh_from_db()
    assert (plan.inputs, plan.rounds) == before
    assert choose(plan).state == "chosen"


def test_plan_in_which_both_of_a_merge_play_is_outdated(event: Event) -> None:
    meeting, people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    merge_players(by_tests(), people[0], target=people[1])
    assert refusal(plan).problem.code == "plan_outdated"


def test_plan_of_an_erased_player_is_outdated(event: Event) -> None:
    meeting, people = evening(event, 9)
    other = plans(meeting, 2)[1]
    erase_player(by_tests(), people[1], confirmed=people[1].player_id, reason="Asked for.")
    assert "Bruno" not in str(refusal(other).problem.facts)
    assert "Bruno" not in "".join(
        f"{plan.inputs}{plan.rounds}" for plan in SeatingPlan.objects.all()
    )
    assert not Player.objects.filter(name="Bruno K.").exists()


def test_only_directors_choose_and_only_plans_of_their_own_event() -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    meeting, _people = evening(event, 9)
    plan = plans(meeting, 2)[0]
    for name in ("hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            choose_plan(cast.operation(name), plan)
    elsewhere = league(cast.hilltop, slug="other")
    for wrong in (plan.public_id, "x"):
        with pytest.raises(Missing):
            choose_plan(by_tests(), plan_at(elsewhere, wrong))
    assert (
        choose_plan(cast.operation("dirk"), plan_at(event, str(plan.public_id))).state == "chosen"
    )
