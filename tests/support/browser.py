"""A reader in Debian's chromium, and everything that goes wrong on the way.

A `Walk` judges the pages it comes to by axe on each of its screens; `wrong` also has what stands
on the console, what the policy header refused, and what is wider than the screen.
"""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright._impl._sync_base import SyncBase
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

from tests.support.lengths import has_its_turn, is_long

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam

Cookie: TypeAlias = "SetCookieParam"
"""A cookie as a browser is given it."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
HEIGHT = 900
ATTEMPTS = 5
"""How often a page may be just drawing itself anew when something is asked of it."""
PATIENCE_MS = 180_000
"""How long a page may take on a busy machine; nothing is measured by it."""
SHARES = 3
"""Of the pages that a journey comes to, one in so many is judged in a usual run."""
LIMIT_S = 400.0
"""How long any operation of the browser may take: longer than all of Playwright's own limits."""
expect.set_options(timeout=PATIENCE_MS)

Scheme: TypeAlias = Literal["light", "dark"]
Screen: TypeAlias = tuple[int, Scheme]
"""Width in px, and the colours that the reader's system asks for."""

PHONE: Screen = (390, "dark")
DESK: Screen = (1280, "light")

_AXE = Axe().axe_script
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# All rules are judged; only what they find is described, which is most of their time.
_OPTIONS = {"runOnly": list(_RULES), "resultTypes": ["violations"]}
_LISTEN_TO_POLICY = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI);
});
"""


class NoAnswer(AssertionError):
    """The browser did not answer in time."""


_wait_without_end = SyncBase._sync


def _wait(self: SyncBase, awaitable: Awaitable[object]) -> object:
    """Wait for one operation of the browser, and no longer than LIMIT_S.

    Playwright gives a time limit to what waits for a page, and none to what it takes to be done at
    once: `evaluate`, `new_page`, `close`. If such an answer never comes, the test process waits
    for ever.
    """

    async def within_limit() -> object:
        try:
            async with asyncio.timeout(LIMIT_S):
                return await awaitable
        except TimeoutError as late:  # Playwright's own TimeoutError is another class
            what = getattr(awaitable, "__qualname__", "an operation")
            raise NoAnswer(f"no answer within {LIMIT_S:.0f} s: {what} of {self}") from late

    return _wait_without_end(self, within_limit())


SyncBase._sync = _wait  # type: ignore[method-assign]  # the one place where all operations wait


class _OneBrowser:
    """The browser of this process: started at its first use, and used by every test after it."""

    def __init__(self) -> None:
        self._play: Playwright | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._browser: Browser | None = None

    def begin(self, chromium: str) -> Browser:
        if self._browser is not None:
            asyncio._set_running_loop(self._loop)
            if self._browser.is_connected():
                return self._browser
            self.end()
        self._play = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browser = self._play.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        return self._browser

    def end(self) -> None:
        """End the browser and what drives it; the next test starts another."""
        play, browser, self._play, self._browser = self._play, self._browser, None, None
        if play is None:
            return
        asyncio._set_running_loop(self._loop)
        try:
            with suppress(Error):  # it crashed
                if browser is not None:
                    browser.close()
            play.stop()
        finally:
            asyncio._set_running_loop(None)


_ONE = _OneBrowser()

_RUN = """async (options) => {
  const sticky = [...document.querySelectorAll("*")].filter(
    (one) => getComputedStyle(one).position === "sticky"
  );
  sticky.forEach((one) => { one.style.position = "static"; });
  const found = await axe.run(document, options);
  sticky.forEach((one) => { one.style.position = ""; });
  return found.violations;
}"""
"""A sticky bar covers part of some field wherever the page is scrolled to.

