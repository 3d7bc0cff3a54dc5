"""The reference page shows every operation, from its own files only, under the page's policy."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from api.documents import document
from tests.browser import launched


@pytest.fixture
def page(chromium: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a browser; Django may be asked although a loop is running in this thread."""
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with launched(chromium) as browser:
        yield browser.new_page(viewport={"width": 1280, "height": 900})


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
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
    operations = sum(len(methods) for methods in document()["paths"].values())
    # They are drawn a few at a time; the last one is there when all are.
    page.locator(".opblock").nth(operations - 1).wait_for(state="attached", timeout=90_000)
    assert page.locator(".opblock").count() == operations
    page.locator(".opblock-summary-control").first.click()
    page.wait_for_selector(".opblock.is-open .responses-wrapper")
    assert errors == []
    assert elsewhere == []


def local(url: str, server: str) -> bool:
    """Whether an address is of the server or inside the page itself."""
    return url.startswith((server, "data:", "blob:"))
