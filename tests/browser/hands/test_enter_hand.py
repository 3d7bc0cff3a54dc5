"""The host's page under thumbs and keys: what is missing is said while somebody types.

At phone and desk width, with nothing on the console, nothing that axe finds, nothing wider than
the screen.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE, Walk, press_tab_until
from tests.support.builders import league, players, table
from tests.support.scenarios.evenings import ADDRESS, Evenings, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLE = f"{ADDRESS}/tables/r1t2"
NEW = f"{TABLE}/hands/new"
OTHER = "/clubs/riverside/events/other/tables/r1t1/hands/new"
TRICKS = "/clubs/riverside/events/tricks/tables/r1t1/hands/new"
MOST_KEYS = 12

Opened = Callable[..., Walk]


@pytest.fixture
def evenings(db: None) -> Evenings:
    """The league, and a table of seven under rules where each card counts for itself."""
    made = two_evenings()
    event = league(made.cast.riverside, slug="other", name="Other", variant="spot-hearts")
    people = players(made.cast.riverside, "Ada", "Ben", "Cem", "Dora", "Emil", "Fay")
    table(event, people)
    tricks = league(made.cast.riverside, slug="tricks", name="Tricks")
    table(tricks, people[:4], variant="hearts", options={"no_trick_bonus": 5})
    return made


@pytest.fixture
def opened(evenings: Evenings, walks: Walks) -> Opened:
    hanna = evenings.client("hanna")
    return lambda path, *screens: walks(*(screens or [(390, "light")]), by=hanna, at=path)


def running(page: Page) -> str:
    return page.locator(".tally [role=status]").inner_text()


@pytest.mark.tier_long
def test_foot_says_what_a_hand_lacks_beside_its_cards(opened: Opened) -> None:
    page = opened(TRICKS).page
    for seat, hearts in enumerate((9, 4, 0, 0), start=1):
        page.locator(f"#hearts-{seat}").fill(str(hearts))
    page.locator("#card-QS-1-0").check()
    assert running(page) == "The tricks are missing."
    for seat, tricks in enumerate((6, 4, 2), start=1):
        page.locator(f"#tricks-{seat}").fill(str(tricks))
    assert running(page) == "12 of 13 tricks."
    page.locator("#tricks-4").fill("1")
    assert running(page) == "Complete: 13 hearts, Q♠"
    page.goto(NEW)
    page.get_by_role("button", name="Enter points").click()
    for seat, points in enumerate((12, 12, 2, 0), start=1):
        page.locator(f"#points-{seat}").fill(str(points))
    assert running(page) == "No deal of the cards gives these points."


def test_every_state_of_the_page_is_without_a_finding(opened: Opened) -> None:
    walk = opened(NEW, PHONE, (390, "light"), DESK)
    page = walk.page
    walk.look(again=True)
    for seat, hearts in enumerate((7, 4, 1, 0), start=1):
        page.locator(f"#hearts-{seat}").fill(str(hearts))
    page.get_by_role("button", name="Save hand 2").click()
    expect(page.get_by_role("alert")).to_contain_text("One heart is missing.")
    walk.look(again=True)
    page.get_by_role("button", name="Enter points").click()
    walk.look(again=True)
    page.get_by_role("button", name="Enter counts").click()
    page.locator("#hearts-1").press("m")
    page.get_by_role("button", name="Save hand 2").click()
    expect(page.get_by_role("heading", name="Marit S. shot the moon")).to_be_visible()
    walk.look(again=True)
    page.goto(f"{TABLE}/hands/1/edit")
    walk.look(again=True)
    page.goto(OTHER)
    walk.look(again=True)
    page.goto(TABLE)
    walk.look(again=True)
    assert walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_sheet_says_who_entered_a_hand_where_there_is_room(opened: Opened) -> None:
    """A file's name and its time in a narrow column make each row as high as six lines."""
    page = opened(TABLE, DESK).page
    entered = page.locator("thead th").filter(has_text="Entered")
    expect(entered).to_be_visible()
    page.set_viewport_size({"width": 768, "height": 900})
    expect(entered).to_be_hidden()


