"""Who withdraws from a ladder leaves nobody waiting: what is open ends, and nobody wins by it."""

from datetime import date, timedelta

import pytest

from tests.support.builders import TESTS
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.scenarios.ladders import ladder, member, order, totals
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import Attendance, Meeting
from tournaments.models.outbox import Deadline
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import move_entrant

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def issue(cast: Cast, event: Event, low: str, high: str) -> None:
    issue_challenge(actor=member(cast, low), event=event, challenged=high, now=NOW)


def accept(cast: Cast, event: Event, who: str, number: int) -> None:
    answer_challenge(actor=member(cast, who), event=event, number=number, to="accepted", now=NOW)


def withdraw(event: Event, who: str) -> None:
    move_entrant(
        actor=TESTS, event=event, code=who, to="withdrawn", reason="Moved away.", now=LATER
    )


def test_check_out_lets_who_withdraws_leave_the_newest_evening(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    people = list(Player.objects.filter(player_id__in="CE"))
    for day in (date(2025, 10, 30), NOW.date()):
        meeting = Meeting.objects.create(club=event.club, event=event, date=day)
        check_in(meeting, people)
    move_entrant(
        actor=TESTS, event=event, code="C", to="withdrawn", reason="Ill.", now=LATER, check_out=True
    )
    absences = Attendance.objects.filter(state="left")
    assert list(absences.values_list("player__player_id", "meeting__date")) == [("C", NOW.date())]
    assert states() == ["withdrawn"]
    assert AuditLine.objects.filter(act="take_attendance", subject="player:C").count() == 1


def states() -> list[str]:
    return list(Challenge.objects.order_by("number").values_list("state", flat=True))


def test_what_is_open_ends_and_nobody_wins_by_it(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    issue(cast, event, "C", "A")
    issue(cast, event, "G", "E")
    accept(cast, event, "C", 1)
    withdraw(event, "C")
    assert states() == ["cancelled", "withdrawn", "issued"]
    sync_log(event, LATER)
    assert order(event) == "ABDEFGHIJ"
    assert list(Deadline.objects.filter(done_at=None, kind="challenge").values_list("key")) == [
        ("3",)
    ]
    told = AuditLine.objects.filter(act="move_challenge", subject__endswith="challenge:1")
    assert told.order_by("-pk")[0].facts == {
        "from": "accepted",
        "to": "cancelled",
        "reason": "Moved away.",
    }


def test_who_stayed_may_challenge_somebody_else_at_once(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    accept(cast, event, "C", 1)
    withdraw(event, "C")
    issue_challenge(actor=member(cast, "E"), event=event, challenged="B", now=LATER)
    assert states() == ["cancelled", "issued"]


def test_what_was_played_is_still_to_be_confirmed(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    accept(cast, event, "C", 1)
    enter_result(
        actor=member(cast, "E"), event=event, number=1, points=totals("E", "C", "D"), now=NOW
    )
    withdraw(event, "C")
    assert states() == ["played"]


def test_time_that_had_run_out_before_comes_first(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    move_entrant(
        actor=TESTS, event=event, code="C", to="withdrawn", reason="Moved away.",
        now=NOW + timedelta(days=9),
    )  # fmt: skip
    assert states() == ["expired"]
