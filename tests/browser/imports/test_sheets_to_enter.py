"""Sheets to enter: two sheets, one entered twice; a changed file is imported and undone.

A host does it all with an account of the site's own pages; each step's totals are those of REST.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.answers import Json
from tests.support.browser import DESK, PHONE, Walk, press_tab_until
from tests.support.builders import league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.pages.accounts import account, sign_in
from tests.support.pages.html_tree import is_close
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/pile"
API = f"/api/v1{EVENT}"
CODES = ("r1t1", "r1t2", "r2t1")
PAPERS = {
    "r1t1": ("6 3q 4 0", "7 5q 1 0", "0 0 13q- 0"),
    "r1t2": ("4 1 2 6q", "0 9q 4 0", "1 2 3q 7"),
}
AGAIN = ("3q 4 0 6", "5q 1 0 7", "0 13q- 0 0")
"""The sheet of table 1, as its people would sit in round 2: each one seat farther on."""
CHANGES: Mapping[tuple[str, str], Sequence[str]] = {
    ("1", "2"): ("6", "6", "1", "0"),
    ("2", "1"): ("4", "1", "3", "5"),
}
"""Table and hand of round 1 → the hearts of the changed file."""
EMPTY: list[list[str]] = []
AS_ENTERED = {
    "r1t1": [["6", "16", "4", "0"], ["7", "18", "1", "0"], ["0", "0", "-26", "0"]],
    "r1t2": [["4", "1", "2", "19"], ["0", "22", "4", "0"], ["1", "2", "16", "7"]],
    "r2t1": EMPTY,
}
REPLACED = {**AS_ENTERED, "r1t2": [["4", "1", "3", "18"], *AS_ENTERED["r1t2"][1:]]}


@pytest.fixture
def opened(db: None, walks: Walks) -> Walk:
    """Hedi is made a host on the site's pages; two tables are seated, and one in round 2."""
    cast = enter_the_cast()
    account(cast, "hedi", "host")
    event = league(cast.riverside, slug="pile", name="Pile", length="hands:3")
    people = players(cast.riverside, "Ann", "Bob", "Cleo", "Dora", "Ed", "Flo", "Gus", "Hal")
    table(event, people[:4])
    table(event, people[4:], table_number=2)
    table(event, [*people[1:4], people[0]], round_number=2)
    walk = walks(PHONE, DESK)
    sign_in(walk.page, "hedi")
    return walk


def published() -> None:
    publish(Event.objects.get().pk, now=NOW)


def rest(page: Page, path: str) -> Json:
    answer = page.request.get(f"{API}/{path}")
    assert answer.ok, (path, answer.status)
    found: Json = answer.json()
    return found


def same_as_rest(walk: Walk, expected: Mapping[str, list[list[str]]]) -> None:
    """Each sheet, its grid and the standings show REST's numbers, which are those expected."""
    page = walk.page
    for code in CODES:
        hands = rest(page, f"tables/{code}/hands")["results"]
        scores = [[str(seat["score"]) for seat in hand["seats"]] for hand in hands]
        assert scores == expected[code]
        page.goto(f"{EVENT}/tables/{code}")
        shown = page.locator("table.sheet tbody .pts").all_inner_texts()
        there = [score for hand in scores for score in hand]
        assert all(map(is_close, shown, there)), (code, shown, there)
        assert len(shown) == len(there)
        if hands:
            ends = [seat["total"] for seat in rest(page, f"tables/{code}")["seats"]]
            for address, where in (("", "tfoot .pts"), ("/grid", ".foot-sum")):
                page.goto(f"{EVENT}/tables/{code}{address}")
                totals = page.locator(where).all_inner_texts()
                assert all(map(is_close, totals, ends)), (code, where, totals, ends)
                assert len(totals) == len(ends) == 4
    elsewhere(published)
    rows = rest(page, "standings")["rows"]
    page.goto(EVENT)
    lines = page.locator("table.standings tr[id]")
    assert lines.count() == len(rows) == 8
    for at, row in enumerate(rows):
        assert lines.nth(at).get_attribute("id") == row["player_id"]
        place = f"{row['rank']}{'=' if row['tied'] else ''}"
        assert lines.nth(at).locator("td.pl").inner_text() == place
        value = lines.nth(at).locator("td.key").inner_text()
        assert is_close(value, row["values"]["raw_per_hand"]), (row, value)


def enter(page: Page, sheet: Sequence[str]) -> None:
    """Type a sheet seat by seat, and save it with the keys."""
    expect(page.locator("#c-1-1")).to_be_focused()
    for line in sheet:
        for cell in line.split():
            page.keyboard.type(cell)
            page.keyboard.press("Enter")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")


