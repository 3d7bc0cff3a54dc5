"""The stages of an evening on the page Manage: one line with the figures that were reached."""

import re
from datetime import date, timedelta

import pytest

from tests.support.builders import TESTS, finished, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, Meeting
from tournaments.services.events.events import create_event, move_event
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.rounds import make_round, move_round
from tournaments.views.events.evening_stages import evening_stages

pytestmark = pytest.mark.usefixtures("clock")

MANAGE = "/clubs/riverside/events/league/direct"
TONIGHT = date(2025, 11, 6)


def stages(cast: Cast) -> list[str]:
    """The stages that a director reads; the one at hand is marked with >, those done with +."""
    page = cast.client("dirk").get(MANAGE).content.decode()
    found = re.search(r'<ol class="stages".*?</ol>', page, re.DOTALL)
    items = re.findall(r"<li([^>]*)>.*?</b>(.*?)</li>", found[0], re.DOTALL) if found else []
    marks = {' aria-current="step"': "> ", ' class="done"': "+ ", "": ""}
    return [marks[mark] + re.sub(r"<[^>]*>", "", text).strip() for mark, text in items]


def test_evening_goes_from_attendance_to_its_publication(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGHI"))
    assert stages(cast) == []
    meeting = Meeting.objects.create(club=cast.riverside, event=event, date=TONIGHT)
    assert stages(cast)[:2] == ["> Attendance: not recorded", "Seating"]
    for number, player in enumerate(people):
        Attendance.objects.create(
            club=cast.riverside, meeting=meeting, player=player, stated_at=NOW,
            state="here" if number < 8 else "late",
        )  # fmt: skip
    assert stages(cast)[0] == "> Attendance: 8 here, 1 late"
    round_ = make_round(actor=TESTS, event=event, now=NOW, on=TONIGHT)
    assert stages(cast)[:2] == ["> Attendance: 8 here, 1 late", "Seating"]
    games = [
        table(event, people[:4], on=TONIGHT),
        table(event, people[4:8], table_number=2, on=TONIGHT),
    ]
    assert stages(cast)[:2] == ["+ Attendance: 8 here, 1 late", "> Seating: 2 tables, not posted"]
    move_round(actor=TESTS, round_=round_, to="posted", now=NOW)
    assert stages(cast)[1:4] == [
        "+ Seating: 2 tables",
        "> Play round 1: 0 of 2 sheets in",
        "Close round 1",
    ]
    finished(games[0])
    assert "> Play round 1: 1 of 2 sheets in" in stages(cast)
    finished(games[1])
    assert stages(cast)[2:4] == ["+ Play round 1: 2 of 2 sheets in", "> Close round 1"]
    move_round(actor=TESTS, round_=round_, to="closed", now=NOW)
    assert stages(cast)[3:] == ["+ Round 1 closed", "> Publish"]
    publish(event.pk, now=NOW)
    assert stages(cast)[3:] == ["+ Round 1 closed", "+ Published: publication 1"]


def test_round_without_an_evening_has_no_attendance(cast: Cast) -> None:
    make_round(actor=TESTS, event=league(cast.riverside), now=NOW)
    assert stages(cast) == ["> Seating", "Play", "Close round", "Publish"]


def test_page_marks_its_own_stage(cast: Cast) -> None:
    event: Event = league(cast.riverside)
    day = TONIGHT + timedelta(days=7)
    meeting = Meeting.objects.create(club=cast.riverside, event=event, date=day)
    event.refresh_from_db()
    found = evening_stages(event, meeting, page="seating")
    assert [one.key for one in found if one.is_current] == ["seating"]
    assert stages(cast) == []


def test_draft_marks_no_stage(cast: Cast) -> None:
    event = create_event(
        actor=TESTS, club=cast.riverside, slug="league", name="League", kind="league",
        variant="hearts", settings={"primary": "raw_per_hand", "mixed_raw": True}, now=NOW,
    )  # fmt: skip
    plan_meeting(actor=TESTS, event=event, day=TONIGHT, now=NOW)
    assert stages(cast)[:2] == ["Attendance: not recorded", "Seating"]
    move_event(actor=TESTS, event=event, to="open", now=NOW)
    assert stages(cast)[:2] == ["> Attendance: not recorded", "Seating"]
