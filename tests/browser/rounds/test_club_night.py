"""The club night of a director, by pages alone: from attendance to three rounds that are posted.

22 members, 17 checked in, two plans compared, one posted; two come late (one of them a guest), one
leaves before round 3, two exchange seats after two hands; two who must not meet never do.
"""

import re
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from django.utils import timezone
from playwright.sync_api import Frame, Locator, Page, expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.evenings import NAMES
from tests.support.walks import Walks, elsewhere
from tournaments.models.rounds import Sitting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
APART = ("Alma D.", "Bruno K.")
PINNED = "Cleo S."


@pytest.fixture
def walk(db: None, walks: Walks) -> Walk:
    """Dirk, a director of a club of 22 members with a running league."""
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    league(cast.riverside, settings={"primary": "beaten_mean"})
    return walks(DESK, PHONE, by=cast.client("dirk"))


def enter_hands(walk: Walk, number: int, count: int) -> None:
    tables = {at for at, _ in seating_of(number).values()}
    for table in sorted(tables):
        page = walk.page
        page.goto(f"{EVENT}/tables/r{number}t{table}/grid")
        seats = page.locator('tr[data-hand="1"] [id^="c-1-"]').count()
        for hand in range(1, count + 1):
            cells = [str(13 - table - hand), str(table), str(hand), *["0"] * (seats - 3)]
            cells[number - 1] += "q"  # no two sheets alike: the page asks about them
            for seat, text in enumerate(cells, start=1):
                page.locator(f"#c-{hand}-{seat}").fill(text)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("main")).to_contain_text(f"Table {table} saved: {count} hand")


def mates(number: int) -> dict[str, tuple[int, set[str]]]:
    rows = Sitting.objects.filter(round__number=number, to_hand__isnull=True)
    tables: dict[int, set[str]] = {}
    for table, name in rows.values_list("seat__table__number", "player__name"):
        tables.setdefault(table, set()).add(name)
    return {name: (table, names) for table, names in tables.items() for name in names}


