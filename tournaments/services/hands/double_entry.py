"""Blind double entry: a second person types a sheet again, and a person decides differences.

The second entry does not count. Only a decision for it does, as an ordinary revision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import teams_of
from tournaments.errors import Conflict, Forbidden, first_or_missing
from tournaments.models.boards import Board
from tournaments.models.hands import Game, Hand, Ruling, SecondTyping
from tournaments.selectors.hands.double_entry import (
    first_hand_problems,
    hands_entered_by,
    is_same_hand,
)
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_game
from tournaments.services.hands.board_of_hand import known_boards
from tournaments.services.hands.check_entry import (
    OF_AN_ENTRY,
    length_problems,
    number_problems,
    require_known_moves,
    require_same_seats,
)
from tournaments.services.hands.hand_rows import audit_hand
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation, operation

SECOND_IS_RIGHT: Final = "Double entry: the second entry is right"
FIRST_STANDS: Final = "Double entry: the first entry is right"
LONGEST_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class SecondEntry:
    """One hand as it was typed again, with the key that makes sending it twice harmless.

    Without a key the same entry again is harmless, and another one replaces it.
    """

    number: int
    entry: Mapping[str, object]
    key: str | None
    board: int | None = None


@operation(
    "enter_hand",
    locks=lock_game,
    refuses=("double_entry_off", "typed_by_you", "hands_moved", *OF_AN_ENTRY),
    right_in_body=True,
)
def enter_again(
    op: Operation,
    game: Game,
    /,
    *,
    rows: Sequence[SecondEntry],
    is_whole: bool,
    displayed_players: Sequence[str] | None = None,
    known_moves: int | None = None,
    is_all_or_none: bool = False,
) -> dict[int, Sequence[Problem]]:
    """Keep hands as a second person typed them, compared with those that count.

    Good hands are kept although another one waits, unless it is all or none.

    Args:
        is_whole: these are all hands of that person's paper; where all of them are good, the others
            of the sheet are kept as missing there.
        displayed_players: player ids in seat order as the page had them on which they were typed.
        known_moves: that of `record_entry`.

    Returns:
        Hand number → why it was not kept.
    """
    _require(op, game)
    own_numbers = hands_entered_by(game, op.actor.user_id)
    if mine := sorted(own_numbers & {row.number for row in rows}):
        raise Conflict(Problem("typed_by_you", facts={"hand": mine[0]}))
    hands = Hand.objects.filter(game=game, state="accepted", number__gt=0)
    first_hands = {hand.number: hand for hand in hands.select_related("entry", "board")}
    if first_hands and own_numbers >= first_hands.keys():
        raise Conflict(Problem("typed_by_you", facts={"hand": min(own_numbers)}))
    locked = game_now(game)
    require_known_moves(game, known_moves)
    require_same_seats(game, displayed_players, locked.sat)
    second_sheet = _Seen(op, game)
    compare = _Comparison(game)
    all_hands = list(game.hands.all())
    wrong: dict[int, Sequence[Problem]] = {}
    for row in rows:
        problems = [
            *number_problems(row.number),
            *length_problems(game, row.number, all_hands),
            *compare.problems(row.entry),
            *compare.board_problems(row.board),
        ]
        if problems:
            wrong[row.number] = problems
            continue
        second_sheet.keep(row.number, row, first_hands.get(row.number), compare)
    if is_all_or_none and wrong:
        raise Refused(
            *(
                replace(problem, at=("hands", place, *problem.at))
                for place, row in enumerate(rows)
                for problem in wrong.get(row.number, ())
            )
        )
    if is_whole and not wrong:
        for number in sorted(first_hands.keys() - own_numbers - {row.number for row in rows}):
            second_sheet.keep(number, None, first_hands[number], compare)
    if second_sheet.n_kept:
        facts = {"hands": second_sheet.n_kept, "differ": second_sheet.n_differ}
        audit_hand(op, game, None, "type_again", facts)
    return wrong


@operation(
    "enter_hand",
    refuses=(
        *("unknown_hand", "double_entry_off", "bad_setting", "hand_not_typed_again"),
        *record_entry.refuses,
    ),
    right_in_body=True,
)
def choose_entry(
    op: Operation,
    game: Game,
    /,
    *,
    number: int,
    second: int,
    revision: int,
    stands: str,
    reason: str,
) -> Ruling:
    """Decide which typing of a hand is right; the second one becomes its next revision."""
    if stands not in Ruling.Stands.values:
        facts = {"key": "stands", "found": stands, "expected": "first or second"}
        raise Refused(Problem("bad_setting", ("stands",), facts))
    # A void hand may come back by it, which takes the event's row; that is before the game's.
    game = lock_game(game, seats=stands == "second")
    _require(op, game)
    typings = SecondTyping.objects.filter(game=game, number=number).order_by("-pk")
    newest = first_or_missing(typings, "hand", hand=number, table=game.table.code)
    hand = Hand.objects.filter(game=game, number=number).first()
    theirs = hand.revision if hand is not None and hand.state == "accepted" else 0
    if (newest.pk, theirs) != (second, revision):
        raise Conflict(Problem("entry_outdated", facts={"yours": revision, "theirs": theirs}))
    text = SECOND_IS_RIGHT if stands == "second" else FIRST_STANDS
    text = f"{text}. {reason.strip()}"[:LONGEST_REASON] if reason.strip() else text
    if stands == "second":
        if newest.typed is None:
            raise Refused(Problem("hand_not_typed_again", facts={"hand": number}))
        recorded = record_entry(
            op,
            game,
            number=number,
            entry=_with_unasked(newest.typed, hand),
            source="host",
            based_on=hand.revision if hand is not None and not hand.is_undone else None,
            reason=text,
            board=newest.board,
        )
        theirs = recorded.hand.revision
    ruling = Ruling.objects.create(
        club=game.club,
        second=newest,
        stands=stands,
        revision=theirs,
        reason=text,
        by_id=op.actor.user_id,
        by_as=op.actor.name,
        at=op.now,
    )
    decided = {"stands": ruling.stands, "revision": theirs}
    audit_hand(op, game, number, "rule_typings", decided)
    return ruling


def _with_unasked(typed: Mapping[str, object], hand: Hand | None) -> Mapping[str, object]:
    """Return a second entry with what no form of it asks for, as the first entry has it."""
    first = hand.entry.typed if hand is not None and hand.entry is not None else {}
    if ("points" in typed) != ("points" in first):
        return typed
    return {key: first[key] for key in ("kitty", "tricks") if key in first} | dict(typed)


def _require(op: Operation, game: Game) -> None:
    if op.actor.at is not None or op.actor.user_id is None:
        raise Forbidden("enter_hand")  # two people are two accounts
    op.require("enter_hand", game)
    if not settings_of(game.event).double_entry:
        raise Conflict(Problem("double_entry_off"))


class _Comparison:
    """Judges and compares entries of one game, each by itself."""

    def __init__(self, game: Game) -> None:
        seats = seats_of_game(game)
        self.rules = rules_of(game.snapshot)
        self.seats = len(seats)
        self.teams = teams_of(seats, self.rules)
        settings = settings_of(game.event)
        self.chips = settings.start_totals
        boards = Board.objects.filter(event=game.event_id).order_by("number")
        is_duplicate = game.counts and settings.duplicate
        self.boards = list(boards.values_list("number", flat=True)) if is_duplicate else None

    def board_problems(self, board: int | None) -> Sequence[Problem]:
        if self.boards is None:
            unexpected = Problem("board_not_expected", ("board",), {"found": board or 0})
            return () if board is None else (unexpected,)
        if board is None:
            return (Problem("board_needed", ("board",)),)
        if board in self.boards:
            return ()
        facts = {"found": board, "known": known_boards(self.boards)}
        return (Problem("no_such_board", ("board",), facts),)

    def problems(self, entry: Mapping[str, object]) -> Sequence[Problem]:
        return first_hand_problems(self.rules, self.seats, entry, self.teams, self.chips)

    def agree(self, hand: Hand | None, row: SecondEntry | None) -> bool:
        first = hand.entry if hand is not None else None
        if hand is None or first is None or row is None:
            return first is None and row is None
        if self.boards is not None and (hand.board is None or hand.board.number != row.board):
            return False
        return is_same_hand(
            self.rules, self.seats, first.typed, row.entry, teams=self.teams, chips=self.chips
        )


class _Seen:
    """One person's second entry of a game so far; stores new hands of it."""

    def __init__(self, op: Operation, game: Game) -> None:
        self.op, self.game = op, game
        rows = SecondTyping.objects.filter(game=game).order_by("pk")
        self.keys = {(row.number, row.key) for row in rows}
        self.newest = {row.number: row for row in rows}
        self.n_kept = self.n_differ = 0

    def keep(
        self,
        number: int,
        row: SecondEntry | None,
        hand: Hand | None,
        compare: _Comparison,
    ) -> None:
        entry, key, board = (row.entry, row.key, row.board) if row else (None, None, None)
        last = self.newest.get(number)
        revision = hand.revision if hand is not None else 0
        is_own = last is not None and last.by_id == self.op.actor.user_id
        values = (entry, revision, board)
        if last is not None and is_own and (last.typed, last.revision, last.board) == values:
            return
        if key is not None and (number, key) in self.keys:
            return
        agreed = compare.agree(hand, row)
        SecondTyping.objects.create(
            club=self.game.club,
            game=self.game,
            number=number,
            typed=None if entry is None else dict(entry),
            board=board,
            revision=revision,
            agreed=agreed,
            key=key,
            by_id=self.op.actor.user_id,
            by_as=self.op.actor.name,
            at=self.op.now,
        )
        self.n_kept += 1
        self.n_differ += not agreed
