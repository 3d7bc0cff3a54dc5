"""Open pages and big screens follow a new publication; nobody asks while a page is hidden."""

import re
from typing import Final

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Request, Route, expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import by_tests, finished, hand, league, players, publish_all, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.scenarios.ladders import ladder
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.events.events import move_event
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
LADDER = "/clubs/riverside/events/ladder"
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SPOKEN: Final = "[role=status], [role=alert], [aria-live]:not([aria-live=off])"
FOLLOWED = {
    EVENT: ("Publication 1.", "Publication 2."),
    f"{EVENT}/projector": ("Publication 1 of", "Publication 2 of"),
    f"{EVENT}/rounds/1/board": ("hand 2 of 4", "hand 3 of 4"),
    f"{LADDER}/ladder": ("publication 1 of", "publication 2 of"),
}


@pytest.fixture
def cast(db: None) -> Cast:
    """A league of one table with one hand, and a ladder, both published."""
    made, now = enter_the_cast(), timezone.now()
    event = league(made.riverside, length="hands:4")
    game = table(event, players(made.riverside, "Ada", "Ben", "Cleo", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=now)
    publish_all(ladder(made, now=now), now=now)
    return made


def play_and_publish() -> None:
    now = timezone.now()
    league_, ladder_ = (Event.objects.get(slug=slug) for slug in ("league", "ladder"))
    hand(Game.objects.get(table__event=league_), 2, [4, 1, 2, 6], 3)
    finished(table(ladder_, [Player.objects.get(player_id=code) for code in "GHIJ"]))
    publish(league_.pk, now=now)
    publish_all(ladder_, now=now)


def test_standings_screen_board_and_ladder_follow_without_reload(cast: Cast, walks: Walks) -> None:
    context = walks.browser.new_context(base_url=walks.url)
    opened: dict[str, Page] = {}
    for path, (before, _) in FOLLOWED.items():
        page = opened[path] = context.new_page()
        page.goto(path)
        expect(page.locator("#live")).to_contain_text(before)
        page.evaluate("window.same = true; window.region = document.getElementById('behind')")
    at_row = opened[EVENT].locator("#live tr[id] a").first
    at_row.focus()
    name = at_row.inner_text()
    elsewhere(play_and_publish)
    for path, (_, after) in FOLLOWED.items():
        expect(opened[path].locator("#live")).to_contain_text(after)
        assert opened[path].evaluate("window.same"), path
    assert opened[EVENT].evaluate("document.activeElement.innerText") == name
    assert opened[EVENT].locator(f"#live :is({SPOKEN})").count() == 0
    for path in (EVENT, f"{LADDER}/ladder"):
        assert opened[path].evaluate("window.region.matches('[role=status]')"), path
        assert opened[path].evaluate("window.region.isConnected"), path


@pytest.mark.tier_long
def test_reader_who_has_opened_a_row_stays_at_the_same_height(cast: Cast, walks: Walks) -> None:
    page = walks(PHONE).page
    page.set_viewport_size({"width": PHONE[0], "height": 400})
    page.goto(EVENT)
    page.evaluate("window.scrollTo(0, 150)")
    page.locator("#live tr[id] summary").first.click()
    height = page.evaluate("window.scrollY")
    elsewhere(play_and_publish)
    expect(page.locator("#live")).to_contain_text("Publication 2.")
    expect(page.locator("#live details[open] .nights > *").first).to_be_attached()
    assert page.evaluate("window.scrollY") == height


def test_page_follows_again_after_a_connection_died_in_silence(cast: Cast, walks: Walks) -> None:
    page, died = walks(DESK).page, list[Route]()
    page.goto(EVENT)
    page.route(f"**{EVENT}", lambda one: one.continue_() if died else died.append(one))
    with page.expect_request(f"**{EVENT}"):
        elsewhere(play_and_publish)
    expect(page.locator("#live")).to_contain_text("Publication 2.")


def test_hidden_page_asks_nothing_and_at_once_when_seen_again(cast: Cast, walks: Walks) -> None:
    walk = walks(DESK)
    page, asked = walk.page, list[Request]()
    page.clock.install()
    page.goto(EVENT)
    page.on("request", lambda one: asked.append(one))  # noqa: PLW0108 - playwright marks the function
    with page.expect_response(lambda one: one.status == 304) as answered:
        page.clock.run_for(2_000)
    assert "if-none-match" in answered.value.request.all_headers()
    page.evaluate(HIDE, True)
    so_far = len(asked)
    page.clock.run_for(60_000)
    assert len(asked) == so_far
    with page.expect_response(lambda one: one.status == 304):
        page.evaluate(HIDE, False)
    assert walk.wrong == []


@pytest.mark.tier_long
def test_what_a_reader_has_opened_over_the_page_stays_open(cast: Cast, walks: Walks) -> None:
    page = walks(DESK).page
    page.goto(EVENT)
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#share")).to_be_visible()
    with page.expect_response(lambda one: one.status == 200 and one.url.endswith("/league")):
        elsewhere(play_and_publish)
    expect(page.locator("#share")).to_be_visible()
    page.locator("#share").get_by_role("button", name="Close").click()
    expect(page.locator("#live")).to_contain_text("Publication 2.")


@pytest.mark.tier_long
def test_final_event_is_asked_no_more(cast: Cast, walks: Walks) -> None:
    def end() -> None:
        event = Event.objects.get(slug="ladder")
        for state in ("closed", "final"):
            move_event(by_tests(timezone.now()), event, to=state)
            publish_all(event, now=timezone.now())
            event.refresh_from_db()

    page = walks(DESK).page
    page.goto(f"{LADDER}/ladder")
    elsewhere(end)
    expect(page.locator("#live[data-live='0']")).to_be_attached()


NAMES = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.",
    "Maximiliane-Theodora von Hohenstein",
)  # fmt: skip
SCREENS = ((1280, 720), (1920, 600), *short_or_long((), ((1024, 768), (1920, 1080), (3840, 2160))))
AT_1080: Final = {
    ".standings tbody th a": 46.4, ".standings tbody th .small": 28, ".standings .key": 54.4,
    "thead th": 24,
}  # fmt: skip
"""What stands on the standings → how high its letters are on a screen of 1080."""
SMALLEST: Final = 13
"""No letter that is for the room is smaller, on the lowest of the screens."""
SIZE: Final = "what => parseFloat(getComputedStyle(document.querySelector(what)).fontSize)"
HIDDEN_BY_SCROLLING: Final = """() => {
  const all = document.documentElement;
  return [all.scrollWidth - all.clientWidth, all.scrollHeight - all.clientHeight];
}"""
CUT: Final = """() => {
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const lines = (one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  };
  return [...document.querySelectorAll(".tile .name, .tile b, .standings th a")]
    .filter((one) => one.offsetParent)
    .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 || lines(one) > 2
      || bottom(one) > bottom(one.closest("ul, table")) + 1)
    .map((one) => one.textContent.trim());
}"""
"""Names and totals that do not fit their tile or their line."""


