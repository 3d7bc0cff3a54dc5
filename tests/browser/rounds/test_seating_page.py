"""A director drags players of a round from seat to seat."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.cast import enter_the_cast
from tests.support.scenarios.planned_evenings import planned_evening
from tests.support.walks import Walks

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
