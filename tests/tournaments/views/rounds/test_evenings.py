"""The evenings of an event: their state on each page and over REST, and how they are changed."""

from datetime import date, timedelta

import pytest
from django.test import Client

from tests.support.builders import TESTS, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.rounds import EVENT
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Attendance
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.rounds import make_round, move_round, remove_round

pytestmark = pytest.mark.usefixtures("clock")

CLUB = "/clubs/riverside"
TONIGHT = date(2025, 11, 6)
LATER = TONIGHT + timedelta(days=7)


def posted(event: Event, day: date) -> Game:
    """The table of a round of an evening, seated and posted."""
    round_ = make_round(actor=TESTS, event=event, now=NOW, on=day)
    game = table(event, players(event.club, "Ada", "Ben", "Cem", "Dora"))
    move_round(actor=TESTS, round_=round_, to="posted", now=NOW)
    return game


def states(client: Client) -> set[str]:
    """The state of the only evening, on each page that has it and over REST."""
    pages = (text_of(client.get(f"{at}")) for at in (f"{EVENT}/meetings", f"{CLUB}/evenings"))
    found = {word for page in pages for word in ("planned", "held") if f" {word} " in f"{page} "}
    rows = client.get(f"/api/v1{EVENT}/meetings").json()["results"]
    return found | {row["state"] for row in rows}


def test_evening_is_held_from_the_first_hand_on_wherever_it_is_named(
    cast: Cast, event: Event
) -> None:
    game, dirk = posted(event, TONIGHT), cast.client("dirk")
    assert states(dirk) == {"planned"}
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert states(dirk) == {"held"}
    move_game(actor=TESTS, game=game, to="complete", now=NOW)
    move_round(actor=TESTS, round_=game.table.round, to="closed", now=NOW)
    assert states(dirk) == {"held"}


def test_evening_that_is_held_is_not_the_next_one(cast: Cast, event: Event) -> None:
    game = posted(event, TONIGHT)
    make_round(actor=TESTS, event=event, now=NOW, on=LATER)
    assert "6 November" in text_of(Client().get(CLUB))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert "13 November" in text_of(Client().get(CLUB))


def planned(event: Event, day: date) -> None:
    """An evening without a round, as after a draft was deleted."""
    remove_round(actor=TESTS, round_=make_round(actor=TESTS, event=event, now=NOW, on=day), now=NOW)


def days(client: Client) -> list[str]:
    """The dates of the evenings over REST, the newest first."""
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
    asked = dirk.post(f"{night}/change", {"remove": "yes"})
    assert asked.status_code == 422
    question = (
        "Removing the evening of Thursday 6 November 2025 deletes its attendance "
        "(answers: 2, check-ins: 1)."
    )
    assert question in text_of(asked)
    assert "Remove with attendance" in text_of(asked)
    rest, headers = f"/api/v1{night}", {"If-Match": "*"}
    refused = dirk.delete(rest, headers={**headers, "Idempotency-Key": "1"})
    assert refused.status_code == 409
    problem = refused.json()["errors"][0]
    assert (problem["code"], problem["facts"]) == (
        "meeting_has_attendance",
        {"date": "2025-11-06", "answers": 2, "check_ins": 1},
    )
    odd = dirk.delete(f"{rest}?anyway=1", headers={**headers, "Idempotency-Key": "2"})
    assert odd.status_code == 400
    assert days(dirk) == ["2025-11-06"]
    assert Attendance.objects.count() == 3
    gone = dirk.delete(f"{rest}?anyway=true", headers={**headers, "Idempotency-Key": "1"})
    assert gone.status_code == 200, gone.content
    assert (days(dirk), Attendance.objects.count()) == ([], 0)


def test_evening_is_removed_with_its_attendance_by_the_second_button(
    cast: Cast, event: Event
) -> None:
    planned(event, TONIGHT)
    players(event.club, "Ada")
    dirk, night = cast.client("dirk"), f"{EVENT}/meetings/2025-11-06"
    dirk.post(f"{night}/attendance", {"here": "RL01"})
    gone = dirk.post(f"{night}/change", {"remove": "anyway"}, follow=True)
    assert "The evening of Thursday 6 November 2025 was removed." in text_of(gone)
    log = text_of(cast.client("dirk").get(f"{EVENT}/changes"))
    assert "Evening changed: Thursday 6 November 2025" in log
    assert "state planned → then removed" in log
    assert (days(dirk), Attendance.objects.count()) == ([], 0)


def test_evening_with_a_round_stays(cast: Cast, event: Event) -> None:
    posted(event, TONIGHT)
    dirk, page = cast.client("dirk"), f"{EVENT}/meetings/2025-11-06/change"
    for sent in ({"remove": "yes"}, {"date": "2025-11-07"}):
        assert "has a round. Delete the round first." in text_of(dirk.post(page, sent))
    assert days(dirk) == ["2025-11-06"]


def test_evening_with_a_round_is_offered_neither_to_cancel_nor_to_remove(
    cast: Cast, event: Event
) -> None:
    posted(event, TONIGHT)
    page = text_of(cast.client("dirk").get(f"{EVENT}/meetings/{TONIGHT}/change"))
    assert "The evening has a round: it keeps its date" in page
    assert "Remove evening" not in page


def test_evening_is_planned_with_time_and_place_and_cancelled_with_a_reason(
    cast: Cast, event: Event
) -> None:
    dirk, new = cast.client("dirk"), f"{EVENT}/new-meeting"
    assert cast.client("hanna").get(new).status_code == 403
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


def test_manage_asks_for_attendance_on_the_day_and_not_after_it_began(
    cast: Cast, event: Event
) -> None:
    dirk = cast.client("dirk")
    dirk.post(f"{EVENT}/new-meeting", {"date": "2025-11-06"})
    players(event.club, "Ada")
    assert "Take attendance" in text_of(dirk.get(f"{EVENT}/direct"))
    dirk.post(f"{EVENT}/meetings/2025-11-06/attendance", {"here": "RL01"})
    page = text_of(dirk.get(f"{EVENT}/direct"))
    assert "Take attendance" not in page
    assert "Attendance 1 here Seating plans" in page
