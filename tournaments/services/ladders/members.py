"""Members of a ladder: report and end absences, withdraw from the event."""

from datetime import date, timedelta
from typing import Final

from scoring.errors import Problem, Refused
from scoring.ladders.rules import AbsencePeriod, away_problems
from tournaments.domain.evening_series import FIRST_YEAR, LAST_YEAR
from tournaments.domain.reasons import require_reason
from tournaments.errors import Conflict, Forbidden, refuse_any
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import LadderAbsence
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.ladders.challenges import LadderActor
from tournaments.selectors.ladders.log import away_of
from tournaments.services.attendance import set_attendance
from tournaments.services.audit.audit import note_change
from tournaments.services.events.entrants import lock_entrant
from tournaments.services.ladders.run_deadlines import (
    apply_due_deadlines,
    close_open_challenges,
    inactive_entrants,
    rejoin,
)
from tournaments.services.ladders.transaction import (
    NOT_BEGUN,
    LadderTransaction,
    begin_as_member,
    entrant_of,
    season_of,
    transaction_on,
)
from tournaments.services.operations import Operation, operation
from tournaments.states import ENTRANT, find_move

OF_ABSENCES: Final = (
    *NOT_BEGUN,
    "member_needed",
    "unknown_entrant",
    "bad_day",
    "absence_backdated",
)


@operation(
    "challenge",
    refuses=(
        *OF_ABSENCES,
        *("not_on_ladder", "absence_exists", "absence_backwards", "absence_too_long"),
    ),
    right_in_body=True,
)
def report_absence(
    op: Operation, event: Event, /, *, since: date, until: date | None = None, player_id: str = ""
) -> LadderAbsence:
    """Enter an absence: your own, or as a host that of a member."""
    who, work = begin_as_member(op, event)
    entrant = _member(who, work.event, player_id)
    _require_days(since, until)
    apply_due_deadlines(work)
    problems = []
    if work.ladder().place(entrant.code) is None and entrant not in inactive_entrants(work.event):
        problems.append(Problem("not_on_ladder", facts={"member": entrant.code}))
    if since < work.today and not who.is_host:
        facts = {"found": since.isoformat(), "today": work.today.isoformat()}
        problems.append(Problem("absence_backdated", ("since",), facts))
    rows = LadderAbsence.objects.filter(entrant=entrant).order_by("since")
    season = season_of(work.event, since)
    problems.extend(away_problems(AbsencePeriod(since, until), away_of(rows), season, work.rules))
    if any(row.since == since for row in rows):
        facts = {"member": entrant.code, "found": since.isoformat()}
        problems.append(Problem("absence_exists", ("since",), facts))
    refuse_any(problems)
    row = LadderAbsence.objects.create(
        club_id=work.event.club_id, event=work.event, entrant=entrant, since=since, until=until
    )
    work.audit(
        "tell_absence",
        f"member:{entrant.code}",
        since=since.isoformat(),
        until=until.isoformat() if until else "",
    )
    work.is_moved = True
    work.finish()
    return row


@operation("challenge", refuses=(*OF_ABSENCES, "unknown_absence"), right_in_body=True)
def end_absence(
    op: Operation, event: Event, /, *, player_id: str = "", back: date | None = None
) -> Entrant:
    """End the current absence of a member, or if there is none, remove the next one.

    Members may do so for themselves, hosts for any member.
    """
    who, work = begin_as_member(op, event)
    entrant = _member(who, work.event, player_id)
    _require_days(back)
    apply_due_deadlines(work)
    back = back or work.today
    if back < work.today and not who.is_host:
        facts = {"found": back.isoformat(), "today": work.today.isoformat()}
        raise Refused(Problem("absence_backdated", ("back",), facts))
    rows = LadderAbsence.objects.filter(entrant=entrant).order_by("since")
    open_rows = [row for row in rows if row.until is None or row.until >= back]
    if not open_rows:
        raise Conflict(Problem("unknown_absence", (), {"member": entrant.code}))
    for row in [row for row in open_rows if row.since <= back] or open_rows[:1]:
        if row.since < back:
            row.until = back - timedelta(days=1)
            row.save(update_fields=["until"])
        else:
            row.delete()
    # A member that was taken off the list meanwhile joins it again at the bottom.
    if back <= work.today and entrant in inactive_entrants(work.event):
        rejoin(work, entrant, work.today)
    work.audit("end_absence", f"member:{entrant.code}", back=back.isoformat())
    work.is_moved = True
    work.finish()
    return entrant


def _member(who: LadderActor, event: Event, player_id: str) -> Entrant:
    if not player_id:
        if who.own is None:
            raise Refused(Problem("member_needed", ("player_id",)))
        return who.own
    entrant = entrant_of(event, player_id, "player_id")
    if not who.is_host and entrant != who.own:
        raise Forbidden("challenge")
    return entrant


def _require_days(*days: date | None) -> None:
    for day in days:
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise Refused(Problem("bad_day", facts={"found": day.isoformat()}))


@operation(
    "manage_event",
    locks=lock_entrant,
    refuses=(
        *("unknown_entrant", "state_not_allowed", "reason_required", "bad_text"),
        "player_is_merged",
    ),
)
def move_entrant(
    op: Operation, entrant: Entrant, /, *, to: str, reason: str, check_out: bool = False
) -> Entrant:
    """Withdraw an entrant, who stays in the standings with a mark, or let one return."""
    event = entrant.event
    role = get_role(op.actor, entrant.club_id)
    before = entrant.state
    find_move(ENTRANT, before, to)
    require_reason(reason)
    ladder: LadderTransaction | None = None
    if to == "withdrawn" and event.is_ladder:
        ladder = transaction_on(op, event, by=role)
        close_open_challenges(ladder, entrant, reason.strip())
    if to == "withdrawn" and check_out:
        set_attendance.check_out(op, entrant)
    Entrant.objects.filter(pk=entrant.pk).update(state=to)
    entrant.state = to
    operation = "withdraw_entrant" if to == "withdrawn" else "return_entrant"
    facts = {"entrant": entrant.code, "from": before, "to": to}
    note_change(event=event, kind=operation, by=role, now=op.now, reason=reason, facts=facts)
    if ladder is not None:
        ladder.finish()
    op.audit(entrant, {"reason": reason.strip()}, name=operation)
    return entrant