def test_nothing_is_wider_than_the_screen(opened: Opened) -> None:
    walk = opened(NEW, (320, "light"), (768, "light"))
    walk.look()
    walk.page.goto(OTHER)
    walk.look()
    assert walk.wrong == []


IS_WHOLE = """(name, text) => {
  name.textContent = text;
  return name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight;
}"""
"""Whether a name of two words is seen whole: Petra Holm and Petra Berg may sit at one table."""


@pytest.mark.tier_long
def test_four_seats_and_the_foot_fit_a_small_phone(opened: Opened) -> None:
    page = opened(NEW).page
    page.set_viewport_size({"width": 360, "height": 640})
    last = page.locator(".seatrow").nth(3).bounding_box()
    foot = page.locator(".desk-foot").bounding_box()
    assert last is not None
    assert foot is not None
    assert last["y"] + last["height"] <= foot["y"]
    assert page.locator(".who .nm").first.evaluate(IS_WHOLE, "Petra Holm")


@pytest.mark.tier_long
def test_foot_of_the_form_has_the_width_of_a_phone(opened: Opened) -> None:
    """A sheet of styles for other pages must not lay it out anew."""
    page = opened(NEW, PHONE).page
    foot = page.locator(".desk-foot").bounding_box()
    acts = page.locator(".desk-foot .acts").bounding_box()
    assert foot is not None
    assert acts is not None
    assert (foot["x"], foot["width"]) == (0, PHONE[0])
    assert acts["width"] > 0.8 * foot["width"]


