"""Standings on screens: first rows, embedded, of a round before."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE, Walks, findings
from tests.support.builders import NOW, enter_the_cast, hand, league, make_all, players, table
from tests.support.lengths import only_long
from tests.support.scenarios.evenings import ADDRESS, two_evenings
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
EVENT: Final = "/clubs/riverside/events/league"
NAMES: Final = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.", "Konstantin A.",
)  # fmt: skip
ROWS: Final = ".standings tbody tr[id]"


@pytest.fixture
def event(db: None) -> None:
    riverside = enter_the_cast().riverside
    event = league(riverside, name="Thursday league, autumn 2026")
    people = players(riverside, *NAMES)
    for n in range(4):
        game = table(event, people[4 * n : 4 * n + 4], table_number=n + 1)
        hand(game, 1, [4, 1, 2, 6], queen=n)
    publish(event.pk, now=NOW)
    make_all(event.pk)


def on_a_phone(walks: Walks) -> Page:
    context = walks.browser.new_context(
        base_url=walks.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    return context.new_page()


def heights(page: Page, what: str) -> list[float]:
    rounded = "all => all.map(one => Math.round(one.getBoundingClientRect().height))"
    return page.locator(what).evaluate_all(rounded)  # type: ignore[no-any-return]


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_first_row_is_in_the_upper_third_of_a_phone(event: None, walks: Walks) -> None:
    page = on_a_phone(walks)
    page.goto(EVENT)
    first = page.locator(ROWS).first.bounding_box()
    assert first is not None
    assert first["y"] <= 0.33 * 844
    assert max(heights(page, ROWS)) - min(heights(page, ROWS)) <= 1  # a line of every fifth row
    for target in (f"{ROWS} summary", f"{ROWS} th > a", f"{ROWS} .key a"):
        assert min(heights(page, target)) >= 44, target
    page.locator(f"{ROWS} summary").first.tap()
    expect(page.locator(f"{ROWS} .why-in").first).to_contain_text("Leads:")
    assert width_of(page) == 390


def test_laptop_shows_fourteen_rows_at_once(event: None, walks: Walks) -> None:
    page = walks(DESK).page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(EVENT)
    row = page.locator(ROWS).nth(13).bounding_box()
    assert row is not None
    assert row["y"] + row["height"] <= 800
    assert max(heights(page, ROWS)) - min(heights(page, ROWS)) <= 1  # a line of every fifth row


def test_all_figures_scroll_beside_the_names_on_a_phone(event: None, walks: Walks) -> None:
    page = on_a_phone(walks)
    page.goto(EVENT)
    moons = page.get_by_role("columnheader", name="Moons")
    expect(moons).to_have_count(0)
    page.locator("a:visible", has_text="All figures").tap()
    expect(moons).to_have_count(1)
    moons.scroll_into_view_if_needed()
    expect(moons).to_be_in_viewport()
    expect(page.locator(f"{ROWS} th").first).to_be_in_viewport()
    assert width_of(page) == 390
    page.locator("a:visible", has_text="Fewer figures").tap()
    expect(moons).to_have_count(0)


def test_names_of_head_to_head_stay_in_sight_while_it_scrolls(event: None, walks: Walks) -> None:
    walk = walks(PHONE)
    walk.page.goto(f"{EVENT}/head-to-head")
    last = walk.page.locator(".matrix thead th").last
    expect(last).not_to_be_in_viewport()
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    expect(walk.page.locator(".matrix tbody th").first).to_be_in_viewport()
    assert walk.wrong == []


@contextmanager
def other_site(line: str, framed: str) -> Iterator[str]:
    """A site of another origin whose policy allows nothing but frames of ours."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_page = self.path == "/"
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", f"default-src 'none'; frame-src {framed}")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            self.end_headers()
            head = '<meta name="viewport" content="width=device-width, initial-scale=1">'
            page = f'<!doctype html><html lang="en">{head}<title>Our club</title>{line}</html>'
            self.wfile.write(page.encode() if is_page else b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_line_from_the_page_shows_the_table_on_a_site_with_a_strict_policy(walks: Walks) -> None:
    two_evenings()
    walk = walks(PHONE)
    page = walk.page
    page.goto(ADDRESS)
    page.get_by_role("button", name="Share").click()
    page.get_by_text("Embed", exact=True).click()
    line = page.get_by_label("Line of HTML").input_value()
    assert line.startswith(f'<iframe src="{walks.url}{ADDRESS}/embed"')
    assert "\n" not in line
    assert walk.wrong == []
    with other_site(line, walks.url) as home:
        page.goto(f"{home}/")
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("heading", name="Autumn league")).to_be_visible()
        expect(frame.get_by_role("row").nth(1)).to_contain_text("Zoë K.")
        inner = page.frames[1]
        wide = "[document.documentElement.scrollWidth, innerWidth]"
        content, width = inner.evaluate(wide)
        assert content <= width <= 390
        assert inner.evaluate("document.scripts.length") == 0
        with page.context.expect_page() as opened:
            frame.get_by_role("link", name="Autumn league").click()
        assert opened.value.url == f"{walks.url}{ADDRESS}"
        assert page.url == f"{home}/"
        names = [one.get("name") for one in page.context.cookies()]
        assert names == []
        assert [one for one in walk.wrong if "favicon" not in one and "404" not in one] == []


@pytest.mark.parametrize("theme", [only_long("light"), "dark"])
def test_embedded_page_breaks_no_rule_of_accessibility(walks: Walks, theme: str) -> None:
    two_evenings()
    page = walks.browser.new_page(bypass_csp=True)
    page.goto(f"{walks.url}{ADDRESS}/embed?theme={theme}")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 254, 251)", "dark": "rgb(27, 30, 35)"}[theme]
    assert findings(page) == []
