"""A phone at the table: taps of a hand, undoing it, a photo, the end of a sheet, and Pinochle."""

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect
from pytest_django.live_server_helper import LiveServer

from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from tests.support.browser import DESK, PHONE, Screen, Walk, launched
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.lengths import only_long
from tests.support.phones import signed_in
from tests.support.scenarios.evenings import ADDRESS, Evenings, two_evenings
from tests.support.walks import Walks
from tournaments.services.hands.record_entry import record_entry

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLE = f"{ADDRESS}/tables/r1t2"
NEW = f"{TABLE}/hands/new"
EMPTY = f"{ADDRESS}/tables/r3t1"
MOST_TAPS = 10
ON_A_PHONE: Screen = (390, "light")

Opened = Callable[..., Walk]


@pytest.fixture
def evenings(db: None) -> Evenings:
    made = two_evenings()
    seated = players(made.cast.riverside, "Ada", "Ben", "Cem", "Dora")
    table(made.event, seated, round_number=3)
    return made


@pytest.fixture
def opened(evenings: Evenings, walks: Walks) -> Opened:
    clients = {name: evenings.client(name) for name in ("hanna", "dirk")}

    def walk(path: str, *screens: Screen, name: str = "hanna") -> Walk:
        return walks(*(screens or [ON_A_PHONE]), by=clients[name], at=path)

    return walk


def paper(width: int = 900, height: int = 1200) -> FilePayload:
    """A photo as a phone's camera hands it over: upright only by its EXIF orientation."""
    held = Image.Exif()
    held[0x0112], held[0x0110] = 6, "A phone"
    into = BytesIO()
    sheet = Image.new("RGB", (height, width), "#ddd8c8")
    for line in range(60, width, 70):
        sheet.paste("#334", (60, line, height - 60, line + 3))
    sheet.save(into, "JPEG", exif=held)
    return {"name": "IMG_0001.jpg", "mimeType": "image/jpeg", "buffer": into.getvalue()}


