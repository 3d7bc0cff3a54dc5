"""Asking players who are willing to fill in at an evening; the first who answers is in.

Locks: as `set_attendance`; the event's row serialises the answers.
"""

import secrets
from collections.abc import Collection
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.notices import Recipients
from tournaments.errors import Conflict, Forbidden, first_or_missing
from tournaments.models.access import FillInRequest, personal_token, token_digest
from tournaments.models.clubs import Player
from tournaments.models.rounds import AttendanceState, Meeting
from tournaments.selectors.attendance.fill_ins import (
    find_asked,
    further_request,
    list_willing,
    open_fill_in,
    requests_asked_with,
    takes_fill_ins,
)
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.notices.notifications import find_mailable
from tournaments.services.attendance.gathering import gather
from tournaments.services.attendance.set_attendance import (
    ATTENDANCE_REFUSED,
    CHECK_IN,
    NOT_PLANNED,
    TAKE,
    AttendanceStatement,
    lock_attendance,
    lock_meeting,
    record,
)
from tournaments.services.notices.notifications import SEED_BYTES, notify
from tournaments.services.operations import Operation, operation

COMING: Final = (AttendanceState.HERE, AttendanceState.LATE)


MOST_WANTED: Final = 9
"""Players for whom one request asks."""


@operation(
    TAKE,
    locks=lock_meeting,
    refuses=("evening_is_seated", "fill_in_is_open", "bad_number_wanted", *NOT_PLANNED),
)
def ask_fill_in(op: Operation, meeting: Meeting, /, *, wanted: int = 1) -> FillInRequest:
    """Ask the players who are willing to fill in for one more at an evening, or for several.

    Each of them gets a mail or a notice, if that is possible, and one in all for an evening: a
    further request tells only those who were not asked yet. The answer has the link for a chat.

    Args:
        wanted: how many are missing, 1 to 9.
    """
    if not 1 <= wanted <= MOST_WANTED:
        facts: dict[str, int | str] = {"found": wanted, "expected": f"1 to {MOST_WANTED}"}
        raise Refused(Problem("bad_number_wanted", ("wanted",), facts))
    if not takes_fill_ins(meeting, op.now):
        raise Conflict(Problem("evening_is_seated", (), {"date": meeting.date.isoformat()}))
    if open_fill_in(meeting, op.now) is not None:
        raise Conflict(Problem("fill_in_is_open"))
    gather(meeting.event, meeting, now=op.now)
    asked = find_asked(meeting)
    unasked = list_willing(meeting).exclude(pk__in=asked)
    to = Recipients.of(unasked.values_list("pk", "user_id"))
    accounts = Player.objects.filter(club=meeting.club_id, user__in=to.accounts)
    request = FillInRequest(
        club_id=meeting.club_id,
        meeting=meeting,
        asked_by_id=op.actor.user_id,
        asked_at=op.now,
        wanted=wanted,
        asked=[
            *sorted(asked),
            *accounts.values_list("pk", flat=True),
            *_find_mailed(to.people),
        ],
    )
    _store_with_link(request)
    subject = {"request": request.pk}
    club = meeting.event.club
    notify(club=club, to=to, kind="fill_in", key=str(request.pk), facts=subject, now=op.now)
    op.audit(meeting.event, {**subject, "date": meeting.date.isoformat(), "wanted": wanted})
    return request


def _find_mailed(people: Collection[int]) -> Collection[int]:
    """Return the people without an account whom a mail asks: nobody where the site sends none."""
    if get_site_mail() == SiteMail.NONE:
        return ()
    return find_mailable(people, "fill_in")


def _store_with_link(request: FillInRequest) -> None:
    request.seed = secrets.token_urlsafe(SEED_BYTES)
    request.token_digest = token_digest(personal_token(request.seed))
    request.save()


def _ask_for_the_others(request: FillInRequest) -> None:
    """Store the request for those who are still wanted; the links of the earlier ones lead to it.

    It was asked at the same moment, and tells nobody: who was asked is told already.
    """
    further = FillInRequest(
        club_id=request.club_id,
        meeting=request.meeting,
        asked_by_id=request.asked_by_id,
        asked_at=request.asked_at,
        wanted=request.wanted - 1,
        asked=request.asked,
    )
    _store_with_link(further)


@operation(TAKE, locks=lock_meeting, refuses=("unknown_fill_in", *NOT_PLANNED))
def end_fill_in(op: Operation, meeting: Meeting, /) -> FillInRequest:
    """End the open request of an evening: nobody is needed any more."""
    requests = FillInRequest.objects.filter(meeting=meeting, filled_at=None, ended_at=None)
    request = first_or_missing(requests, "fill_in")
    request.ended_at = op.now
    request.meeting = meeting
    request.save(update_fields=["ended_at"])
    op.audit(meeting.event, {"request": request.pk, "date": meeting.date.isoformat()})
    return request


@operation(
    CHECK_IN, refuses=("fill_in_found", "fill_in_is_over", "comes_already", *ATTENDANCE_REFUSED)
)
def answer_fill_in(op: Operation, request: FillInRequest, /, *, player: str = "") -> FillInRequest:
    """Take the actor's player, who comes to the evening, as one more who was wanted.

    The first ones are in, as many as are wanted. Who answered first and does so again is still in.

    Args:
        player: the number of a willing player, where the link of a chat tells nothing of its
            holder.
    """
    person = find_own_player(op.actor, request.club)
    if person is None:
        if not op.actor.is_site_admin:
            raise Forbidden(CHECK_IN)
        willing = list_willing(request.meeting).filter(player_id=player)
        # Who taps twice at one moment came in by the first tap, and is asked no more.
        requests = requests_asked_with(request).values("filled_by")
        came_in = Player.objects.filter(pk__in=requests, player_id=player)
        person = willing.first() or first_or_missing(came_in, "player", player=player[:40])
    row = lock_attendance(request.meeting, person)
    filled = requests_asked_with(request).filter(filled_by=person).first()
    if filled is not None:
        return filled
    request = FillInRequest.objects.select_related("filled_by").get(pk=request.pk)
    if request.filled_at is not None:
        request = further_request(request) or request
    if request.filled_at is not None:
        raise Conflict(Problem("fill_in_found"))
    if request.ended_at is not None or not takes_fill_ins(row.meeting, op.now):
        raise Conflict(Problem("fill_in_is_over"))
    is_expected = row.state == row.answer == AttendanceState.EXPECTED
    if is_expected or row.state in COMING:
        raise Conflict(Problem("comes_already", (), {"player": person.player_id}))
    request.filled_at = op.now
    request.filled_by = person
    request.save(update_fields=["filled_at", "filled_by"])
    if request.wanted > 1:
        _ask_for_the_others(request)
    statement = AttendanceStatement(AttendanceState.EXPECTED, op.now)
    record(op, row, statement, CHECK_IN, is_admitted=True)
    return request
