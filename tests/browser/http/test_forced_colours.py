"""Pages in the few colours that a reader's system gives: what a colour says, a line says too."""

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.scenarios.planned_evenings import DAY
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT: Final = "/clubs/riverside/events/league"
STYLE: Final = "(one, name) => getComputedStyle(one)[name]"


@pytest.fixture
def cast(db: None) -> Cast:
    people = enter_the_cast()
    event = league(people.riverside, length="hands:4")
    hand(
        table(event, players(people.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D."), on=DAY),
        1,
        [4, 1, 2, 6],
        queen=3,
    )
    publish(event.pk, now=NOW)
    make_all(event.pk)
    return people


def style(page: Page, what: str, name: str) -> str:
    return str(page.locator(what).first.evaluate(STYLE, name))


def test_current_place_picked_seats_hands_and_progress_are_seen_without_colours(
    cast: Cast, walks: Walks
) -> None:
    page = walks((1280, "light"), by=cast.client("dirk")).page
    page.emulate_media(forced_colors="active")
    page.goto(f"{EVENT}/rounds/1")
    current = style(page, ".mast nav a[aria-current]", "borderBottomColor")
    assert style(page, ".mast nav a:not([aria-current])", "borderBottomColor") != current
    page.get_by_role("checkbox", name="Ada A.").check()
    assert style(page, ".pick label:has(:checked)", "outlineStyle") == "solid"
    assert style(page, ".pick label:not(:has(:checked))", "outlineStyle") == "none"
    page.goto(f"{EVENT}/rounds/1/board")
    entered, open_ = (".tile .pipsn .f", ".tile .pipsn span:not(.f, .c)")
    assert style(page, entered, "backgroundColor") != style(page, open_, "backgroundColor")
    page.goto(f"{EVENT}/meetings/{DAY}/attendance")
    page.get_by_role("button", name="Check in Ada A.").click()
    expect(page.locator(".attend .here i svg")).to_be_visible()
    page.evaluate("document.querySelector('main').prepend(document.createElement('progress'))")
    progress = page.locator("main > progress")
    progress.evaluate("one => { one.value = 0; }")
    empty = progress.screenshot()
    progress.evaluate("one => { one.value = 1; }")
    assert progress.screenshot() != empty
