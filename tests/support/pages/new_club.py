"""A club that is made by pages: its first account, its players, an event; hands go over REST."""

from collections.abc import Iterable, Sequence

from django.conf import settings
from playwright.sync_api import expect

from tests.support.browser import Walk

CLUB = "/clubs/riverside"


def make_club(walk: Walk, setup: str, names: Sequence[str]) -> None:
    """Olga makes her account with the link of the installation, then a club with its players."""
    page = walk.page
    page.goto(f"/setup/{setup}")
    page.get_by_label("E-mail address").fill("olga@riverside.example")
    page.get_by_label("Password", exact=True).fill("Nine lives, one queen")
    walk.press("Create account")
    page.goto("/new-club")
    page.get_by_label("Name of the club").fill("Riverside")
    walk.press("Create club")
    page.goto(f"{CLUB}/add-players")
    page.get_by_label("Names").fill("\n".join(names))
    walk.press("Preview")
    walk.press(f"Add {len(names)} players")


def create_event(walk: Walk, name: str, preset: str, day: str) -> None:
    """Create an event of one evening: a name, a day, a preset, and four presses."""
    page = walk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill(name)
    page.get_by_label("First evening").fill(day)
    walk.press("Continue to ranking")
    page.get_by_text("more presets").click()
    page.get_by_role("radio", name=preset).check(force=True)
    for button in ("Continue to entrants", "Create event", "Open event"):
        walk.press(button)


def check_in(walk: Walk, meeting: str, names: Iterable[str]) -> None:
    page = walk.page
    page.goto(f"{meeting}/attendance")
    for name in names:
        page.get_by_role("button", name=f"Check in {name}", exact=True).click()
        expect(page.get_by_role("button", name=f"Undo check-in of {name}")).to_be_visible()


def send(walk: Walk, method: str, address: str, data: object) -> None:
    """Send to REST as who is signed in on the pages."""
    cookies = {one["name"]: one["value"] for one in walk.page.context.cookies()}
    headers = {"X-CSRFToken": cookies[settings.CSRF_COOKIE_NAME], "Referer": walk.page.url}
    answer = walk.page.request.fetch(f"/api/v1{address}", method=method, data=data, headers=headers)
    assert answer.ok, answer.text()
