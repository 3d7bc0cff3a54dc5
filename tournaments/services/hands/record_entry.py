"""Record the entry of a hand, and void it: append-only, idempotent, optimistic.

Each hand locks its board, the sums that it changes, then the event's dirty row. A later hand would
lock another board or further sums while holding that row, which no other operation does. See
docs/decisions/0029-one-lock-order.md.

One transaction from the lock to the mark: check the request (`check_entry`), replay the game with
it, then write revision, seat scores, sums, the event's dirty row and the audit line, or nothing.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final

from django.db import connection
from django.db.models import Q

from scoring.entry.typed_hand import form_of
from scoring.errors import Problem, Refused
from tournaments.domain.counters import count_entries
from tournaments.domain.event_settings import settings_of
from tournaments.domain.repeated_hands import HandLine, people_at, repeat_of
from tournaments.domain.replay_game import (
    LAST_HAND,
    TOTALS,
    HandRefused,
    PlayedHand,
    Replay,
    counted_hands,
    entry_of,
)
from tournaments.domain.seating_runs import SeatRun
from tournaments.errors import Conflict, refuse_any
from tournaments.models.boards import Board
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Entry, Game, Hand, HandState, Source
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Round, Seat, Sitting
from tournaments.selectors.clubs.clubs import role_from
from tournaments.selectors.hands.entry_display import find_deletions
from tournaments.selectors.hands.game_for_update import LockedGame, game_now
from tournaments.services.db.locks import lock_for_hand
from tournaments.services.hands.apply_game import moon_json, store_replay
from tournaments.services.hands.board_of_hand import board_of_hand
from tournaments.services.hands.check_entry import (
    ADDITIONAL,
    OF_AN_ENTRY,
    hand_to_revise,
    hands_problems,
    is_unchanged,
    length_problems,
    number_problems,
    player_mismatches,
    replay_with,
    require_known_moves,
    require_newest,
    require_same_seats,
    require_takes_entry,
    seat_by_sheet,
)
from tournaments.services.hands.hand_rows import (
    audit_contested,
    audit_hand,
    insert_hand,
    insert_revision,
    note_correction,
    notify_of_correction,
)
from tournaments.services.operations import Operation, operation, require_role
from tournaments.services.playoffs.playoffs import AuditContext, update_after_hand
from tournaments.services.totals.counted_games import lock_aggregates

NEWEST: Final = -1
"""In place of a revision: a correction of the hand as it is."""


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """A hand as it is after the entry; `replayed` when the key had been answered before.

    A published standing whose version is at least `event_version` contains the hand. `played` is
    what the engine made of it, `seats` and `sat` the table; they are empty where nothing was done.
    `repeats` is the number of the hand beside it that is the same.
    """

    hand: Hand
    entry: Entry
    event_version: int
    replayed: bool
    played: PlayedHand | None = None
    seats: Sequence[Seat] = ()
    sat: Sequence[SeatRun] = ()
    repeats: int | None = None


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
    players = Sitting.objects.filter(seat__table=game.table_id).values("player")
    members = EntrantMember.objects.filter(event=game.event_id, player__in=players)
    lock_aggregates(game.event, set(members.values_list("entrant", flat=True)))


@operation(
    "enter_hand",
    refuses=(
        *OF_AN_ENTRY,
        "hand_exists",
        "entry_outdated",
        "idempotency_key_reused",
        "hand_repeated",
        "hands_moved",
    ),
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
    may_repeat: bool = True,
    known_moves: int | None = None,
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
        known_moves: how many moves of hands from and to the table the author knows of (`moves` of
            the game); None does not ask.
        board: the number of its board in a duplicate event; a revision without one keeps it.
        additional: record a hand beyond the length of the event's games; directors may.
        may_repeat: whether to record a hand that is the same as the one before or after it;
            pages ask first (`hand_repeated`).
        is_totals: the entry is the total of a whole game, of `hands` hands if known.
    """
    actor = op.actor
    # What is no object is refused by the replay, after the permission.
    contents = dict(entry) if isinstance(entry, Mapping) else {}
    fingerprint = _fingerprint(
        entry, is_totals=is_totals, hands=hands, players=players, note=note, board=board
    )
    row = Entry(
        club_id=game.club_id,
        form=form_of(contents),
        typed=contents,
        key=key,
        body_hash=fingerprint,
        reason=reason.strip(),
        note=note,
        source=source if actor.at is None else "link",
        link_id=None if actor.at is None else actor.at.link_id,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=op.now,
    )
    _lock(game, number, seats=players is not None, is_first=based_on is None)
    locked = game_now(game, user_id=actor.user_id, key=key)
    role = role_from(actor, game.club_id, locked.role, table_id=game.table_id)
    op.allow("enter_hand", role)
    answered = _answered_entry(row, game, locked, number=number, based_on=based_on)
    if answered is not None:
        return _answer_again(game, answered)

    require_known_moves(game, known_moves)
    stored = locked.hands.get(number)
    known_revision = based_on
    if stored is not None and based_on == NEWEST:
        known_revision = stored.revision
    revised = _get_revised(game, stored, row, based_on=known_revision)
    require_takes_entry(
        actor,
        role,
        game=game,
        sat=locked.sat,
        number=number,
        hand=revised,
        is_totals=is_totals,
    )
    require_same_seats(game, displayed_players, locked.sat)
    require_newest(revised, number, known_revision)

    problems: list[Problem] = []
    if revised is None and not is_totals:
        problems += number_problems(number)
    problems += hands_problems(hands)
    if revised is not None and not row.reason:
        problems.append(Problem("reason_required", ("reason",)))
    beyond_length = length_problems(game, number, hands=locked.hands.values(), n=hands)
    if beyond_length and additional:
        require_role(actor, role, ADDITIONAL)
    else:
        problems += beyond_length
    if locked.sat or locked.hands:
        problems += player_mismatches(game, locked.sat, number=number, players=players)
    else:
        require_role(actor, role, "seat_open_table")
        problems += seat_by_sheet(game=game, players=players)
        locked = game_now(game)
    played_board, board_problems = board_of_hand(
        game=game, locked=locked, number=number, board=board
    )
    problems += board_problems

    replay = _replay(
        game,
        locked,
        number=number,
        entry=entry,
        # A revision that does not name them keeps them (`_store_entry`).
        hands_of_totals=hands if is_totals or stored is None else stored.hands,
        problems=problems,
    )
    # A correction that changes nothing is refused for that, not for its missing reason.
    if (
        revised is not None
        and all(problem.code == "reason_required" for problem in problems)
        and (not is_totals or revised.hands == hands)
        and is_unchanged(revised, row, played_board)
    ):
        raise Refused(Problem("nothing_changed", ("entry",), {"hand": number}))
    refuse_any(problems)
    repeats = _repeated_hand(
        locked, number, entry=contents, board=played_board, may_repeat=may_repeat
    )

    is_restored = stored is not None and stored.state == "void"
    result = next(hand for hand in replay.hands if hand.number == number)
    hand = _store_entry(
        game,
        row,
        locked=locked,
        replay=replay,
        result=result,
        board=played_board,
        is_totals=is_totals,
        hands=hands,
    )
    version = op.mark(game.event)
    _note_entry(
        op,
        game,
        hand=hand,
        role=role,
        version=version,
        is_new=revised is None,
        is_restored=is_restored,
    )
    return RecordedHand(
        hand=hand,
        entry=row,
        event_version=version,
        replayed=False,
        played=result,
        seats=locked.seats,
        sat=locked.sat,
        repeats=repeats,
    )


