"""Play-offs from creation to decision: what a hand, a correction or a director does to one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from scoring.errors import Problem
from scoring.playoffs.boundaries import Need
from scoring.playoffs.progress import (
    FINISHED,
    gone_problems,
    hand_problems,
    state_after,
    step_problems,
)
from tournaments.domain.event_settings import played_policy, playoff_rules_of, settings_of
from tournaments.errors import Conflict, first_or_missing, refuse_any
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import playoffs_scope
from tournaments.models.playoffs import (
    Playoff,
    PlayoffMember,
    PlayoffState,
    PlayoffStep,
    PlayoffStepKind,
)
from tournaments.models.rounds import Round
from tournaments.policy import Actor, command
from tournaments.selectors.events.entrants import recipients_of_entrants
from tournaments.services.audit.audit import append_audit, note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_games
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.notices.notifications import notify
from tournaments.services.playoffs.log import PlayoffLog, add_step, read_log, standing_json
from tournaments.services.playoffs.tables import (
    add_leg_tables,
    close_rounds,
    last_round,
    reopen_round,
)
from tournaments.services.webhooks.delivery import record_playoff, record_round_posted
from tournaments.states import PLAYOFF, find_move

POLICY: Final = command("playoffs")
"""Actor of automatic acts by the event's policy."""
WAIVED: Final = "waived"
"""Value in the change log and the audit trail for a waived play-off; not a state."""


@dataclass(frozen=True, slots=True)
class AuditContext:
    actor: Actor
    role: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayoffUpdate:
    """An update of a play-off, for its log entries; `moved` are its old and new states if the
    result changed, `posted` the round created for it."""

    playoff: Playoff
    operation: str
    facts: Mapping[str, object]
    by: AuditContext
    moved: tuple[str, str] | None = None
    posted: Round | None = None


SCHEDULED_OPERATION: Final = "schedule_playoff"
OF_POLICY: Final = AuditContext(POLICY, "policy")

_LOCKED: Final = Playoff.objects.select_for_update(of=("self",), no_key=True).select_related(
    "event__club", "club", "stage"
)
"""Play-offs whose rows are locked as they are read, after the games of their stages."""

_KEPT: Final = (
    "state",
    "legs",
    "standing",
    "result",
    "decided_at",
    "asked",
    "is_waived",
    "reason",
    "stage",
)


def lock_playoff(event: Event, number: int) -> Playoff:
    """Lock the games of a play-off's stage and its row; the caller holds the lock of the event."""
    playoffs = Playoff.objects.filter(event=event, number=number).only("pk", "stage_id")
    playoff = first_or_missing(playoffs, "playoff", playoff=number)
    if playoff.stage_id is not None:
        lock_games(Game.objects.filter(table__round__stage=playoff.stage_id))
    return _LOCKED.get(pk=playoff.pk)


def require_takes_hands(game: Game, *, is_new: bool) -> None:
    """Allow a hand in a game of a play-off while it is played, a correction until it is void."""
    playoff = Playoff.objects.filter(stage__rounds=game.table.round_id).first()
    if playoff is None or playoff.state == PlayoffState.VOID:
        raise Conflict(Problem("playoff_void"))
    if is_new and playoff.state in FINISHED:
        raise Conflict(Problem("playoff_over"))
    if is_new and playoff.is_waived:
        raise Conflict(Problem("playoff_waived"))
    if is_new and game.table.round.state == "closed":
        raise Conflict(Problem("playoff_moved", facts={"round": last_round(playoff.legs) or 0}))


def update_after_hand(
    game: Game, hand: Hand, *, by: AuditContext, version: int, now: datetime
) -> None:
    """Update a play-off after one of its hands was entered, corrected or deleted.

    The caller holds the games of the stage, and has stored the hand's scores.
    """
    playoff = _LOCKED.filter(stage__rounds=game.table.round_id).first()
    if playoff is None:
        return
    if playoff.state == PlayoffState.VOID:
        return  # its tables wait for an answer, so nothing changes
    is_known = PlayoffStep.objects.filter(hand=hand).exists()
    if not is_known and hand.state != "accepted":
        return
    if not is_known:
        add_step(playoff, PlayoffStepKind.HAND, hand=hand, now=now, by=by.role)
    log = read_log(playoff)
    if not is_known:
        refuse_any(_hand_problems(playoff, game, hand, log))
    states, posted = update_playoff(playoff, log, by=by, now=now)
    if posted is not None:
        record_round_posted(posted, version=version, now=now)
    if states:
        _note_result(playoff, states, by=by, version=version, now=now)
        record_playoff(playoff, now=now)
        facts = {"from": states[0], "to": states[1], "result": playoff.result}
        append_audit(
            playoff.club, by.actor, "move_playoff", playoff.audit_subject, facts=facts, now=now
        )


