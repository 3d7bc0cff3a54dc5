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
from tests.support.imports.spreadsheets import column, xlsx
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

WORKBOOK: Final = (
    ("Date", "Hand", "Alma D.", "Bruno K.", "Cleo S.", "Dario D."),
    ("13.11.2025", 1, 4, 1, 2, 19),
    ("13.11.2025", 2, 0, 13, 13, 0),
    ("13.11.2025", 3, 20, 0, 6, 0),
    ("13.11.2025", 4, 26, 0, 26, 26),
    ("13.11.2025", 5, 3, 16, 2, 5),
)
"""A file that is imported as it is, by the demo's league."""
WINDOW: Final = """\
<style>
 body {{ font: 16px "Source Sans 3", sans-serif; margin: 0; }}
 table {{ border-collapse: collapse; }}
 td, th {{ border: 1px solid #bbb; padding: 4px 14px; text-align: right; font-weight: 400; }}
 th {{ background: #eee; color: #555; text-align: center; }}
</style>
<table>{rows}</table>"""
"""How a spreadsheet program shows a file."""


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


def draw_workbook(page: Page, file: Path) -> None:
    """Write the picture of the file as a spreadsheet program has it."""
    letters = "".join(f"<th>{column(at)}</th>" for at in range(len(WORKBOOK[0])))
    lines = [f"<tr><th></th>{letters}</tr>"]
    for number, row in enumerate(WORKBOOK, start=1):
        cells = "".join(f"<td>{cell}</td>" for cell in row)
        lines.append(f"<tr><th>{number}</th>{cells}</tr>")
    page.set_content(WINDOW.format(rows="".join(lines)))
    drawn = Image.open(BytesIO(page.locator("table").screenshot()))
    drawn.convert("RGB").quantize(COLORS).save(file, optimize=True)


def import_workbook(page: Page, place: Path) -> None:
    """Upload the file, up to the preview."""
    workbook = xlsx(place / "thursdays.xlsx", WORKBOOK)
    page.goto(f"{LEAGUE}/imports/new")
    page.locator("input[type=file]").set_input_files(workbook)
    with page.expect_navigation():
        page.get_by_role("button", name="Check file").click()


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
                import_workbook(page, Path(place))
                write_screen(page, folder / "page-import.png")
                draw_workbook(page, folder / "import-file.png")
                phone = walk_in(browser, project.url, (PHONE[0], "light")).page
                sign_in(phone, account[1], account[2])
                enter_hand(phone)
                write_screen(phone, folder / "page-phone-hand.png")
        finally:
            project.drain()


if __name__ == "__main__":
    write_screenshots(Path(sys.argv[1]))