record_totals: Final = partial(record_entry, number=TOTALS, is_totals=True)
"""Append a revision to a sheet with totals only, its hand 0, for so many `hands` if known."""


def _lock(game: Game, number: int, *, seats: bool, is_first: bool) -> None:
    """Lock the game, and the event before it if its table has no players yet.

    Revising a void hand restores it for its players, who must not be seated elsewhere meanwhile.

    Data is read afterwards, in a separate statement, so that a round closed during the wait for the
    lock is seen as closed.
    """
    locks_seats = False
    if connection.features.has_select_for_update:
        if seats:
            locks_seats = not Sitting.objects.filter(seat__table=game.table_id).exists()
        if not is_first and not locks_seats:
            locks_seats = Hand.objects.filter(game=game, number=number, state="void").exists()
    lock_for_hand(game, seats=locks_seats)


def _get_revised(
    game: Game, stored: Hand | None, row: Entry, *, based_on: int | None
) -> Hand | None:
    """Return the hand that an entry revises; None for a new one.

    A hand that counts at another table is not restored here: it would count twice. An import
    restores only what went with its own undo (`existing_tables`).

    A hand that is there with the same numbers is refused as such whatever the state of its round,
    so that a phone lets it go.
    """
    if stored is not None and based_on is None and is_unchanged(stored, row, stored.board):
        require_newest(stored, stored.number, based_on)
    hand = hand_to_revise(stored, row, based_on=based_on)
    if hand is None or not hand.is_undone or row.source == Source.IMPORT:
        return hand
    key = (game.table.code, hand.number)
    deletion = find_deletions(game.event, [key]).get(key)
    if deletion is not None and deletion.moved_to is not None:
        raise Conflict(Problem("hand_undone", facts={"hand": hand.number}), there=hand)
    return hand


