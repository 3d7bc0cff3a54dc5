"""Messages about evenings to come: whether the reader comes, and what became of one."""

from datetime import date
from typing import Final

from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.presenters.notices.sentences import (
    NoticeContext,
    NoticeText,
    on_day,
    page_of,
    path_of,
)
from tournaments.selectors.attendance.answer_links import answer_token
from tournaments.selectors.events.meetings import planned
from tournaments.selectors.events.next_evenings import MEETS, local_day

ANSWERED: Final = (AttendanceState.EXPECTED, AttendanceState.LATE)


def reminder(context: NoticeContext) -> NoticeText | None:
    """Ask a player whether they come to an evening, or remind them that they said so."""
    meeting = _planned(context)
    if meeting is None:
        return None
    player = _player(context, meeting)
    row = Attendance.objects.filter(meeting=meeting, player=player).first()
    answer = row.answer if row is not None else ""
    if player is None or answer == AttendanceState.ABSENT:
        return None
    is_coming = answer in ANSWERED
    title = _("Reminder: you come on %s") if is_coming else _("Will you come on %s?")
    said = _("Your answer: you come. Change it if you cannot.")
    asked = _("Answer with one press, without signing in. You can change the answer later.")
    return NoticeText(
        title % on_day(meeting.date),
        _("Change answer") if is_coming else _("Answer"),
        _answer_page(meeting),
        (said if is_coming else asked,),
        _details(meeting),
        mail_path=_answer_link(context, meeting, player),
    )


def changed(context: NoticeContext) -> NoticeText | None:
    """Tell a player who comes that the evening is on another day, at another time or place."""
    meeting = _planned(context)
    if meeting is None:
        return None
    was = date.fromisoformat(str(context.facts["was"]))
    moved = _("The evening of %(was)s was moved to %(day)s")
    same = _("The evening of %(day)s was changed")
    title = (moved if was != meeting.date else same) % {
        "was": on_day(was),
        "day": on_day(meeting.date),
    }
    player = _player(context, meeting)
    return NoticeText(
        title,
        _("Change answer"),
        _answer_page(meeting),
        (_("Your answer: you come. Change it if you cannot."),),
        _details(meeting),
        mail_path=_answer_link(context, meeting, player) if player is not None else "",
    )


def cancelled(context: NoticeContext) -> NoticeText | None:
    """Tell a player who said that they come that the evening is cancelled."""
    day = date.fromisoformat(str(context.facts["date"]))
    event = Event.objects.select_related("club").filter(pk=context.id_of("event")).first()
    if event is None or not context.may_read(event) or _is_over(context, event, day):
        return None
    if planned(Meeting.objects.filter(event=event, date=day)).exists():
        return None  # it was planned again
    reason = str(context.facts["reason"])
    return NoticeText(
        _("%(event)s: the evening of %(day)s is cancelled")
        % {"event": event.name, "day": on_day(day)},
        _("Open evenings"),
        page_of(event, "meetings"),
        (_("Reason: %s") % reason,) if reason else (_("Your answer was: you come."),),
    )


def _planned(context: NoticeContext) -> Meeting | None:
    """Return the meeting of a message while it is planned for the day that the message names."""
    rows = planned(Meeting.objects.filter(pk=context.id_of("meeting"), event__state__in=MEETS))
    meeting = rows.select_related("event__club").first()
    if meeting is None or meeting.date.isoformat() != context.facts["date"]:
        return None
    if _is_over(context, meeting.event, meeting.date):
        return None
    return meeting if context.may_read(meeting.event) else None


def _is_over(context: NoticeContext, event: Event, day: date) -> bool:
    """Whether a mail comes too late; a notice stays in the list."""
    return context.now is not None and day < local_day(event.club, context.now)


def _player(context: NoticeContext, meeting: Meeting) -> Player | None:
    return Player.objects.filter(club=meeting.club_id, user=context.reader).first()


def _details(meeting: Meeting) -> tuple[tuple[str, str], ...]:
    """Return event, day, time and place as rows; time and place only where there are any."""
    rows = [(_("Event"), meeting.event.name), (_("Day"), on_day(meeting.date))]
    if meeting.time is not None:
        rows.append((_("Time"), formats.time_format(meeting.time, "H:i")))
    if meeting.place:
        rows.append((_("Place"), meeting.place))
    return tuple(rows)


def _answer_page(meeting: Meeting) -> str:
    return page_of(meeting.event, "will-you-come", meeting.date.isoformat())


def _answer_link(context: NoticeContext, meeting: Meeting, player: Player) -> str:
    token = answer_token(meeting_id=meeting.pk, player_id=player.pk, user_id=context.reader.pk)
    return path_of("answer-link", token)
