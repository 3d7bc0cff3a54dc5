"""JSON that names rows by their number: seating plans name players, deadlines meetings.

An archive numbers the rows of each table from 1, and a database has numbers of its own, so these
columns are rewritten in both directions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tournaments.domain.archives.tables import MEETING_KEYS
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant
from tournaments.models.meetings import Meeting

Numbered = Callable[[int], int | None]
"""The number of a row → its number on the other side; None where that side has no such row."""

NOT_UNDONE_ELSEWHERE: Final = {"steps": [], "events": {}, "after": {}, "of_archive": True}
"""What an archive has in the place of the rows that a merge moved: an import cannot undo it."""


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """How rows of players, entrants and meetings are numbered on the other side."""

    of: Mapping[type[Any], Numbered]

    def player(self, number: int) -> int:
        """Return a player's number; 0, which is nobody's, where there is none."""
        return self.of[Player](number) or 0

    def entrant(self, number: int | None) -> int | None:
        """Return an entrant's number."""
        return None if number is None else self.of[Entrant](number)


def renumbered(table: str, column: str, value: Any, numbers: RowNumbers) -> Any:
    """Return what a column says with the numbers of the other side; most columns name no row.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: it is not what this column holds.
    """
    found = _REWRITTEN.get((table, column))
    return value if found is None or value is None else found(value, numbers)


def renumbers(table: str, column: str) -> bool:
    """Whether a column names rows."""
    return (table, column) in _REWRITTEN


def deadline_key(kind: str, key: str, numbers: RowNumbers) -> str:
    """Return the key of a deadline, which is the row of a meeting for some kinds."""
    if kind not in MEETING_KEYS:
        return key
    return str(numbers.of[Meeting](int(key)) or 0)


def _plan_inputs(inputs: dict[str, Any], numbers: RowNumbers) -> dict[str, Any]:
    found = dict(inputs)
    for name in ("present", "floated", "forfeits"):
        if name in inputs:
            found[name] = sorted(map(numbers.player, inputs[name]))
    for name in ("apart", "together", "sides", "units"):
        if name in inputs:
            found[name] = [_players(group, numbers) for group in inputs[name]]
    for name in ("presence", "fixed_tables", "standing", "scores"):
        if name in inputs:
            found[name] = [[numbers.player(row[0]), *row[1:]] for row in inputs[name]]
    if "entrants" in inputs:
        found["entrants"] = [numbers.entrant(one) for one in inputs["entrants"]]
    return found


def _plan_rounds(rounds: list[dict[str, Any]], numbers: RowNumbers) -> list[dict[str, Any]]:
    return [_plan_round(one, numbers) for one in rounds]


def _plan_round(planned: dict[str, Any], numbers: RowNumbers) -> dict[str, Any]:
    found = planned | {
        "tables": [_players(table, numbers) for table in planned["tables"]],
        "sitting_out": _players(planned["sitting_out"], numbers),
    }
    if "reasons" in planned:
        found["reasons"] = [
            one | {"players": _players(one["players"], numbers)} for one in planned["reasons"]
        ]
    if "floats" in planned:
        found["floats"] = [
            one | {"player": numbers.player(one["player"])} for one in planned["floats"]
        ]
    return found


def _plan_cost(cost: dict[str, Any], numbers: RowNumbers) -> dict[str, Any]:
    if "uneven" not in cost:
        return cost
    return cost | {"uneven": [[numbers.player(row[0]), *row[1:]] for row in cost["uneven"]]}


def _plan_problem(problem: dict[str, Any], numbers: RowNumbers) -> dict[str, Any]:
    facts = problem.get("facts", {})
    if "pairs" not in facts:
        return problem
    pairs = [_players(pair, numbers) for pair in facts["pairs"]]
    return problem | {"facts": facts | {"pairs": pairs}}


def _players(group: list[int], numbers: RowNumbers) -> list[int]:
    return [numbers.player(one) for one in group]


_REWRITTEN: Final[Mapping[tuple[str, str], Callable[[Any, RowNumbers], Any]]] = {
    ("seatingplan", "inputs"): _plan_inputs,
    ("seatingplan", "rounds"): _plan_rounds,
    ("seatingplan", "problem"): _plan_problem,
    ("seatingplan", "cost"): _plan_cost,
    ("playermerge", "moved"): lambda _moved, _numbers: NOT_UNDONE_ELSEWHERE,
}
