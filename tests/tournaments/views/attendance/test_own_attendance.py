"""Players say whether they come, on pages and by a reminder's link, and check in."""

import re
from datetime import date, time, timedelta
from typing import Any

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import run_clock
from tests.support.scenarios.mails import give_addresses, link
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.members import link_account
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

EVENING = date(2025, 11, 13)
ON_THE_DAY = "2025-11-13 19:00:00+00:00"
BASE = f"/clubs/riverside/events/league/meetings/{EVENING}"
COMING, CHECK_IN = f"{BASE}/coming", f"{BASE}/check-in"
ARRIVE = f"{BASE}/arrive"


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=EVENING, time=time(19, 30), place="Hall"
    )


@pytest.fixture
def ada(cast: Cast, meeting: Meeting) -> Player:
    """Piet's account is Ada."""
    ada = players(meeting.club, "Ada A.", "Bo B.")[0]
    link_account(by_tests(), ada, user=cast.users["piet"])
    return ada


def states() -> dict[str, str]:
    return dict(Attendance.objects.values_list("player__player_id", "state"))


def say(client: Client, answer: str, **sent: str) -> Any:
    return client.post(COMING, {"answer": answer, **sent}, follow=True)


@pytest.mark.usefixtures("ada")
def test_me_asks_once_and_lets_the_answer_be_changed(cast: Cast) -> None:
    with time_machine.travel(NOW, tick=False):
        piet = cast.client("piet")
        asked = text_of(piet.get("/me"))
        assert "Will you come on Thursday 13 November 2025? League, 19:30, Hall." in asked
        text = text_of(say(piet, "yes", back="me"))
        assert "Saved: you come on Thursday 13 November 2025." in text
        assert "Your answer: you come." in text
        assert "Will you come on" not in text
        assert states() == {"RL01": "expected"}
        text = text_of(say(piet, "no", back="me"))
        assert "Your answer: you do not come." in text
    assert states() == {"RL01": "absent"}
    lines = AuditLine.objects.filter(act="check_in")
    assert [line.subject for line in lines] == ["player:RL01"] * 2


def test_unlinked_account_is_led_to_this_is_me(piet: Client, meeting: Meeting) -> None:
    for address in (COMING, CHECK_IN):
        page = piet.get(address).content.decode()
        assert '<a href="/me">This is me</a>' in page
        assert '<button class="btn pri"' not in page
    assert piet.post(CHECK_IN).status_code == 403
    assert say(piet, "yes").status_code == 403
    assert states() == {}


@pytest.mark.usefixtures("ada")
def test_player_checks_in_on_the_day_only(piet: Client) -> None:
    with time_machine.travel(NOW, tick=False):
        text = text_of(piet.get(CHECK_IN))
        assert "You can check in on the day of the evening: Thursday 13 November 2025." in text
        assert piet.post(CHECK_IN).status_code == 422
    assert states() == {}
    with time_machine.travel(ON_THE_DAY, tick=False):
        assert "Check in when you are in the room." in text_of(piet.get(CHECK_IN))
        assert "You are checked in." in text_of(piet.post(CHECK_IN, follow=True))
        piet.post(CHECK_IN)
        assert "You are checked in." in text_of(piet.get("/me"))
    assert states() == {"RL01": "here"}
    assert AuditLine.objects.filter(act="check_in").count() == 1
    Attendance.objects.all().delete()
    with time_machine.travel("2025-11-15 12:00:00+00:00", tick=False):
        assert "This evening was on Thursday 13 November 2025." in text_of(piet.get(CHECK_IN))


@pytest.mark.usefixtures("meeting")
def test_code_for_the_hall_leads_to_the_check_in(cast: Cast) -> None:
    page = cast.client("hanna").get(f"{CHECK_IN}/code").content.decode()
    assert f"/qr.svg?page={ARRIVE.replace('/', '%2F')}" in page
    assert f"testserver{ARRIVE}" in page
    assert cast.client("hanna").get("/qr.svg", {"page": ARRIVE}).status_code == 200
    assert cast.client("piet").get(f"{CHECK_IN}/code").status_code == 403