So it stands at the end of the form while axe measures the size of targets.
"""

_PARTS = """() => {
  const kind = (one) => one ? [
    one.tagName, ...one.getAttributeNames().sort(), one.getAttribute("class"),
    one.getAttribute("role"), one.getAttribute("type"),
    [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ? "text" : "",
  ].join(" ") : "";
  const all = document.querySelectorAll("html, html *:not(svg *)");
  return [...new Set([...all].map((one) => `${kind(one.parentElement)} > ${kind(one)}`))];
}"""
"""Each kind of element on a page with the kind of element that it is in."""

_JUDGED: set[str] = set()
"""Such parts of all pages that this process has judged, on whatever screen."""


def has_new_parts(page: Page) -> bool:
    """Whether a page has a part that no page before it had; notes all its parts."""
    parts = set(page.evaluate(_PARTS))
    is_new = not parts <= _JUDGED
    _JUDGED.update(parts)
    return is_new


@contextmanager
def launched(chromium: str) -> Iterator[Browser]:
    """The process's browser, for contexts that go with the block.

    Within the block this thread may ask no database. Between blocks Playwright's loop stands still,
    and is not said to run: Django refuses a database to a thread with a running loop.
    """
    browser = _ONE.begin(chromium)
    before = set(browser.contexts)
    try:
        with ExitStack() as undo:
            undo.callback(_ONE.end)  # after a fault its state is unknown
            yield browser
            for context in browser.contexts:
                if context not in before:
                    context.close()
            undo.pop_all()
    finally:
        asyncio._set_running_loop(None)


def end_browser() -> None:
    _ONE.end()


def findings(page: Page) -> list[str]:
    """Return what axe finds on a page as it stands: the rule, and the first place it is broken.

    Where no answer comes, axe is loaded anew and asked once more.
    """
    try:
        return _findings(page)
    except NoAnswer:
        page.evaluate("delete window.axe")
        return _findings(page)


def _findings(page: Page) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    found: list[dict[str, Any]] = page.evaluate(_RUN, _OPTIONS)
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


def session_cookie(client: Client, url: str) -> Cookie:
    """The session of a signed-in client, as a browser keeps it for the server at `url`."""
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


@dataclass
class Walk:
    """A reader in a browser, the screens they look at each page on, and what went wrong."""

    page: Page
    screens: tuple[Screen, ...] = (DESK,)
    wrong: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    looks: int = 0
    is_thorough: bool = field(default_factory=is_long)
    """Whether a page is judged that has no part which is new to this process."""

    def look(self, *, again: bool = False, on: tuple[Screen, ...] = ()) -> None:
        """Judge the page one is on; one that was seen before only where it changed.

        `on` names some of the screens, where not all of them are meant. In a usual run one page in
        three, and each that changed, is judged on one of its screens, in turn, if it has parts that
        no page before it had on any, and measured on each; in a full one it is judged on each.
        tests/browser/http/test_every_page.py judges each page of the site anyway.
        """
        is_first = self.page.url not in self.seen
        self.seen.add(self.page.url)
        self.looks += 1
        for number, screen in enumerate(on or self.screens, start=self.looks):
            self._turn_to(screen)
            is_its_turn = number % len(on or self.screens) == 0 or is_long()
            is_chosen = self.is_thorough or has_its_turn(urlsplit(self.page.url).path, 0, SHARES)
            if (again or (is_first and is_chosen)) and is_its_turn:
                self.wrong += [f"{self.page.url}: {one}" for one in self._judged()]
            self.measure()

    def measure(self) -> None:
        expect(self.page.locator("html")).to_be_attached()  # a page that just came may be empty
        inner, outer = self.page.evaluate(
            "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
        )
        if outer > inner:
            self.wrong.append(f"{self.page.url}: {outer} px on a screen of {inner} px")

    def _judged(self) -> list[str]:
        """What axe finds; where a page was just leaving, on the one that came."""
        for _attempt in range(ATTEMPTS):
            with leaving("Execution context was destroyed", self.page):
                is_new = has_new_parts(self.page)
                return findings(self.page) if is_new or self.is_thorough else []
        return findings(self.page)

    def _turn_to(self, screen: Screen) -> None:
        if len(self.screens) > 1:
            width, scheme = screen
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            self.page.emulate_media(color_scheme=scheme)

    def follow(self, name: str, *, exact: bool = True, nth: int = 0) -> None:
        link = self.page.get_by_role("main").get_by_role("link", name=name, exact=exact).nth(nth)
        with self.page.expect_navigation():
            link.click()
        self.look()

    def press(self, name: str) -> None:
        button = self.page.get_by_role("main").get_by_role("button", name=name, exact=True)
        with self.page.expect_navigation():
            button.click()
        self.look(again=True)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{self.page.url}: console: {message.text}")

    def on_dialog(self, dialog: Dialog) -> None:
        """Keep that a page has asked something; while nobody answers, the page stands still."""
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def wrong_but(self, *statuses: int) -> list[str]:
        expected = [f"status of {status}" for status in statuses]
        return [line for line in self.wrong if not any(text in line for text in expected)]


def walk_in(browser: Browser, url: str, *screens: Screen) -> Walk:
    """Open a page of the site at `url`; on several screens, the walk goes on on the last one."""
    width, scheme = screens[-1]
    opened = browser.new_context(
        base_url=url, viewport={"width": width, "height": HEIGHT}, color_scheme=scheme
    )
    opened.set_default_timeout(PATIENCE_MS)
    walk = Walk(opened.new_page(), screens)
    walk.page.add_init_script(_LISTEN_TO_POLICY)
    walk.page.on("console", walk.on_console)
    walk.page.on("pageerror", lambda error: walk.wrong.append(str(error)))
    walk.page.on("dialog", walk.on_dialog)
    return walk


@contextmanager
def leaving(sign: str, page: Page) -> Iterator[None]:
    try:
        yield
    except Error as left:
        if sign not in str(left):
            raise
        page.wait_for_load_state()


def leave_for(page: Page, address: str) -> None:
    for _attempt in range(ATTEMPTS):
        with leaving("ERR_ABORTED", page):
            page.goto(address)
            return
    page.goto(address)


def press_tab_until(page: Page, name: str) -> None:
    """Press Tab until the focus is on a link of this name; each stop on the way must be visible."""
    for _stop in range(120):
        page.keyboard.press("Tab")
        text, seen = page.evaluate(
            """() => {
              const at = document.activeElement, box = at.getBoundingClientRect();
              const style = getComputedStyle(at);
              const onScreen = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
              return [at.innerText.replace(/\\s+/g, " ").trim(),
                      at === document.body || onScreen && style.outlineStyle !== "none"];
            }"""
        )
        assert seen, f"focus on “{text}” cannot be seen"
        if text == name:
            return
    raise AssertionError(f"no “{name}” within 120 stops")
