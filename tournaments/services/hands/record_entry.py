"""Record the entry of a hand, and void it: append-only, idempotent, optimistic.

Each hand locks its board, the sums that it changes, then the event's dirty row. A later hand would
lock another board or further sums while holding that row, which no other operation does. See
docs/decisions/0029-one-lock-order.md.

Three steps under the lock of the game: authorise, plan (`plan_entry`), write. One transaction from
the lock to the mark: revision, seat scores, sums, the event's dirty row and the audit line are all
written or none is.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from django.db import connection
from django.db.models import Q

from scoring.entry.typed_hand import form_of
from scoring.errors import Problem, Refused
from tournaments.domain.counters import count_entries
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, PlayedHand
from tournaments.models.boards import Board
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Round, Seat, Sitting
from tournaments.selectors.clubs.clubs import role_from
from tournaments.selectors.hands.game_for_update import SeatStretch, game_now
from tournaments.services.db.locks import lock_for_hand
from tournaments.services.hands.apply_game import counted_hands, moon_json, store_replay
from tournaments.services.hands.hand_rows import (
    audit_contested,
    audit_hand,
    insert_hand,
    insert_revision,
    note_correction,
    notify_of_correction,
)
from tournaments.services.hands.plan_entry import (
    OF_AN_ENTRY,
    EntryPlan,
    EntryRequest,
    plan_entry,
)
from tournaments.services.operations import Operation, operation
from tournaments.services.playoffs.playoffs import AuditContext, update_after_hand
from tournaments.services.totals.counted_games import lock_aggregates


def lock_table_totals(game: Game, boards: Collection[int]) -> None:
    """Lock the event, the game, `boards` and the sums of all who sat there, in this transaction.

    The event is locked because restoring any void hand of these locks its row.
    """
    lock_for_hand(game, seats=True)
    if not game.counts:
        return
    if connection.features.has_select_for_update and settings_of(game.event).duplicate:
        played = Hand.objects.filter(game=game.pk, board__isnull=False).values("board")
        rows = Board.objects.filter(Q(number__in=boards) | Q(pk__in=played), event=game.event_id)
        list(rows.select_for_update(of=("self",), no_key=True).order_by("pk"))
    sat = Sitting.objects.filter(seat__table=game.table_id).values("player")
    members = EntrantMember.objects.filter(event=game.event_id, player__in=sat)
    lock_aggregates(game.event, set(members.values_list("entrant", flat=True)))


NEWEST: Final = -1
"""In place of a revision: a correction of the hand as it is."""


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """A hand as it is after the entry; `replayed` when the key had been answered before.

    A published standing whose version is at least `event_version` contains the hand. `played` is
    what the engine made of it, `seats` and `sat` the table; they are empty where nothing was done.
    """

    hand: Hand
    entry: Entry
    event_version: int
    replayed: bool
    played: PlayedHand | None = None
    seats: Sequence[Seat] = ()
    sat: Sequence[SeatStretch] = ()


@operation(
    "enter_hand",
    refuses=(*OF_AN_ENTRY, "hand_exists", "entry_outdated", "idempotency_key_reused"),
    right_in_body=True,
    audits_refusals=audit_contested,
)
def record_entry(
    op: Operation,
    game: Game,
    /,
    *,
    number: int,
    entry: Mapping[str, object],
    source: str,
    based_on: int | None = None,
    key: str | None = None,
    reason: str = "",
    note: str = "",
    players: Sequence[str] | None = None,
    displayed_players: Sequence[str] | None = None,
    board: int | None = None,
    is_totals: bool = False,
    hands: int | None = None,
    additional: bool = False,
) -> RecordedHand:
    """Append a revision to hand `number` of `game`, score it, and mark its event as changed.

    Args:
        entry: what was entered, in the form of docs/api.md.
        based_on: the revision that the host read, or NEWEST; None for a new hand.
        key: idempotency key, stored permanently; a repeated one returns the first result, and so
            does the newest revision sent again by its author with the same `based_on`.
        reason: required for every revision after the first.
        players: player ids in seat order; must match the seating, and seat a table without players
            (open stage).
        displayed_players: player ids in seat order, as displayed on the page.
        board: the number of its board in a duplicate event; a revision without one keeps it.
        additional: record a hand beyond the length of the event's games; directors may.
        is_totals: the entry is the total of a whole game, of `hands` hands if known.
    """
    return _record(
        EntryRequest(
            op=op,
            game=game,
            number=number,
            entry=entry,
            source=source,
            based_on=based_on,
            key=key,
            reason=reason,
            note=note,
            players=players,
            displayed_players=displayed_players,
            is_totals=is_totals,
            hands=hands,
            board=board,
            additional=additional,
        )
    )


record_totals: Final = partial(record_entry, number=TOTALS, is_totals=True)
"""Append a revision to a sheet with totals only, its hand 0, for so many `hands` if known."""


def _record(request: EntryRequest) -> RecordedHand:
    """Authorise, plan and write under the lock; a repeated key gets the first answer."""
    op, game = request.op, request.game
    _lock(request)
    locked = game_now(game, user_id=op.actor.user_id, key=request.key)
    role = role_from(op.actor, game.club_id, locked.role, table_id=game.table_id)
    op.allow("enter_hand", role)
    if locked.under_key is not None:
        earlier = Entry.objects.select_related("hand__entry").get(pk=locked.under_key)
        if (earlier.hand.number, earlier.body_hash) != (request.number, _fingerprint(request)):
            raise Refused(Problem("idempotency_key_reused", facts={"hand": earlier.hand.number}))
        return _replayed(game, earlier.hand, earlier)
    hand = locked.hands.get(request.number)
    if hand is not None and hand.entry is not None and _is_repeated(request, hand, hand.entry):
        return _replayed(game, hand, hand.entry)
    if hand is not None and request.based_on == NEWEST:
        request = replace(request, based_on=hand.revision)
    return _write(request, role, plan_entry(request, role, locked))


def _replayed(game: Game, hand: Hand, entry: Entry) -> RecordedHand:
    versions = Dirty.objects.filter(scope=event_scope(game.event_id))
    version = versions.values_list("version", flat=True).first() or 0
    return RecordedHand(hand, entry, version, replayed=True)


def _is_repeated(request: EntryRequest, hand: Hand, entry: Entry) -> bool:
    """Whether the newest revision is the same request of the same actor, whose answer was lost."""
    if hand.revision == 1 or request.based_on not in (NEWEST, hand.revision - 1):
        return False
    actor = request.op.actor
    link_id = actor.at.link_id if actor.at is not None else None
    author = (actor.user_id, link_id, actor.name, request.reason.strip())
    is_own = author == (entry.entered_by_id, entry.link_id, entry.entered_as, entry.reason)
    is_current = hand.state == "accepted" and entry.revision == hand.revision
    return is_own and is_current and entry.body_hash == _fingerprint(request)


def _write(request: EntryRequest, role: str, plan: EntryPlan) -> RecordedHand:
    op, game, row = request.op, request.game, _entry_row(request, plan)
    was_void = plan.hand is not None and plan.hand.state == "void"
    hand = _store_revision(request, plan, row)
    if game.table.round.state == "posted":
        Round.objects.filter(pk=game.table.round_id, state="posted").update(state="playing")
    hands = {**plan.locked.hands, hand.number: hand}
    store_replay(
        game=game,
        stored=plan.locked,
        hands=counted_hands(hands.values()),
        played=plan.played,
        new=hand if plan.hand is None else None,
    )
    version = op.mark(game.event)
    if plan.hand is not None:
        operation = "restore" if was_void else "correct"
        note_correction(game, hand, f"{operation}_hand", role, version, row.reason, op.now)
        if not plan.is_new:
            notify_of_correction(op, game, hand, operation)
    if not game.counts:
        by = AuditContext(op.actor, role, row.reason)
        update_after_hand(game, hand, by=by, version=version, now=op.now)
    facts = {"revision": hand.revision}
    if hand.board is not None:
        facts["board"] = hand.board.number
    operation = "enter_hand" if plan.is_new else "correct_hand"
    audit_hand(op, game, hand.number, operation, facts)
    count_entries(row.source)
    seats, sat = plan.locked.seats, plan.locked.sat
    return RecordedHand(
        hand, row, version, replayed=False, played=plan.played_hand, seats=seats, sat=sat
    )


def _entry_row(request: EntryRequest, plan: EntryPlan) -> Entry:
    actor = request.op.actor
    return Entry(
        club_id=request.game.club_id,
        revision=plan.hand.revision + 1 if plan.hand is not None else 1,
        form=form_of(request.entry),
        typed=dict(request.entry),
        verified=plan.played_hand.score.verified,
        moon=moon_json(plan.played_hand),
        key=request.key,
        body_hash=_fingerprint(request),
        reason=request.reason.strip(),
        note=request.note,
        source=request.source if actor.at is None else "link",
        link_id=actor.at.link_id if actor.at is not None else None,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=request.op.now,
    )


def _store_revision(request: EntryRequest, plan: EntryPlan, row: Entry) -> Hand:
    game = request.game
    hand = plan.hand or Hand(club_id=game.club_id, game=game, number=request.number)
    hand.state, hand.revision = "accepted", row.revision
    if request.is_totals:
        hand.hands = request.hands
    board_before, hand.board = hand.board_id, plan.board
    if plan.hand is None:
        insert_hand(hand, row)
        return hand
    insert_revision(hand, row)
    if hand.board_id != board_before:
        Hand.objects.filter(pk=hand.pk).update(board=plan.board)
    if request.is_totals:
        Hand.objects.filter(pk=hand.pk).update(hands=request.hands)
    return hand


def _lock(request: EntryRequest) -> None:
    """Lock the game, and the event before it if its table has no players yet.

    Revising a void hand restores it for its players, who must not be seated elsewhere meanwhile.

    Data is read afterwards, in a separate statement, so that a round closed during the wait for the
    lock is seen as closed.
    """
    game, has_locks = request.game, connection.features.has_select_for_update
    is_open = request.players is not None and has_locks
    seats = is_open and not Sitting.objects.filter(seat__table=game.table_id).exists()
    if request.based_on is not None and has_locks:
        void = Hand.objects.filter(game=game, number=request.number, state="void")
        seats = seats or void.exists()
    lock_for_hand(game, seats=seats)


def _fingerprint(request: EntryRequest) -> str:
    entry = (request.entry, request.hands) if request.is_totals else request.entry
    body: list[object] = [entry, request.players, request.note]
    body += [] if request.board is None else [request.board]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
