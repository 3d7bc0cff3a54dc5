"""A director seats an evening from its plan: a walk-in, a swap, posting, a player who leaves."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import TESTS, hand
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.rounds.rounds import move_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/clubs/riverside/events/league/meetings/2025-11-06/seating"
ROUNDS: list[tuple[list[tuple[int, ...]], list[int]]] = [
    ([(1, 2, 3), (5, 6, 7, 8)], []),
    ([(5, 1, 6), (2, 7, 3, 8)], []),
]


@pytest.fixture
def started(db: None, walks: Walks) -> tuple[Walk, PlannedEvening]:
    """Dirk before the page of an evening whose plan is chosen, at both widths."""
    cast = enter_the_cast()
    evening = planned_evening(cast, ROUNDS)
    evening.here(1, 2, 3, 5, 6, 7, 8)
    evening.here(9, state="late")
    return walks(DESK, PHONE, by=cast.client("dirk")), evening


def seated() -> list[int]:
    """The numbers of players at the tables of round 1."""
    return elsewhere(
        lambda: [len(one.players) for one in round_seating(Round.objects.get(number=1)).tables]
    )


@pytest.mark.tier_long
def test_evening_is_seated_changed_and_posted(started: tuple[Walk, PlannedEvening]) -> None:
    walk, evening = started
    page = walk.page
    page.goto(PAGE)
    walk.look()
    walk.press("Seat round 1")
    elsewhere(lambda: evening.here(4))
    page.goto(PAGE)
    expect(page.get_by_role("heading", name="Seat Dario D. in round 1")).to_be_visible()
    walk.look()
    walk.press("Add to table 1")
    assert seated() == [4, 4]
    page.get_by_label("Cleo S.").check()
    page.get_by_label("Edda K.").check()
    walk.press("Show choices")
    expect(page.get_by_text("meet again:")).to_be_visible()
    walk.look()
    walk.press("Swap seats")
    expect(page.get_by_text("Seats of round 1 changed.")).to_be_visible()
    walk.press("Post round 1")
    expect(page.get_by_text("Round posted.")).to_be_visible()
    elsewhere(lambda: evening.here(8, state="left"))
    page.goto(PAGE)
    expect(page.get_by_role("heading", name="Give away the seat of Hugo K.")).to_be_visible()
    page.get_by_role("button", name="Seat this way").first.click()
    expect(page.get_by_text("Seats of round 1 changed.")).to_be_visible()
    assert seated() == [4, 3]
    walk.look()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_round_with_hands_is_redrawn(started: tuple[Walk, PlannedEvening]) -> None:
    walk, evening = started
    page = walk.page

    def play() -> None:
        move_round(actor=TESTS, round_=evening.seat(), to="posted", now=NOW)
        for number in (1, 2):
            hand(Game.objects.get(table__code="r1t2"), number, [4, 1, 2, 6], 3)

    elsewhere(play)
    page.goto(PAGE)
    page.get_by_role("link", name="Redraw round 1").click()
    expect(page.get_by_text("Table 2: 2 hands.")).to_be_visible()
    expect(page.get_by_role("radio", name="Only tables without hands")).to_be_checked()
    walk.look()
    page.get_by_role("radio", name="Only tables without hands").press("ArrowDown")
    expect(page.get_by_role("radio", name="All tables")).to_be_checked()
    page.get_by_label("Reason").fill("Two players took wrong seats.")
    walk.press("Redraw round 1")
    expect(page.get_by_text("Round 1 is redrawn.")).to_be_visible()
    walk.look()
    assert seated() == [4, 0, 3]
    assert walk.wrong == []


def test_player_is_dragged_to_another_and_to_a_table(
    started: tuple[Walk, PlannedEvening],
) -> None:
    walk, _ = started
    page = walk.page
    page.goto(PAGE)
    walk.press("Seat round 1")
    cleo, edda = (page.locator(".pick label", has_text=name) for name in ("Cleo S.", "Edda K."))
    with page.expect_navigation():
        cleo.drag_to(edda)
    expect(page.get_by_role("button", name="Swap seats")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Cleo S.")).to_be_checked()
    page.goto(PAGE)
    with page.expect_navigation():
        page.locator(".pick label", has_text="Edda K.").drag_to(
            page.get_by_role("heading", name="Table 1")
        )
    expect(page.get_by_role("checkbox", name="Edda K.")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Cleo S.")).not_to_be_checked()
    assert walk.wrong == []
