"""Taking an import back: its hands become void, its tables are empty, its problems wait no more.

A game at a time, each in its own transaction, so that it may be worked off in pieces. What a later
import may bring back is void because of this and of nothing else (`tables_there`).
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Max, QuerySet

from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import BatchState, ImportBatch, ImportProblem
from tournaments.models.meetings import Round, Seat, Sitting
from tournaments.models.outbox import import_scope
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.changes import note_change
from tournaments.services.dirty import mark_due
from tournaments.services.finality import follow_window
from tournaments.services.imports import require_importable
from tournaments.services.marks import hint_import, mark_changed
from tournaments.services.replays import HandRefused
from tournaments.services.rule_sets import rules_of
from tournaments.services.settling import settle_game
from tournaments.services.uploads import move

REASON = "The import was undone."


@transaction.atomic
def ask_undo(*, actor: Actor, batch: ImportBatch, now: datetime) -> None:
    """Have the hands that a batch brought made void, those corrected since included.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    event = events.get(pk=batch.event_id)
    require_importable(actor, event)
    move(batch, BatchState.DONE, BatchState.UNDOING)
    append_audit(
        club=event.club,
        actor=actor,
        act="undo_import",
        subject=f"event:{event.slug}/import:{batch.number}",
        facts={"file": batch.file_digest, "hands": _brought(batch).count()},
        now=now,
    )
    mark_due(import_scope(batch.pk), now=now)
    transaction.on_commit(lambda: hint_import(batch.pk), robust=True)


def undo_steps(batch: ImportBatch, *, now: datetime) -> Iterator[None]:
    """Void the hands of a batch, a game a step; begun again, it goes on where it was left."""
    games = sorted(set(_brought(batch).values_list("game_id", flat=True)))
    for game_id in games:
        _empty(batch, game_id, now)
        yield
    _close(batch, now)


def _brought(batch: ImportBatch) -> QuerySet[Hand]:
    brought = Hand.objects.filter(entries__batch=batch).exclude(state="void")
    return brought.distinct()


@transaction.atomic
def _empty(batch: ImportBatch, game_id: int, now: datetime) -> None:
    games = Game.objects.select_related("event", "snapshot", "table")
    game = games.select_for_update(of=("self",)).get(pk=game_id)
    numbers = list(_brought(batch).filter(game=game).values_list("pk", flat=True))
    Hand.objects.filter(pk__in=numbers).update(state="void")
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    _settle_what_is_left(game, seats)
    if not Hand.objects.filter(game=game).exclude(state="void").exists():
        _leave_empty(game)
    mark_changed(event=game.event, by=len(numbers) or 1, now=now)


def _settle_what_is_left(game: Game, seats: Sequence[Seat]) -> None:
    """Replay the other hands; one that cannot stand without those that went is disputed."""
    while True:
        try:
            settle_game(game=game, rules=rules_of(game.snapshot), seats=seats)
        except HandRefused as refused:
            Hand.objects.filter(game=game, number=refused.number).update(state="disputed")
        else:
            return


def _leave_empty(game: Game) -> None:
    """End everybody's sitting: players of an empty table are free for another one."""
    last = Hand.objects.filter(game=game).aggregate(last=Max("number"))["last"] or 1
    open_ = Sitting.objects.filter(seat__table_id=game.table_id, to_hand__isnull=True)
    open_.filter(from_hand__lte=last).update(to_hand=last)
    open_.filter(from_hand__gt=last).update(to_hand=F("from_hand"))
    Game.objects.filter(pk=game.pk).update(state="abandoned")


@transaction.atomic
def _close(batch: ImportBatch, now: datetime) -> None:
    """Free the dates of rounds that hold nothing any more, and close the batch."""
    rounds = Round.objects.filter(
        tables__game__hands__entries__batch=batch, event_id=batch.event_id
    ).distinct()
    numbers = list(rounds.values_list("pk", flat=True))
    counting = Hand.objects.filter(game__table__round__in=numbers).exclude(state="void")
    kept = set(counting.values_list("game__table__round", flat=True))
    empty = Round.objects.filter(pk__in=[pk for pk in numbers if pk not in kept])
    empty.update(meeting=None, state="closed")
    empty.filter(closed_at__isnull=True).update(closed_at=now)
    follow_window(batch.event)
    n_void = Hand.objects.filter(entries__batch=batch, state="void").distinct().count()
    version = mark_changed(event=batch.event, now=now)
    note_change(
        event=batch.event,
        version=version,
        kind="undo_import",
        by="",
        now=now,
        facts={"import": batch.number, "hands": n_void},
    )
    ImportProblem.objects.filter(batch=batch, state="open").update(state="dismissed", reason=REASON)
    batch.state, batch.ended_at, batch.accepted = BatchState.UNDONE, now, 0
    batch.save(update_fields=["state", "ended_at", "accepted"])
