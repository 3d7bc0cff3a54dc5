"""Undo an import: its hands go, and the rows created for them; its problems are dismissed.

Each game has its own transaction, so that the work can be done in pieces. A hand to which people
added something becomes void in its place; a later import may bring it back (`existing_tables`).
"""

from collections.abc import Collection, Generator, Mapping
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.domain.code_words import author_name
from tournaments.domain.imports.import_report import ANSWERED, WAITING
from tournaments.domain.references import COMMAND_KIND, reference_of
from tournaments.domain.replay_game import HandRefused
from tournaments.errors import Conflict
from tournaments.models.boards import Board
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.imports import (
    BatchState,
    ImportBatch,
    ImportProblem,
    ProblemState,
    Replacement,
    UndoneHand,
)
from tournaments.models.jobs import IMPORT_PREFIX, import_scope
from tournaments.policy import ANYBODY, Actor, command, may
from tournaments.selectors.clubs.clubs import actor_of, get_role
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.selectors.imports import hands_of, has_final_games, is_interrupted
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events.states import schedule_finalization
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.hands.hand_rows import note_correction
from tournaments.services.imports.batches import lock_batch, reread_state
from tournaments.services.imports.table_changes import (
    are_hands_removable,
    remove_hands,
    remove_unused_rounds,
    reset_table,
    rounds_noted,
    was_played_on,
)
from tournaments.services.imports.uploads import move_batch
from tournaments.services.jobs.enqueue import hint_after_commit, mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import lock_ladder_state
from tournaments.services.operations import Operation, operation

REASON = "Import undone."


@operation(
    "import_sheets",
    locks=lock_batch,
    refuses=("undo_needs_open_event", "import_moved_on"),
    name="undo_import",
)
def request_undo(op: Operation, batch: ImportBatch, /) -> None:
    """Undo an import: it goes from `done` to `undoing`, and to `undone` once its hands are removed.

    The work goes on in the background; read the import until `finished` is true. Only a director
    may undo an import with hands at final tables.
    """
    # An import that nobody works on any more can be undone too, at any stage: one that a command
    # left when it was ended, or that the workers gave up.
    if not batch.event.is_open:
        raise Conflict(Problem("undo_needs_open_event", facts={"state": batch.event.state}))
    if has_final_games(batch):
        op.require("correct_closed", batch)
    reread_state(batch)
    move_batch(
        batch, BatchState.RUNNING if is_interrupted(batch) else BatchState.DONE, BatchState.UNDOING
    )
    ImportBatch.objects.filter(pk=batch.pk).update(
        undo_by_id=op.actor.user_id, undo_label=op.actor.label, stopped=None
    )
    mark_due(import_scope(batch.pk), now=op.now)
    facts = {"file": batch.file_digest, "hands": hands_of(batch).count()}
    op.audit(batch, facts)
    hint_after_commit(IMPORT_PREFIX, batch.pk)


def undo_steps(batch: ImportBatch, *, now: datetime) -> Generator[None, None, None]:
    """Remove the hands of a batch, a game per step; run again, it continues where it stopped.

    Each step checks its permission again: the event may be closed, games may be final, and the
    actor may have lost the role. Then it stops, and the batch records why.
    """
    hands = Hand.objects.filter(entries__batch=batch)
    replaced = Replacement.objects.filter(batch=batch)
    game_ids = {
        *hands.values_list("game_id", flat=True),
        *replaced.values_list("entry__hand__game_id", flat=True),
    }
    for game_id in sorted(game_ids):
        if not _empty(batch, game_id, now):
            return
        yield
    _close(batch, now)


def _may_continue(batch: ImportBatch, event: Event) -> bool:
    """Whether an undoing goes on, under the event's lock; if not, the batch returns to `done`."""
    batch_now = ImportBatch.objects.select_related("undo_by").get(pk=batch.pk)
    if batch_now.state != BatchState.UNDOING:
        return False
    problem = _undo_problem(batch_now, event)
    if problem is None:
        return True
    stopped = {"code": problem.code, "facts": dict(problem.facts)}
    n_hands = hands_of(batch).count() + Replacement.objects.filter(batch=batch).count()
    ImportBatch.objects.filter(pk=batch.pk).update(
        state=BatchState.DONE, stopped=stopped, accepted=n_hands
    )
    return False


def _undo_problem(batch: ImportBatch, event: Event) -> Problem | None:
    if not event.is_open:
        return Problem("undo_event_not_open", facts={"state": event.state})
    role = get_role(_requester(batch), event.club_id)
    if not may(role, "import_sheets"):
        return Problem("undo_not_allowed")
    if not may(role, "correct_closed") and has_final_games(batch):
        return Problem("undo_of_final_tables")
    return None


def _requester(batch: ImportBatch) -> Actor:
    if batch.undo_by is not None:
        return actor_of(batch.undo_by)
    by = reference_of(batch.undo_label)
    if by.kind != COMMAND_KIND:
        return ANYBODY
    return command(by.key)


@atomic_step
def _empty(batch: ImportBatch, game_id: int, now: datetime) -> bool:
    event = lock_event(batch.event)
    if not _may_continue(batch, event):
        return False
    if event.is_ladder:
        lock_ladder_state(event)  # its steps go with the games
    games = Game.objects.select_related("event", "snapshot", "table__round")
    game = games.select_for_update(of=("self",), no_key=True).filter(pk=game_id).first()
    if game is None:
        return True
    ids = set(Hand.objects.filter(game=game, entries__batch=batch).values_list("pk", flat=True))
    hands = list(Hand.objects.filter(pk__in=ids).order_by("number"))
    counted = sum(hand.state != "void" for hand in hands)
    if are_hands_removable(game, batch):
        remove_hands(game, hands, batch)
    else:
        Hand.objects.filter(pk__in=ids).update(state="void")
    restored = _restore_entries(batch, game, ids, now)
    if was_played_on(batch, game):
        # The import completed it; the hands that are left say what it is now.
        Game.objects.filter(pk=game.pk).update(state="playing")
    _apply_remaining_hands(game)
    if not Hand.objects.filter(game=game).exclude(state="void").exists():
        reset_table(game)
    version = mark_changed(event=event, by=counted or 1, now=now)
    for hand in restored:
        imported = {"import": batch.number}
        note_correction(game, hand, "correct_hand", "", version, REASON, now, **imported)
    return True


