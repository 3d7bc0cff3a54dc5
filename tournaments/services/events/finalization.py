"""When results become final: the correction window, the deadlines that end it, what waits.

The window runs from when a round, or the event, was closed last. Its end is a row of `Deadline`
that the dispatcher hands to a worker; whoever closes, reopens or sets another window moves it.
Where the window is 0 there is no clock, and a director makes the event final.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import F, Q

from scoring.errors import Problem
from scoring.playoffs.rules import PLAYED
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.errors import Conflict
from tournaments.models.events import Event, Stage, StageKind
from tournaments.models.hands import Dispute, DisputeState, Game, Hand
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.meetings import Round
from tournaments.models.outbox import Deadline, Dirty, event_scope, playoffs_scope
from tournaments.models.playoffs import LIVE, Playoff, PlayoffState, is_unanswered
from tournaments.policy import Actor, command
from tournaments.selectors.imports.imports import is_interrupted
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.locks import lock_games
from tournaments.services.jobs.enqueue import DeadlineOutcome, mark_changed, set_deadline

FINALISE: Final = "finalise"
"""Kind of the deadline that makes an event final."""
FINALISE_ROUND: Final = "finalise_round"
"""Kind of the deadlines that make the games of a round final; `key` is the round's number."""
CLOCK: Final = command("clock")
LOOK_AGAIN: Final = timedelta(minutes=1)
"""An event that waits for somebody is looked at again after this."""


def window_of(event: Event, settings: Settings | None = None) -> timedelta:
    """Return how long after closing results are provisional, under other settings if given."""
    return timedelta(hours=(settings or settings_of(event)).correction_window_h)


def window_ends(event: Event, settings: Settings | None = None) -> datetime | None:
    """Return when the window of a closed event is over; None where no clock runs."""
    window = window_of(event, settings)
    if event.state != "closed" or event.closed_at is None or not window:
        return None
    return event.closed_at + window


def schedule_finalization(event: Event) -> None:
    """Put the deadlines of an event where its state and its settings say that they are.

    Called in the transaction of whatever closes, reopens, or changes `correction_window_h`.
    """
    # First what is there, then what should be: a round that another transaction closes meanwhile
    # has made its own deadline, and keeps it.
    own = Deadline.objects.filter(event=event, kind__in=(FINALISE, FINALISE_ROUND))
    there = {(one.kind, one.key): one for one in own}
    due: dict[tuple[str, str], datetime] = {}
    if (end := window_ends(event)) is not None:
        due[FINALISE, ""] = end
    if window_of(event) and event.state in ("open", "closed"):
        closed = Round.objects.filter(event=event, state="closed", closed_at__isnull=False)
        for number, closed_at in closed.values_list("number", "closed_at"):
            if closed_at is not None:
                due[FINALISE_ROUND, str(number)] = closed_at + window_of(event)
    gone = [one.pk for where, one in there.items() if where not in due]
    Deadline.objects.filter(pk__in=gone).delete()
    for (kind, key), due_at in due.items():
        row = there.get((kind, key))
        if row is None or row.due_at != due_at:
            set_deadline(event, kind, due_at, key=key)


def finalization_problems(event: Event) -> Iterator[Problem]:
    """Say what keeps a closed event from being final, apart from the clock."""
    yield from pending_imports(event)
    if is_recounted(event.pk):
        yield Problem("event_recounted", ("state",))
    disputed = Round.objects.filter(event=event, tables__game__hands__state="disputed")
    if (first := disputed.order_by("number").first()) is not None:
        yield Problem("hands_disputed", ("state",), {"round": first.number})
    n_open = Dispute.objects.filter(event=event, state=DisputeState.OPEN).count()
    if n_open:
        yield Problem("disputes_open", ("state",), {"n": n_open})
    yield from _cuts_wait(event)
    yield from _playoffs_wait(event)


def pending_imports(event: Event) -> Iterator[Problem]:
    """Say which import is on its way into an event, or out of it: so long it takes hands.

    One that was left behind brings nothing into an event that is not open, and could only be run
    again or undone while it is: there it is no obstacle.
    """
    codes = {BatchState.RUNNING: "import_running", BatchState.UNDOING: "import_undoing"}
    batches = ImportBatch.objects.filter(event=event, state__in=codes).order_by("number")
    for batch in batches:
        if event.state == "open" or not is_interrupted(batch):
            code = codes[BatchState(batch.state)]
            yield Problem(code, ("state",), {"number": batch.number})


def pending_imports_of_round(round_: Round) -> Iterator[Problem]:
    """Say which import is about to bring hands into a round, or to take them out of it.

    One that waits to be confirmed counts too. One whose file was not read yet may be about any
    round, unless it was left behind.
    """
    codes = {
        BatchState.PREVIEW: "import_waits",
        BatchState.RUNNING: "import_running",
        BatchState.UNDOING: "import_undoing",
    }
    batches = ImportBatch.objects.filter(event=round_.event_id, state__in=codes)
    for batch in batches.exclude(state=BatchState.PREVIEW, added=0).order_by("number"):
        if batch.file_rounds is None:
            concerns = batch.state == BatchState.RUNNING and not is_interrupted(batch)
        else:
            concerns = round_.number in batch.file_rounds
        if concerns:
            facts = {"number": batch.number, "round": round_.number}
            yield Problem(codes[BatchState(batch.state)], ("state",), facts)


