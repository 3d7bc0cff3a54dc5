"""The screenshots of the main pages, taken of the demo club.

`python -m tests.support.main_pages FOLDER` writes them for README and docs.
"""

import re
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import Final

from PIL import Image
from playwright.sync_api import Page

from tests.support.browser import DESK, PHONE, launched, walk_in
from tests.support.live.project import LiveProject
from tests.support.quick_start import COLORS

CLUB: Final = "/clubs/riverside"
LEAGUE: Final = f"{CLUB}/events/league"
SIGN_IN: Final = re.compile(r"as (\S+), password (\S+)")
PUBLIC: Final = {
    "club": CLUB,
    "standings": LEAGUE,
    "player": f"{LEAGUE}/players/RL03",
    "ladder": f"{CLUB}/events/ladder/ladder",
}
"""What everybody sees: the name of a screenshot, and the page."""
MANAGED: Final = {"manage": f"{CLUB}/events/cup/direct", "grid": f"{LEAGUE}/tables/r10t1/grid"}
"""What the owner of the club sees besides."""
HAND: Final = f"{CLUB}/events/cup/tables/r4t1/hands/new"
"""The next hand of the play-off's table."""


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill(password)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def shoot(page: Page, address: str, file: Path) -> None:
    """Write the first screen of a page in few colours."""
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise SystemExit(f"There is no page {address}.")
    write_screen(page, file)


def write_screen(page: Page, file: Path) -> None:
    drawn = Image.open(BytesIO(page.screenshot()))
    drawn.convert("RGB").quantize(COLORS).save(file, optimize=True)


def enter_hand(page: Page) -> None:
    page.goto(HAND)
    page.locator("#hearts-1").fill("4")
    page.locator("#hearts-2").fill("6")
    page.keyboard.press("q")


def write_screenshots(folder: Path) -> None:
    chromium = which("chromium") or which("chromium-browser")
    if chromium is None:
        raise SystemExit("The screenshots need Chromium.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        project = LiveProject(Path(place), {"DEMO_SERVE": "0"})
        account = SIGN_IN.search(project.manage("demo").stdout)
        if account is None:
            raise SystemExit("The demo printed no account.")
        try:
            project.serve()
            with launched(chromium) as browser:
                page = walk_in(browser, project.url, DESK).page
                for name, address in PUBLIC.items():
                    shoot(page, address, folder / f"page-{name}.png")
                sign_in(page, account[1], account[2])
                for name, address in MANAGED.items():
                    shoot(page, address, folder / f"page-{name}.png")
                phone = walk_in(browser, project.url, (PHONE[0], "light")).page
                sign_in(phone, account[1], account[2])
                enter_hand(phone)
                write_screen(phone, folder / "page-phone-hand.png")
        finally:
            project.drain()


if __name__ == "__main__":
    write_screenshots(Path(sys.argv[1]))