def _restore_entries(
    batch: ImportBatch, game: Game, batch_hands: Collection[int], now: datetime
) -> list[Hand]:
    """Make the entry of each hand before the batch its next revision; return hands that changed.

    Hands that were corrected since keep that correction; `batch_hands` are removed as a whole.
    """
    rows = Replacement.objects.filter(batch=batch, entry__hand__game=game)
    replacements = {row.entry_id: row for row in rows.select_related("entry")}
    numbers = {row.board for row in replacements.values() if row.board is not None}
    board_rows = Board.objects.filter(event=game.event_id, number__in=numbers) if numbers else ()
    boards = {board.number: board for board in board_rows}
    replaced = Hand.objects.filter(pk__in=rows.values("entry__hand"), entry__in=replacements)
    changed = []
    back: dict[int, Entry] = {}
    for hand in replaced.exclude(pk__in=batch_hands).order_by("number"):
        entries = Entry.objects.filter(hand=hand)
        before = entries.exclude(pk__in=replacements).order_by("-revision").first()
        first = min(
            (row for row in replacements.values() if row.entry.hand_id == hand.pk),
            key=lambda row: row.entry.revision,
        )
        if before is None:
            continue
        hand.revision += 1
        hand.entry = Entry.objects.create(
            club_id=game.club_id,
            hand=hand,
            revision=hand.revision,
            form=before.form,
            typed=before.typed,
            verified=before.verified,
            moon=before.moon,
            note=before.note,
            reason=REASON,
            source=Source.IMPORT,
            entered_by_id=batch.undo_by_id,
            entered_as=_requester(batch).name,
            entered_at=now,
        )
        hand.state, hand.hands = first.state or hand.state, first.hands
        hand.board = boards.get(first.board or 0, hand.board)
        hand.save(update_fields=["entry", "revision", "state", "hands", "board"])
        changed.append(hand)
        back[hand.pk] = before
    _dismiss_conflicts(batch, game, batch_hands, back)
    rows.delete()
    return changed


def _dismiss_conflicts(
    batch: ImportBatch, game: Game, batch_hands: Collection[int], back: Mapping[int, Entry]
) -> None:
    """Note in each conflict whose stored hand the batch replaced which revision counts now."""
    replaced = Replacement.objects.filter(batch=batch, entry__hand__game=game)
    hands = Hand.objects.filter(pk__in=replaced.values("entry__hand")).select_related("entry")
    for hand in hands:
        words = "" if hand.pk in batch_hands else _counting_revision(hand, back.get(hand.pk))
        conflicts = ImportProblem.objects.filter(
            batch=batch,
            code="hand_exists",
            round=game.table.round.number,
            table=game.table.number,
            hand=hand.number,
        )
        conflicts.exclude(state=ProblemState.DISMISSED).update(
            state=ProblemState.DISMISSED, reason=f"{REASON} {words}".strip()
        )


def _counting_revision(hand: Hand, before: Entry | None) -> str:
    if hand.entry is None:
        return ""
    facts = {"number": hand.revision, "name": author_name(hand.entry.entered_as)}
    if before is None:
        return _("Revision {number}, entered by {name} since, still counts.").format(**facts)
    facts |= {"before": before.revision, "name": author_name(before.entered_as)}
    return _(
        "The stored hand counts again, as revision {number}: {name} entered it as "
        "revision {before}."
    ).format(**facts)


def _apply_remaining_hands(game: Game) -> None:
    """Replay the other hands; one that is refused without the removed ones is disputed."""
    while True:
        try:
            apply_game(game=game, stored=game_now(game))
        except HandRefused as refused:
            Hand.objects.filter(game=game, number=refused.number).update(state="disputed")
        else:
            return


@atomic_step
def _close(batch: ImportBatch, now: datetime) -> None:
    """Remove the rows that were created for these hands alone, and close the batch."""
    event = lock_event(batch.event)
    if not _may_continue(batch, event):
        return
    removed = UndoneHand.objects.filter(batch=batch)
    remaining = Hand.objects.filter(entries__batch=batch)
    n_hands = removed.count() + remaining.distinct().count()
    rounds = {
        *removed.values_list("round", flat=True),
        *remaining.values_list("game__table__round__number", flat=True),
        *rounds_noted(batch),
    }
    remove_unused_rounds(event, batch, rounds, now)
    schedule_finalization(event)
    version = mark_changed(event=event, now=now)
    note_change(
        event=event,
        version=version,
        kind="undo_import",
        by="",
        now=now,
        facts={"import": batch.number, "hands": n_hands},
    )
    waited = ImportProblem.objects.filter(batch=batch, severity__in=WAITING)
    answered = Q(code__in=ANSWERED, state=ProblemState.SETTLED) & ~Q(reason="")
    waited.exclude(answered).exclude(state=ProblemState.DISMISSED).update(
        state=ProblemState.DISMISSED, reason=REASON
    )
    batch.state = BatchState.UNDONE
    batch.ended_at = now
    batch.accepted = 0
    batch.save(update_fields=["state", "ended_at", "accepted"])
