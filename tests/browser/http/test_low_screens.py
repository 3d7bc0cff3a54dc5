"""What stays at the foot of a page leaves most of a low screen, and hides no focus."""

from typing import Final

import pytest
from playwright.sync_api import Page

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.planned_evenings import DAY
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT: Final = "/clubs/riverside/events/league"
PAGES: Final = (
    f"{EVENT}/tables/r1t1/hands/new",
    f"{EVENT}/tables/r1t1/read-back",
    f"{EVENT}/meetings/{DAY}/attendance",
    f"{EVENT}/rounds/1?seat=RL01",
    "/clubs/riverside/new-house-rules",
)
SCREENS: Final = ((667, 375, 16), (390, 667, 16), (390, 667, 32), (390, 844, 24))
"""Width, height, and the size of letters that the reader's browser is set to; all in px."""
MOST: Final = 0.25
"""Of the height of a screen, what a foot may cover."""

STOP: Final = """() => {
  const feet = [...document.querySelectorAll("#foot, .desk-foot, .verdict-bar, .bar.flow")]
    .filter((one) => one.offsetHeight)
    .filter((one) => ["fixed", "sticky"].includes(getComputedStyle(one).position));
  const at = document.activeElement;
  const box = (at.closest("label") ?? at).getBoundingClientRect();
  const covers = (foot) => box.top >= foot.top && box.bottom <= foot.bottom;
  const isCovered = feet.some((one) => !one.contains(at) && covers(one.getBoundingClientRect()));
  return {
    name: at.innerText || at.name || at.id,
    isBody: at === document.body,
    isSeen: !isCovered && box.top < innerHeight && box.bottom > 0,
    share: Math.max(0, ...feet.map((one) => one.offsetHeight / innerHeight)),
  };
}"""


def hidden_stops(page: Page) -> list[str]:
    """Go through a page by Tab; what has the focus under a foot, and feet that are too high."""
    wrong = []
    for _stop in range(150):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop["isBody"]:
            break
        if not stop["isSeen"]:
            wrong.append(stop["name"])
        if stop["share"] > MOST:
            wrong.append(f"{stop['share']:.0%}")
    return sorted(set(wrong))


@pytest.mark.parametrize(("width", "height", "letters"), SCREENS)
def test_foot_of_a_page_leaves_a_low_screen_and_hides_no_focus(
    db: None, walks: Walks, width: int, height: int, letters: int
) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside, length="hands:4")
    seated = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.")
    hand(table(event, seated, on=DAY), 1, [4, 1, 2, 6], queen=3)
    table(event, players(cast.riverside, "Ed E.", "Flo F.", "Gus G.", "Hal H."), table_number=2)
    publish(event.pk, now=NOW)
    page = walks((width, "light"), by=cast.client("dirk")).page
    page.set_viewport_size({"width": width, "height": height})
    browser = page.context.new_cdp_session(page)
    sizes = {"standard": letters, "fixed": letters}
    browser.send("Page.enable")
    browser.send("Page.setFontSizes", {"fontSizes": sizes})
    wrong = {}
    for path in PAGES:
        page.goto(path)
        assert (
            page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
            == letters
        )
        found = hidden_stops(page)
        if found:
            wrong[path] = found
    assert wrong == {}
