"""Hands that a phone has not sent yet when the hands of its table are moved to another one."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.phones import entered
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import Phones
from tests.support.walks import elsewhere
from tournaments.models.hands import Game
from tournaments.services.hands.move_hands import move_hands

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def move(evenings: Evenings) -> None:
    """Give hand 1 of table 2 to table 1, after its own."""
    games = {game.table.code: game for game in Game.objects.select_related("table", "event")}
    move_hands(
        evenings.cast.operation("dirk", timezone.now()),
        games["r1t2"],
        to=games["r1t1"],
        reason="They sat at table 1.",
    )


def test_unsent_hands_are_kept_asked_about_and_saved_here_or_left_out(
    evenings: Evenings, phones: Phones
) -> None:
    host = phones.take_out()
    page = host.page
    host.lose_signal()
    host.keep(2, (4, 1, 2, 6), 4)
    host.keep(3, (0, 5, 8, 0), 2)
    elsewhere(lambda: move(evenings))
    host.find_signal()
    expect(host.badge).to_contain_text("2 ask")
    host.unfold()
    asked = page.locator("#outbox .queue")
    expect(asked).to_contain_text("hands were moved between it and table 1 of round 1")
    expect(asked).to_contain_text("1 hand of round 1, table 2 went to round 1, table 1.")
    host.press("Answer for hand 2")
    expect(page.locator(".desk-form .note h2")).to_contain_text("Since you opened table 2")
    expect(page.locator(".desk-form")).to_contain_text("“They sat at table 1.”")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Save hand 2 here").click()
    expect(host.badge).to_contain_text("1 asks")
    host.unfold()
    host.press("Answer for hand 3")
    page.get_by_role("link", name="Leave out").click()
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert [number for number, _, _ in entered()] == [1, 2]