REMINDED = NOW + timedelta(days=4)


@pytest.fixture
def reminded_event(clock: time_machine.Traveller, cast: Cast) -> Event:
    event = league(cast.riverside)
    give_addresses()
    link(cast, "piet", players(cast.riverside, "Ada A.", "Bo B.")[0])
    plan_meeting(cast.operation("dirk"), event, day=EVENING, at=time(19, 30), place="Hall")
    clock.move_to(REMINDED)
    return event


@pytest.fixture
def address(
    reminded_event: Event, mailoutbox: list[EmailMultiAlternatives], settings: Settings
) -> str:
    settings.SITE_URL = "https://club.example"
    assert run_clock(reminded_event, REMINDED) == 1
    assert send_waiting()
    match = re.search(r"https://club\.example(/will-you-come/\S+)", str(mailoutbox[0].body))
    assert match is not None
    return match[1]


def answer(address: str, said: str, day: date = EVENING, client: Client | None = None) -> Any:
    return (client or Client()).post(address, {"answer": said, "day": day.isoformat()})


def change(cast: Cast, event: Event, **changes: Any) -> None:
    change_meeting(cast.operation("dirk", REMINDED), meeting_on(event, EVENING), **changes)


def test_link_asks_and_the_answer_is_saved_without_signing_in_and_can_be_changed(
    cast: Cast, address: str, dirk: Client
) -> None:
    for method in ("get", "head", "get"):
        page = getattr(Client(), method)(address)
        assert page.status_code == 200
        assert "no-store" in page["Cache-Control"]
    text = text_of(page)
    for said in ("Thursday 13 November 2025, 19:30, Hall", "Ada A.", "I come", "I do not come"):
        assert said in text
    assert states() == {}
    forged = answer(address, "yes", client=Client(enforce_csrf_checks=True))
    assert (forged.status_code, states()) == (403, {})
    page = text_of(answer(address, "yes"))
    assert "Saved: you come on Thursday 13 November 2025." in page
    assert "Your answer: you come." in page
    assert states() == {"RL01": "expected"}
    assert "Saved: you do not come on" in text_of(answer(address, "no", client=dirk))
    assert states() == {"RL01": "absent"}
    lines = AuditLine.objects.filter(act="check_in")
    assert [line.actor for line in lines] == [cast.actor("piet").label] * 2


def test_answer_for_a_day_from_which_the_evening_was_moved_is_refused(
    cast: Cast, reminded_event: Event, address: str
) -> None:
    change(cast, reminded_event, day=EVENING + timedelta(days=1))
    refused = answer(address, "yes")
    assert (refused.status_code, states()) == (422, {})
    assert "Friday 14 November 2025" in text_of(refused)
    assert answer(address, "yes", EVENING + timedelta(days=1)).status_code == 200
    assert states() == {"RL01": "expected"}


def test_cancelled_evening_takes_no_answer(cast: Cast, reminded_event: Event, address: str) -> None:
    change(cast, reminded_event, state="cancelled", reason="Flood.")
    text = text_of(Client().get(address))
    assert "The evening is cancelled. Flood." in text
    assert "I come" not in text
    assert (answer(address, "yes").status_code, states()) == (422, {})


@pytest.mark.parametrize("why", ["over", "left", "unlinked", "held", "guessed", "another_salt"])
def test_link_that_is_nobodys_any_more_opens_nothing(
    cast: Cast, address: str, clock: time_machine.Traveller, why: str
) -> None:
    if why == "over":
        clock.move_to(NOW + timedelta(days=8))
    elif why == "left":
        Membership.objects.filter(user=cast.users["piet"]).delete()
    elif why == "unlinked":
        Player.objects.update(user=None)
    elif why == "held":
        Event.objects.update(visibility="held")
    elif why == "guessed":
        address = f"{address[:-1]}{'A' if address[-1] != 'A' else 'B'}"
    else:
        address = address.replace("/will-you-come/", "/unsubscribe/")
    page = Client().get(address)
    assert "This link does not work" in text_of(page, 404)
    assert "League" not in text_of(page)
    assert answer(address, "yes").status_code == 404
    assert states() == {}