@pytest.fixture
def page(db: None, walks: Walks) -> Page:
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    event = league(cast.riverside, name="Autumn league")
    for n in range(4):
        hand(table(event, people[4 * n : 4 * n + 4], table_number=n + 1), 1, [4, 1, 2, 6], queen=3)
    # A word stands beside the name, as "out" does in a cup.
    move_entrant(by_tests(), get_entrant(event, people[0].player_id), to="withdrawn", reason="Ill.")
    publish(event.pk, now=NOW)
    return walks(DESK).page


def asked_by_the_wall(page: Page) -> str:
    page.clock.run_for(2_000)
    with page.expect_request("**/projector*") as asked:
        page.clock.run_for(2_000)
    return asked.value.url.partition("projector")[2]


def test_standings_on_the_wall_wait_for_the_pointer_the_focus_and_less_motion(page: Page) -> None:
    page.clock.install()
    page.goto(f"{EVENT}/projector")
    shown = page.locator("#live").get_attribute("data-turn")
    assert shown in ("1", "2")
    assert asked_by_the_wall(page) == ""
    page.mouse.move(200, 300)
    assert asked_by_the_wall(page) == f"?still={shown}"
    page.clock.run_for(30_000)  # it lies there
    shown = page.locator("#live").get_attribute("data-turn")
    page.get_by_role("link", name="Stay on page").focus()
    assert asked_by_the_wall(page).startswith("?still=")
    page.evaluate("document.activeElement.blur()")
    assert asked_by_the_wall(page) == ""
    page.emulate_media(reduced_motion="reduce")
    assert asked_by_the_wall(page).startswith("?still=")


def height_of(page: Page, what: str) -> float:
    page.locator(what).first.wait_for()  # asked in one step: the live part is replaced meanwhile
    size = page.evaluate(SIZE, what)
    return float(size)


def test_letters_follow_the_height_of_the_screen_at_any_width(page: Page) -> None:
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{EVENT}/projector")
        for what, size in AT_1080.items():
            at = (width, height, what)
            assert height_of(page, what) == pytest.approx(size * height / 1080, rel=0.02), at
            assert height_of(page, what) >= SMALLEST, at
        assert page.evaluate(HIDDEN_BY_SCROLLING) == [0, 0], (width, height)


def test_phone_on_its_side_keeps_the_letters_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(f"{EVENT}/projector")
    assert height_of(page, ".standings tbody th a") >= 15


@pytest.mark.parametrize("tables", [1, 8, 20])
def test_tables_fit_the_screen_and_no_name_is_cut(db: None, walks: Walks, tables: int) -> None:
    cast = enter_the_cast()
    names = [f"Maximilian Hohenstein{n}" for n in range(10, 10 + 4 * tables)]
    people = players(cast.riverside, *names)
    event = league(cast.riverside, length="hands:1")
    round_ = make_round(by_tests(), event)
    games = [table(event, people[4 * n : 4 * n + 4], table_number=n + 1) for n in range(tables)]
    move_round(by_tests(), round_, to="posted")
    hand(games[0], 1, [4, 1, 2, 6], queen=3)
    page = walks(DESK).page
    for width, height in ((1280, 720), *short_or_long((), ((1920, 1080), (3840, 2160)))):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{EVENT}/screen")
        expect(page.locator(".won")).to_have_text(re.compile(r"first at this table\s*1\s*$"))
        at = (tables, width)
        assert page.evaluate(HIDDEN_BY_SCROLLING) == [0, 0], at
        assert page.evaluate(CUT) == [], at
        assert page.locator(".tile:visible").count() == tables
        assert height_of(page, ".tile .name") >= 12 * height / 720, at