def downloaded(page: Page, link: str, folder: Path) -> Path:
    """What a link of the page of imports gives, as a file."""
    page.goto(f"{EVENT}/imports")
    with page.expect_download() as waiting:
        page.get_by_role("link", name=link).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def changed(path: Path) -> Path:
    """The same file with other hearts in two of its hands."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 4
    for row in rows:
        hearts = CHANGES.get((row["table"], row["hand"]))
        if hearts:
            row["hearts"] = hearts["NESW".index(row["seat"])]
    made = path.with_name("changed.csv")
    with made.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return made


def send(walk: Walk, path: Path) -> None:
    walk.page.goto(f"{EVENT}/imports")
    walk.look()
    walk.follow("Import sheets")
    walk.page.get_by_label("File", exact=True).set_input_files(path)
    walk.press("Check file")


@pytest.mark.tier_long
def test_pile_is_entered_doubled_imported_over_and_undone(opened: Walk, tmp_path: Path) -> None:
    walk, page = opened, opened.page
    main = page.get_by_role("main")

    page.goto(f"{EVENT}/rounds/1/pile")
    walk.look()
    press_tab_until(page, "Start: table 1")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    enter(page, PAPERS["r1t1"])
    expect(main).to_contain_text("Table 1 saved: 3 hands entered.")
    walk.look(again=True)
    enter(page, PAPERS["r1t2"])
    expect(main).to_contain_text("All sheets of round 1 are entered.")
    walk.look(again=True)
    same_as_rest(walk, AS_ENTERED)

    page.goto(f"{EVENT}/tables/r2t1/grid")
    enter(page, AGAIN)
    expect(page.get_by_role("heading", name="Was this sheet entered twice?")).to_be_visible()
    expect(main).to_contain_text(
        "Hands 1–3 are the same as hands 1–3 of table 1, round 1, entered by hedi"
    )
    expect(main).to_contain_text("Nothing is saved yet.")
    walk.look(again=True)
    assert rest(page, "tables/r2t1/hands")["results"] == []
    walk.press("Cancel")
    same_as_rest(walk, AS_ENTERED)

    send(walk, downloaded(page, "Sheets as XLSX", tmp_path))
    expect(main).to_contain_text("6 hands were already in the event. This file has nothing new.")
    walk.press("Discard file")
    walk.screens = (DESK, PHONE)
    send(walk, changed(downloaded(page, "Sheets as CSV", tmp_path)))
    expect(main).to_contain_text("4 hands were already in the event.")
    expect(page.get_by_role("link", name="Compare both hands")).to_have_count(2)
    walk.press("Keep pending problems")
    expect(main).to_contain_text("2 problems pending")
    same_as_rest(walk, AS_ENTERED)

    page.goto(f"{EVENT}/imports")
    walk.follow("changed.csv")
    number = page.url.rsplit("/", 1)[1]
    compare = page.get_by_role("link", name="Compare both hands")
    compare.first.click()
    expect(main).to_contain_text("Table 1, round 1. Differences are underlined.")
    expect(page.get_by_role("region", name="Stored")).to_contain_text("revision 1, hedi")
    expect(page.locator("#infile + *")).to_contain_text("changed.csv")
    walk.look(again=True)
    walk.press("Keep stored hand")
    expect(main).to_contain_text("Stored hand kept.")
    same_as_rest(walk, AS_ENTERED)
    page.goto(f"{EVENT}/imports/{number}")
    expect(compare).to_have_count(1)
    compare.click()
    expect(main).to_contain_text("Table 2, round 1. Differences are underlined.")
    walk.look(again=True)
    page.get_by_label("Reason for the correction").fill("South wrote 3 on the paper.")
    walk.press("Use file's hand")
    expect(main).to_contain_text("The file's hand now counts as revision 2.")
    same_as_rest(walk, REPLACED)
    page.goto(f"{EVENT}/tables/r1t2")
    expect(main).to_contain_text("“South wrote 3 on the paper.”")
    walk.look(again=True)

    page.goto(f"{EVENT}/imports/{number}")
    expect(main).to_contain_text("1 hand was replaced by this file.")
    walk.follow("Undo import")
    expect(main).to_contain_text(
        "The import added no hands. The standings will be updated. 1 replaced hand "
        "will be restored."
    )
    walk.press("Undo import")
    expect(page.get_by_text("Undone", exact=True).first).to_be_visible()
    same_as_rest(walk, AS_ENTERED)
    page.goto(f"{EVENT}/tables/r1t2")
    expect(main).to_contain_text("“Import undone.”")
    walk.look(again=True)
    assert walk.wrong_but(409) == []