def _answer_again(game: Game, entry: Entry) -> RecordedHand:
    versions = Dirty.objects.filter(scope=event_scope(game.event_id))
    version = versions.values_list("version", flat=True).first() or 0
    return RecordedHand(hand=entry.hand, entry=entry, event_version=version, replayed=True)


def _answered_entry(
    row: Entry, game: Game, locked: LockedGame, *, number: int, based_on: int | None
) -> Entry | None:
    """Return the entry that the same request has made before: under its key, or as the newest
    revision, whose answer its author has not got."""
    if locked.under_key is not None:
        entry = Entry.objects.select_related("hand__entry").get(pk=locked.under_key)
        if (entry.hand.number, entry.body_hash) != (number, row.body_hash):
            raise Refused(Problem("idempotency_key_reused", facts={"hand": entry.hand.number}))
        return entry
    hand = locked.hands.get(number)
    if hand is None or hand.entry is None or hand.revision == 1 or hand.state != "accepted":
        return None
    if based_on not in (NEWEST, hand.revision - 1) or hand.entry.revision != hand.revision:
        return None
    author_and_body = attrgetter("entered_by_id", "link_id", "entered_as", "reason", "body_hash")
    if author_and_body(hand.entry) != author_and_body(row):
        return None
    return hand.entry


def _repeated_hand(
    locked: LockedGame,
    number: int,
    *,
    entry: Mapping[str, object],
    board: Board | None,
    may_repeat: bool,
) -> int | None:
    """Return the number of the hand beside hand `number` that is the same as `entry`.

    Refused with `hand_repeated` unless `may_repeat`.
    """
    if number == TOTALS:
        return None
    new_line = HandLine(
        number=number,
        entry=entry,
        people=people_at(locked.sat, number),
        board=board.pk if board is not None else None,
    )
    lines = [new_line]
    for other_number, hand in locked.hands.items():
        if other_number == number or hand.state == HandState.VOID or hand.entry is None:
            continue
        line = HandLine(
            number=other_number,
            entry=hand.entry.typed,
            people=people_at(locked.sat, other_number),
            moon=hand.entry.moon,
            board=hand.board_id,
        )
        lines.append(line)
    repeats = repeat_of(number, lines)
    if repeats is not None and not may_repeat:
        raise Refused(Problem("hand_repeated", ("entry",), {"hand": number, "other": repeats}))
    return repeats


