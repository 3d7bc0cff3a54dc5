"""Resolve a hand that the event has with other content than the file: keep it, or replace it.

Using the file's hand is a correction like any other (`record_entry`): its rights, its window and
its lines in the change log and the audit. The replaced entry is stored with the import, so that
undoing the import brings the earlier revision back.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db.models import F

from scoring.errors import Refused
from scoring.json_types import JsonObject
from tournaments.domain.reasons import reason_problems
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import (
    BatchState,
    ImportBatch,
    ImportProblem,
    ProblemState,
    Replacement,
)
from tournaments.policy import Actor
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.hands.hand_rows import audit_conflicts
from tournaments.services.hands.record_entry import RecordedHand, record_entry, record_totals
from tournaments.services.imports.batches import close_rounds, stale_batch_problem
from tournaments.services.imports.table_changes import recorded_round_states
from tournaments.services.permissions import require
from tournaments.services.rounds.seating import table_code

CODE: Final = "hand_exists"
"""The code of the problem that is resolved here."""


def file_hand(problem: ImportProblem) -> JsonObject | None:
    """Return the file's hand of a conflict as it was stored; None for any other problem.

    It has `entry` and `hands`; `players` clockwise and `board` where the file gives them.
    """
    if problem.code != CODE or problem.hand is None:
        return None
    return next((offer for offer in problem.offers if "entry" in offer), None)


def conflict_game(problem: ImportProblem, event: Event) -> Game:
    return game_at(event, table_code(problem.round or 0, problem.table or 0))


def correct_hand(
    *, actor: Actor, problem: ImportProblem, event: Event, based_on: int, reason: str, now: datetime
) -> RecordedHand:
    """Record the file's hand as the next revision of the stored one.

    Its numbers belong to seats: it is refused if others sit there by now than in the file.
    """
    hand = file_hand(problem)
    if hand is None:
        raise Conflict(stale_batch_problem(problem.batch))
    number = problem.hand or TOTALS
    record = (
        partial(record_totals, hands=hand.get("hands"))
        if number == TOTALS
        else partial(record_entry, number=number, board=hand.get("board"))
    )
    return record(
        actor=actor,
        game=conflict_game(problem, event),
        entry=hand["entry"],
        based_on=based_on,
        reason=reason,
        source="import",
        players=_get_ids(hand.get("players", ())),
        now=now,
    )


def _get_ids(players: Sequence[int]) -> list[str] | None:
    """Return the ids of players by their rows; None if the file does not name everybody."""
    ids = dict(Player.objects.filter(pk__in=players).values_list("pk", "player_id"))
    return [ids[player] for player in players] if players and ids.keys() >= set(players) else None


def use_file_hand(
    *, actor: Actor, problem: ImportProblem, based_on: int, reason: str, now: datetime
) -> RecordedHand:
    """Replace a stored hand by the file's, as a revision with its reason, and resolve the problem.

    Args:
        based_on: the revision of the stored hand that its reader saw.
    """
    return _use_file_hand(
        actor=actor,
        problem=problem,
        game=conflict_game(problem, problem.batch.event),
        number=problem.hand or TOTALS,
        based_on=based_on,
        reason=reason,
        now=now,
    )


@audit_conflicts
@atomic_act
def _use_file_hand(
    *,
    actor: Actor,
    problem: ImportProblem,
    game: Game,
    number: int,
    based_on: int,
    reason: str,
    now: datetime,
) -> RecordedHand:
    batch = problem.batch
    require(actor, batch.club, "import_sheets")
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    words = reason.strip()
    event = lock_event(batch.event)
    numbers = {problem.round or 0}
    lock_games(Game.objects.filter(event=event, table__round__number__in=numbers))
    _require_waiting(problem)
    hands = Hand.objects.filter(game=game.pk, number=number)
    before = hands.values("state", "hands", "board__number").first()
    recorded = correct_hand(
        actor=actor, problem=problem, event=event, based_on=based_on, reason=words, now=now
    )
    note_replacement(batch, recorded, before or {})
    ImportProblem.objects.filter(pk=problem.pk).update(state=ProblemState.SETTLED, reason=words)
    ImportBatch.objects.filter(pk=batch.pk, accepted__lt=F("hands")).update(
        accepted=F("accepted") + 1
    )
    recorded_round_states(batch, event, numbers, lambda: close_rounds(event, numbers, now=now))
    append_audit(
        club=event.club,
        actor=actor,
        act="use_file_hand",
        subject=f"event:{event.slug}/import:{batch.number}/problem:{problem.position}",
        facts={"revision": recorded.hand.revision},
        now=now,
    )
    return recorded


def note_replacement(batch: ImportBatch, recorded: RecordedHand, before: JsonObject) -> None:
    """Store that an import made a revision, with the state of the hand before it."""
    Replacement.objects.create(
        club_id=batch.club_id,
        batch=batch,
        entry=recorded.entry,
        state=before.get("state", ""),
        hands=before.get("hands"),
        board=before.get("board__number"),
    )


def _require_waiting(problem: ImportProblem) -> None:
    rows = ImportProblem.objects.filter(pk=problem.pk, state=ProblemState.OPEN)
    if not rows.filter(batch__state=BatchState.DONE).exists():
        raise Conflict(stale_batch_problem(problem.batch))
