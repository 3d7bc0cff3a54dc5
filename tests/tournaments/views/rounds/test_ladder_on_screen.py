"""A ladder on the big screen: its list, also in the place of the tables after the last sheet."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import publish_all
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.views.rounds import big_screens

pytestmark = pytest.mark.django_db

ADDRESS = "/clubs/riverside/events/ladder"
PROJECTOR = f"{ADDRESS}/projector"
SCREEN = f"{ADDRESS}/screen"
LIVE = {"HX-Request": "true"}


@pytest.fixture
def rungs(cast: Cast, clock: time_machine.Traveller) -> Event:
    """H is ahead of E at a table, and E has not confirmed it."""
    clock.move_to(NOW)
    event = ladder(cast, now=NOW)
    issue(cast, event, "H", "E", now=NOW)
    answer(cast, event, "E", "accepted", now=NOW)
    result(cast, event, "H", "HIE", now=NOW)
    publish_all(event, now=NOW)
    return event


def confirm(cast: Cast, event: Event) -> None:
    answer(cast, event, "E", "confirmed", now=NOW + timedelta(minutes=1))
    publish_all(event, now=NOW + timedelta(minutes=1))


@pytest.mark.parametrize("path", [PROJECTOR, SCREEN])
def test_screens_show_the_list_and_what_waits_and_then_who_moved(
    cast: Cast, rungs: Event, client: Client, path: str
) -> None:
    before = text_of(client.get(f"{path}?page=1"))
    assert "1 result is not confirmed yet, and may still move members." in before
    assert "Not ranked yet" not in before
    assert "sheet complete" not in before
    confirm(cast, rungs)
    after = text_of(client.get(f"{path}?page=1"))
    assert "5 up 3, was 8 Member H beat Member E (#5)" in after.replace(" 3 up 3,", " up 3,")
    assert "not confirmed" not in after


@pytest.mark.parametrize("path", [PROJECTOR, SCREEN])
def test_screen_hears_of_a_result_that_is_confirmed(
    cast: Cast, rungs: Event, client: Client, path: str
) -> None:
    tag = client.get(f"{path}?page=1", headers=LIVE)["ETag"]
    headers = {**LIVE, "If-None-Match": tag}
    assert client.get(f"{path}?page=1", headers=headers).status_code == 304
    confirm(cast, rungs)
    assert client.get(f"{path}?page=1", headers=headers).status_code == 200


def test_tables_stay_on_the_screen_until_the_last_sheet(rungs: Event, client: Client) -> None:
    Round.objects.filter(event=rungs).update(state="playing")
    Game.objects.filter(event=rungs).update(state="playing")
    assert "Ladder after the evening" not in text_of(client.get(SCREEN))
    Game.objects.filter(event=rungs).update(state="complete")
    assert "Ladder after the evening of Thursday 6 November 2025" in text_of(client.get(SCREEN))


def test_rows_from_the_ninth_on_are_on_the_second_page(rungs: Event, client: Client) -> None:
    assert big_screens.ROWS_OF_LADDER == 8
    first = text_of(client.get(f"{PROJECTOR}?page=1"))
    second = text_of(client.get(f"{PROJECTOR}?page=2"))
    assert ("Member H" in first, "Member I" in first) == (True, False)
    assert ("Member H" in second, "Member I" in second) == (False, True)