def check_in(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Check in {name}").click()
    expect(page.get_by_role("button", name=f"Undo check-in of {name}")).to_be_visible()


def pick(page: Page, label: str, name: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.select_option(field.locator("option").filter(has_text=name).get_attribute("value"))


def constrain(page: Page, kind: str, player: str, **more: str) -> None:
    page.goto(f"{EVENT}/constraints")
    page.get_by_label("Constraint", exact=True).select_option(label=kind)
    pick(page, "Player", player)
    if "other" in more:
        pick(page, "Other player", more["other"])
    if "table" in more:
        page.get_by_label("Table number").fill(more["table"])
    page.get_by_label("Reason").fill("Private.")
    page.get_by_role("button", name="Add constraint").click()
    expect(page.locator("table")).to_contain_text(player)


def seating_of(number: int) -> dict[str, tuple[int, set[str]]]:
    return elsewhere(lambda: mates(number))


def close(walk: Walk, number: int) -> None:
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    with walk.page.expect_navigation():
        walk.page.get_by_role("button", name=re.compile("^Close round")).click()


def keeps_constraints(number: int) -> bool:
    found = seating_of(number)
    is_apart = APART[1] not in found.get(APART[0], (0, set()))[1]
    return is_apart and found[PINNED][0] == 2


@pytest.mark.tier_long
def test_director_seats_an_evening_from_arrivals_to_the_third_round(walk: Walk) -> None:
    page, day = walk.page, timezone.now().date().isoformat()
    page.goto(f"{EVENT}/direct")
    walk.press("Start tonight")
    constrain(page, "Never at one table", APART[0], other=APART[1])
    constrain(page, "Always at a fixed table", PINNED, table="2")
    night = f"{EVENT}/meetings/{day}"
    page.goto(f"{night}/attendance")
    for name in NAMES[:17]:
        check_in(page, name)
    expect(page.locator("#foot")).to_contain_text("17 here, 5 expected: 5 tables, nobody sits out")
    walk.look()
    walk.press("Plan seating")
    expect(page.get_by_role("button", name="Choose plan A")).to_be_visible()
    expect(page.get_by_role("button", name="Choose plan B")).to_be_visible()
    walk.look()
    for press in ("Choose plan A", "Post round 1"):  # two presses to the seats
        page.get_by_role("button", name=press).click()
    expect(page.get_by_text("Round posted.")).to_be_visible()
    walk.look()
    first = seating_of(1)
    assert sorted(first) == sorted(NAMES[:17])
    assert keeps_constraints(1)
    enter_hands(walk, 1, 2)

    one, two = sorted(first[PINNED][1])[:2]
    page.goto(f"{night}/seating")
    page.get_by_label(one).check()
    page.get_by_label(two).check()
    walk.press("Change seats")
    walk.follow("Change players")
    page.get_by_label("Hands that were played").select_option("remap")
    walk.press("Show changes")
    page.get_by_label("Reason").fill("They sat the other way round.")
    page.get_by_role("main").locator("form button.pri").last.click()
    expect(page.get_by_text("Players changed.")).to_be_visible()

    page.goto(f"{night}/attendance")
    check_in(page, NAMES[17])
    page.get_by_label("Name", exact=True).fill("Tom T.")
    page.get_by_role("button", name="Add guest").click()
    expect(page.get_by_role("main")).to_contain_text("Tom T. is here.")
    close(walk, 1)
    page.goto(f"{night}/seating")
    expect(page.get_by_role("main")).to_contain_text("Tom T.")
    walk.press("Seat round 2")
    walk.press("Post round 2")
    assert sorted(seating_of(2)) == sorted([*NAMES[:18], "Tom T."])
    assert keeps_constraints(2)

    enter_hands(walk, 2, 1)
    close(walk, 2)
    page.goto(f"{night}/attendance")
    row = page.get_by_role("listitem").filter(has_text="Hugo K.")
    row.locator(".menu").click()
    row.get_by_role("button", name="Mark as left").click()
    expect(page.locator("#foot")).to_contain_text("18 here")
    page.goto(f"{night}/plans")
    page.get_by_text("New plans").first.click()
    page.get_by_label("3", exact=True).uncheck()
    page.get_by_label("5", exact=True).uncheck()
    walk.press("New plans")
    expect(page.get_by_text("4 tables a round. 2 players sit out.").first).to_be_visible()
    page.goto(f"{night}/seating")
    walk.press("Seat round 3")
    walk.press("Post round 3")
    third = seating_of(3)
    assert "Hugo K." not in third
    assert len(third) == 18
    assert keeps_constraints(3)
    walk.look()
    page.goto(f"{EVENT}/changes")
    for line in (f"{one} →", "Attendance of Hugo K."):
        expect(page.get_by_role("main")).to_contain_text(line)
    assert walk.wrong == []


PAGES, CLICKS = 30, 57


def test_evening_takes_few_pages_and_clicks(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    players(cast.riverside, *NAMES[:18])
    walk = walks(DESK, by=cast.client("dirk"))
    page, main = walk.page, walk.page.get_by_role("main")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/clubs/riverside/new-event")
    page.locator("input[name=name]").fill("Thursday")
    page.get_by_role("button", name="Continue to ranking").click()
    page.get_by_role("button", name="Continue to players").click()
    page.get_by_role("button", name="Create event").click()
    page.goto("/clubs/riverside/events/thursday/direct")
    pages: list[str] = []
    clicks: list[str] = []

    def visited(frame: Frame) -> None:
        if frame == page.main_frame:
            pages.append(frame.url)

    def click(where: Locator, *, leads: bool = True) -> None:
        expect(where).to_be_visible()
        for _screen in range(20):
            if where.evaluate(IS_IN_SIGHT):
                break
            where.evaluate(SCROLL)
            clicks.append("scroll")
        clicks.append(where.inner_text())
        with page.expect_navigation() if leads else nullcontext():
            where.click()

    page.on("framenavigated", visited)
    click(main.get_by_role("button", name="Start tonight"))
    click(main.get_by_role("button", name="Check in all 18"), leads=False)
    expect(page.locator("#foot")).to_contain_text("18 here")
    click(main.get_by_role("button", name="Plan seating"))
    click(main.get_by_role("button", name="Choose plan A"))
    for number in (1, 2, 3):
        click(main.get_by_role("button", name=f"Post round {number}"))
        click(main.get_by_role("link", name="Enter sheets"))
        for table in range(1, 6):
            for cell, text in cells(number, table, page.locator('[id^="c-1-"]').count()):
                page.locator(f"#c-{cell}").fill(text)
            click(main.get_by_role("button", name=re.compile("^Save, ")))
            expect(main).to_contain_text(f"Table {table} saved: 4 hands")
        click(main.get_by_role("button", name="Close round"))
        if number < 3:
            click(main.get_by_role("button", name="Next round"))
    click(main.get_by_role("link", name="Standings").first)
    expect(page).to_have_url(re.compile("/clubs/riverside/events/thursday$"))
    assert len(pages) <= PAGES, pages
    assert len(clicks) <= CLICKS, clicks
    assert walk.wrong == []


def cells(number: int, table: int, seats: int) -> Iterator[tuple[str, str]]:
    """Yield each cell of four hands with its text; no two sheets are alike."""
    for hand in range(1, 5):
        texts = [str(13 - table - hand), str(table), str(hand), *["0"] * (seats - 3)]
        texts[number - 1] += "q"
        yield from ((f"{hand}-{seat}", text) for seat, text in enumerate(texts, start=1))


IS_IN_SIGHT = """one => {
  const box = one.getBoundingClientRect();
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.top >= 0 && box.bottom <= innerHeight && (one.contains(at) || at?.contains(one));
}"""
SCROLL = """one => scrollBy({
  top: Math.sign(one.getBoundingClientRect().top - 1) * innerHeight * 0.9, behavior: "instant"
})"""
