"""Withdrawing an entrant from an event, which ends their open challenges on a ladder."""

from datetime import datetime

from scoring.errors import Refused
from tournaments.domain.reasons import reason_problems
from tournaments.models.events import Entrant, Event, EventKind
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.services.attendance import set_attendance
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.entrants import audit_entrant, entrant_in
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.ladders.deadlines import close_open_challenges
from tournaments.services.ladders.transaction import LadderTransaction, transaction_on
from tournaments.services.permissions import require_role
from tournaments.states import ENTRANT, find_move


@atomic_act
def move_entrant(
    *,
    actor: Actor,
    event: Event,
    code: str,
    to: str,
    reason: str,
    now: datetime,
    check_out: bool = False,
) -> Entrant:
    """Withdraw an entrant, who stays in the table and is marked, or let one return.

    On a ladder, the open challenges of who withdraws come to an end that nobody wins.

    Args:
        check_out: let those who withdraw and are here at the newest evening have left it.

    Raises:
        Forbidden: manage_event, take_attendance.
        Missing: entrant.
        Conflict: state_not_allowed, player_is_merged.
        Refused: reason_required, bad_text.
    """
    role = role_of(actor, event.club_id)
    require_role(actor, role, "manage_event")
    event = lock_event(event)
    entrant = entrant_in(event, code)
    move = find_move(ENTRANT, entrant.state, to)
    require_role(actor, role, move.act)
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    ladder: LadderTransaction | None = None
    if to == "withdrawn" and event.kind == EventKind.LADDER:
        ladder = transaction_on(event, actor=actor, by=role, now=now)
        close_open_challenges(ladder, entrant, reason.strip())
    if to == "withdrawn" and check_out:
        set_attendance.check_out(actor, entrant, now)
    was = entrant.state
    Entrant.objects.filter(pk=entrant.pk).update(state=to)
    entrant.state = to
    act = "withdraw_entrant" if to == "withdrawn" else "return_entrant"
    version = mark_changed(event=event, now=now)
    note_change(
        event=event,
        version=version,
        kind=act,
        by=role,
        now=now,
        reason=reason,
        facts={"entrant": code, "from": was, "to": to},
    )
    if ladder is not None:
        ladder.finish()
    audit_entrant(actor, entrant, act, now, {"reason": reason.strip()})
    return entrant
