"""Linked players say whether they come, and check themselves in on the day."""

from datetime import date, time, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import TESTS, players
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, Meeting, MeetingState
from tournaments.selectors.access.invitations import printable_token
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.link_player import link_account

pytestmark = pytest.mark.django_db

EVENING = date(2025, 11, 13)
ON_THE_DAY = "2025-11-13 19:00:00+00:00"
BASE = f"/clubs/riverside/events/league/meetings/{EVENING}"
COMING, CHECK_IN = f"{BASE}/coming", f"{BASE}/check-in"


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=EVENING, time=time(19, 30), place="Hall"
    )


@pytest.fixture
def ada(cast: Cast, meeting: Meeting) -> Player:
    """Piet's account is Ada."""
    ada = players(meeting.club, "Ada A.", "Bo B.")[0]
    link_account(actor=TESTS, club=cast.riverside, player=ada, user=cast.users["piet"], now=NOW)
    return ada


def state(meeting: Meeting) -> dict[str, str]:
    rows = Attendance.objects.filter(meeting=meeting)
    return dict(rows.values_list("player__player_id", "state"))


def say(client: Client, answer: str, **sent: str) -> Any:
    return client.post(COMING, {"answer": answer, **sent}, follow=True)


@pytest.mark.usefixtures("ada")
def test_me_asks_once_and_lets_the_answer_be_changed(cast: Cast, meeting: Meeting) -> None:
    with time_machine.travel(NOW, tick=False):
        piet = cast.client("piet")
        asked = text_of(piet.get("/me"))
        assert "Will you come on Thursday 13 November 2025? League, 19:30, Hall." in asked
        said = text_of(say(piet, "yes", back="me"))
        assert "Saved: you come on Thursday 13 November 2025." in said
        assert "Your answer: you come." in said
        assert "Will you come on" not in said
        assert state(meeting) == {"RL01": "expected"}
        said = text_of(say(piet, "no", back="me"))
        assert "Your answer: you do not come." in said
    assert state(meeting) == {"RL01": "absent"}
    lines = AuditLine.objects.filter(act="check_in")
    assert [line.subject for line in lines] == ["player:RL01"] * 2


@pytest.mark.usefixtures("ada")
def test_answer_of_a_cancelled_or_past_evening_is_refused(cast: Cast, meeting: Meeting) -> None:
    piet = cast.client("piet")
    with time_machine.travel(NOW + timedelta(days=20), tick=False):
        page = say(piet, "yes")
        assert page.status_code == 422
        assert "Will you come on" not in text_of(piet.get("/me"))
    Meeting.objects.update(state=MeetingState.CANCELLED, cancel_reason="Hall closed")
    with time_machine.travel(NOW, tick=False):
        page = say(piet, "yes")
        assert page.status_code == 422
        assert "Hall closed" in page.content.decode()
    assert state(meeting) == {}


def test_unlinked_account_is_led_to_this_is_me(cast: Cast, meeting: Meeting) -> None:
    piet = cast.client("piet")
    for address in (COMING, CHECK_IN):
        page = piet.get(address).content.decode()
        assert '<a href="/me">This is me</a>' in page
        assert '<button class="btn pri"' not in page
    assert piet.post(CHECK_IN).status_code == 403
    assert say(piet, "yes").status_code == 403
    assert state(meeting) == {}


@pytest.mark.usefixtures("meeting")
def test_public_signs_in_and_comes_back() -> None:
    answer = Client().get(CHECK_IN)
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={CHECK_IN}")


@pytest.mark.usefixtures("ada")
def test_player_checks_in_on_the_day_only(cast: Cast, meeting: Meeting) -> None:
    piet = cast.client("piet")
    with time_machine.travel(NOW, tick=False):
        text = text_of(piet.get(CHECK_IN))
        assert "You can check in on the day of the evening: Thursday 13 November 2025." in text
        assert piet.post(CHECK_IN).status_code == 422
    assert state(meeting) == {}
    with time_machine.travel(ON_THE_DAY, tick=False):
        assert "Check in when you are in the room." in text_of(piet.get(CHECK_IN))
        assert "You are checked in." in text_of(piet.post(CHECK_IN, follow=True))
        piet.post(CHECK_IN)
        assert "You are checked in." in text_of(piet.get("/me"))
    assert state(meeting) == {"RL01": "here"}
    assert AuditLine.objects.filter(act="check_in").count() == 1
    Attendance.objects.all().delete()
    with time_machine.travel("2025-11-15 12:00:00+00:00", tick=False):
        assert "This evening was on Thursday 13 November 2025." in text_of(piet.get(CHECK_IN))


def test_director_who_plays_checks_in_under_a_players_rules(cast: Cast, meeting: Meeting) -> None:
    own = players(meeting.club, "Dirk D.")[0]
    dirk = cast.users["dirk"]
    link_account(actor=TESTS, club=cast.riverside, player=own, user=dirk, now=NOW)
    with time_machine.travel(NOW, tick=False):
        assert cast.client("dirk").post(CHECK_IN).status_code == 422
    assert state(meeting) == {}


@pytest.mark.usefixtures("meeting")
def test_code_for_the_hall_leads_to_the_check_in(cast: Cast) -> None:
    page = cast.client("hanna").get(f"{CHECK_IN}/code").content.decode()
    assert f"/qr.svg?page={CHECK_IN.replace('/', '%2F')}" in page
    assert f"testserver{CHECK_IN}" in page
    assert cast.client("hanna").get("/qr.svg", {"page": CHECK_IN}).status_code == 200
    assert cast.client("piet").get(f"{CHECK_IN}/code").status_code == 403


def test_invited_player_joins_and_answers_at_once(cast: Cast, meeting: Meeting) -> None:
    """An account that was made through the product's own pages."""
    bo = players(meeting.club, "Bo B.")[0]
    made = invite(
        actor=cast.actor("olga"),
        club=cast.riverside,
        role="player",
        player_id=bo.player_id,
        now=NOW,
    )
    browser = Client()
    with time_machine.travel(NOW, tick=False):
        browser.get(f"/invitations/{printable_token(made)}")
        sent = {"email": "bo@club.example", "password1": "Nine lives, one queen"}
        browser.post("/invitations/join", sent)
        assert Membership.objects.filter(user=User.objects.get(email="bo@club.example")).exists()
        say(browser, "yes")
    assert state(meeting) == {bo.player_id: "expected"}
