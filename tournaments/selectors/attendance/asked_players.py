"""Who is asked whether they come to an evening, and who said so."""

from collections.abc import Collection
from typing import Final

from django.db.models import Exists, OuterRef

from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember
from tournaments.models.meetings import Meeting
from tournaments.selectors.events.meetings import planned
from tournaments.selectors.events.next_evenings import MEETS

COMING: Final = (AttendanceState.EXPECTED, AttendanceState.LATE)


def accounts_to_ask(meeting: Meeting) -> Collection[int]:
    """Return the accounts of the active linked players who have not said that they stay away.

    Whoever competes only in another event of the club that meets on the same day is asked there.
    """
    linked = Player.objects.filter(
        club=meeting.club_id, user__isnull=False, is_active=True, merged_into=None, erased_at=None
    )
    away = Attendance.objects.filter(
        meeting=meeting, player=OuterRef("pk"), answer=AttendanceState.ABSENT
    )
    same_day = planned(Meeting.objects.filter(club=meeting.club_id, date=meeting.date))
    others = same_day.exclude(pk=meeting.pk).filter(event__state__in=MEETS)
    competes = EntrantMember.objects.filter(player=OuterRef("pk"))
    here = Exists(competes.filter(event=meeting.event_id))
    elsewhere = Exists(competes.filter(event__in=others.values("event")))
    asked = linked.filter(~Exists(away)).filter(here | ~elsewhere)
    return [found for found in asked.values_list("user_id", flat=True) if found is not None]


def accounts_coming(meeting: Meeting) -> Collection[int]:
    """Return the accounts of the players of whom somebody said that they come."""
    rows = Attendance.objects.filter(
        meeting=meeting, state__in=COMING, answer__in=COMING, player__user__isnull=False
    )
    found = rows.order_by("player").values_list("player__user_id", flat=True)
    return [one for one in found if one is not None]
