"""The reference page shows every operation, from its own files only, under the page's policy."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from api.schema_views import document
from tests.support.browser import launched
from tests.support.lengths import only_long
from tests.support.live.project import wait_until


@pytest.fixture
def page(chromium: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a browser; Django may be asked although a loop is running in this thread."""
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with launched(chromium) as browser:
        yield browser.new_page(viewport={"width": 1280, "height": 900})


@pytest.mark.browser
@pytest.mark.parametrize("width", [only_long(1280), 390])
def test_reference_page_renders_without_a_console_error(
    live_server: LiveServer, page: Page, width: int
) -> None:
    errors: list[str] = []
    elsewhere: list[str] = []
    page.set_viewport_size({"width": width, "height": 900})
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request",
        lambda sent: elsewhere.append(sent.url) if not local(sent.url, live_server.url) else None,
    )
    page.goto(f"{live_server.url}/api/v1/docs")
    page.locator(".opblock").first.wait_for()
    operations = {
        (method.upper(), path)
        for path, methods in document()["paths"].items()
        for method in methods
    }
    drawn: set[tuple[str, str]] = set()

    def every_one_is_drawn() -> bool:
        drawn.update(drawn_on_the_way_down(page))
        return drawn >= operations

    wait_until(every_one_is_drawn, what="every operation")
    assert drawn == operations
    page.locator(".opblock-summary-control").first.click()
    page.wait_for_selector(".opblock.is-open .responses-wrapper")
    assert errors == []
    assert elsewhere == []


def drawn_on_the_way_down(page: Page) -> set[tuple[str, str]]:
    """Method and path of every operation that a reader meets from the top to the bottom.

    From 150 rows on, the page draws only what is near the screen; hence screen by screen.
    """
    drawn: set[tuple[str, str]] = set()
    page.evaluate("window.scrollTo(0, 0)")
    while True:
        drawn |= {(method, path) for method, path in page.evaluate(DRAWN)}
        if not page.evaluate(FURTHER_DOWN):
            break
    page.evaluate("window.scrollTo(0, 0)")
    page.locator(".opblock-tag").first.wait_for()
    return drawn


DRAWN = """() => [...document.querySelectorAll('.opblock-summary')].map(row => [
    row.querySelector('.opblock-summary-method').innerText,
    row.querySelector('.opblock-summary-path').dataset.path])"""
# Two frames: in the first the page learns that it was moved, in the second it has drawn.
FURTHER_DOWN = """async () => {
    const before = window.scrollY;
    window.scrollBy({top: window.innerHeight / 2, behavior: 'instant'});
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    return window.scrollY > before;
}"""


def local(url: str, server: str) -> bool:
    """Whether an address is of the server or inside the page itself."""
    return url.startswith((server, "data:", "blob:"))
