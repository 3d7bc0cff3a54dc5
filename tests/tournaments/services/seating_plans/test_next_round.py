"""The next round of an evening in one act: by the chosen plan, a new one, or the existing one."""

import pytest

from tests.support.builders import by_tests, finished, league, pairs, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting, Round, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.services.seating_plans.next_round import make_next_round

pytestmark = pytest.mark.django_db

NAMES = ("Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gil", "Hana", "Ivo", "Jana")


def evening(event: Event, count: int, *, in_pairs: bool = False) -> Meeting:
    people = players(event.club, *NAMES[:count])
    if in_pairs:
        pairs(event, people)
    meeting = Meeting.objects.create(club=event.club, event=event, date=NOW.date())
    check_in(meeting, people)
    meeting.event = event
    return meeting


def first_round(meeting: Meeting, movement: str, rounds: int, variation: str = "") -> Round:
    plans = make_plans(
        by_tests(), meeting, movement=movement, variation=variation, rounds=rounds, seed=7
    )
    round_ = make_round_of_plan(by_tests(), choose_plan(by_tests(), plans[0]))
    play(round_)
    return round_


def play(round_: Round) -> None:
    move_round(by_tests(), round_, to="posted")
    for game in Game.objects.filter(table__round=round_).select_related("event", "table"):
        finished(game, (4, 1, 2, 6))
    move_round(by_tests(), Round.objects.get(pk=round_.pk), to="closed")


def seated(round_: Round | None) -> set[str]:
    assert round_ is not None
    return set(Sitting.objects.filter(round=round_).values_list("player__name", flat=True))


def test_chosen_plan_goes_on_and_is_adjusted_to_who_is_here(cast: Cast) -> None:
    meeting = evening(league(cast.riverside), 8)
    first_round(meeting, "individual", 2)
    Attendance.objects.filter(player__name="Hana").update(state="left")
    check_in(meeting, players(cast.riverside, "Zoe"))
    round_ = make_next_round(by_tests(), meeting, after=1)
    assert seated(round_) == {*NAMES[:7], "Zoe"}
    assert SeatingPlan.objects.filter(state="chosen").count() == 1
    again = make_next_round(by_tests(), meeting, after=1)
    assert again == round_, "pressed twice"
    assert Round.objects.count() == 2


def test_new_plan_is_made_like_the_last_one_where_it_has_no_more_rounds(cast: Cast) -> None:
    meeting = evening(league(cast.riverside), 8)
    first_round(meeting, "individual", 1)
    round_ = make_next_round(by_tests(), meeting, after=1)
    assert round_ is not None
    assert (round_.number, round_.state, round_.plan_round) == (2, "draft", 1)
    plan = SeatingPlan.objects.get(state="chosen")
    assert (plan.movement, plan.round_count, plan.inputs["first_round"]) == ("individual", 1, 2)
    assert round_.plan == plan
    acts = set(AuditLine.objects.values_list("act", flat=True))
    assert {"make_plans", "choose_plan", "make_round"} & acts


def test_pairs_of_whom_some_left_are_planned_anew(cast: Cast) -> None:
    meeting = evening(
        league(cast.riverside, variant="partnership-hearts-pooled"), 10, in_pairs=True
    )
    first_round(meeting, "pairs", 3, "all_play_all")
    Attendance.objects.filter(player__name__in=("Anna", "Bob")).update(state="left")
    round_ = make_next_round(by_tests(), meeting, after=1)
    assert seated(round_) == {*NAMES[2:]}
    assert SeatingPlan.objects.filter(state="superseded").count() == 1


def test_round_before_that_is_not_closed_is_refused_and_nothing_is_made(cast: Cast) -> None:
    meeting = evening(league(cast.riverside), 8)
    first_round(meeting, "individual", 1)
    Round.objects.update(state="playing")
    with pytest.raises(Conflict, match="previous_round_open"):
        make_next_round(by_tests(), meeting, after=1)
    assert (Round.objects.count(), SeatingPlan.objects.count()) == (1, 1)