@pytest.mark.tier_long
def test_targets_are_large_enough_for_thumbs(opened: Opened) -> None:
    page = opened(NEW).page
    for target in page.locator(".step button, .step input, .mark").all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 52
        assert box["width"] >= 48
    for name in ("Save hand 2", "Enter points"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box is not None
        assert box["height"] >= 36


def test_what_is_missing_is_said_while_somebody_types(opened: Opened) -> None:
    walk = opened(NEW)
    page = walk.page
    assert running(page) == "0 of 13 hearts, Q♠ open"
    page.locator("#hearts-1").fill("11")
    assert running(page) == "11 of 13 hearts, Q♠ open"
    page.get_by_label("queen of spades to Cleo S.").check()
    assert running(page) == "11 of 13 hearts"
    page.get_by_role("button", name="One heart more for Jörg S.").click()
    expect(page.locator("#hearts-2")).to_have_value("1")
    assert running(page) == "12 of 13 hearts"
    page.get_by_role("button", name="the rest: 1").nth(1).click()
    expect(page.locator("#hearts-4")).to_have_value("1")
    assert running(page) == "Complete: 13 hearts, Q♠"
    page.locator("#hearts-3").fill("4")
    assert running(page) == "17 of 13 hearts, 4 too many"
    expect(page.locator(".tally")).to_have_attribute("data-state", "no")
    page.locator("#hearts-3").fill("0")
    page.locator("#hearts-4").fill("0")
    assert running(page) == "12 of 13 hearts, 1 missing"
    assert walk.wrong == []


SPOKEN = """
window.spoken = [];
addEventListener("DOMContentLoaded", () => new MutationObserver((records) => {
  for (const { target, addedNodes } of records)
    if (target.matches?.("[role=status].said") && addedNodes.length) {
      window.spoken.push(target.innerText);
      document.documentElement.dataset.spoken = "";
    }
}).observe(document.body, { childList: true, subtree: true }));
"""
"""What a reader of screens speaks: what comes into a status once the page is there."""


def test_saved_hand_is_spoken_after_the_page_has_come(opened: Opened) -> None:
    page = opened(NEW).page
    page.add_init_script(SPOKEN)
    for seat, hearts in enumerate((7, 4, 2, 0), start=1):
        page.locator(f"#hearts-{seat}").fill(str(hearts))
    page.locator("#card-QS-1-0").check()
    page.get_by_role("button", name="Save hand 2").click()
    expect(page.get_by_role("button", name="Undo hand 2").first).to_be_visible()
    # A mark, as the policy of the page lets nobody wait for an expression.
    expect(page.locator("html[data-spoken]")).to_have_count(1)
    assert [text.split("\n")[0] for text in page.evaluate("window.spoken")] == ["Hand 2 saved."]


def test_script_and_server_say_the_same(opened: Opened) -> None:
    page = opened(NEW).page
    for hearts, queen in (((7, 4, 1, 0), 3), ((7, 4, 1, ""), None), ((7, 4, 3, 0), 3)):
        page.goto(NEW)
        for seat, count in enumerate(hearts, start=1):
            page.locator(f"#hearts-{seat}").fill(str(count))
        if queen:
            page.locator(f"#card-QS-{queen}-0").check()
        said = running(page)
        page.get_by_role("button", name="Save hand 2").click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert running(page) == said


def test_hand_takes_no_more_than_twelve_keys(opened: Opened) -> None:
    walk = opened(NEW, DESK)
    page = walk.page
    expect(page.locator("#hearts-1")).to_be_focused()
    keys = ["4", "Enter", "1", "Enter", "2", "Enter", "q", "Enter", "Enter"]
    assert len(keys) <= MOST_KEYS
    for key in keys[:-1]:
        page.keyboard.press(key)
    assert running(page) == "Complete: 13 hearts, Q♠"
    expect(page.get_by_role("button", name="Save hand 2")).to_be_focused()
    with page.expect_navigation():
        page.keyboard.press(keys[-1])
    expect(page.get_by_text("Hand 2 saved.")).to_be_visible()
    expect(page.locator("#hearts-1")).to_be_focused()
    expect(page.get_by_role("group", name="Carla K.")).to_contain_text("23 so far")
    assert walk.wrong == []


@pytest.mark.tier_long
def test_moon_takes_one_key_and_one_choice(opened: Opened) -> None:
    page = opened(NEW, DESK).page
    page.keyboard.press("m")
    assert running(page) == "Complete: 13 hearts, Q♠"
    page.get_by_role("button", name="Save hand 2").click()
    page.get_by_role("button", name="Take 26 off Marit S.").click()
    expect(page.get_by_role("group", name="Marit S.")).to_contain_text("−23 so far")


def test_keyboard_alone_corrects_a_hand_and_focus_is_always_seen(opened: Opened) -> None:
    walk = opened(f"{TABLE}/hands/1", DESK)
    page = walk.page
    press_tab_until(page, "Correct hand")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.locator("#hearts-3").focus()
    for key in ("4", "Tab"):
        page.keyboard.press(key)
    page.locator("#hearts-4").focus()
    page.keyboard.press("3")
    page.locator("#reason").focus()
    page.keyboard.type("South and West were swapped.")
    press_tab_until(page, "Save as revision 2")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("Hand 1 saved as revision 2.")).to_be_visible()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_cards_are_tapped_one_by_one(opened: Opened) -> None:
    walk = opened(OTHER)
    page = walk.page
    assert running(page) == "0 of 14 cards assigned"
    for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"):
        page.locator(f"#card-{rank}H-3-0").check()
    assert running(page) == "K♥ open, A♥ open, Q♠ open"
    for name in ("king of hearts to Ada", "ace of hearts to Ada", "queen of spades to Fay"):
        page.get_by_label(name).check()
    assert running(page) == "Complete: every card"
    page.get_by_role("button", name="Save hand 1").click()
    expect(page.get_by_text("Hand 1 saved.")).to_be_visible()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_page_works_without_a_script(evenings: Evenings, walks: Walks) -> None:
    page = walks.without_script(evenings.client("hanna"))
    page.goto(NEW)
    page.locator("#hearts-1").fill("11")
    page.get_by_role("button", name="One heart more for Jörg S.").click()
    expect(page.locator("#hearts-2")).to_have_value("1")
    assert running(page) == "12 of 13 hearts, Q♠ open"
    page.locator("#hearts-2").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("One heart is missing.")
    page.get_by_role("button", name="+1 to Cleo S., Q♠ to Cleo S.").click()
    page.get_by_role("button", name="Save hand 2").click()
    expect(page.get_by_text("Hand 2 saved.")).to_be_visible()
