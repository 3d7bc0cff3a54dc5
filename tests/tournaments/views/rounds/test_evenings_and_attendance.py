"""The evenings of an event on its pages: planned, changed, removed, and who comes."""

import re
from datetime import date, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.rounds import EVENT
from tests.support.pages.text import text_of
from tests.support.rest.requests import refusal
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting, MeetingState
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.rounds import make_round, move_round, remove_round
from tournaments.views.hands.phone_queue import outbox_owner

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NAMES = ("Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.")


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=timezone.now().date(), time=time(19, 30), place="Hall"
    )


@pytest.fixture
def people(event: Event) -> list[Player]:
    return players(event.club, *NAMES)


def page_of(meeting: Meeting) -> str:
    return f"/clubs/riverside/events/league/meetings/{meeting.date}/attendance"


def press(client: Client, meeting: Meeting, **sent: str) -> Any:
    return client.post(page_of(meeting), sent, follow=True)


def states(meeting: Meeting) -> dict[str, str]:
    return dict(Attendance.objects.filter(meeting=meeting).values_list("player__name", "state"))


@pytest.mark.usefixtures("people")
def test_host_checks_in_and_undoes_it(hanna: Client, meeting: Meeting) -> None:
    text = text_of(press(hanna, meeting, here="RL01"), 200)
    assert "1 here, 4 expected" in text
    assert "too few for a table" not in text
    assert "Undo check-in of Ada A." in text
    press(hanna, meeting, here="RL02")
    text = text_of(press(hanna, meeting, here="RL03"))
    assert "3 here, 2 expected: 1 table, nobody sits out" in text
    press(hanna, meeting, undo="RL01")
    assert states(meeting) == {"Ada A.": "expected", "Bo B.": "here", "Cy C.": "here"}


@pytest.mark.usefixtures("people")
def test_late_and_absent_players_keep_their_place(hanna: Client, meeting: Meeting) -> None:
    press(hanna, meeting, times="RL04", from_round="2", leaves_after_round="4")
    text = press(hanna, meeting, absent="RL01").content.decode()
    assert "Late: check in on arrival, plays from round 2, leaves after round 4" in text
    order = [text.index(f'"nm">{name}<') for name in NAMES]
    assert order == sorted(order)
    assert "Absent" in text[order[0] : order[1]]
    text = press(hanna, meeting, times="RL04", from_round="5", leaves_after_round="3")
    assert text.status_code == 422
    assert "cannot leave after round 3" in text.content.decode()
    assert Attendance.objects.get(player__player_id="RL04").from_round == 2


@pytest.mark.usefixtures("people")
def test_search_works_without_scripts_and_stays_after_a_press(cast: Cast, meeting: Meeting) -> None:
    host = cast.client("hanna")
    text = host.get(page_of(meeting), {"q": "ad"}).content.decode()
    assert "Ada A." in text
    assert "Bo B." not in text
    done = host.post(f"{page_of(meeting)}?q=ad", {"here": "RL01"})
    assert done["Location"] == f"{page_of(meeting)}?q=ad"


@pytest.mark.usefixtures("people")
def test_guest_is_added_once_and_similar_name_is_asked_about(cast: Cast, meeting: Meeting) -> None:
    host = cast.client("hanna")
    added = press(host, meeting, guest="yes", name="Tom T.")
    assert "Tom T. is here." in added.content.decode()
    place = added.redirect_chain[-1][0].partition("#")[2]
    assert place.startswith("p-")
    assert f'id="{place}"' in added.content.decode()
    press(host, meeting, guest="yes", name="tom  t.")
    row = Attendance.objects.select_related("player").get()
    assert (row.player.name, row.guest, row.state) == ("Tom T.", True, "here")
    asked = press(host, meeting, guest="yes", name="Ada")
    assert asked.status_code == 422
    assert "Check in Ada A." in asked.content.decode()
    assert Player.objects.filter(name="Ada").count() == 0
    press(host, meeting, new="yes", name="Ada")
    press(host, meeting, new="yes", name="Ada")
    assert Player.objects.filter(name="Ada").count() == 1


@pytest.mark.usefixtures("people")
def test_unknown_player_and_cancelled_evening_are_refused(cast: Cast, meeting: Meeting) -> None:
    host = cast.client("hanna")
    other = players(cast.hilltop, "Eve E.", "Flo F.", "Gus G.", "Hal H.", "Ivy I.", "Jo J.")[-1]
    assert press(host, meeting, here=other.player_id).status_code == 404
    Meeting.objects.update(state=MeetingState.CANCELLED)
    refused = press(host, meeting, here="RL01")
    assert (refused.status_code, "is cancelled" in text_of(refused)) == (422, True)
    page = host.get(page_of(meeting))
    assert "The evening is cancelled. Nobody can be checked in." in text_of(page)
    assert not re.search('name="(here|times|guest)"', page.content.decode())
    assert host.get(page_of(meeting).replace(str(meeting.date), "2025-13-41")).status_code == 404
    assert not states(meeting)