def _hand_problems(playoff: Playoff, game: Game, hand: Hand, log: PlayoffLog) -> Sequence[Problem]:
    before = read_log(playoff, but=hand)
    heat = next((heat for heat in before.heats if heat.game.pk == game.pk), None)
    if heat is not None and heat.now.is_decided:
        return (Problem("playoff_over"),)
    stands = heat.now if heat is not None else before.now
    return hand_problems(playoff.state, stands, log.scores[hand.pk], log.rules)


def update_playoff(
    playoff: Playoff, log: PlayoffLog, *, by: AuditContext, now: datetime
) -> tuple[tuple[str, str] | None, Round | None]:
    """Store a play-off's standing, create its tables, and close them once it is decided.

    Returns:
        Its states before and now if the table of the event is another one for it, and the round
        that was posted for it; the caller records both.
    """
    was = playoff.state
    before = playoff.result
    posted = None
    if playoff.is_waived:
        # They share, by a director's word: a correction that separates them does not undo it.
        playoff.standing = standing_json(log)
        playoff.save(update_fields=_KEPT)
        return None, None
    log = _heats_met(playoff, log, by=by, now=now)
    if not log.now.is_decided:
        if was in FINISHED and (number := last_round(playoff.legs)):
            reopen_round(playoff, number)
            log = read_log(playoff)
        posted = add_leg_tables(playoff, log, now=now)
        if posted is not None:
            log = read_log(playoff)
    playoff.state = _state(playoff, log)
    playoff.standing = standing_json(log)
    playoff.result = (
        {
            "order": [list(level) for level in log.now.order],
            "made": {code: list(totals) for code, totals in log.made.items()},
        }
        if log.now.is_decided
        else None
    )
    if playoff.state not in FINISHED:
        playoff.decided_at = None
    elif was not in FINISHED:
        playoff.decided_at = now
        close_rounds(playoff, now)
    playoff.save(update_fields=_KEPT)
    is_other = playoff.result != before or was != playoff.state
    return (was, playoff.state) if is_other else None, posted


def _state(playoff: Playoff, log: PlayoffLog) -> str:
    if log.now.is_decided:
        return state_after(log.now)
    if log.scores or playoff.state in (PlayoffState.IN_PLAY, *FINISHED):
        return PlayoffState.IN_PLAY
    return PlayoffState.SCHEDULED


def _heats_met(playoff: Playoff, log: PlayoffLog, *, by: AuditContext, now: datetime) -> PlayoffLog:
    """Let the best of the heats meet once all of these are decided, or no more, or others."""
    if not log.ends or playoff.state in FINISHED:
        return log
    steps = PlayoffStep.objects.filter(playoff=playoff, kind=PlayoffStepKind.HEATS)
    step = steps.first()
    through = sorted(code for heat in log.ends for code in heat.through)
    if not all(heat.now.is_decided for heat in log.ends):
        if step is None:
            return log
        step.delete()
        close_rounds(playoff, None)
        if number := last_round(playoff.legs, heats=True):
            reopen_round(playoff, number)
    elif step is None:
        if log.now.is_decided:
            return log
        add_step(playoff, PlayoffStepKind.HEATS, now=now, by=by.role, facts={"through": through})
    elif step.facts["through"] != through:
        steps.update(facts={"through": through})
    else:
        return log
    return read_log(playoff)


def place_member_last(
    playoff: Playoff, entrant: Entrant, why: str, *, by: AuditContext, now: datetime
) -> PlayoffUpdate:
    refuse_any(gone_problems(playoff.state, read_log(playoff).now, entrant.code))
    add_step(
        playoff, PlayoffStepKind.GONE, entrant=entrant, now=now, by=by.role, facts={"why": why}
    )
    outcome = update_playoff(playoff, read_log(playoff), by=by, now=now)
    facts = {"player_id": entrant.code, "why": why}
    return PlayoffUpdate(playoff, "playoff_gone", facts, by, *outcome)


def void_playoff(
    playoff: Playoff, operation: str, *, by: AuditContext, now: datetime
) -> PlayoffUpdate:
    """End a play-off without a result; what was played stays on record and does not count."""
    refuse_any(step_problems(playoff.state, PlayoffState.VOID))
    was = playoff.state
    find_move(PLAYOFF, was, PlayoffState.VOID)
    playoff.state, playoff.asked, playoff.reason = PlayoffState.VOID, None, by.reason
    close_rounds(playoff, now)
    playoff.save(update_fields=_KEPT)
    return PlayoffUpdate(playoff, operation, {"reason": by.reason}, by, (was, playoff.state))


