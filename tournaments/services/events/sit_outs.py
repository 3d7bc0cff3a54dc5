"""Byes and sit-outs: who competes in an event and does not play in one of its rounds."""

from datetime import datetime

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Entrant
from tournaments.models.meetings import Round, SitOut, SitOutReason, Sitting
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require


@atomic_act
def sit_out(*, actor: Actor, round_: Round, entrant: str, reason: str, now: datetime) -> SitOut:
    """Record that an entrant does not play in a round, and why.

    Args:
        entrant: the entrant's code.
        reason: `bye`, `late`, `left` or `rest`; a bye may be worth something, the others nothing.

    Raises:
        Forbidden: manage_event.
        Refused: unknown_entrant, bad_sit_out_reason.
        Conflict: event_is_over, round_is_closed, entrant_is_seated, sits_out_already.
    """
    locked = _open_round(actor, round_)
    found = Entrant.objects.filter(event=locked.event, code=entrant).first()
    problems = []
    if found is None:
        problems.append(Problem("unknown_entrant", ("entrant",), {"found": shown(entrant)}))
    if reason not in SitOutReason.values:
        problems.append(Problem("bad_sit_out_reason", ("reason",), {"found": shown(reason)}))
    if found is None or problems:
        raise Refused(*problems)
    facts: dict[str, int | str] = {
        "entrant": found.code,
        "name": entrant_name(found, FULL_NAME),
        "round": locked.number,
    }
    seated = Sitting.objects.filter(
        round=locked, player__entries_in_events__entrant=found
    ).select_related("seat__table")
    if sitting := seated.order_by("seat__table__number").first():
        facts["table"] = sitting.seat.table.code
        raise Conflict(Problem("entrant_is_seated", ("entrant",), facts))
    try:
        with transaction.atomic():
            made = SitOut.objects.create(
                club_id=locked.club_id,
                event=locked.event,
                round=locked,
                entrant=found,
                reason=reason,
            )
    except IntegrityError as there:
        raise Conflict(Problem("sits_out_already", ("entrant",), facts)) from there
    _keep(actor, locked, "sit_out", found.code, reason, now)
    return made


@atomic_act
def end_sit_out(*, actor: Actor, round_: Round, entrant: str, now: datetime) -> None:
    """Undo a sit-out, so that the entrant may be seated in the round.

    Raises:
        Forbidden: manage_event.
        Conflict: event_is_over, round_is_closed.
        Missing: sit_out.
    """
    locked = _open_round(actor, round_)
    found = SitOut.objects.filter(round=locked, entrant__code=entrant).first()
    if found is None:
        raise Missing("sit_out", {"found": shown(entrant), "round": locked.number})
    reason = found.reason
    found.delete()
    _keep(actor, locked, "end_sit_out", entrant, reason, now)


def _open_round(actor: Actor, round_: Round) -> Round:
    """Return the round with its row locked after its event's, as seating a table locks them."""
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    require_running(locked.event)
    if locked.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": locked.number}))
    return locked


def _keep(actor: Actor, round_: Round, act: str, entrant: str, reason: str, now: datetime) -> None:
    mark_changed(event=round_.event, now=now)
    append_audit(
        club=round_.club,
        actor=actor,
        act=act,
        subject=f"event:{round_.event.slug}/round:{round_.number}",
        facts={"entrant": entrant, "reason": reason},
        now=now,
    )
