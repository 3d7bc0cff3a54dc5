"""The pressed button of a form, while the form is on its way."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK
from tests.support.scenarios.evenings import ADDRESS, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_pressed_button_is_disabled_until_the_form_is_answered(walks: Walks) -> None:
    page = walks(DESK, by=two_evenings().client("dirk"), at=f"{ADDRESS}/ledger/new").page
    button = page.locator("main form button[type=submit]").last
    page.locator("[name=entrant]").select_option("RL02")
    page.locator("[name=amount]").fill("2")
    page.locator("[name=reason]").fill("Came late.")
    page.route("**/ledger/new", lambda route: route.fulfill(status=204))
    button.click()
    expect(button).to_be_disabled()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(button).to_be_enabled()
    page.unroute("**/ledger/new")
    button.click()
    expect(page).to_have_url(re.compile("/ledger$"))
