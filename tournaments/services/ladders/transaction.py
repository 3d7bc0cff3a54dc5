"""One transaction on a ladder: its locks, its actor, its writes, and its reports at the end.

Every service about challenges, absences and weeks begins with `begin_transaction` and ends with
`finish`. The row of the event is locked, then that of the ladder's state.
"""

from datetime import date
from typing import Final

from django.db.models import F

from scoring.errors import Problem
from scoring.ladders.challenges import Member
from scoring.ladders.positions import Ladder
from scoring.ladders.rules import local_day
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.jobs import ladder_scope
from tournaments.models.ladders import Challenge, LadderAbsence, LadderState, LadderStep
from tournaments.policy import LINK
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.ladders.challenges import LadderActor, own_entrant
from tournaments.selectors.ladders.log import (
    away_of,
    current_ladder,
    erased_members,
    is_behind,
    replayed_on,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import LADDER, lock_ladder_state, sync_log
from tournaments.services.operations import Operation
from tournaments.services.webhooks.delivery import record_challenge

NOT_BEGUN: Final = ("unknown_ladder", "event_not_open")
"""Error codes of a transaction on an event before it begins."""


def require_role_for(
    op: Operation, event: Event, right: str, *, table_id: int | None = None
) -> LadderActor:
    role = get_role(op.actor, event.club_id, table_id=table_id)
    op.allow(right, role)
    who = LadderActor(role, own_entrant(op.actor, event))
    if who.own is None and not who.is_host and role != LINK:
        raise Forbidden(right)
    return who


def entrant_of(event: Event, player_id: str, at: str) -> Entrant:
    entrants = Entrant.objects.filter(event=event)
    entrant = entrants.filter(code=player_id).first()
    if entrant is None:
        entrant = entrants.filter(members__player__player_id=player_id).first()
    if entrant is None:
        raise Missing("entrant", {"found": player_id[:40], "field": at})
    return entrant


class LadderTransaction:
    """A transaction on one ladder, with the lines to write at its end.

    `by` is the role for the change log: that of the actor, or `clock`. Each of `changes` is the
    role, the kind, the reason and the facts; each of `challenges` a number and a state.
    """

    def __init__(self, op: Operation, event: Event, *, by: str) -> None:
        self.state = lock_ladder_state(event)
        self.event = event
        self.op = op
        self.by = by
        self.now = op.now
        self.rules = ladder_rules_of(event)
        self.zone = event.club.zone
        self.today = local_day(op.now, self.zone)
        self.changes: list[tuple[str, str, str, dict[str, object]]] = []
        self.challenges: list[tuple[int, str]] = []
        self.is_moved = False
        self._ladder: Ladder | None = None

    def audit(self, name: str, part: str, **facts: object) -> None:
        self.op.audit(self.event, facts, name=name, subject=f"{self.event.audit_subject}/{part}")

    def tell(self, kind: str, reason: str = "", **facts: object) -> None:
        self.changes.append((self.by, kind, reason, facts))
        self.is_moved = True

    def report(self, challenge: int, state: str) -> None:
        self.challenges.append((challenge, state))

    def replay_anew(self) -> None:
        """Have the list computed again from its first step: a step that counted has changed."""
        rows = LadderState.objects.filter(pk=self.state.pk)
        # The order stays: readers get it until the next computation.
        rows.update(number=0, dropped=[], turn=F("turn") + 1)
        self.is_moved = True
        self._ladder = None

    def ladder(self) -> Ladder:
        """Return the current list. The first call may replay everything; a later one only the steps
        that this transaction has added since."""
        before = self._ladder
        if before is None:
            self._ladder = current_ladder(self.event)
        else:
            self._ladder = replayed_on(self.event, before)
        return self._ladder

    def note(self, challenge: Challenge, kind: str, state: str) -> None:
        """Report what a correction of its game made of a challenge, as an operation of the
        system."""
        facts: dict[str, object] = {"challenge": challenge.number}
        self.changes.append(("clock", kind, "", facts))
        self.report(challenge.number, state)
        self.op.as_site(LADDER).audit(self.event, facts, name=kind)
        self.is_moved = True

    def finish(self) -> None:
        """Mark the ladder as changed, and write the collected lines; call it last."""
        if self.changes:
            version = self.op.mark(self.event, by=len(self.changes))
            for by, kind, reason, facts in self.changes:
                note_change(
                    event=self.event,
                    version=version,
                    kind=kind,
                    by=by,
                    reason=reason,
                    facts=facts,
                    now=self.now,
                )
        for number, state in self.challenges:
            record_challenge(self.event, number, state, now=self.now)
        if self.is_moved:
            mark_due(ladder_scope(self.event.pk), now=self.now)


def begin_transaction(op: Operation, event: Event, *, by: str) -> LadderTransaction:
    event = lock_event(event)
    if not event.is_ladder:
        raise Missing("ladder", {"event": event.slug})
    if not event.is_open:
        raise Conflict(Problem("event_not_open", facts={"state": event.state}))
    return transaction_on(op, event, by=by)


def begin_as_member(op: Operation, event: Event) -> tuple[LadderActor, LadderTransaction]:
    """Begin a transaction of a member or a host; any other actor is refused."""
    who = require_role_for(op, event, "challenge")
    return who, begin_transaction(op, event, by=who.role)


def transaction_on(op: Operation, event: Event, *, by: str) -> LadderTransaction:
    work = LadderTransaction(op, event, by=by)
    # Writes go by the current list, whether or not a worker has computed it.
    if is_behind(event) or not LadderStep.objects.filter(event=event).exists():
        sync_log(event, op.now, note=work.note)
    return work


def member_of(entrant: Entrant) -> Member:
    """Return a member for the pure rules; two queries."""
    absences = away_of(LadderAbsence.objects.filter(entrant=entrant).order_by("since"))
    is_erased = erased_members(entrant.event).filter(pk=entrant.pk).exists()
    return Member(entrant.code, absences, entrant.state == "active" and not is_erased)


def season_of(event: Event, on: date) -> tuple[date, date]:
    if event.season is not None:
        return event.season.starts_on, event.season.ends_on
    return date(on.year, 1, 1), date(on.year, 12, 31)