def test_seating_is_planned_from_the_page_of_a_draft_too(cast: Cast, meeting: Meeting) -> None:
    dirk, event = cast.client("dirk"), "/clubs/riverside/events/league"
    dirk.post(f"{event}/direct", {"to": "draft"})
    assert Event.objects.get(slug="league").state == "draft"
    plans = f"{event}/meetings/{meeting.date}/plans"
    assert f'action="{plans}"' in dirk.get(page_of(meeting)).content.decode()
    assert dirk.get(plans).status_code == 200
    assert f'action="{plans}"' not in cast.client("hanna").get(page_of(meeting)).content.decode()
    cancelled = dirk.post(plans.replace("plans", "change"), {"cancel": "yes", "reason": "Flood."})
    assert cancelled.status_code == 302
    assert f'action="{plans}"' not in dirk.get(page_of(meeting)).content.decode()


def test_number_of_queries_does_not_grow_with_players(
    hanna: Client, meeting: Meeting, people: list[Player], django_assert_max_num_queries: Any
) -> None:
    last = Meeting.objects.create(
        club=meeting.club, event=meeting.event, date=meeting.date - timedelta(days=7)
    )
    for number, one in enumerate(people):
        Attendance.objects.create(
            club=meeting.club,
            meeting=(meeting, last)[number % 2],
            player=one,
            state="here",
            stated_at=timezone.now(),
            arrived_at=timezone.now(),
        )
    with django_assert_max_num_queries(24):
        assert hanna.get(page_of(meeting)).status_code == 200


@pytest.fixture
def tonight(cast: Cast) -> Meeting:
    event: Event = league(cast.riverside)
    players(event.club, "Ada A.", "Bo B.")
    return Meeting.objects.create(club=event.club, event=event, date=timezone.now().date())


def send(client: Client, meeting: Meeting, owner: str, **sent: str) -> Any:
    return client.post(page_of(meeting), sent, headers={"X-Outbox": owner})


def test_time_of_the_device_is_stored_and_older_ones_lose(cast: Cast, tonight: Meeting) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    assert hanna.get(page_of(tonight), headers={"X-Outbox": "?"}).json()["state"] == "ready"
    assert hanna.get(page_of(tonight))["X-Keep-On-Phone"] == "yes"
    pressed = timezone.now() - timedelta(minutes=30)
    answer = send(hanna, tonight, f"later {owner}", here="RL01", at=pressed.isoformat())
    assert answer.json()["state"] == "sent"
    row = Attendance.objects.get()
    assert (row.state, row.stated_at, row.arrived_at) == ("here", pressed, pressed)
    older = pressed - timedelta(minutes=5)
    answer = send(hanna, tonight, owner, absent="RL01", at=older.isoformat())
    assert answer.json()["state"] == "sent"
    row.refresh_from_db()
    assert (row.state, row.stated_at) == ("here", pressed)


def test_clock_that_is_ahead_or_makes_no_sense_counts_as_now(cast: Cast, tonight: Meeting) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    for at in ("2999-01-01T00:00:00Z", "2025-99-99T00:00:00Z", "yesterday", "2025-01-01T00:00:00"):
        assert send(hanna, tonight, owner, here="RL01", at=at).json()["state"] == "sent"
        assert abs(Attendance.objects.get().stated_at - timezone.now()) < timedelta(minutes=1)


def test_presses_of_somebody_else_and_of_nobody_wait(cast: Cast, tonight: Meeting) -> None:
    owner = outbox_owner(cast.actor("hanna"))
    for client, status in ((cast.client("dirk"), 401), (Client(), 401)):
        answer = send(client, tonight, owner, here="RL01")
        assert (answer.status_code, answer.json()["state"]) == (status, "stopped")
    assert not Attendance.objects.exists()


def test_refusal_says_why(cast: Cast, tonight: Meeting) -> None:
    hanna, owner = cast.client("hanna"), outbox_owner(cast.actor("hanna"))
    sent = {"times": "RL01", "from_round": "4", "leaves_after_round": "2"}
    answer = send(hanna, tonight, owner, **sent).json()
    assert answer["state"] == "refused"
    assert answer["reason"]
    assert send(hanna, tonight, owner, here="RL99").json()["state"] == "refused"
    assert not Attendance.objects.exists()


CLUB = "/clubs/riverside"


TONIGHT = date(2025, 11, 6)


LATER = TONIGHT + timedelta(days=7)


def posted(event: Event, day: date) -> Game:
    round_ = make_round(by_tests(), event, on=day)
    game = table(event, players(event.club, "Ada", "Ben", "Cem", "Dora"))
    move_round(by_tests(), round_, to="posted")
    return game


