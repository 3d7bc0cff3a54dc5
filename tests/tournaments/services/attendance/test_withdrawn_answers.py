"""The directors learn who withdrew an answer, and nothing of other statements."""

from datetime import date

import pytest

from tests.support.builders import by_tests, league, link, players
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.rounds.meetings import plan_meeting

EVENING = date(2025, 11, 13)

pytestmark = pytest.mark.django_db


@pytest.fixture
def bruno(cast: Cast) -> Player:
    (bruno,) = players(cast.riverside, "Bruno Falk")
    link(bruno, cast.users["piet"])
    return bruno


@pytest.fixture
def meeting(cast: Cast, bruno: Player) -> Meeting:
    event = league(cast.riverside)
    plan_meeting(by_tests(), event, day=EVENING)
    return meeting_on(event, EVENING)


def readers() -> set[str]:
    return set(Notice.objects.filter(kind="fill_in").values_list("user__username", flat=True))


def test_directors_are_told_who_comes_no_more(cast: Cast, meeting: Meeting) -> None:
    for state in ("expected", "late", "absent"):
        assert not Notice.objects.filter(kind="fill_in").exists()
        state_own_attendance(cast.operation("piet"), meeting, state=state)
    assert readers() == {"dirk", "olga"}
    dirk = cast.users["dirk"]
    notice = Notice.objects.get(user=dirk, kind="fill_in")
    text = notice_text("fill_in", notice.facts, dirk)
    assert text is not None
    assert text.title == ("Bruno Falk withdrew the answer: not there on Thursday 13 November 2025")
    assert text.path == "/clubs/riverside/events/league/meetings/2025-11-13/attendance"
    assert not Outbox.objects.filter(kind="fill_in").exists()
    state_own_attendance(cast.operation("piet"), meeting, state="expected")
    assert notice_text("fill_in", notice.facts, dirk) is None, "they come, after all"


def test_a_first_no_and_a_statement_of_a_host_tell_nobody(
    cast: Cast, meeting: Meeting, bruno: Player
) -> None:
    state_own_attendance(cast.operation("piet"), meeting, state="absent")
    for state in ("expected", "absent"):
        set_attendance(cast.operation("hanna"), meeting, player=bruno, state=state, stated_at=NOW)
    assert readers() == set()