def record_playoff_updates(
    *updates: PlayoffUpdate, now: datetime, mark: bool = True, look: bool = False
) -> None:
    """Mark the event, and record the updates in the change log and the audit trail.

    Last in a transaction, because the head of the trail is locked last.

    Args:
        mark: whether the event's version always increases, or only with a result.
        look: whether ties are always detected, or only if a publication needs it.
    """
    with_result = [update for update in updates if update.moved]
    if updates and (mark or with_result):
        event = updates[0].playoff.event
        version = mark_changed(event=event, now=now)
        _record_posted(updates, version=version, now=now)
        for update in updates:
            if update.facts.get("answer") == "keep":
                states = (update.playoff.state, update.playoff.state)
                kind = "keep_playoff"
                _note_result(
                    update.playoff, states, by=update.by, version=version, now=now, kind=kind
                )
            record_playoff(update.playoff, now=now)
        # After the event's own dirty row, as a publication takes the two.
        if look:
            mark_due(playoffs_scope(event.pk), now=now)
        for update in with_result:
            _note_result(update.playoff, update.moved, by=update.by, version=version, now=now)
    else:  # tables alone change no version, but are news of the play-off
        _record_posted(updates, version=None, now=now)
        for update in updates:
            if update.operation == SCHEDULED_OPERATION:
                record_playoff(update.playoff, now=now)
    for update in updates:
        playoff = update.playoff
        facts = dict(update.facts)
        if update.moved:
            facts |= {"from": update.moved[0], "to": update.moved[1]}
        append_audit(
            playoff.club,
            update.by.actor,
            update.operation,
            playoff.audit_subject,
            facts=facts,
            now=now,
        )


def _record_posted(updates: Iterable[PlayoffUpdate], *, version: int | None, now: datetime) -> None:
    for update in updates:
        if update.posted is not None:
            record_round_posted(update.posted, version=version, now=now)


def _note_result(
    playoff: Playoff,
    states: tuple[str, str] | None,
    *,
    by: AuditContext,
    version: int,
    now: datetime,
    kind: str = "playoff",
) -> None:
    """Add a line to the change log where there is or was a result, or none will come."""
    if states and (states[0] in FINISHED or states[1] in (*FINISHED, PlayoffState.VOID, WAIVED)):
        note_change(
            event=playoff.event,
            version=version,
            kind=kind,
            by=by.role,
            now=now,
            reason=by.reason,
            facts={"playoff": playoff.number, "old": states[0], "new": states[1]},
        )


def create_playoff(event: Event, need: Need, *, by: AuditContext, now: datetime) -> PlayoffUpdate:
    """Create the play-off of a tie, scheduled; the caller holds the event's row."""
    settings = settings_of(event)
    number = next_number(Playoff.objects.filter(event=event))
    rules = playoff_rules_of(settings)
    playoff = Playoff.objects.create(
        club_id=event.club_id,
        event=event,
        number=number,
        key=need.key,
        boundaries=[line.written for line in need.boundaries],
        cuts=list(need.cuts),
        ahead=need.ahead,
        policy=played_policy(settings),
        rules={name: getattr(rules, name) for name in rules.__dataclass_fields__},
        seed=f"{event.seed}:{number}",
        detected_at=now,
    )
    entrants = Entrant.objects.filter(event=event, code__in=need.members).order_by("code")
    PlayoffMember.objects.bulk_create(
        PlayoffMember(club_id=event.club_id, playoff=playoff, entrant=entrant)
        for entrant in entrants
    )
    return schedule_playoff(lock_playoff(event, number), by=by, now=now)


def schedule_playoff(playoff: Playoff, *, by: AuditContext, now: datetime) -> PlayoffUpdate:
    """Take a play-off from detected to scheduled, with the tables it begins at."""
    playoff.state = PlayoffState.SCHEDULED
    _, posted = update_playoff(playoff, read_log(playoff), by=by, now=now)
    members = playoff.members.order_by("entrant__code").values_list("entrant__code", flat=True)
    facts = {"key": playoff.key, "members": list(members), "legs": playoff.legs}
    notify(
        club=playoff.event.club,
        to=recipients_of_entrants(playoff.members.values_list("entrant_id", flat=True)),
        kind="playoff_called",
        key=str(playoff.pk),
        facts={"playoff": playoff.pk},
        now=now,
    )
    return PlayoffUpdate(playoff, SCHEDULED_OPERATION, facts, by, posted=posted)
