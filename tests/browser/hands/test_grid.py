"""The grid under a secretary's keys: sheets to enter without a mouse."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, Screen, Walk, press_tab_until
from tests.support.builders import league, players, table
from tests.support.scenarios.evenings import ADDRESS, Evenings, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHEETS = Path(__file__).resolve().parents[2] / "sheets" / "sheets.csv"
PILE = "/clubs/riverside/events/pile"
CARDS = "/clubs/riverside/events/cards/tables/r1t1/grid"
MOST_KEYS_PER_CHARACTER = 1.3

Sheet = Mapping[int, Sequence[str]]
"""Number of a hand → what is written for each seat."""
Opened = Callable[..., Walk]
Said = tuple[str, str, list[str]]
"""What a row says: its sum, who shot the moon, and the meaning of each cell."""


def paper(round_: str, number: str) -> Sheet:
    """One sheet of the sample data as it stands on paper: hearts, and q for the queen."""
    found: dict[int, list[str]] = {}
    with SHEETS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["round"], row["table"]) == (round_, number):
                queen = "q" * int(row["queen_spades"])
                found.setdefault(int(row["hand"]), []).append(row["hearts"] + queen)
    return found


def five_hands() -> list[Sheet]:
    """The first five hands of the sheets of a round that are written in hearts and queens."""
    whole = [paper("1", number) for number in ("1", "2", "3", "5", "7", "8")]
    return [dict(list(sheet.items())[:5]) for sheet in whole]


def characters(sheet: Sheet) -> int:
    """What a secretary has to read: each digit of each count, and one for the queen."""
    return sum(len(text) for cells in sheet.values() for text in cells)


def keys_of(cells: Sequence[str], last: str = "") -> list[str]:
    """What is pressed for cells before `last`: the paper, seat by seat; Enter where a 1 would be
    read with the next digit (10 to 13)."""
    keys = []
    for text, following in zip(cells, [*cells[1:], last], strict=True):
        keys += list(text)
        if text == "1" and following[:1] in ("0", "1", "2", "3"):
            keys.append("Enter")
    return keys


def keys_for(sheet: Sheet) -> list[str]:
    return [key for cells in sheet.values() for key in keys_of(cells)]


PASSWORD = "of-a-test-only"


@pytest.fixture
def evenings(db: None) -> Evenings:
    """A round of three tables whose sheets have eight hands, and a sheet of single cards."""
    made = two_evenings()
    club = made.cast.riverside
    event = league(club, slug="pile", name="Pile", length="hands:8")
    seated = players(club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S.", *map(str, range(1, 9)))
    for number in range(3):
        table(event, seated[number * 4 : number * 4 + 4], table_number=number + 1)
    cards = league(club, slug="cards", name="Cards", variant="gong-zhu-exposed")
    table(cards, seated[:4])
    five = league(club, slug="five", name="Five", length="hands:5")
    for number, _sheet in enumerate(five_hands(), start=1):
        names = (f"Five {number} {n}." for n in range(4))
        table(five, players(club, *names), table_number=number)
    beside = league(club, slug="beside", name="Beside")
    many = players(club, *(f"Many {n}." for n in range(6)))
    table(beside, many, variant="cancellation-hearts", options={"last_stalled": "uncounted"})
    return made


@pytest.fixture
def opened(evenings: Evenings, walks: Walks) -> Opened:
    evenings.cast.users["hanna"].set_password(PASSWORD)
    evenings.cast.users["hanna"].save()
    hanna = evenings.client("hanna")

    def walk(path: str, *screens: Screen) -> Walk:
        walk = walks(*(screens or [DESK]), by=hanna)
        walk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        walk.page.goto(path)
        return walk

    return walk


def row_of(page: Page, number: int) -> list[str]:
    return [page.locator(f"#c-{number}-{seat}").input_value() for seat in (1, 2, 3, 4)]


def sum_of(page: Page, number: int) -> str:
    return page.locator(f'tr[data-hand="{number}"] .sum-n').inner_text().strip()


def why(page: Page, number: int) -> str:
    return page.locator(f"#why-{number}").inner_text().strip()


def press_and_load(page: Page, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def enter_sheet(page: Page, sheet: Sheet, keys: Sequence[str]) -> int:
    """Enter a sheet by keys and save it; how many keys that took, Control and Enter as two."""
    expect(page.locator("#c-1-1")).to_be_focused()
    page.evaluate("""() => {
        window.pressed = 0;
        document.addEventListener("keydown", () => { window.pressed += 1; }, true);
    }""")
    for key in keys:
        page.keyboard.press(key)
    assert {number: row_of(page, number) for number in sheet} == sheet
    for number in sheet:
        assert sum_of(page, number) == "26"
    pressed = page.evaluate("window.pressed")
    press_and_load(page, "Control+Enter")
    return int(pressed) + len(("Control", "Enter"))


@pytest.mark.tier_long
def test_points_that_were_split_over_seats_are_put_together_again(opened: Opened) -> None:
    page = opened(f"{PILE}/tables/r1t1/grid").page
    page.locator("#c-1-1").focus()
    page.keyboard.type("15")
    assert row_of(page, 1) == ["1", "5", "", ""]
    ask = page.locator("#ask-points")
    expect(ask).to_have_text("15 went to two seats. Are these points?")
    expect(page.locator("#c-1-1 + .say")).to_have_text("not 15")
    page.keyboard.press("Tab")
    page.keyboard.type("0")
    page.keyboard.press("Tab")
    page.keyboard.type("11")
    page.keyboard.press("Tab")
    page.keyboard.type("0")
    assert [*row_of(page, 1), *row_of(page, 2)[:2]] == ["1", "5", "0", "1", "1", "0"]
    page.get_by_role("button", name="Enter points").click()
    expect(page.locator('tr[data-hand="1"]')).to_have_attribute("data-way", "points")
    assert [*row_of(page, 1), *row_of(page, 2)] == ["15", "0", "11", "0", "", "", "", ""]
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("1 of 8 hands entered").first).to_be_visible()


def has_tick(page: Page, number: int) -> bool:
    return page.locator(f'tr[data-hand="{number}"] .sum-ok').is_visible()


def write(page: Page, number: int, cells: str) -> None:
    for seat, text in enumerate(cells.split(), start=1):
        page.locator(f"#c-{number}-{seat}").fill(text)


def test_tick_means_that_the_hand_would_be_saved(opened: Opened) -> None:
    page = opened(f"{ADDRESS}/tables/r1t2/grid").page
    write(page, 2, "13q 0 0 0")
    row = page.locator('tr[data-hand="2"]')
    expect(row.locator(".sum-moon")).to_have_text("moon by Marit S., choice open")
    assert (has_tick(page, 2), why(page, 2)) == (False, "")
    write(page, 2, "13q+")
    expect(row.locator(".sum-moon")).to_have_text("moon by Marit S.")
    assert has_tick(page, 2)
    page = opened(f"{ADDRESS}/tables/r1t2/grid?way=points").page
    refused = {
        "12 12 2 0": "Hand 2: No deal of the cards gives these points. Check the paper sheet.",
        "12 12 2 1": "Hand 2: The points total 27. A hand totals 26. Check the paper sheet.",
        "26 0 0 0": "Hand 2: A player took everything. Enter what each player gets for the moon."
        " Check the paper sheet.",
    }
    for cells, sentence in refused.items():
        write(page, 2, cells)
        assert (has_tick(page, 2), why(page, 2)) == (False, sentence)
    for cells in ("13 13 0 0", "-26 0 0 0", "0 26 26 26"):
        write(page, 2, cells)
        assert (has_tick(page, 2), why(page, 2)) == (True, "")


def test_hand_not_stored_is_not_shown_as_stored_and_leaving_the_page_warns(opened: Opened) -> None:
    page = opened(f"{ADDRESS}/tables/r1t2/grid").page
    head, row = page.locator(".lede"), page.locator('tr[data-hand="1"]')
    expect(head).to_contain_text("All sheets are entered.")
    expect(row).to_contain_text("saved")
    write(page, 1, "4 3q 3 3")
    expect(row.get_by_text("not saved")).to_be_visible()
    expect(row.get_by_text("saved", exact=True)).to_be_hidden()
    write(page, 1, "3 3q 3 4")
    expect(row.get_by_text("not saved")).to_be_hidden()
    write(page, 2, "7 5q 0 0")
    expect(page.get_by_text("All sheets are entered.")).to_be_hidden()
    expect(page.locator("#not-saved")).to_have_text("1 hand not saved")
    press_and_load(page, "Control+Enter")
    page.keyboard.press("Shift")
    with page.expect_event("dialog") as warned:
        page.get_by_role("link", name="Sheets of round 1").click()
    assert warned.value.type == "beforeunload"
    with page.expect_navigation():
        page.get_by_role("button", name="+1 to Cleo S.").click()
    expect(page.get_by_text("Table 2 saved: 2 hands entered.")).to_be_visible()
    expect(head).to_contain_text("All sheets are entered.")
    expect(page.locator("#not-saved")).to_be_hidden()


def test_director_saves_a_wrong_hand_as_disputed(evenings: Evenings, walks: Walks) -> None:
    page = walks(DESK, by=evenings.client("dirk")).page
    page.goto(f"{ADDRESS}/tables/r1t2/grid")
    write(page, 2, "7 5q 0 0")
    press_and_load(page, "Control+Enter")
    question = page.get_by_label("Save as disputed instead")
    question.fill("Cleo has the sheet.")
    write(page, 2, "7 6q 0 0")
    expect(question).to_be_hidden()
    write(page, 2, "7 5q 0 0")
    press_and_load(page, "Control+Enter")
    question.fill("Cleo has the sheet.")
    with page.expect_navigation():
        page.get_by_role("button", name="Save as disputed").click()
    expect(page.get_by_text("disputed", exact=True)).to_be_visible()


@pytest.mark.tier_long
def test_question_about_points_goes_once_the_row_is_right(opened: Opened) -> None:
    page = opened(f"{PILE}/tables/r1t1/grid").page
    page.locator("#c-1-1").focus()
    page.keyboard.type("21")
    ask = page.locator("#ask-points")
    expect(ask).to_have_text("21 went to two seats. Are these points?")
    expect(page.locator("#c-1-1 + .say")).to_have_text("not 21")
    page.keyboard.type("9q1")
    assert row_of(page, 1) == ["2", "1", "9q", "1"]
    expect(ask).to_have_text("")
    expect(page.locator("#c-1-1 + .say")).to_have_text("")


@pytest.mark.parametrize(
    ("typed", "cells", "said"),
    [
        ("13", ["13", "", "", ""], ""),
        ("14", ["1", "4", "", ""], "14 went to two seats. Are these points?"),
        ("26", ["2", "6", "", ""], "26 went to two seats. Are these points?"),
        ("27", ["2", "7", "", ""], ""),
        ("9q10", ["9q", "1", "0", ""], "10 went to two seats, because fewer hearts are left."),
    ],
)
def test_number_that_could_be_one_never_goes_to_two_seats_in_silence(
    opened: Opened, typed: str, cells: list[str], said: str
) -> None:
    page = opened(f"{PILE}/tables/r1t1/grid").page
    page.locator("#c-1-1").focus()
    page.keyboard.type(typed)
    assert row_of(page, 1) == cells
    expect(page.locator("#ask-points")).to_have_text(said)


@pytest.mark.tier_long
def test_sheet_takes_at_most_a_third_more_keys_than_it_has_characters(
    opened: Opened, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = paper("1", "5")
    assert (len(sheet), {len(cells) for cells in sheet.values()}) == (8, {4})
    walk = opened(f"{PILE}/tables/r1t1/grid")
    page = walk.page
    pressed = enter_sheet(page, sheet, keys_for(sheet))
    expect(page.get_by_text("Table 1 saved: 8 hands entered.")).to_be_visible()
    on_paper = characters(sheet)
    with capsys.disabled():
        print(
            f"\n4 players, 8 hands: {on_paper} characters on the paper, {pressed} keys, "
            f"{pressed / on_paper:.2f} a character (at most {MOST_KEYS_PER_CHARACTER})"
        )
    assert pressed <= MOST_KEYS_PER_CHARACTER * on_paper
    assert page.url.endswith("/tables/r1t2/grid")
    assert walk.wrong == []


def test_pile_of_three_tables_is_typed_with_keys_only(opened: Opened) -> None:
    walk = opened(f"{PILE}/rounds/1/pile", DESK)
    page = walk.page
    press_tab_until(page, "Enter sheets")
    press_and_load(page, "Enter")

    page.keyboard.type("75q00")  # a heart is missing, and is said at once
    assert why(page, 1) == "Hand 1: 12 of 13 hearts, 1 missing. Check the paper sheet."
    assert page.locator("#c-1-2").get_attribute("aria-invalid") == "true"
    for _cell in range(2):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("6")
    assert why(page, 1) == "Hand 1: Q♠ is missing. Check the paper sheet."
    page.keyboard.press("q")
    assert why(page, 1) == ""
    assert sum_of(page, 1) == "26"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("63q4")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the rest to the last seat
    assert row_of(page, 2) == ["6", "3q", "4", "0"]
    expect(page.locator("#c-3-1")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.press("r")
    assert row_of(page, 3) == ["2", "11q", "", ""]
    press_and_load(page, "Control+Enter")
    assert "Table 1: 3 of 8 hands entered." in page.locator("main").inner_text()
    walk.look(again=True)

    page.keyboard.press("m")
    page.keyboard.press("-")
    page.keyboard.type("63q40")
    assert row_of(page, 1) == ["13q-", "0", "0", "0"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")  # who pays is not said, so the server asks
    page.keyboard.type("75q00")
    assert row_of(page, 3) == ["13q", "0", "0", "0"]
    assert row_of(page, 4) == ["7", "5q", "0", "0"]
    press_and_load(page, "Control+Enter")
    assert "2 hands are not saved. 2 correct hands are saved." in page.locator("main").inner_text()
    expect(
        page.get_by_label("Reason for the correction")
    ).to_be_hidden()  # nothing that was in changed
    assert "Hand 4 is not saved." in why(page, 4)
    walk.look(again=True)
    assert "−26" in page.evaluate("document.activeElement.innerText")
    press_and_load(page, "Enter")
    expect(page.locator("#c-4-1")).to_be_focused()
    page.keyboard.press("8")
    press_and_load(page, "Control+Enter")

    page.evaluate(
        "navigator.clipboard.writeText('6\\t7q\\t11q\\n3q\\t2\\t0\\n4\\t0\\t0\\n0\\t4\\t2')"
    )
    press_and_load(page, "Control+v")
    assert "4 rows of 3 read as one row per seat." in page.locator("main").inner_text()
    assert row_of(page, 3) == ["11q", "0", "0", "2"]
    walk.look(again=True)
    press_and_load(page, "Control+Enter")
    assert page.url.endswith("/tables/r1t1/grid")
    assert walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_one_that_may_belong_to_a_ten_waits_for_enter(opened: Opened) -> None:
    page = opened(f"{PILE}/tables/r1t1/grid").page
    page.keyboard.type("10q12")
    assert row_of(page, 1) == ["10q", "1", "2", ""]
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.keyboard.type("0q66")
    assert row_of(page, 1) == ["10q", "1", "2", "0"]
    assert row_of(page, 2) == ["1", "0q", "6", "6"]
    page.keyboard.type("6q610")  # with 12 hearts gone, a 1 is no ten
    assert row_of(page, 3) == ["6q", "6", "1", "0"]
    page.locator("#c-2-4").focus()
    page.keyboard.type("5")
    page.keyboard.press("Escape")
    assert row_of(page, 2) == ["1", "0q", "6", ""]


@pytest.mark.tier_long
def test_hand_that_is_in_asks_why_only_when_it_is_changed(opened: Opened) -> None:
    page = opened(f"{ADDRESS}/tables/r1t2/grid").page
    reason = page.get_by_label("Reason for the correction")
    expect(reason).to_be_hidden()
    page.locator("#c-1-1").focus()
    page.keyboard.type("43q33")
    expect(reason).to_be_visible()
    assert row_of(page, 1) == ["4", "3q", "3", "3"]
    with page.expect_navigation():
        page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Enter a reason")
    expect(reason).to_be_visible()


@pytest.mark.tier_long
def test_cards_are_listed_where_each_counts_for_itself(opened: Opened) -> None:
    walk = opened(CARDS)
    page = walk.page
    for text in ("2-ah qs", "10c", "jd", "0"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    assert page.locator('tr[data-hand="1"] .sum-ok').is_visible()
    expect(page.locator("#c-2-1")).to_be_focused()
    page.locator("#c-1-charged").fill("QS JD")
    press_and_load(page, "Control+Enter")
    assert page.locator("#c-1-1, h1").first.is_visible()
    page.goto(CARDS)
    assert row_of(page, 1) == ["2-AH QS", "10C", "JD", "0"]
    assert page.locator("#c-1-charged").input_value() == "QS JD"
    walk.look(again=True)
    assert walk.wrong == []


def test_script_and_server_say_the_same(opened: Opened) -> None:
    page = opened(f"{ADDRESS}/tables/r1t2/grid").page
    typed = {2: "6 3q 4 0", 3: "7q 5 0 0", 4: "13q- 0 0 0", 5: "1 x", 6: "3 4"}
    by_script = _same_by_script_and_server(page, typed)
    assert by_script[0] == ("26", "", ["6", "3 ♥ + Q♠ = 16", "4", "0"])
    assert by_script[2][1] == "moon by Marit S."


@pytest.mark.tier_long
def test_script_and_server_say_the_same_of_points(opened: Opened) -> None:
    page = opened(f"{ADDRESS}/tables/r1t2/grid?way=points").page
    typed = {2: "26 0 26 26", 3: "-26 0 0 0", 4: "26 0 0 0", 5: "26 26", 6: "16 3 7 0"}
    by_script = _same_by_script_and_server(page, typed)
    assert [one[1] for one in by_script] == ["moon by Jörg S.", "moon by Marit S.", "", "", ""]


def _same_by_script_and_server(page: Page, typed: Mapping[int, str]) -> list[Said]:
    for number, cells in typed.items():
        for seat, text in enumerate(cells.split(), start=1):
            page.locator(f"#c-{number}-{seat}").fill(text)

    def said() -> list[Said]:
        return [
            (
                sum_of(page, n),
                page.locator(f'tr[data-hand="{n}"] .sum-moon').inner_text(),
                page.locator(f'tr[data-hand="{n}"] .say').all_inner_texts(),
            )
            for n in typed
        ]

    by_script = said()
    page.route("**/grid*.js", lambda route: route.abort())
    with page.expect_navigation():
        page.get_by_role("button", name="More rows").click()
    assert said() == by_script
    return by_script


def test_what_was_typed_waits_for_a_new_sign_in(evenings: Evenings, opened: Opened) -> None:
    page = opened(f"{PILE}/tables/r1t1/grid").page
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.keyboard.type("75q00")
    page.keyboard.press("Control+Enter")
    page.get_by_label("User name").fill("hanna")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password", exact=True).press("Enter")
    page.wait_for_url("**/grid")
    assert row_of(page, 1) == ["7", "5q", "0", "0"]
    expect(page.get_by_text("nothing is saved yet")).to_be_visible()
    assert "heart" in why(page, 1)
    page.locator("#c-1-1").fill("8")
    press_and_load(page, "Control+Enter")
    page.goto(f"{PILE}/tables/r1t1/grid")
    assert row_of(page, 1) == ["8", "5q", "0", "0"]
    expect(page.get_by_text("nothing is saved yet")).to_be_hidden()


MOST_KEYS_OF_FIVE_HANDS = 1.05


def keys_of_five(sheet: Sheet) -> list[str]:
    """What a secretary presses for a short sheet: the paper, and what the keys beside it say.

    The last seat gets the rest by `r` where that is more than a digit, or where a 1 before it would
    be read with it; else Enter stands behind such a 1. Control and Enter at the end are two keys.
    """
    keys = []
    for *others, last in sheet.values():
        is_rest = len(last) > 1 or (others[-1] == "1" and last[0] in "0123")
        keys += keys_of(others, "" if is_rest else last)
        keys += ["r"] if is_rest else [last]
    return keys


@pytest.mark.tier_long
def test_sheet_of_five_hands_takes_at_most_a_twentieth_more_keys_than_characters(
    opened: Opened, capsys: pytest.CaptureFixture[str]
) -> None:
    papers = five_hands()
    walk = opened("/clubs/riverside/events/five/tables/r1t1/grid")
    page = walk.page
    for number, sheet in enumerate(papers, start=1):
        pressed = enter_sheet(page, sheet, keys_of_five(sheet))
        expect(page.get_by_text(f"Table {number} saved: 5 hands entered.")).to_be_visible()
        share = pressed / characters(sheet)
        with capsys.disabled():
            print(f"\n5 hands: {characters(sheet)} characters, {pressed} keys, {share:.2f} each")
        assert share <= MOST_KEYS_OF_FIVE_HANDS
    expect(page.get_by_text("All sheets of round 1 are entered.")).to_be_visible()
    assert walk.wrong == []
