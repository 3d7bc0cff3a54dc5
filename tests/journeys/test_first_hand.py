"""The way of a newcomer: the demo, one hand by phone, and the standings that a worker publishes."""

import re
from collections.abc import Callable
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest
from playwright.sync_api import expect

from tests.support.browser import PHONE, launched, walk_in
from tests.support.live.project import LiveProject, wait_until
from tests.support.services import CHROMIUM, missing

pytestmark = [pytest.mark.tier_test, pytest.mark.worker]

EVENT = "/clubs/riverside/events/league"
HAND = f"{EVENT}/tables/r10t1/hands/new"
"""Hand 7 of a table whose six hands are in: Jörg S., Marit S., Cleo S., Carla K."""
SIGN_IN = re.compile(r"as (riverside-owner), password (\S{16})$", re.M)


def test_demo_hand_by_phone_is_published_soon(live_project: Callable[..., LiveProject]) -> None:
    project = live_project()
    demo = project.start("manage.py", "demo")
    project.wait_ready(demo)
    wait_until(lambda: SIGN_IN.search(project.log), what="the sign-in that is printed")
    assert publication(project) == 1
    enter = enter_by_form if missing("browser") else enter_by_phone
    enter(project, *SIGN_IN.findall(project.log)[0])
    wait_until(lambda: publication(project) == 2, what="publication 2")
    assert "572 hands" in page(project)


def page(project: LiveProject) -> str:
    with urlopen(project.url + EVENT, timeout=60) as response:  # noqa: S310  # our own URL
        return str(response.read().decode())


def publication(project: LiveProject) -> int:
    match = re.search(r"Publication (\d+)\.", page(project))
    return int(match[1]) if match else 0


def enter_by_phone(project: LiveProject, name: str, password: str) -> None:
    with launched(CHROMIUM) as browser:
        walk = walk_in(browser, project.url, PHONE)
        phone = walk.page
        phone.goto(HAND)
        phone.locator("#id_login").fill(name)
        phone.locator("#id_password").fill(password)
        phone.locator("#id_password").press("Enter")
        phone.get_by_role("link", name="Not now").click()  # an owner is offered a second factor
        expect(phone.get_by_role("heading", name="Table 1 hand 7")).to_be_visible()
        phone.wait_for_load_state("load")  # the form's script, which takes Enter to the next field
        for key in ("8", "Enter", "4", "Enter", "1", "q", "Enter", "0", "Enter"):
            phone.keyboard.press(key)
        expect(phone.get_by_text("Complete: 13 hearts, Q♠")).to_be_visible()
        phone.get_by_role("button", name="Save hand 7").click()
        expect(phone.get_by_text("Hand 7 saved.")).to_be_visible()
        assert walk.wrong == []


def enter_by_form(project: LiveProject, name: str, password: str) -> None:
    """The same hand as a browser without scripts sends it."""
    opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def send(path: str, fields: dict[str, object]) -> str:
        with opener.open(project.url + path) as response:
            form = response.read().decode()
        token = re.search(r'csrfmiddlewaretoken" value="([^"]+)', form)
        assert token is not None
        kept = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
        body = urlencode({**kept, **fields, "csrfmiddlewaretoken": token[1]}).encode()
        request = Request(project.url + path, body, {"Referer": project.url})  # noqa: S310  # our own URL
        with opener.open(request) as response:
            return str(response.read().decode())

    send("/accounts/login/", {"login": name, "password": password})
    hearts = {f"hearts-{seat}": count for seat, count in enumerate((8, 4, 1, 0), start=1)}
    assert "Hand 7 saved." in send(HAND, {**hearts, "card-QS": 3, "go": "save"})
