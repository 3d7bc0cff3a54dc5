"""What changes of an event share: the states that allow them, their line in log and audit trail."""

from collections.abc import Mapping
from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.jobs.enqueue import mark_changed


def require_running(event: Event) -> None:
    """Let rounds, tables and entrants change while their event is a draft or open."""
    if event.state in ("closed", "final"):
        raise Conflict(Problem("event_is_over", facts={"state": event.state}))


def audit_event(
    event: Event,
    actor: Actor,
    act: str,
    facts: Mapping[str, object],
    now: datetime,
    *,
    part: str = "",
) -> None:
    """Append a line to the audit trail; `part` is what of the event it is about, as `/stage:2`."""
    subject = f"event:{event.slug}{part}"
    append_audit(club=event.club, actor=actor, act=act, subject=subject, facts=facts, now=now)


def record_change(
    event: Event,
    actor: Actor,
    act: str,
    facts: Mapping[str, object],
    now: datetime,
    *,
    by: str,
    kind: str = "",
    noted: Mapping[str, object] | None = None,
    reason: str = "",
    table: str = "",
    part: str = "",
) -> None:
    """Mark an event, and write a change into its log and the audit trail.

    Args:
        by: the role that made it.
        kind: of the line of the log; empty = `act`.
        noted: facts of the line of the log; None = `facts`.
    """
    note_change(
        event=event,
        version=mark_changed(event=event, now=now),
        kind=kind or act,
        by=by,
        table=table,
        reason=reason,
        now=now,
        facts=facts if noted is None else noted,
    )
    audit_event(event, actor, act, {**facts, "reason": reason.strip()}, now, part=part)