def states_on_pages(client: Client) -> set[str]:
    pages = (text_of(client.get(f"{at}")) for at in (f"{EVENT}/meetings", f"{CLUB}/evenings"))
    found = {word for page in pages for word in ("planned", "held") if f" {word} " in f"{page} "}
    rows = client.get(f"/api/v1{EVENT}/meetings").json()["results"]
    return found | {row["state"] for row in rows}


def test_evening_is_held_from_the_first_hand_on_everywhere(cast: Cast, event: Event) -> None:
    game, dirk = posted(event, TONIGHT), cast.client("dirk")
    assert states_on_pages(dirk) == {"planned"}
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert states_on_pages(dirk) == {"held"}
    move_game(by_tests(), game, to="complete")
    move_round(by_tests(), game.table.round, to="closed")
    assert states_on_pages(dirk) == {"held"}


def test_evening_that_is_held_is_not_the_next_one(event: Event) -> None:
    game = posted(event, TONIGHT)
    make_round(by_tests(), event, on=LATER)
    assert "6 November" in text_of(Client().get(CLUB))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert "13 November" in text_of(Client().get(CLUB))


def planned(event: Event, day: date) -> None:
    remove_round(by_tests(), make_round(by_tests(), event, on=day))


def days(client: Client) -> list[str]:
    return [row["date"] for row in client.get(f"/api/v1{EVENT}/meetings").json()["results"]]


def test_planned_evening_is_moved_and_removed_by_a_director(cast: Cast, event: Event) -> None:
    planned(event, TONIGHT)
    planned(event, LATER)
    dirk, page = cast.client("dirk"), f"{EVENT}/meetings/2025-11-06/change"
    assert page in dirk.get(f"{EVENT}/meetings").content.decode()
    assert page not in cast.client("piet").get(f"{EVENT}/meetings").content.decode()
    taken = dirk.post(page, {"date": "2025-11-13"})
    assert "The event already has an evening on Thursday 13 November 2025." in text_of(taken)
    moved = dirk.post(page, {"date": "2025-11-07"}, follow=True)
    assert "The evening is on Friday 7 November 2025 now." in text_of(moved)
    assert days(dirk) == ["2025-11-13", "2025-11-07"]
    assert dirk.get(page).status_code == 404
    gone = dirk.post(f"{EVENT}/meetings/2025-11-13/change", {"remove": "yes"}, follow=True)
    assert "The evening of Thursday 13 November 2025 was removed." in text_of(gone)
    assert days(dirk) == ["2025-11-07"]


def test_removing_an_evening_asks_before_answers_and_check_ins_go(cast: Cast, event: Event) -> None:
    planned(event, TONIGHT)
    players(event.club, "Ada", "Ben", "Cem")
    dirk, night = cast.client("dirk"), f"{EVENT}/meetings/2025-11-06"
    for pressed in ({"here": "RL01"}, {"expected": "RL02"}, {"absent": "RL03"}):
        assert dirk.post(f"{night}/attendance", pressed).status_code == 302
    response = dirk.post(f"{night}/change", {"remove": "yes"})
    assert response.status_code == 422
    question = (
        "Removing the evening of Thursday 6 November 2025 deletes its attendance "
        "(answers: 2, check-ins: 1)."
    )
    assert question in text_of(response)
    assert "Remove with attendance" in text_of(response)
    rest, headers = f"/api/v1{night}", {"If-Match": "*", "Idempotency-Key": "1"}
    assert refusal(dirk.delete(rest, headers=headers)) == (409, ["meeting_has_attendance"])
    assert dirk.delete(f"{rest}?anyway=1", headers=headers).status_code == 400
    assert (days(dirk), Attendance.objects.count()) == (["2025-11-06"], 3)
    gone = dirk.post(f"{night}/change", {"remove": "anyway"}, follow=True)
    assert "The evening of Thursday 6 November 2025 was removed." in text_of(gone)
    log = text_of(dirk.get(f"{EVENT}/changes"))
    assert "Evening changed: Thursday 6 November 2025" in log
    assert "State: planned → then removed" in log
    assert (days(dirk), Attendance.objects.count()) == ([], 0)


def test_evening_with_a_round_stays(cast: Cast, event: Event) -> None:
    posted(event, TONIGHT)
    dirk, address = cast.client("dirk"), f"{EVENT}/meetings/2025-11-06/change"
    page = text_of(dirk.get(address))
    assert "The evening has a round: it keeps its date" in page
    assert "Remove evening" not in page
    for sent in ({"remove": "yes"}, {"date": "2025-11-07"}):
        assert "has a round. Delete the round first." in text_of(dirk.post(address, sent))
    assert days(dirk) == ["2025-11-06"]


