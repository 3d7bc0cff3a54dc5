"""The embedded table on another site: framed under a strict policy, on a phone, by one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, findings
from tests.support.lengths import only_long
from tests.support.scenarios.evenings import ADDRESS, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
        names = [cooky.get("name") for cooky in page.context.cookies()]
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


def test_share_closes_once_the_focus_has_left_it(walks: Walks) -> None:
    two_evenings()
    page = walks(DESK, at=ADDRESS).page
    page.get_by_role("button", name="Share").click()
    box = page.locator("#share")
    box.get_by_label("Link", exact=True).focus()
    page.keyboard.press("Tab")
    expect(box).to_be_visible()
    box.get_by_role("button", name="Close").focus()
    page.keyboard.press("Tab")
    expect(box).to_be_hidden()