def _replay(
    game: Game,
    locked: LockedGame,
    *,
    number: int,
    entry: Mapping[str, object],
    hands_of_totals: int | None,
    problems: Sequence[Problem],
) -> Replay:
    """Play the game with the new entry, before anything is written.

    If its entry is wrong, it is refused with `problems`; another hand that contradicts it raises
    `HandRefused`.
    """
    if not locked.seats:
        raise Refused(*problems)
    # A number that cannot be is judged as the last hand of all, and refused in the end.
    is_number = all(problem.code != "bad_hand_number" for problem in problems)
    place = number if is_number else LAST_HAND + 1
    try:
        return replay_with(
            game,
            locked.seats,
            hands=locked.hands.values(),
            number=place,
            entry=entry,
            hands_of_totals=hands_of_totals,
        )
    except HandRefused as refused:
        if refused.number == place:
            raise Refused(*problems, *refused.problems) from refused
        raise


def _store_entry(
    game: Game,
    row: Entry,
    *,
    locked: LockedGame,
    replay: Replay,
    result: PlayedHand,
    board: Board | None,
    is_totals: bool,
    hands: int | None,
) -> Hand:
    """Store a revision of the hand of `result`, and the scores and sums of the replay with it."""
    row.verified = result.score.verified
    row.moon = moon_json(result)
    stored = locked.hands.get(result.number)
    if stored is None:
        hand = Hand(club_id=game.club_id, game=game, number=result.number)
        row.revision = 1
    else:
        hand = stored
        row.revision = stored.revision + 1
    before = hand.board_id, hand.hands
    hand.state = "accepted"
    hand.revision = row.revision
    hand.board = board
    if is_totals:
        hand.hands = hands
    if stored is None:
        insert_hand(hand, row)
    else:
        insert_revision(hand, row)
        if (hand.board_id, hand.hands) != before:
            Hand.objects.filter(pk=hand.pk).update(board=board, hands=hand.hands)
    if game.table.round.state == "posted":
        Round.objects.filter(pk=game.table.round_id, state="posted").update(state="playing")
    store_replay(
        game=game,
        stored=locked,
        hands=counted_hands({**locked.hands, hand.number: hand}.values()),
        played=replay,
        new=hand if stored is None else None,
    )
    return hand


def _note_entry(
    op: Operation,
    game: Game,
    *,
    hand: Hand,
    role: str,
    version: int,
    is_new: bool,
    is_restored: bool,
) -> None:
    """Write what follows from a stored entry: change log, notices, play-off, audit line.

    Args:
        is_new: whether it is entered as a new hand, which may be in the place of an undone one.
        is_restored: whether the hand was void before.
    """
    row = entry_of(hand)
    if hand.revision > 1:
        change = "restore" if is_restored else "correct"
        change_facts = {"is_new": True} if is_new else {}
        note_correction(
            game,
            hand,
            kind=f"{change}_hand",
            role=role,
            version=version,
            reason=row.reason,
            now=op.now,
            **change_facts,
        )
        if not is_new:
            notify_of_correction(op, game, hand=hand, operation=change)
    if not game.counts:
        by = AuditContext(op.actor, role, row.reason)
        update_after_hand(game, hand, by=by, version=version, now=op.now)
    facts = {"revision": hand.revision}
    if hand.board is not None:
        facts["board"] = hand.board.number
    audit_name = "enter_hand" if is_new else "correct_hand"
    audit_hand(op, game, number=hand.number, operation=audit_name, facts=facts)
    count_entries(row.source)


def _fingerprint(
    entry: object,
    *,
    is_totals: bool,
    hands: int | None,
    players: Sequence[str] | None,
    note: str,
    board: int | None,
) -> str:
    """Return the digest of what was sent, by which a repeated request is known."""
    body: list[object] = [entry, players, note]
    if is_totals:
        body[0] = (entry, hands)
    if board is not None:
        body.append(board)
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
