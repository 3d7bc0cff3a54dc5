"""The link of a reminder: a player answers without signing in, and reading it changes nothing."""

import re
from datetime import date, time, timedelta
from typing import Any

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import run_clock
from tests.support.scenarios.mails import give_addresses, link
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance
from tournaments.services.rounds.meetings import MeetingChanges, change_meeting, plan_meeting

pytestmark = pytest.mark.django_db

EVENING = date(2025, 11, 13)
REMINDED = NOW + timedelta(days=4)


@pytest.fixture
def event(clock: time_machine.Traveller, cast: Cast) -> Event:
    event = league(cast.riverside)
    give_addresses()
    link(cast, "piet", players(cast.riverside, "Ada A.", "Bo B.")[0])
    plan_meeting(
        actor=cast.actor("dirk"), event=event, day=EVENING, at=time(19, 30), place="Hall", now=NOW
    )
    clock.move_to(REMINDED)
    return event


@pytest.fixture
def address(event: Event, mailoutbox: list[EmailMultiAlternatives], settings: Settings) -> str:
    """The link of Piet's reminder."""
    settings.SITE_URL = "https://club.example"
    assert run_clock(event, REMINDED) == 1
    assert send_waiting()
    found = re.search(r"https://club\.example(/will-you-come/\S+)", str(mailoutbox[0].body))
    assert found is not None
    return found[1]


def states() -> dict[str, str]:
    return dict(Attendance.objects.values_list("player__player_id", "state"))


def answer(address: str, said: str, day: date = EVENING, client: Client | None = None) -> Any:
    return (client or Client()).post(address, {"answer": said, "day": day.isoformat()})


def change(cast: Cast, event: Event, **changes: object) -> None:
    wanted = MeetingChanges(**changes)  # type: ignore[arg-type]  # as the tests below name them
    change_meeting(actor=cast.actor("dirk"), event=event, day=EVENING, changes=wanted, now=REMINDED)


def test_reading_the_link_changes_nothing_and_asks(address: str) -> None:
    for method in ("get", "head", "get"):
        page = getattr(Client(), method)(address)
        assert page.status_code == 200
        assert "no-store" in page["Cache-Control"]
    text = text_of(page)
    for said in (
        "Thursday 13 November 2025, 19:30, Hall",
        "Ada A.",
        "I will come",
        "I cannot come",
    ):
        assert said in text
    assert states() == {}


def test_answer_is_saved_without_signing_in_and_can_be_changed(cast: Cast, address: str) -> None:
    page = text_of(answer(address, "yes"))
    assert "Saved: you come on Thursday 13 November 2025." in page
    assert "Your answer: you come." in page
    assert states() == {"RL01": "expected"}
    assert "Saved: you do not come on" in text_of(answer(address, "no"))
    assert states() == {"RL01": "absent"}
    lines = AuditLine.objects.filter(act="check_in")
    assert [line.actor for line in lines] == [cast.actor("piet").label] * 2


def test_form_of_another_site_is_refused(address: str) -> None:
    forged = answer(address, "yes", client=Client(enforce_csrf_checks=True))
    assert (forged.status_code, states()) == (403, {})


def test_link_answers_for_its_own_player_only_whoever_opens_it(cast: Cast, address: str) -> None:
    answer(address, "yes", client=cast.client("dirk"))
    assert states() == {"RL01": "expected"}


def test_answer_for_a_day_from_which_the_evening_was_moved_is_refused(
    cast: Cast, event: Event, address: str
) -> None:
    change(cast, event, day=EVENING + timedelta(days=1))
    refused = answer(address, "yes")
    assert (refused.status_code, states()) == (422, {})
    assert "Friday 14 November 2025" in text_of(refused)
    assert answer(address, "yes", EVENING + timedelta(days=1)).status_code == 200
    assert states() == {"RL01": "expected"}


def test_cancelled_evening_says_so_and_takes_no_answer(
    cast: Cast, event: Event, address: str
) -> None:
    change(cast, event, state="cancelled", reason="Flood.")
    text = text_of(Client().get(address))
    assert "The evening is cancelled. Flood." in text
    assert "I will come" not in text
    assert (answer(address, "yes").status_code, states()) == (422, {})


@pytest.mark.parametrize("why", ["over", "left", "unlinked", "held", "guessed", "another_salt"])
def test_link_that_is_nobodys_any_more_opens_nothing(
    cast: Cast, event: Event, address: str, clock: time_machine.Traveller, why: str
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
    assert page.status_code == 404
    assert "This link does not work" in text_of(page)
    assert "League" not in text_of(page)
    assert answer(address, "yes").status_code == 404
    assert states() == {}
