"""A hand that waits on a phone while hands of its table are moved to another: asked about."""

import pytest
from playwright.sync_api import expect

from tests.support.builders import by_tests
from tests.support.phones import entered
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIVE, Phones
from tests.support.walks import elsewhere
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.hands.move_hands import move_hands

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ASKS = (
    "Since you opened table 2, hands were moved between it and table 1 of round 1. Check at which "
    "of the two tables your entry was played."
)


def move_first_hand(event: Event) -> None:
    games = {game.table.code: game for game in Game.objects.filter(event=event)}
    move_hands(by_tests(), games["r1t2"], to=games["r1t1"], reason="They sat at table 1.")


def second_hands() -> list[tuple[int, int, list[int]]]:
    return [entry for entry in entered() if entry[0] == 2]


def test_hand_typed_without_a_signal_is_asked_about_once_its_table_was_another(
    phones: Phones, evenings: Evenings
) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.keep(2, *FIVE[2])
    elsewhere(lambda: move_first_hand(evenings.event))
    host.find_signal()
    expect(host.badge).to_have_text("1 asks")
    assert elsewhere(second_hands) == []
    host.press("Answer for hand 2")
    expect(host.page.get_by_role("main")).to_contain_text(ASKS)
    host.page.get_by_role("button", name="Save hand 2 here").click()
    host.heading(3)
    expect(host.badge).not_to_contain_text("asks")
    assert host.walk.wrong_but(409) == []
    phones.put_away()
    hearts, _queen = FIVE[2]
    assert second_hands() == [(2, 1, list(hearts))]
