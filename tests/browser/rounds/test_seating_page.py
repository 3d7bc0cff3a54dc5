"""The seats of a round: what is in sight, what is picked, and dragging from seat to seat."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import by_tests, finished, league, pairs, players, table
from tests.support.cast import enter_the_cast
from tests.support.evenings import check_in
from tests.support.scenarios.planned_evenings import DAY, planned_evening
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, SitOut, Sitting
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/clubs/riverside/events/league/meetings/2025-11-06/seating"


def test_player_is_dragged_to_another_and_to_a_table(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    planned_evening(cast, [([(1, 2, 3), (5, 6, 7, 8)], [])]).here(1, 2, 3, 5, 6, 7, 8)
    walk = walks(DESK, PHONE, by=cast.client("dirk"))
    page = walk.page
    page.goto(PAGE)
    walk.press("Seat round 1")
    cleo, edda = (page.locator(".pick label", has_text=name) for name in ("Cleo S.", "Edda K."))
    with page.expect_navigation():
        cleo.drag_to(edda)
    expect(page.get_by_role("button", name="Swap Cleo S. and Edda K.")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Cleo S.")).to_be_checked()
    page.goto(PAGE)
    with page.expect_navigation():
        page.locator(".pick label", has_text="Edda K.").drag_to(
            page.get_by_role("heading", name="Table 1")
        )
    expect(page.get_by_role("checkbox", name="Edda K.")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Cleo S.")).not_to_be_checked()
    assert walk.wrong == []


@pytest.mark.parametrize(
    ("width", "height", "tables", "touch"), [(1280, 800, 8, 20), (390, 844, 1, 44)]
)
def test_tables_are_in_sight_and_the_buttons_when_somebody_is_picked(
    db: None, walks: Walks, width: int, height: int, tables: int, touch: int
) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside, settings={"primary": "beaten_mean"})
    people = players(cast.riverside, *(f"Player {number:02}" for number in range(1, 33)))
    for number in range(8):
        seated = people[4 * number : 4 * number + 4]
        table(event, seated, table_number=number + 1, on=DAY)
    walk = walks((width, "light"), by=cast.client("dirk"))
    page = walk.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/clubs/riverside/events/league/rounds/1")
    boxes = [section.bounding_box() for section in page.locator(".pick > section").all()]
    assert len(boxes) == 8
    assert all(box and box["y"] + box["height"] <= height for box in boxes[:tables])
    seat = page.locator(".pick label", has_text="Player 01")
    box = seat.bounding_box()
    assert box is not None
    assert box["height"] >= touch
    assert seat.evaluate("label => parseFloat(getComputedStyle(label).fontSize)") >= 16
    choices = page.get_by_role("button", name="Change seats")
    expect(choices).to_be_hidden()
    page.get_by_role("checkbox", name="Player 01").press("Space")
    expect(choices).to_be_visible()
    walk.press("Hide tip")
    page.reload()
    expect(page.get_by_role("button", name="Hide tip")).to_be_hidden()
    walk.look()
    assert walk.wrong == []


def test_two_seats_are_swapped_by_few_keys(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"Player {number:02}" for number in range(1, 33)))
    for number in range(8):
        seated = people[4 * number : 4 * number + 4]
        table(event, seated, table_number=number + 1, on=DAY)
    walk = walks(DESK, by=cast.client("dirk"), at="/clubs/riverside/events/league/rounds/1")
    page = walk.page
    page.get_by_role("checkbox", name="Player 01").press("Space")
    page.get_by_role("checkbox", name="Player 06").press("Space")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Show preview")
    walk.look(again=True)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("section.now")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Swap Player 01 and Player 06")
    walk.look(again=True)
    assert walk.wrong == []


def test_pair_is_exchanged_and_the_next_round_is_posted_in_two_presses(
    db: None, walks: Walks
) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    people = players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn")
    pairs(event, people)
    meeting = Meeting.objects.create(club=event.club, event=event, date=DAY)
    check_in(meeting, people)
    meeting.event = event
    (plan,) = make_plans(by_tests(), meeting, movement="pairs", variation="all_play_all", rounds=2)
    make_round_of_plan(by_tests(), choose_plan(by_tests(), plan))
    out = SitOut.objects.get()
    waiting = out.entrant.members.select_related("player").order_by("pk")
    comes = [member.player.name for member in waiting]
    goes = next(name for name in ("Anna", "Cleo", "Elsa") if name not in comes)
    partner = {"Anna": "Bob", "Cleo": "Dirk", "Elsa": "Finn"}[goes]
    walk = walks(DESK, PHONE, by=cast.client("dirk"))
    page = walk.page
    page.goto(PAGE)
    page.get_by_role("checkbox", name=goes).check()
    marked = page.locator(".pick label.with")
    expect(marked).to_have_text([re.compile(partner)])
    page.get_by_role("checkbox", name=comes[1]).check()
    walk.press("Change seats")
    title = f"{comes[0]} & {comes[1]} play, {goes} & {partner} sit out"
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    walk.look()
    walk.press(f"Swap {goes} & {partner} and {comes[0]} & {comes[1]}")
    seated = elsewhere(lambda: set(Sitting.objects.values_list("player__name", flat=True)))
    assert {*comes} < seated
    assert seated.isdisjoint({goes, partner})

    elsewhere(lambda: close(Round.objects.get()))
    page.goto(PAGE)
    walk.press("Next round")
    expect(page.get_by_role("link", name="Other plans")).to_be_visible()
    walk.look()
    walk.press("Post round 2")
    assert elsewhere(lambda: Round.objects.get(number=2).state) == "posted"
    assert walk.wrong == []


def close(round_: Round) -> None:
    move_round(by_tests(), round_, to="posted")
    for game in Game.objects.filter(table__round=round_).select_related("event", "table"):
        finished(game, (4, 1, 2, 6))
    move_round(by_tests(), Round.objects.get(pk=round_.pk), to="closed")
