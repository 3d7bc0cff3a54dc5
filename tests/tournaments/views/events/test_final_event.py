"""What directors may still do in an event that is over, and what its pages no longer offer."""

import json

import pytest

from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game
from tournaments.models.rounds import Round
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/league"
DAY = "2025-11-06"
HAND = f"{EVENT}/tables/r1t1/hands/1"


@pytest.fixture(params=["closed", "final"])
def event(request: pytest.FixtureRequest, cast: Cast) -> Event:
    event = league(cast.riverside)
    hand(table(event, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    Round.objects.filter(event=event).update(state="closed")
    Game.objects.filter(event=event).update(state=request.param.replace("closed", "complete"))
    Event.objects.filter(pk=event.pk).update(state=request.param)
    event.refresh_from_db()
    return event


@pytest.mark.parametrize(("name", "may"), [("dirk", True), ("hanna", False), ("piet", False)])
def test_hand_is_corrected_by_those_whom_its_page_offers_it(
    cast: Cast, event: Event, name: str, may: bool
) -> None:
    client = cast.client(name)
    assert (f'href="{HAND}/edit"' in client.get(HAND).content.decode()) is may
    entry = json.dumps({"entry": counts([5, 1, 2, 5], 3), "reason": "Read again"})
    answer = client.put(f"/api/v1{HAND}", entry, "application/json", headers={"If-Match": "*"})
    assert answer.status_code == (200 if may else 403)
    assert Entry.objects.filter(hand__number=1).count() == (2 if may else 1)


def test_new_round_is_not_offered_and_its_address_says_why(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    for page in (f"{EVENT}/rounds/1", f"{EVENT}/meetings/{DAY}/plans", f"{EVENT}/direct"):
        assert "new-round" not in dirk.get(page).content.decode(), page
    for answer in (
        dirk.get(f"{EVENT}/new-round", follow=True),
        dirk.post(f"{EVENT}/new-round", follow=True),
    ):
        assert answer.redirect_chain == [(f"{EVENT}/direct", 302)]
        assert f"The event is {event.state}. Reopen it before you change" in text_of(answer)


def test_attendance_of_an_event_that_is_over_is_only_read(cast: Cast, event: Event) -> None:
    page = cast.client("hanna").get(f"{EVENT}/meetings/{DAY}/attendance")
    assert "The event is over. Open it again to change the attendance." in text_of(page)
    shown = page.content.decode()
    for button in ('name="here"', 'name="all"', 'name="guest"', 'name="late"', "check-in-code"):
        assert button not in shown
