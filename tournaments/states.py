"""The allowed changes of state: from, to, and the right. All others are refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from scoring.errors import Problem
from tournaments.errors import Conflict


@dataclass(frozen=True, slots=True)
class Move:
    """One allowed change of state: the right that allows it, and whether it needs a reason.

    `by` is what triggers the move if it is not requested directly.
    """

    right: str
    needs_reason: bool = False
    by: str = ""


Moves: TypeAlias = Mapping[tuple[str, str], Move]

EVENT: Final[Moves] = {
    ("draft", "open"): Move("manage_event"),
    ("open", "draft"): Move("manage_event"),
    ("open", "closed"): Move("manage_event"),
    ("closed", "open"): Move("manage_event", needs_reason=True),
    ("closed", "final"): Move("manage_event"),
    ("final", "open"): Move("manage_club", needs_reason=True),
}

ROUND: Final[Moves] = {
    ("draft", "posted"): Move("manage_event"),
    ("posted", "draft"): Move("manage_event"),
    ("posted", "playing"): Move("enter_hand", by="the first hand"),
    ("playing", "closed"): Move("manage_event"),
    ("closed", "playing"): Move("manage_event", needs_reason=True),
}

GAME: Final[Moves] = {
    ("seated", "playing"): Move("enter_hand", by="the first hand"),
    ("playing", "complete"): Move("close_table"),
    ("playing", "abandoned"): Move("manage_event", needs_reason=True),
    ("complete", "checked"): Move("enter_hand", by="checking the sheet"),
    ("complete", "final"): Move("manage_event", by="the end of the correction window"),
    ("checked", "final"): Move("manage_event", by="the end of the correction window"),
    ("complete", "playing"): Move("close_table"),
    ("checked", "playing"): Move("close_table"),
    ("final", "final"): Move("correct_closed", needs_reason=True, by="correcting a hand"),
}

HAND: Final[Moves] = {
    ("", "accepted"): Move("enter_hand"),
    ("", "disputed"): Move("file_disputed"),
    ("accepted", "accepted"): Move("enter_hand", needs_reason=True, by="a correction"),
    ("disputed", "accepted"): Move("enter_hand", needs_reason=True, by="a correction"),
    ("accepted", "void"): Move("void_hand", needs_reason=True),
    ("disputed", "void"): Move("void_hand", needs_reason=True),
    ("void", "accepted"): Move("correct_closed", needs_reason=True),
}

ENTRANT: Final[Moves] = {
    ("active", "withdrawn"): Move("manage_event", needs_reason=True),
    ("withdrawn", "active"): Move("manage_event", needs_reason=True),
}

MEETING: Final[Moves] = {
    ("planned", "held"): Move("enter_hand", by="the first hand"),
    ("planned", "cancelled"): Move("manage_event", needs_reason=True),
    ("cancelled", "planned"): Move("manage_event"),
}

_PRESENCE: Final = ("expected", "here", "late", "left", "absent", "waiting")

ATTENDANCE: Final[Moves] = {
    (begin, to): Move("take_attendance") for begin in ("", *_PRESENCE) for to in _PRESENCE
}
"""A host or director sets any state from any state; "" is a player without a row."""

_OWN_ANSWERS: Final = ("expected", "late", "absent")
_MAY_CHECK_IN: Final = ("", "expected", "here", "late", "left", "absent")

OWN_ATTENDANCE: Final[Moves] = {
    **{
        (begin, to): Move("check_in")
        for begin in ("", "waiting", *_OWN_ANSWERS)
        for to in _OWN_ANSWERS
        if begin != to
    },
    **{(begin, "here"): Move("check_in") for begin in _MAY_CHECK_IN},
}
"""Statements of players about themselves: coming, later, or not, and on the day here.

Who says so when all places are taken is waiting, and is checked in by the host.
"""

DISPUTE: Final[Moves] = {
    ("open", "upheld"): Move("rule_on_disputes", needs_reason=True),
    ("open", "rejected"): Move("rule_on_disputes", needs_reason=True),
    ("open", "withdrawn"): Move("open_dispute"),
}


SEATING_PLAN: Final[Moves] = {
    ("draft", "chosen"): Move("manage_event"),
    ("chosen", "superseded"): Move("manage_event"),
}

CHALLENGE: Final[Moves] = {
    ("issued", "accepted"): Move("challenge"),
    ("issued", "declined"): Move("challenge"),
    ("issued", "expired"): Move("manage_event"),
    ("issued", "withdrawn"): Move("challenge"),
    ("accepted", "played"): Move("challenge", by="the result of its game"),
    ("accepted", "forfeited_c"): Move("challenge"),
    ("accepted", "forfeited_d"): Move("challenge"),
    ("accepted", "cancelled"): Move("challenge"),
    ("played", "confirmed"): Move("confirm_result"),
    ("played", "accepted"): Move("confirm_result"),
    ("confirmed", "void"): Move("manage_event", needs_reason=True),
}

PLAYOFF: Final[Moves] = {
    ("detected", "scheduled"): Move("manage_event"),
    ("scheduled", "in_play"): Move("enter_hand"),
    ("scheduled", "decided"): Move("manage_event"),
    ("scheduled", "by_lot"): Move("manage_event"),
    ("in_play", "in_play"): Move("enter_hand"),
    ("in_play", "decided"): Move("enter_hand"),
    ("in_play", "by_lot"): Move("manage_event"),
    ("decided", "in_play"): Move("correct_closed", needs_reason=True),
    ("detected", "void"): Move("manage_event"),
    ("scheduled", "void"): Move("manage_event"),
    ("in_play", "void"): Move("manage_event"),
    ("decided", "void"): Move("manage_event"),
    ("by_lot", "void"): Move("manage_event"),
}
"""Decided goes back to in play only by a correction of the play-off's own hands."""


def moves_from(table: Moves, state: str) -> tuple[tuple[str, Move], ...]:
    return tuple((to, move) for (begin, to), move in table.items() if begin == state)


def find_move(table: Moves, state: str, to: str) -> Move:
    move = table.get((state, to))
    if move is None:
        raise Conflict(state_problem(table, state, to))
    return move


def state_problem(table: Moves, state: str, to: str) -> Problem:
    """Return why a change of state is not allowed, with the possible states."""
    moves = moves_from(table, state)
    possible = ", ".join(f"{end} (by {move.by})" if move.by else end for end, move in moves)
    facts = {"state": state, "wanted": to, "possible": possible}
    return Problem("state_not_allowed", ("state",), facts)
