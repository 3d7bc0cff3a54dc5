"""Rounds of a duplicate event in which boards move: what their plan needs besides the people.

See docs/algorithms/duplicate.md, "Plans".
"""

from collections.abc import Iterable, Sequence
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.movements.moving import line_up_of
from scoring.seating.movements.moving_boards import LINES
from tournaments.selectors.seating_plans.boards_to_plan import BoardsToPlan
from tournaments.selectors.seating_plans.history import EarlierRound

AS_BOARDS_MOVE: Final = "single", (LINES,)
"""The policy and sizes of such a plan: every table has four players."""


def moving_inputs(
    inputs: JsonDict, boards: BoardsToPlan | None, history: Sequence[EarlierRound]
) -> JsonDict:
    """Return what a plan with moving boards depends on, with rows of players.

    `movement_round` is the round of the movement that is the plan's first, `event_round` its number
    in the event; `line_up` are the players by their places, empty before the first round. Whoever
    takes the place of a player who left has that place.

    Args:
        inputs: those of any plan (`plan_inputs`).

    Raises:
        Refused: no_boards_move, moving_head_count, moving_seats_differ.
    """
    if boards is None or not boards.tables:
        facts = {"round": boards.round} if boards is not None else {}
        raise Refused(Problem("no_boards_move", ("movement",), {"round": 1, **facts}))
    present = inputs["present"]
    if len(present) != boards.players:
        found: dict[str, int | str] = {"found": len(present), "expected": str(boards.players)}
        raise Refused(Problem("moving_head_count", (), found))
    line_up = line_up_before(boards, history)
    if line_up is None:
        facts = {"round": boards.round - 1}
        raise Refused(Problem("moving_seats_differ", ("movement",), facts))
    return inputs | {
        "movement_round": boards.movement_round,
        "event_round": boards.round,
        "line_up": _with_substitutes(line_up, present),
        "moves": 0,
    }


def _with_substitutes(line_up: Sequence[int], present: Sequence[int]) -> list[int]:
    """Return the line-up with newcomers in the places of those who left, both in order."""
    came = iter(sorted(set(present) - set(line_up)))
    return [player if player in present else next(came) for player in line_up]


def line_up_before(boards: BoardsToPlan, history: Iterable[EarlierRound]) -> tuple[int, ...] | None:
    """Return the players by their places in the movement, from its last round that was seated.

    Empty before its first round; None where the last one was not seated as the movement says. No
    query.
    """
    own = [one for one in history if boards.first_round <= one.number < boards.round]
    if not own:
        return ()
    last = own[-1]
    return line_up_of(last.tables, last.number - boards.first_round + 1)
