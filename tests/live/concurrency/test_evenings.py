"""A planned evening that is removed while a round is created for it: one of both is refused.

A transaction that a deadlock ended is not made once more here, so that it would be seen.
"""

from datetime import date

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.models.meetings import Meeting, Round
from tournaments.services.rounds.meetings import MeetingChanges, change_meeting, remove_meeting
from tournaments.services.rounds.rounds import make_round, remove_round

__all__ = ["project"]

pytestmark = [pytest.mark.pg]

DAY, OTHER = date(2025, 11, 13), date(2025, 11, 14)


def test_round_and_change_of_its_evening_at_once_leave_a_round_with_its_date(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
    for turn in range(short_or_long(2, 20)):
        with inside(project):
            remove_round(
                actor=TESTS, now=NOW, round_=make_round(actor=TESTS, event=event, now=NOW, on=DAY)
            )
        change = (
            (lambda: remove_meeting(actor=TESTS, event=event, day=DAY, now=NOW))
            if turn % 2
            else (
                lambda: change_meeting(
                    actor=TESTS, event=event, day=DAY, changes=MeetingChanges(day=OTHER), now=NOW
                )
            )
        )
        refused = at_once(
            inside,
            project,
            [change, lambda: make_round(actor=TESTS, event=event, now=NOW, on=DAY)],
        )
        assert refused in ([], ["meeting_has_rounds"])
        with inside(project):
            made = Round.objects.select_related("meeting").get(event=event)
            assert made.meeting is not None
            assert made.meeting.date == DAY
            remove_round(actor=TESTS, round_=made, now=NOW)
            Meeting.objects.filter(event=event).delete()
