"""An evening at the host's page while the signal comes and goes: each hand is stored once."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, press_tab_until
from tests.support.live.project import tree_of
from tests.support.pages.hand_entry import NEW, TABLE
from tests.support.pages.photos import picture
from tests.support.phones import Phone, browser_of_its_own, entered, signed_in
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIRST, FIVE, Phones
from tests.support.walks import elsewhere
from tournaments.models.clubs import Player

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_evening_with_a_signal_that_comes_and_goes_is_stored_once(phones: Phones) -> None:
    """A reload without a signal, a moon, a hand of 25 points, two taps for one."""
    host = phones.take_out()
    page = host.page
    host.heading(2)
    host.fill((4, 1, 2, 6), 4)
    page.get_by_role("button", name="Save hand 2").dblclick()
    host.heading(3)
    expect(page.get_by_text("Hand 2 saved.")).to_be_visible()
    host.lose_signal()
    expect(page.locator("[data-ring=dealer]")).to_have_text("Cleo S.")
    host.heading(3)
    host.fill((13, 0, 0, 0), 1)
    host.press("Save hand 3 offline")
    way = page.get_by_role("button", name="Take 26 off Marit S.")
    expect(way).to_contain_text("Marit S. 7 → \u221219")
    expect(way).to_contain_text("Jörg S. 17 → 17")
    expect(page.get_by_role("button", name="Give 26 to each of the others")).to_contain_text(
        "17 → 43"
    )
    expect(page.get_by_role("alert").get_by_role("button")).to_have_count(3)
    page.get_by_role("button", name="No moon: back to the hand").click()
    expect(page.locator("#hearts-1")).to_have_value("13")
    host.press("Save hand 3 offline")
    way.click()
    host.heading(4)
    for name, total in (("Marit S.", "\u221219"), ("Jörg S.", "17")):
        seat = page.get_by_role("group", name=name)
        expect(seat).to_contain_text(f"{total} so far, not sent")
    expect(page.locator("[data-ring=dealer]")).to_have_text("Carla K.")
    expect(page.locator("[data-ring=pass]")).to_have_text("hold")
    host.heading(4)
    host.fill((7, 4, 1, 0), 3)
    page.get_by_role("button", name="Save hand 4 offline").dblclick()
    expect(page.get_by_role("alert")).to_have_text("12 of 13 hearts, 1 missing.Save offline anyway")
    page.get_by_role("button", name="Save offline anyway").dblclick()
    host.heading(5)
    assert host.lines() == [
        "Hand 4 Change not sent yet, wrong total, entered",
        "Hand 3 Change not sent yet, entered",
        "Hand 2 sent",
    ]
    page.reload()
    host.keep(5, (1, 2, 3, 7), 2)
    host.find_signal()
    expect(host.badge).to_contain_text("1 asks")
    host.has_sent(32)
    assert host.lines() == ["Hand 4 refused", "Hand 5 sent", "Hand 3 sent", "Hand 2 sent"]
    expect(host.queue.nth(0)).to_contain_text("One heart is missing. You entered 7, 4, 1 and 0")
    host.press("Open hand 4")
    expect(page.get_by_role("alert")).to_contain_text("One heart is missing.")
    host.press("+1 to Cleo S.")
    host.press("Save hand 4")
    expect(page.get_by_text("Hand 4 saved.")).to_be_visible()
    expect(host.badge).to_contain_text("All sent")
    assert host.walk.wrong_but(422) == []
    phones.put_away()
    assert entered() == [
        FIRST,
        (2, 1, [4, 1, 2, 6]),
        (3, 1, [13, 0, 0, 0]),
        (5, 1, [1, 2, 3, 7]),
        (4, 1, [7, 4, 2, 0]),
    ]


def test_two_phones_at_one_table_are_merged_or_asked(phones: Phones) -> None:
    """One of them is without a signal for five hands."""
    hanne, dirk = phones.take_out(), phones.take_out("dirk")
    hanne.lose_signal()
    for number, (hearts, queen) in FIVE.items():
        hanne.keep(number, hearts, queen)
    for number, (hearts, queen) in {2: FIVE[2], 3: ((0, 5, 7, 1), 2)}.items():
        dirk.heading(number)
        dirk.fill(hearts, queen)
        dirk.press(f"Save hand {number}")
    dirk.heading(4)
    hanne.find_signal()
    expect(hanne.badge).to_contain_text("1 asks")
    hanne.has_sent(40)
    assert hanne.lines() == ["Hand 3 two entries,", "Hand 6 sent", "Hand 5 sent", "Hand 4 sent"]
    expect(hanne.queue.nth(0)).to_contain_text("This hand was entered first: a director")
    expect(hanne.queue.nth(0)).to_contain_text("The hands of Cleo S. and Carla K. differ.")
    hanne.press("See both entries of hand 3")
    page = hanne.page
    first, mine = (page.get_by_role("region", name=name) for name in ("First entry", "Your entry"))
    expect(first.get_by_role("row", name="Cleo S.")).to_contain_text("7")
    expect(mine.get_by_role("row", name="Cleo S.")).to_contain_text("8")
    hanne.press("Save as revision 2")
    expect(page.get_by_text("Hand 3 saved as revision 2.")).to_be_visible()
    assert hanne.walk.wrong_but(409) == dirk.walk.wrong == []
    phones.put_away()
    assert entered() == [
        FIRST,
        (2, 1, [4, 1, 2, 6]),
        (3, 1, [0, 5, 7, 1]),
        (4, 1, [3, 3, 3, 4]),
        (5, 1, [1, 2, 3, 7]),
        (6, 1, [6, 0, 0, 7]),
        (3, 2, [0, 5, 8, 0]),
    ]


def test_hands_survive_a_killed_browser(
    evenings: Evenings, live_server: LiveServer, chromium: str, tmp_path: Path
) -> None:
    """Killed, begun again without a signal and then with one; five hands, in order."""
    cookie = signed_in(evenings, live_server)
    with browser_of_its_own(chromium, tmp_path, live_server.url) as walk:
        host = Phone(walk, cookie)
        host.lose_signal()
        for number, (hearts, queen) in FIVE.items():
            host.keep(number, hearts, queen)
        kill_browser(tmp_path)
    with browser_of_its_own(chromium, tmp_path, live_server.url, is_cut_off=True) as walk:
        host = Phone.at(walk)
        walk.page.goto(NEW)
        host.heading(7)
        expect(host.badge).to_contain_text("Offline, 5 not sent")
        kill_browser(tmp_path)
    with browser_of_its_own(chromium, tmp_path, live_server.url) as walk:
        host = Phone(walk, cookie)
        expect(host.badge).to_contain_text("All sent")
        host.heading(7)
    assert entered() == [FIRST, *((number, 1, [*hearts]) for number, (hearts, _) in FIVE.items())]


def kill_browser(place: Path) -> None:
    for pid in tree_of(os.getpid()):
        with suppress(OSError):
            if str(place).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)


def test_two_tabs_share_one_queue(phones: Phones) -> None:
    host = phones.take_out()
    other = host.context.new_page()
    other.goto(NEW)
    host.lose_signal()
    host.keep(2, *FIVE[2])
    expect(other.locator("#outbox .queue li")).to_have_count(1)
    expect(other.locator(".desk-top h1 .hand")).to_have_text("hand 3")
    host.keep(3, *FIVE[3])
    host.find_signal()
    for page in (host.page, other):
        expect(page.locator("#outbox-badge")).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6]), (3, 1, [0, 5, 8, 0])]


def test_hand_that_waits_is_changed_before_it_is_sent(phones: Phones) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.keep(2, (4, 1, 2, 5), 4, answer="Save offline anyway")
    host.keep(3, *FIVE[3])
    host.press("Change hand 2")
    expect(host.page.locator(".desk-top h1 .hand")).to_have_text("hand 2")
    expect(host.page.locator("#hearts-4")).to_have_value("5")
    expect(host.page.locator("#card-QS-4-0")).to_be_checked()
    host.page.locator("#hearts-4").fill("6")
    host.press("Save hand 2 offline")
    host.heading(4)
    host.find_signal()
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6]), (3, 1, [0, 5, 8, 0])]


@pytest.mark.tier_long
def test_hand_left_out_stays_on_the_phone_until_it_is_taken_up(phones: Phones) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.keep(2, (7, 4, 1, 0), 3, answer="Save offline anyway")
    host.find_signal()
    host.press("Leave out hand 2")
    expect(host.badge).to_contain_text("All sent")
    host.badge.click()
    expect(host.page.get_by_role("heading", name="Hands on this device")).to_be_visible()
    host.press("Edit hand 2")
    expect(host.page.get_by_role("alert")).to_contain_text("One heart is missing.")
    expect(host.page.locator("#hearts-1")).to_have_value("7")
    phones.put_away()
    assert entered() == [FIRST]


@pytest.mark.tier_long
def test_refused_hand_stands_once_and_the_badge_agrees_with_the_form(phones: Phones) -> None:
    host = phones.take_out()
    page = host.page
    host.lose_signal()
    host.keep(2, (7, 4, 1, 0), 3, answer="Save offline anyway")
    host.find_signal()
    host.press("Open hand 2")
    for _attempt in range(2):
        expect(page.get_by_role("alert").first).to_contain_text("Not saved.")
        expect(host.badge).to_have_text("Not saved")
        expect(host.queue).to_have_count(0)
        with page.expect_navigation():
            page.locator(".acts .pri").click()
    page.goto(NEW)
    expect(host.badge).to_have_text("1 asks")
    expect(host.queue).to_have_count(1)
    expect(page.locator("#outbox")).not_to_have_attribute("open", "")
    line, row = (page.locator(one).first.bounding_box() for one in ("#outbox", ".seatrow"))
    assert line is not None
    assert row is not None
    assert line["height"] < 48
    assert row["y"] < 200
    assert host.walk.wrong_but(422) == []


def test_refused_hand_is_settled_once_a_director_saves_it_as_additional(
    phones: Phones, evenings: Evenings
) -> None:
    dirk, event = phones.take_out("dirk"), evenings.event
    dirk.lose_signal()
    dirk.keep(2, (4, 1, 2, 6), 4)
    event.settings = {**event.settings, "length": "hands:1"}
    elsewhere(event.save)
    dirk.find_signal()
    dirk.press("Open hand 2")
    additional = dirk.page.get_by_role("button", name="Save additional hand")
    place = additional.bounding_box()
    assert place is not None
    assert place["x"] >= 16
    with dirk.page.expect_navigation():
        additional.click()
    dirk.page.goto(NEW)
    assert [line[:11] for line in dirk.lines()] == ["Hand 2 sent"]
    expect(dirk.badge).not_to_contain_text("asks")
    assert dirk.walk.wrong_but(422) == []


def test_phone_without_a_signal_says_that_all_hands_are_entered_and_takes_another(
    phones: Phones, evenings: Evenings
) -> None:
    event = evenings.event
    event.settings = {**event.settings, "length": "hands:2"}
    elsewhere(event.save)
    host = phones.take_out("dirk")
    title = host.page.locator("#outbox-title")
    host.lose_signal()
    expect(host.page.locator(".desk-top h1 .hand")).to_have_text("hand 2 of 2")
    expect(title).not_to_contain_text("entered")
    host.fill(*FIVE[2])
    host.press("Save hand 2 offline")
    expect(title).to_have_text("No signal, 1 hand not sent yet. All 2 hands are entered.")
    host.page.reload()
    expect(title).to_contain_text("All 2 hands are entered.")
    host.keep(3, *FIVE[3])


def test_missing_hand_is_asked_for_on_the_phone_that_entered_the_next_one(
    phones: Phones, evenings: Evenings
) -> None:
    event = evenings.event
    event.settings = {**event.settings, "length": "hands:3"}
    elsewhere(event.save)
    host = phones.take_out()
    host.open(f"{NEW}?number=3")
    for number in (3, 2):
        host.fill(*FIVE[number])
        with host.page.expect_navigation():
            host.page.get_by_role("button", name=f"Save hand {number}", exact=True).click()
        expect(host.page.get_by_role("button", name=f"Undo hand {number}").first).to_be_visible()


@pytest.mark.tier_long
def test_totals_at_the_seats_say_what_they_leave_out(phones: Phones) -> None:
    host = phones.take_out()
    seat = host.page.get_by_role("group", name="Jörg S.")
    expect(host.page.get_by_text("Ready for offline use")).to_be_visible()
    host.lose_signal()
    host.keep(2, (7, 4, 1, 0), 3, answer="Save offline anyway")
    expect(seat).to_contain_text("16 so far, 4th, sent hands only")
    host.press("Change hand 2")
    expect(seat).to_contain_text("16 so far, 4th")
    expect(seat).not_to_contain_text("sent")


@pytest.mark.tier_long
def test_signal_that_goes_while_saving_leaves_the_hand_to_be_mended(phones: Phones) -> None:
    """It is kept before anything is sent; what is missing is said as soon as nobody answers."""
    host = phones.take_out()
    page = host.page
    page.add_init_script("Object.defineProperty(navigator, 'onLine', { get: () => true })")
    host.open()
    host.context.set_offline(True)
    host.heading(2)
    host.fill((4, 1, 2, 5), 4)
    host.press("Save hand 2")
    expect(page.get_by_role("alert")).to_contain_text("12 of 13 hearts, 1 missing.")
    expect(host.queue).to_contain_text("wrong total")
    page.locator("#hearts-4").fill("6")
    host.press("Save hand 2 offline")
    host.heading(3)
    expect(host.queue).to_have_count(1)
    host.find_signal()
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


FULL = """
() => {
  IDBObjectStore.prototype.add = () => { throw new DOMException("full", "QuotaExceededError"); };
}
"""


def test_phone_with_no_room_leaves_the_hand_in_the_form_until_a_signal(phones: Phones) -> None:
    """And a name of 60 letters in the queue is no wider than the phone."""
    elsewhere(lambda: Player.objects.filter(name="Cleo S.").update(name="x" * 60))
    host = phones.take_out()
    host.lose_signal()
    host.page.evaluate(FULL)
    host.fill(*FIVE[2])
    host.press("Save hand 2 offline")
    expect(host.page.locator(".tally")).to_contain_text("This device cannot save a hand")
    expect(host.page.locator("#hearts-4")).to_have_value("6")
    host.find_signal()
    host.press("Save hand 2")
    host.heading(3)
    host.lose_signal()
    host.keep(3, *FIVE[3])
    host.unfold()
    expect(host.queue.nth(0)).to_contain_text("x" * 60)
    host.walk.measure()
    assert [one for one in host.walk.wrong if one != "full"] == []
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


def test_queue_is_without_a_finding_and_keys_reach_it(phones: Phones) -> None:
    host = phones.take_out()
    host.walk.screens = (PHONE, (390, "light"), DESK)
    host.lose_signal()
    host.keep(2, (7, 4, 1, 0), 3, answer="Save offline anyway")
    host.keep(3, *FIVE[3])
    host.walk.look(again=True)
    host.find_signal()
    host.has_sent(34)
    expect(host.badge).to_contain_text("1 asks")
    host.walk.look(again=True)
    host.open()  # opened by hand, its queue is folded
    host.badge.focus()
    press_tab_until(host.page, "1 hand not accepted yet")
    host.page.keyboard.press("Enter")
    press_tab_until(host.page, "Open hand 2")
    with host.page.expect_navigation():
        host.page.keyboard.press("Enter")
    host.page.goto("/on-this-phone")
    expect(host.queue).to_have_count(2)
    host.walk.look(again=True)
    assert host.walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_sheet_check_says_what_is_pending_and_needs_a_signal(phones: Phones) -> None:
    host = phones.take_out()
    page = host.page
    host.lose_signal()
    host.keep(2, (4, 1, 2, 5), 4, answer="Save offline anyway")
    host.find_signal()
    expect(host.queue.nth(0)).to_contain_text("refused")
    page.goto(f"{TABLE}/read-back")
    expect(page.get_by_role("heading", name="1 hand not accepted yet")).to_be_visible()
    assert [line[:14] for line in host.lines()] == ["Hand 2 refused"]
    host.walk.look(again=True)
    host.lose_signal()
    host.press("Confirm: complete")
    expect(page.get_by_text("No signal: nothing was sent.")).to_be_visible()
    assert page.url.endswith("/read-back")
    host.find_signal()
    host.press("Open hand 2")
    expect(page.locator("#hearts-4")).to_have_value("5")
    page.goto(f"{TABLE}/photos")
    sheet = {"name": "sheet.jpg", "mimeType": "image/jpeg", "buffer": picture()}
    page.get_by_label("Photo of the sheet").set_input_files(sheet)  # type: ignore[arg-type]
    host.context.set_offline(True)
    host.press("Save photo")
    expect(page.get_by_text("still selected")).to_be_visible()
    host.context.set_offline(False)
    host.press("Save photo")
    expect(page.get_by_text("1 photo saved.")).to_be_visible()
    assert host.walk.wrong_but(422) == []


def test_sheet_comes_anew_when_what_was_entered_offline_is_sent(phones: Phones) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.keep(2, *FIVE[2])
    host.page.goto(TABLE)
    table = host.page.locator("table.sheet tbody tr")
    expect(table).to_have_count(1)
    host.find_signal()
    expect(table).to_have_count(2)
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
