"""Who meets whom in a Swiss round, and who floats: players, or the pairs of a plan of pairs.

A plan stores reasons and floats by player. Partners share a score and an opponent, so in a plan of
fixed pairs they are put together here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.seating_plans import PAIRS, SeatingPlan
from tournaments.selectors.clubs.names import NameColumn
from tournaments.selectors.seating_plans.units import PlanEntrant, entrants_of_plans

Unit = tuple[int, ...]
"""A player, or the two of a pair, as rows."""


@dataclass(frozen=True, slots=True)
class UnitNames:
    """What players and pairs of plans are called: by row of a player, and by row of an entrant."""

    players: Mapping[int, str]
    entrants: Mapping[int, PlanEntrant] = field(default_factory=dict)

    def of(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the name of a player or a pair; those of both players for two by a constraint."""
        entrant = self._entrant(plan, unit)
        if entrant is not None:
            return entrant.name
        return " & ".join(self.players.get(player, "?") for player in unit)

    def code(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the id of a pair; "" for players and for two by a constraint."""
        entrant = self._entrant(plan, unit)
        return "" if entrant is None else entrant.code

    def _entrant(self, plan: SeatingPlan, unit: Unit) -> PlanEntrant | None:
        if len(unit) < 2:
            return None
        pairs = zip(plan.inputs["units"], plan.inputs["entrants"], strict=True)
        row = next((entrant for players, entrant in pairs if tuple(players) == unit), None)
        return None if row is None else self.entrants.get(row)


def unit_names(
    event: Event, plans: Sequence[SeatingPlan], names: Mapping[int, str], column: NameColumn
) -> UnitNames:
    """Return the names for what is said of Swiss rounds; two queries where they are of pairs.

    Args:
        names: of the players of the plans, by row.
        column: which names of the players of a pair are shown.
    """
    of_pairs = [plan for plan in plans if plan.is_swiss and plan.movement == PAIRS]
    return UnitNames(names, entrants_of_plans(event, of_pairs, column) if of_pairs else {})


@dataclass(frozen=True, slots=True)
class SwissMeeting:
    """Two players or pairs at a table of a Swiss round, and why.

    `codes` and `met` are those of a stored reason: pairs met where one of the players met another.
    `scores` are shown values of both; empty in a first round.
    """

    table: int
    units: tuple[Unit, Unit]
    codes: tuple[str, ...]
    met: int
    scores: tuple[str, ...]

    @property
    def players(self) -> Unit:
        """All players of it, those of one side first."""
        return (*self.units[0], *self.units[1])

    @property
    def has_same_score(self) -> bool:
        """Whether both have the same score."""
        return "same_score" in self.codes


@dataclass(frozen=True, slots=True)
class Float:
    """A player or a pair at a table whose others all have other scores."""

    unit: Unit
    table: int
    direction: str
    again: bool


def meetings_of(plan: SeatingPlan, reasons: Iterable[JsonDict]) -> tuple[SwissMeeting, ...]:
    """Return who meets whom by the stored reasons of a round, in their order; no query."""
    unit_of = _units(plan)
    found: dict[tuple[int, tuple[Unit, Unit]], list[JsonDict]] = {}
    for reason in reasons:
        one, other = (unit_of.get(player, (player,)) for player in reason["players"])
        both = (other, one) if (reason["table"], (other, one)) in found else (one, other)
        found.setdefault((reason["table"], both), []).append(reason)
    return tuple(_meeting(plan, table, units, stored) for (table, units), stored in found.items())


def _meeting(
    plan: SeatingPlan, table: int, units: tuple[Unit, Unit], stored: Sequence[JsonDict]
) -> SwissMeeting:
    met = max(int(one["met"]) for one in stored)
    codes = tuple(dict.fromkeys(code for one in stored for code in one["codes"]))
    if "other_score" in codes:
        codes = tuple(code for code in codes if code != "same_score")
    if met:
        codes = tuple(code for code in codes if code != "not_met")
    has_scores = all(one["scores"] for one in stored)
    texts = tuple(_score_text(plan, unit) for unit in units) if has_scores else ()
    return SwissMeeting(table, units, codes, met, texts)


def floats_of_round(plan: SeatingPlan, stored: Iterable[JsonDict]) -> tuple[Float, ...]:
    """Return who floats by the stored floats of a round; a pair does where both players do."""
    unit_of = _units(plan)
    found: dict[tuple[int, Unit], list[JsonDict]] = {}
    for one in stored:
        unit = unit_of.get(one["player"], (one["player"],))
        found.setdefault((one["table"], unit), []).append(one)
    scored = {player for player, _value, _text in plan.inputs.get("scores", ())}
    return tuple(
        Float(
            unit,
            table,
            # A substitute without a score counts as the lowest; the partner's score decides.
            max(rows, key=lambda row: row["player"] in scored)["direction"],
            any(row["again"] for row in rows),
        )
        for (table, unit), rows in found.items()
        if len(rows) == len(unit)
    )


def _units(plan: SeatingPlan) -> Mapping[int, Unit]:
    """Return the pair of each player of a plan of pairs; empty for others."""
    if plan.movement != PAIRS:
        return {}
    return {player: tuple(unit) for unit in plan.inputs["units"] for player in unit}


def _score_text(plan: SeatingPlan, unit: Unit) -> str:
    scores: Iterable[tuple[int, Any, str]] = plan.inputs.get("scores", ())
    shown = {player: text for player, _value, text in scores}
    return "/".join(dict.fromkeys(shown[one] for one in unit if one in shown))
