"""Drafts of rounds that were drawn: what makes one out of date, and how one is drawn again."""

import pytest

from tests.support.builders import by_tests, hand, league
from tests.support.cast import Cast
from tests.support.evenings import evening
from tests.support.scenarios.cups import cup, draw, planned, play, post
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.services.drafts import draw_round_again, outdated_draft
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = pytest.mark.django_db

FIRST_TWO_SWAP = ((4, 2, 1, 6), 3)
SECOND_AND_THIRD_SWAP = ((2, 1, 4, 6), 3)
LAST_TWO_SWAP = ((4, 1, 2, 6), 0)


@pytest.mark.parametrize(
    ("hearts", "queen", "is_outdated"),
    [(*SECOND_AND_THIRD_SWAP, True), (*FIRST_TWO_SWAP, True), (*LAST_TWO_SWAP, False)],
)
def test_draft_of_a_cup_is_out_of_date_by_a_correction_of_the_two_who_go_on_only(
    cast: Cast, hearts: tuple[int, ...], queen: int, is_outdated: bool
) -> None:
    dirk, _event = cup(cast, 8, each_round={"each_table": 2}, seeding="lot")
    play(post(dirk, planned(dirk)))  # seats 2 and 3 go on, then come seats 1 and 4
    draft = draw(dirk, planned(dirk))
    assert outdated_draft(draft) is None
    game = Game.objects.get(table__code="r1t2")
    hand(game, 1, hearts, queen, based_on=1, reason="Misread.")
    assert (outdated_draft(Round.objects.get(pk=draft.pk)) is not None) == is_outdated


@pytest.mark.parametrize(
    ("policy", "sizes"), [("threes", [3, 3, 3]), ("fives", [4, 5]), ("byes", [4, 4])]
)
def test_draft_is_drawn_again_with_the_sizes_of_the_plan_that_was_chosen(
    cast: Cast, policy: str, sizes: list[int]
) -> None:
    meeting, _people = evening(league(cast.riverside, settings={"primary": "beaten_mean"}), 9)
    plans = make_plans(by_tests(), meeting, movement="swiss")
    plan = next(plan for plan in plans if plan.inputs["policy"] == policy)
    choose_plan(by_tests(), plan)
    round_ = make_round_of_plan(by_tests(), plan)
    again = draw_round_again(by_tests(), round_)
    tables = again.tables.order_by("number")
    assert sorted(table.seats.count() for table in tables) == sizes
    assert again.plan is not None
    assert again.plan != plan
    assert again.plan.inputs["policy"] == policy
