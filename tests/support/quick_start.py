"""The quick start by pages, in a browser, on an installation where nobody has an account yet.

`python -m tests.support.quick_start FOLDER` writes the screenshots of docs/quickstart.md.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import Final

from PIL import Image
from playwright.sync_api import expect

from tests.support.browser import DESK, Walk, launched, walk_in
from tests.support.live.project import LiveProject, wait_until

NAMES: Final = (
    *("Olga R.", "Cleo S.", "Farid D.", "Jonas K."),
    *("Kira S.", "Lars D.", "Mina K.", "Nico S."),
)
PASSWORD: Final = "Nine lives, one queen"
SHEETS: Final = (
    ("6 16 4 0", "0 22 4 0", "1 21 2 2", "2 19 5 0", "0 23 0 3"),
    ("5 0 17 4", "3 1 22 0", "0 2 21 3", "4 2 20 0", "1 0 25 0"),
)
"""Points by seat; somebody is over 100 after the last hand."""

COLORS: Final = 128
"""So many are enough for our pages, at a third of the size."""

Shot = Callable[[str], object]


def printed_link(project: LiveProject) -> str:
    """Return the link that `serve` prints while nobody has an account."""
    wait_until(lambda: "/setup/" in project.log, what="the link")
    match = re.search(r"http://\S+/setup/\S+", project.log)
    assert match is not None
    return match[0]


def walk_quick_start(walk: Walk, link: str, shot: Shot) -> None:
    """Follow docs/quickstart.md from the front page of an empty installation to its standings."""
    page = walk.page
    page.goto("/")
    walk.look()
    shot("front-page")
    page.goto(link)
    walk.look()
    page.get_by_label("E-mail address").fill("olga@riverside.example")
    page.get_by_label("User name (optional)").fill("olga")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    shot("first-account")
    walk.press("Create account")
    walk.follow("Not now")
    page.get_by_label("Name of the club").fill("Riverside")
    shot("create-club")
    walk.press("Create club")
    shot("set-up-list")
    _add_players(walk, shot)
    _create_event(walk, shot)
    _invite(walk, shot)
    _enter_evening(walk, shot)
    page.goto("/clubs/riverside")
    expect(page.get_by_text("Set up your club")).to_have_count(0)


def _add_players(walk: Walk, shot: Shot) -> None:
    walk.follow("Add players", nth=0)
    walk.page.get_by_label("Names").fill("\n".join(NAMES))
    walk.press("Preview")
    shot("add-players")
    walk.press(f"Add {len(NAMES)} players")
    expect(walk.page.get_by_role("link", name=f"Invite these {len(NAMES)} players")).to_be_visible()


def _create_event(walk: Walk, shot: Shot) -> None:
    page = walk.page
    page.goto("/clubs/riverside")
    walk.look(again=True)
    walk.follow("Create event", nth=0)
    page.get_by_label("Name of the event").fill("League")
    shot("create-event")
    walk.press("Create event")


def _invite(walk: Walk, shot: Shot) -> None:
    walk.page.goto("/clubs/riverside")
    walk.follow("Invite players")
    shot("invite-people")
    walk.press(f"Create {len(NAMES)} invitations")
    expect(walk.page.get_by_role("textbox", name="Link for Cleo S.")).to_be_visible()
    shot("invitation-links")


def _enter_evening(walk: Walk, shot: Shot) -> None:
    page = walk.page
    page.goto("/clubs/riverside")
    walk.look(again=True)
    walk.follow("Enter first evening")
    for at, sheet in enumerate(SHEETS):
        page.locator("#id_seat-1").focus()
        for name in NAMES[4 * at : 4 * at + 4]:
            page.keyboard.type(name)
            page.keyboard.press("Enter")
        _enter_sheet(walk, sheet, shot if at == 0 else None)
    wait_until(lambda: _is_published(walk), what="the standings")
    walk.look(again=True)
    shot("standings-of-the-first-evening")


def _enter_sheet(walk: Walk, sheet: Sequence[str], shot: Shot | None) -> None:
    page = walk.page
    expect(page.locator("#c-1-1")).to_be_focused()
    for line in sheet:
        for cell in line.split():
            page.keyboard.type(cell)
            page.keyboard.press("Enter")
    if shot is not None:
        shot("score-sheet")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")


def _is_published(walk: Walk) -> bool:
    walk.page.goto("/clubs/riverside/events/league")
    rows = walk.page.locator("table.standings tbody tr[id]")
    return rows.count() == len(NAMES)


def write_screenshots(folder: Path) -> None:
    chromium = which("chromium") or which("chromium-browser")
    if chromium is None:
        raise SystemExit("The screenshots need Chromium.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        project = LiveProject(Path(place), {})
        try:
            project.serve()
            with launched(chromium) as browser:
                walk = walk_in(browser, project.url, DESK)

                def shot(name: str) -> None:
                    drawn = Image.open(BytesIO(walk.page.screenshot()))
                    few = drawn.convert("RGB").quantize(COLORS)
                    few.save(folder / f"quickstart-{name}.png", optimize=True)

                walk_quick_start(walk, printed_link(project), shot)
        finally:
            project.drain()


if __name__ == "__main__":
    write_screenshots(Path(sys.argv[1]))
