"""A host takes attendance on a phone, and a director sees how many people fit a screen."""

from datetime import time

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Route, expect

from tests.support.browser import DESK, PHONE, session_cookie
from tests.support.builders import by_tests, league, players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks
from tournaments.models.clubs import Club
from tournaments.models.rounds import Attendance
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.", "Flo F.", "Gus G.", "Hal H.")


@pytest.fixture
def hanna(db: None) -> Client:
    """Hanna, whose club has eight players and meets today."""
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    day = timezone.now().date()
    event = league(cast.riverside)
    plan_meeting(by_tests(timezone.now()), event, day=day, at=time(19, 30))
    return cast.client("hanna")


def test_host_checks_in_three_of_eight_and_a_guest_on_a_phone(hanna: Client, walks: Walks) -> None:
    walk = walks((390, "light"), PHONE, by=hanna)
    page = walk.page
    page.set_viewport_size({"width": 390, "height": 844})
    day = timezone.now().date().isoformat()
    page.goto(f"/clubs/riverside/events/league/meetings/{day}/attendance")
    foot = page.locator("#foot")
    page.evaluate("window.region = document.querySelector('#foot [aria-live]')")
    for count, name in enumerate(("Ada A.", "Cy C.", "Gus G."), start=1):
        button = page.get_by_role("button", name=f"Check in {name}")
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        button.dblclick()
        undo = page.get_by_role("button", name=f"Undo check-in of {name}")
        expect(undo).to_be_visible()
        expect(foot).to_contain_text(f"{count} here, {8 - count} expected")
        expect(undo).to_be_focused()
    assert page.evaluate("window.region.isConnected")
    expect(foot).to_contain_text("1 table, nobody sits out")
    page.get_by_role("button", name="Undo check-in of Cy C.").click()
    expect(page.get_by_role("button", name="Check in Cy C.")).to_be_visible()
    expect(foot).to_contain_text("2 here")
    listed = page.locator("#listed[role=status]")
    expect(listed).to_have_text("")
    page.get_by_label("Find a player").fill("cy")
    expect(page.locator(".attend > li:visible")).to_have_count(1)
    expect(listed).to_have_text("Players listed: 1")
    page.keyboard.press("Enter")
    expect(foot).to_contain_text("3 here, 5 expected")
    expect(listed).to_have_text("")
    expect(page.locator(".attend > li:visible")).to_have_count(8)
    page.get_by_label("Name", exact=True).fill("Tom T.")
    page.get_by_role("button", name="Add guest").click()
    expect(foot).to_contain_text("4 here, 5 expected: 1 table, nobody sits out")
    expect(page.get_by_role("main")).to_contain_text("Tom T. is here.")
    walk.look()
    assert walk.wrong == []
    walks.put_away()
    found = Attendance.objects.filter(state="here").values_list("player__name", flat=True)
    assert sorted(found) == ["Ada A.", "Cy C.", "Gus G.", "Tom T."]


def test_plan_waits_for_presses_that_are_on_their_way(hanna: Client, walks: Walks) -> None:
    dirk = Client()
    dirk.force_login(User.objects.get(username="dirk"))
    walk = walks((390, "light"), PHONE, by=dirk)
    page = walk.page
    day = timezone.now().date().isoformat()
    page.goto(f"/clubs/riverside/events/league/meetings/{day}/attendance")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/attendance", hold)
    for name in ("Ada A.", "Bo B.", "Cy C."):
        page.get_by_role("button", name=f"Check in {name}").click()
    button = page.get_by_role("button", name="Plan seating")
    button.click()
    expect(button).to_be_disabled()
    assert page.url.endswith("/attendance")
    for route in held:
        route.continue_()
    page.wait_for_url("**/plans*")
    walks.put_away()
    assert Attendance.objects.filter(state="here").count() == 3
    (plan,) = SeatingPlan.objects.all()[:1]
    assert len(plan.inputs["present"]) == 3


IN_SIGHT = """() => {
  const foot = document.querySelector("#foot");
  const isFixed = getComputedStyle(foot).position === "fixed"; // on a phone
  const end = isFixed ? foot.getBoundingClientRect().top : innerHeight;
  const all = [...document.querySelectorAll(".attend > li")];
  const rows = all.map((row) => row.getBoundingClientRect());
  return {
    rows: rows.filter((row) => row.top >= 0 && row.bottom <= end).length,
    height: Math.max(...rows.map((row) => row.height)),
    width: document.documentElement.scrollWidth,
  };
}"""


def test_many_people_are_in_sight_and_others_check_ins_appear(hanna: Client, walks: Walks) -> None:
    players(Club.objects.get(slug="riverside"), *(f"Player {number:02}" for number in range(92)))
    day = timezone.now().date().isoformat()
    address = f"/clubs/riverside/events/league/meetings/{day}/attendance"
    desk = walks(DESK, by=hanna).page
    desk.set_viewport_size({"width": 1280, "height": 800})
    desk.goto(address)
    assert desk.locator(".attend > li").count() == 100
    seen = desk.evaluate(IN_SIGHT)
    assert seen["rows"] >= 36, seen
    assert (seen["height"], seen["width"]) == (40, 1280)
    context = walks.browser.new_context(
        base_url=walks.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    context.add_cookies([session_cookie(hanna, walks.url)])
    phone = context.new_page()
    phone.clock.install()
    phone.goto(address)
    seen = phone.evaluate(IN_SIGHT)
    assert seen["rows"] >= 24, seen
    assert (seen["height"] >= 44, seen["width"]) == (True, 390)
    menu = phone.locator("#p-RL02 .menu")
    box = menu.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    menu.click()
    desk.get_by_role("button", name="Check in Ada A.").click()
    expect(desk.locator("#foot")).to_contain_text("1 here, 99 expected")
    phone.clock.run_for(21_000)
    expect(phone.locator("#foot")).to_contain_text("1 here, 99 expected")
    expect(phone.locator("#p-RL01")).to_have_class("here")
    expect(phone.get_by_role("button", name="Mark absent Bo B.")).to_be_visible()
    desk.get_by_role("button", name="Check in all 99").click()
    expect(desk.locator("#foot")).to_contain_text("100 here: 25 tables, nobody sits out")
    context.close()
    walks.put_away()
    assert Attendance.objects.filter(state="here").count() == 100