class Thumb:
    """A thumb that counts: each tap on the page, each key of the phone's number pad."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps = page, 0

    def tap(self, target: str) -> None:
        self.taps += 1
        self.page.locator(target).click()

    def digits(self, number: int) -> None:
        for digit in str(number):
            self.taps += 1
            self.page.keyboard.press(digit)


@pytest.mark.parametrize(
    ("hearts", "is_offline"),
    [
        pytest.param((4, 1, 2, 6), False, id="signal"),
        pytest.param((10, 1, 1, 1), True, id="no signal, a ten"),
        only_long((4, 1, 2, 6), True, id="no signal"),
        only_long((0, 0, 2, 11), False, id="signal, an eleven"),
        only_long((0, 0, 2, 11), True, id="no signal, an eleven"),
        only_long((10, 1, 1, 1), False, id="signal, a ten"),
    ],
)
def test_hand_takes_no_more_than_ten_taps(
    opened: Opened, hearts: tuple[int, ...], *, is_offline: bool
) -> None:
    """The first field waits for its number; the last seat takes the rest by one tap."""
    walk = opened(NEW)
    page, thumb = walk.page, Thumb(walk.page)
    expect(page.locator("#outbox[data-kept=yes]")).to_have_count(1)
    expect(page.locator("#hearts-1")).to_be_focused()
    page.context.set_offline(is_offline)
    if is_offline:
        expect(page.locator("#outbox-badge")).to_contain_text("Offline")
    for seat, count in enumerate(hearts[:-1], start=1):
        if seat > 1:
            thumb.tap(f"#hearts-{seat}")
        thumb.digits(count)
    thumb.tap(".seatrow:nth-child(4) .rest")
    thumb.tap(".mark:has(#card-QS-4-0)")
    expect(page.locator(".tally [role=status]")).to_have_text("Complete: 13 hearts, Q♠")
    thumb.tap(".acts .pri")
    if is_offline:
        expect(page.locator("#outbox .queue li")).to_contain_text("Hand 2")
        expect(page.locator(".desk-top h1 .hand")).to_have_text("hand 3")
    else:
        expect(page.get_by_text("Hand 2 saved.")).to_be_visible()
    print(f"{hearts}: {thumb.taps} taps, the queen and Save included (at most {MOST_TAPS})")
    assert thumb.taps <= MOST_TAPS
    assert walk.wrong == []


def test_fresh_hand_is_undone_at_once(opened: Opened) -> None:
    walk = opened(NEW)
    page = walk.page
    for seat, count in enumerate((4, 1, 2, 6), start=1):
        page.locator(f"#hearts-{seat}").fill(str(count))
    page.get_by_label("queen of spades to Carla K.").check()
    walk.press("Save hand 2")
    saved = page.get_by_role("region", name="Hand 2, as saved")
    expect(saved).to_contain_text("Carla K.")
    tops = "(row) => new Set([...row.cells].map((cell) => cell.offsetTop)).size"
    assert saved.get_by_role("row").last.evaluate(tops) == 1  # one line a seat
    page.get_by_role("button", name="Undo hand 2").first.click()
    expect(page.get_by_text("Hand 2 is undone. Enter it again.")).to_be_visible()
    for seat, count in enumerate((4, 1, 6, 2), start=1):
        page.locator(f"#hearts-{seat}").fill(str(count))
    page.get_by_label("queen of spades to Carla K.").check()
    walk.press("Save hand 2")
    expect(page.get_by_role("region", name="Hand 2, as saved")).to_contain_text("Carla K.")
    assert walk.wrong == []


@pytest.mark.tier_long
def test_photo_totals_and_sheet_check_on_both_screens(opened: Opened, tmp_path: object) -> None:
    walk = opened(f"{TABLE}/photos", PHONE, ON_A_PHONE, DESK)
    page = walk.page
    walk.look(again=True)
    page.get_by_label("Photo of the sheet").set_input_files(paper())
    walk.press("Save photo")
    expect(page.get_by_text("1 photo saved.")).to_be_visible()
    photo = page.get_by_role("img", name="Photo 1 of the paper sheet")
    assert photo.evaluate("(image) => image.decode().then(() => image.naturalHeight)") == 1200
    page.goto(NEW)
    walk.look(again=True)
    expect(page.get_by_role("img", name="Photo 1 of the paper sheet")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.get_by_role("img", name="Photo 1 of the paper sheet")).to_be_hidden()
    page.get_by_text("1 photo of the paper").click()
    expect(page.get_by_role("img", name="Photo 1 of the paper sheet")).to_be_visible()
    page.get_by_text("Add photo of the sheet").click()
    page.get_by_label("Photo of the sheet").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    )
    page.locator("#hearts-1").fill("7")
    walk.press("Save photo")
    expect(page.get_by_text("This file is not a readable picture.")).to_be_visible()
    expect(page.locator("#hearts-1")).to_have_value("7")
    page.goto(f"{EMPTY}/totals")
    walk.look(again=True)
    for seat, total in enumerate((60, 84, 6, ""), start=1):
        page.locator(f"#id_points-{seat}").fill(str(total))
    walk.press("Save totals")
    expect(page.get_by_text("Enter the total of Dora, even if it is 0.").first).to_be_visible()
    page.locator("#id_points-4").fill("70")
    walk.press("Save totals")
    expect(page.get_by_role("heading", name="check against the sheet")).to_be_visible()
    walk.press("Confirm")
    expect(page.get_by_text("Checked against the sheet by hanna")).to_be_visible()
    page.goto(f"{EMPTY}/hands/new")
    walk.look(again=True)
    page.goto(f"{TABLE}/read-back")
    walk.look(again=True)
    assert walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_larger_photo_is_made_smaller_before_it_is_sent(opened: Opened) -> None:
    walk = opened(f"{TABLE}/photos")
    field = walk.page.get_by_label("Photo of the sheet")
    field.set_input_files(paper(4000, 5000))
    expect(field).to_have_attribute("data-photo", "smaller")
    assert field.evaluate("(input) => input.files[0].name") == "IMG_0001.jpg"
    walk.press("Save photo")
    photo = walk.page.get_by_role("img", name="Photo 1 of the paper sheet")
    size = photo.evaluate("(i) => i.decode().then(() => [i.naturalWidth, i.naturalHeight])")
    assert size == [1920, 2400]
    assert walk.wrong == []


WIDTHS = (320, 360, 390)
GAPS = """() => [...document.querySelectorAll("table.sheet .cell")].map((cell) => {
  const box = (selector) => {
    const range = document.createRange();
    range.selectNodeContents(cell.querySelector(selector).lastChild);
    return range.getBoundingClientRect();
  };
  return box(".run").left - box(".pts").right;
})"""


@pytest.mark.parametrize("width", [320, only_long(360), 390])
def test_points_and_total_of_a_sheet_do_not_run_together(opened: Opened, width: int) -> None:
    page = opened(TABLE, (width, "light")).page
    assert [gap for gap in page.evaluate(GAPS) if gap < 4] == []


@pytest.mark.parametrize(
    ("variant", "seats"),
    [only_long("gong-zhu", 4), only_long("hearts-multipack", 7), ("hearts-multipack", 11)],
)
def test_foot_and_head_fit_every_phone(
    evenings: Evenings, live_server: LiveServer, chromium: str, variant: str, seats: int
) -> None:
    """A phone makes a page as wide as its widest part, and the fixed foot with it."""
    address = a_long_table(evenings, variant, seats)
    hanna = signed_in(evenings, live_server, "hanna")
    said, cut = [], []
    with launched(chromium) as browser:
        for width in WIDTHS:
            context = browser.new_context(
                base_url=live_server.url,
                viewport={"width": width, "height": 780},
                is_mobile=True,
                has_touch=True,
            )
            context.add_cookies([hanna])
            page = context.new_page()
            for path in (address, address.replace("/new", "/1/edit")):
                page.goto(path)
                cut += page.evaluate(CUT)
                said.append((width, path.rpartition("/")[2], page.evaluate(MEASURED)))
                page.context.set_offline(True)
                expect(page.locator("#outbox-badge")).to_contain_text("Offline")
                said.append((width, "without a signal", page.evaluate(MEASURED)))
                page.context.set_offline(False)
            page.goto(address.replace("hands/new", "read-back"))
            cut += page.evaluate(CUT)
            context.close()
    assert cut == []
    assert [one for one in said if one[2] != [one[0], one[0], one[0], True]] == []


MEASURED = """() => {
  const head = document.querySelector(".desk-top");
  const seen = [...head.children].filter((one) => one.offsetWidth > 1);
  const tops = seen.map((one) => one.getBoundingClientRect());
  const isOneLine = tops.every((one) => one.top < tops[0].bottom && one.bottom > tops[0].top);
  const foot = document.querySelector(".desk-foot").getBoundingClientRect();
  return [document.documentElement.scrollWidth, innerWidth, foot.width, isOneLine];
}"""
"""The widths of the page, of what is seen of it and of its foot; whether its head is one line."""
CUT = """() => [...document.querySelectorAll(".desk-foot .btn")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => `${innerWidth}: ${one.innerText}`)"""
"""The buttons at the foot that do not hold their words."""


@pytest.mark.tier_long
@pytest.mark.parametrize(("variant", "seats"), [only_long("hearts", 4), ("hearts-multipack", 11)])
def test_name_of_forty_letters_without_a_break_fits_every_page(
    evenings: Evenings, live_server: LiveServer, chromium: str, variant: str, seats: int
) -> None:
    """It is broken where it has no place to break; a table may still be moved sideways."""
    new = a_long_table(evenings, variant, seats, "Wolfeschlegelsteinhausenbergerdorffwel")
    at = new.removesuffix("/hands/new")
    event, round_ = at.partition("/tables")[0], at.replace("/tables/r1t1", "/rounds/1")
    too_wide, dirk = [], signed_in(evenings, live_server, "dirk")
    with launched(chromium) as browser:
        context = browser.new_context(base_url=live_server.url)
        context.add_cookies([dirk])
        page = context.new_page()
        for path in (
            *(event, f"{event}/direct", f"{round_}/direct", f"{round_}/links", round_),
            *(at, f"{at}/close", f"{at}/link", f"{at}/read-back", f"{at}/change-players"),
            *(f"{at}/hands/1", f"{at}/hands/1/edit", f"{at}/hands/1/void", new, f"{at}/grid"),
        ):
            answer = page.goto(path)
            assert answer is not None
            assert answer.status == 200, path
            page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 780})
                found = page.evaluate("document.documentElement.scrollWidth")
                too_wide += [(path, width, found)] if found > width else []
        context.close()
    assert too_wide == []


def a_long_table(
    evenings: Evenings,
    variant: str,
    seats: int,
    named: str = "Maximiliane-Friederike von Hohenstein ",
) -> str:
    """A table of people with long names, with one hand."""
    event = league(evenings.cast.riverside, slug="long", name="Long", variant=variant)
    names = [f"{named}{n:02d}" for n in range(1, seats + 1)]
    game = table(event, players(evenings.cast.riverside, *names), variant=variant)
    ready = prepare(catalogue().rules(variant), seats)
    cards = ready.deck.names(ready.counting)
    record_entry(
        by_tests(),
        game,
        number=1,
        entry={"taken": [cards[seat::seats] for seat in range(seats)]},
        source="host",
    )
    return "/clubs/riverside/events/long/tables/r1t1/hands/new"


HANDS = "/clubs/riverside/events/league/tables/r1t1/hands"


def enter(page: Page, tricks: int, **melds: int) -> None:
    """Enter a hand in which all melds are those of seat 1; the other seat gets the rest."""
    page.goto(f"{HANDS}/new")
    page.locator("[name=trick_points-1]").fill(str(tricks))
    for meld, times in melds.items():
        page.locator(f"[name=melds-1-{meld}]").fill(str(times))
    page.locator(".rest").last.click()
    expect(page.locator("[name=trick_points-2]")).to_have_value(str(250 - tricks))


@pytest.mark.tier_long
def test_host_enters_and_corrects_hands_of_pinochle(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside, variant="pinochle-two-hand", length="variant")
    table(event, players(cast.riverside, "Ada", "Ben"))
    host = walks((390, "light"), by=cast.client("hanna"))
    enter(host.page, 150, double_pinochle=1, flush=2, aces=2)
    host.press("Save hand 1")
    enter(host.page, 200, flush=2)
    host.press("Save hand 2")
    host.page.goto(f"{HANDS}/2/edit")
    host.page.locator("[name=melds-1-flush]").fill("1")
    host.page.locator("[name=reason]").fill("One flush only.")
    host.press("Show changes")
    expect(host.page.get_by_role("main")).to_contain_text("350")
    host.press("Save as revision 2")
    assert host.wrong == []