def test_evening_is_planned_with_place_and_cancelled_for_reasons(cast: Cast, event: Event) -> None:
    dirk, new = cast.client("dirk"), f"{EVENT}/new-meeting"
    sent = {"date": "2025-11-13", "time": "19:30", "place": "Riverside  Hall"}
    assert "19:30, Riverside Hall" in text_of(dirk.post(new, sent, follow=True))
    assert "Thursday 13 November, 19:30, Riverside Hall" in text_of(Client().get(CLUB))
    assert "already has an evening" in text_of(dirk.post(new, sent))
    wrong = {"date": "2025-11-20", "time": "25:61", "place": "x" * 121}
    assert "Enter the time as 19:30." in text_of(dirk.post(new, wrong))
    assert "121 characters" in text_of(dirk.post(new, {**wrong, "time": ""}))
    page = f"{EVENT}/meetings/2025-11-13/change"
    assert dirk.post(page, {"cancel": "yes"}).status_code == 422
    dirk.post(page, {"cancel": "yes", "reason": "The hall is flooded."})
    assert "cancelled, The hall is flooded." in text_of(Client().get(CLUB))
    assert "Cancelled: The hall is flooded." in text_of(Client().get(f"{EVENT}/meetings"))
    log = text_of(Client().get(f"{EVENT}/changes"))
    assert "Evening changed: Thursday 13 November 2025" in log
    assert "Not published yet" not in log
    dirk.post(page, {"again": "yes"})
    assert "19:30, Riverside Hall" in text_of(Client().get(CLUB))
    dirk.post(page, {"save": "yes", "date": "2025-11-13", "time": "", "place": ""})
    assert "19:30" not in text_of(Client().get(CLUB))


def test_manage_asks_for_attendance_on_the_day_until_it_begins(dirk: Client, event: Event) -> None:
    dirk.post(f"{EVENT}/new-meeting", {"date": "2025-11-06"})
    players(event.club, "Ada")
    assert "Take attendance" in text_of(dirk.get(f"{EVENT}/direct"))
    dirk.post(f"{EVENT}/meetings/2025-11-06/attendance", {"here": "RL01"})
    page = text_of(dirk.get(f"{EVENT}/direct"))
    assert "Take attendance" not in page
    assert "Attendance 1 here Seating No plans" in page


def test_director_starts_tonight_with_one_press_also_of_a_draft(cast: Cast, event: Event) -> None:
    dirk, hanna = cast.client("dirk"), cast.client("hanna")
    players(event.club, "Ada", "Ben")
    dirk.post(f"{EVENT}/direct", {"to": "draft"})
    for page in (f"{EVENT}/direct", f"{EVENT}/meetings"):
        assert f'action="{EVENT}/tonight"' in dirk.get(page).content.decode()
    assert hanna.post(f"{EVENT}/tonight").status_code == 403
    assert "tonight" not in hanna.get(f"{EVENT}/meetings").content.decode()
    for _press in range(2):
        answer = dirk.post(f"{EVENT}/tonight")
        assert answer["Location"] == f"{EVENT}/meetings/2025-11-06/attendance"
    event.refresh_from_db()
    assert (event.state, days(dirk)) == ("open", ["2025-11-06"])
    assert f'href="{EVENT}/meetings/2025-11-06/attendance"' in dirk.get(f"{EVENT}/direct").text
    assert "tonight" not in dirk.get(f"{EVENT}/direct").text
    Meeting.objects.update(state=MeetingState.CANCELLED)
    assert "is cancelled" in text_of(dirk.post(f"{EVENT}/tonight", follow=True))


@pytest.mark.usefixtures("people")
def test_all_who_are_awaited_are_checked_in_at_once(hanna: Client, meeting: Meeting) -> None:
    press(hanna, meeting, late="RL04")
    press(hanna, meeting, absent="RL05")
    assert "Check in all 3" in text_of(hanna.get(page_of(meeting)))
    page = text_of(press(hanna, meeting, all="yes"))
    assert "3 players checked in." in page
    assert "Check in all 3" not in page
    there = dict.fromkeys(NAMES[:3], "here")
    assert states(meeting) == {**there, "Di D.": "late", "Ed E.": "absent"}
    press(hanna, meeting, undo="RL01")
    assert states(meeting)["Ada A."] == "expected"


def test_awaited_are_those_of_last_time_where_there_was_one(cast: Cast, meeting: Meeting) -> None:
    ada, bo, _cy = players(meeting.club, *NAMES[:3])
    last = Meeting.objects.create(
        club=meeting.club, event=meeting.event, date=meeting.date - timedelta(days=7)
    )
    Attendance.objects.create(
        club=meeting.club, meeting=last, player=ada, state="here", stated_at=NOW
    )
    host = cast.client("hanna")
    press(host, meeting, expected=bo.player_id)
    press(host, meeting, all="yes")
    assert states(meeting) == {"Ada A.": "here", "Bo B.": "here"}
