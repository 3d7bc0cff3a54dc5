"""A5: an account from its invitation on, in a browser with an authenticator of its own.

At `http://localhost`: an address of numbers is no relying party.
"""

import re
from datetime import timedelta

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings

from tests.support.browser import DESK, Screen, Walk
from tests.support.builders import players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks
from tournaments.selectors.access.invitations import printable_token
from tournaments.services.clubs.invitations import invite

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESS, PASSWORD = "cleo@riverside.example", "Nine lives, one queen"
PHONE: Screen = (390, "light")
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def invitation(db: None, settings: Settings) -> str:
    cache.clear()
    # Else the walk would wait for the code after the one that adds the app.
    settings.MFA_TOTP_TOLERANCE = 1
    cast = enter_the_cast()
    players(cast.riverside, "Cleo S.")
    made = invite(
        cast.operation("olga", timezone.now() - timedelta(minutes=1)),
        cast.riverside,
        role="player",
        player_id="RL01",
    )
    return f"/invitations/{printable_token(made)}"


@pytest.fixture
def site(walks: Walks) -> Walks:
    walks.url = walks.url.replace("127.0.0.1", "localhost")
    return walks


def device(site: Walks, *, with_passkeys: bool = True) -> Walk:
    """A phone or laptop; one with passkeys has a lock that its owner opens at once."""
    walk = site(DESK, PHONE)
    if with_passkeys:
        tools = walk.page.context.new_cdp_session(walk.page)
        tools.send("WebAuthn.enable")
        tools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    return walk


def enter_password(walk: Walk) -> None:
    walk.page.goto("/accounts/login/")
    walk.page.get_by_label("User name or e-mail address").fill(ADDRESS)
    walk.page.get_by_label("Password").fill(PASSWORD)
    walk.press("Sign in")


def leave(walk: Walk) -> None:
    walk.page.goto("/accounts/logout/")
    walk.press("Sign out")


def code_of(secret: str, *, steps: int = 0) -> str:
    now = int(timezone.now().timestamp()) // 30
    return str(format_hotp_value(hotp_value(secret, now + steps)))


def opened(page: Page, name: str) -> None:
    page.locator("summary", has_text=name).click()


def test_account_from_sign_up_to_the_last_session(invitation: str, site: Walks) -> None:
    phone = device(site)
    page = phone.page
    _sign_up_and_add_passkey(phone, invitation)
    leave(phone)

    # The passkey signs in alone.
    page.goto("/accounts/login/")
    phone.look()
    phone.press("Sign in with passkey")
    page.goto("/account")
    expect(page.get_by_text("Second factor on")).to_be_visible()
    phone.look()

    secret, codes = _add_app(phone)
    _factor_is_asked_at_sign_in(phone, secret)

    # Each recovery code works once.
    laptop = device(site, with_passkeys=False)
    enter_password(laptop)
    code = laptop.page.get_by_label("Code of the app, or recovery code")
    code.fill(codes[0])
    laptop.press("Sign in")
    laptop.page.goto("/account")
    expect(laptop.page.get_by_text("9 of 10 recovery codes left")).to_be_visible()
    leave(laptop)
    enter_password(laptop)
    code.fill(codes[0])
    laptop.press("Sign in")
    expect(laptop.page.get_by_text("This is not a valid code.")).to_be_visible()
    code.fill(codes[1])
    laptop.press("Sign in")

    _sessions_end(phone, laptop)
    # Chromium says that older computers offer RSA only; decision 45 says why we do not.
    unexpected = [line for line in phone.wrong_but(403) if "pubKeyCredParams" not in line]
    assert unexpected == []
    assert laptop.wrong_but(403) == []


def _sign_up_and_add_passkey(phone: Walk, invitation: str) -> None:
    page = phone.page
    page.goto(invitation)
    page.get_by_label("E-mail address").fill(ADDRESS)
    page.get_by_label("Password").fill(PASSWORD)
    phone.press("Create account")
    expect(page.get_by_role("heading", name="Your account is ready")).to_be_visible()
    phone.follow("Add passkey")
    page.get_by_label("Name of this passkey").fill("Phone")
    phone.press("Add passkey")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("link", name="Continue").click()
    expect(page).to_have_url(re.compile("/clubs/riverside$"))


def _add_app(phone: Walk) -> tuple[str, list[str]]:
    page = phone.page
    opened(page, "Second factor")
    phone.follow("Add app")
    secret = page.locator("code.key").text_content() or ""
    page.get_by_label("Code that the app shows").fill(code_of(secret))
    phone.press("Add app")
    expect(page.get_by_text("The authenticator app is added.")).to_be_visible()
    opened(page, "Second factor")
    phone.follow("Show recovery codes")
    codes = page.locator(".codes code").all_text_contents()
    assert len(set(codes)) == 10
    return secret, codes


def _factor_is_asked_at_sign_in(phone: Walk, secret: str) -> None:
    page = phone.page
    leave(phone)
    enter_password(phone)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.goto("/account")
    expect(page).to_have_url(re.compile("/accounts/"))
    enter_password(phone) if "login" in page.url else page.goto("/accounts/2fa/authenticate/")
    page.get_by_label("Code of the app, or recovery code").fill("000000")
    phone.press("Sign in")
    expect(page.get_by_text("This is not a valid code.")).to_be_visible()
    # The code that added the app is used.
    page.get_by_label("Code of the app, or recovery code").fill(code_of(secret, steps=1))
    phone.press("Sign in")
    page.goto("/account")
    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()


def _sessions_end(phone: Walk, laptop: Walk) -> None:
    """The phone lists both and ends the laptop's; its next request is signed out."""
    page = phone.page
    page.goto("/account")
    expect(page.get_by_text("2 devices are signed in")).to_be_visible()
    laptop.page.goto("/account")
    expect(laptop.page.get_by_role("heading", name="Account", exact=True)).to_be_visible()
    opened(page, "Sessions")
    phone.look(again=True)
    rows = page.locator("#sessions tbody tr")
    expect(rows.filter(has_text="This device").get_by_role("button")).to_have_count(0)
    with page.expect_navigation():
        rows.get_by_role("button").click()
    expect(page.get_by_text("Session ended.")).to_be_visible()
    expect(page.get_by_text("1 device is signed in")).to_be_visible()
    laptop.page.goto("/account")
    expect(laptop.page).to_have_url(re.compile("/accounts/login/"))
