"""How a closed event, and the games of a closed round, become final: by a person or by the clock.

Which deadlines there are is set in `schedule_finalization` (services/events/states.py).
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState, Game, Hand
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Round
from tournaments.policy import CLOCK, Actor
from tournaments.selectors.standings.correction_window import finalization_problems, window_ends
from tournaments.services.db.locks import lock_games
from tournaments.services.events.states import record_change, schedule_finalization
from tournaments.services.jobs.enqueue import DeadlineOutcome, mark_changed

LOOK_AGAIN: Final = timedelta(minutes=1)
"""An event that waits for somebody is looked at again after this."""


def require_final(event: Event, now: datetime) -> None:
    """Let a closed event become final once its window is over and nothing is in dispute.

    The caller holds the event's row; its games are locked here, so that it stays so.
    """
    end = window_ends(event)
    if end is not None and now < end:
        until = end.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        raise Conflict(Problem("window_not_over", ("state",), {"until": until}))
    lock_games(Game.objects.filter(event=event))
    for problem in finalization_problems(event):
        raise Conflict(problem)


def _finish_games(event: Event, *, round_number: int | None = None) -> int:
    """Make games of closed rounds final; returns how many became so. The caller marks the event."""
    games = Game.objects.filter(
        event=event, table__round__state="closed", state__in=("complete", "checked")
    )
    if round_number is not None:
        games = games.filter(table__round__number=round_number)
    return Game.objects.filter(pk__in=lock_games(games)).update(state="final")


def run_round_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Make the games of a closed round final, if its window is over and nothing is in dispute."""
    if event.state not in ("open", "closed"):
        return DeadlineOutcome(None)
    number = int(row.key)
    round_ = Round.objects.filter(event=event, number=number, state="closed").first()
    if (
        round_ is None
        or round_.closed_at is None
        or now < round_.closed_at + settings_of(event).correction_window
    ):
        return DeadlineOutcome(now + LOOK_AGAIN)
    lock_games(Game.objects.filter(table__round=round_))  # nobody disputes a hand meanwhile
    hands = Hand.objects.filter(game__table__round=round_, state="disputed")
    disputes = Dispute.objects.filter(hand__game__table__round=round_, state=DisputeState.OPEN)
    if hands.exists() or disputes.exists():
        return DeadlineOutcome(now + LOOK_AGAIN)
    if _finish_games(event, round_number=number):
        mark_changed(event=event, now=now)
    return DeadlineOutcome(None)


def run_event_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Make a closed event final, if its window is over and nothing is in dispute.

    Whether the window is over is read from when the event was closed, not from the row: a clock
    that stepped back, or a message that came too early, makes nothing final.
    """
    end = window_ends(event)
    if end is not None and now >= end:
        lock_games(Game.objects.filter(event=event))
        if not any(finalization_problems(event)):
            finalise_event(event, actor=CLOCK, by="clock", now=now)
            return DeadlineOutcome(None)
    return DeadlineOutcome(now + LOOK_AGAIN)


def finalise_event(event: Event, *, actor: Actor, by: str, now: datetime) -> None:
    """Finalize a closed event and its games, record it in the change log, and schedule publication.

    The caller holds the event's row and has checked `require_final`.
    """
    _finish_games(event)
    Event.objects.filter(pk=event.pk).update(state="final")
    event.state = "final"
    schedule_finalization(event)
    facts = {"from": "closed", "to": "final"}
    record_change(event, actor, "move_event", facts, now, by=by, kind="finalise_event")