def _cuts_wait(event: Event) -> Iterator[Problem]:
    """Say whether somebody has to answer who goes on after a correction."""
    questions = Stage.objects.filter(event=event).values_list("asked", flat=True)
    if n_asked := sum(question is not None for question in questions):
        yield Problem("cuts_asked", ("state",), {"n": n_asked})


def _playoffs_wait(event: Event) -> Iterator[Problem]:
    """Say whether a play-off is neither decided nor waived, or ties are still looked for."""
    playoffs = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    live = playoffs.filter(state__in=LIVE)
    n_asked = sum(map(is_unanswered, playoffs.values_list("asked", flat=True)))
    if n_open := live.filter(is_waived=False).count() + n_asked:
        yield Problem("playoffs_undecided", ("state",), {"n": n_open})
        return
    settings = settings_of(event)
    looked_at = Q(cut__isnull=False) | Q(kind=StageKind.KNOCKOUT)
    cuts = Stage.objects.filter(looked_at, event=event)
    if (settings.boundaries and settings.playoff in PLAYED) or playoffs.exists() or cuts.exists():
        scopes = (event_scope(event.pk), playoffs_scope(event.pk))
        if Dirty.objects.filter(scope__in=scopes, done__lt=F("version")).exists():
            yield Problem("playoffs_looked_for", ("state",))


def require_final(event: Event, now: datetime) -> None:
    """Let a closed event become final once its window is over and nothing is in dispute.

    The caller holds the event's row; its games are locked here, so that it stays so.

    Raises:
        Conflict: window_not_over, import_running, import_undoing, event_recounted,
            hands_disputed, disputes_open, cuts_asked, playoffs_undecided, playoffs_looked_for.
    """
    end = window_ends(event)
    if end is not None and now < end:
        until = end.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        raise Conflict(Problem("window_not_over", ("state",), {"until": until}))
    lock_games(Game.objects.filter(event=event))
    for problem in finalization_problems(event):
        raise Conflict(problem)


def finish_games(event: Event, *, round_number: int | None = None) -> int:
    """Make games of closed rounds final; returns how many became so. The caller marks the event."""
    games = Game.objects.filter(
        event=event, table__round__state="closed", state__in=("complete", "checked")
    )
    if round_number is not None:
        games = games.filter(table__round__number=round_number)
    return Game.objects.filter(pk__in=lock_games(games)).update(state="final")


def reopen_games(round_: Round) -> None:
    """Take the games of a round that opens again back from final: they are played on."""
    Game.objects.filter(table__round=round_, state="final").update(state="complete")


def run_round_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Make the games of a closed round final, if its window is over and nothing is in dispute."""
    return DeadlineOutcome(None if _finish_round(event, int(row.key), now) else now + LOOK_AGAIN)


def run_event_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Make a closed event final, if its window is over and nothing is in dispute.

    Whether the window is over is read from when the event was closed, not from the row: a clock
    that stepped back, or a message that came too early, makes nothing final.
    """
    return DeadlineOutcome(None if _finish_event(event, now) else now + LOOK_AGAIN)


def _finish_round(event: Event, number: int, now: datetime) -> bool:
    round_ = Round.objects.filter(event=event, number=number, state="closed").first()
    if event.state not in ("open", "closed"):
        return True
    if round_ is None or round_.closed_at is None or now < round_.closed_at + window_of(event):
        return False
    lock_games(Game.objects.filter(table__round=round_))  # nobody disputes a hand meanwhile
    waits = Hand.objects.filter(game__table__round=round_, state="disputed").exists()
    waits = (
        waits
        or Dispute.objects.filter(hand__game__table__round=round_, state=DisputeState.OPEN).exists()
    )
    if waits:
        return False
    if finish_games(event, round_number=number):
        mark_changed(event=event, now=now)
    return True


def _finish_event(event: Event, now: datetime) -> bool:
    end = window_ends(event)
    if end is None or now < end:
        return False
    lock_games(Game.objects.filter(event=event))
    if any(finalization_problems(event)):
        return False
    finalise_event(event, actor=CLOCK, by="clock", now=now)
    return True


def finalise_event(event: Event, *, actor: Actor, by: str, now: datetime) -> None:
    """Make a closed event and its games final, say so in the change log, and have it published.

    The caller holds the event's row and has asked whether it may be (`require_final`).
    """
    finish_games(event)
    Event.objects.filter(pk=event.pk).update(state="final")
    event.state = "final"
    schedule_finalization(event)
    version = mark_changed(event=event, now=now)
    moved = {"from": "closed", "to": "final"}
    note_change(event=event, version=version, kind="finalise_event", by=by, now=now, facts=moved)
    append_audit(
        club=event.club,
        actor=actor,
        act="move_event",
        subject=f"event:{event.slug}",
        facts={"from": "closed", "to": "final", "reason": ""},
        now=now,
    )
