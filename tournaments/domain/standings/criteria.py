"""The values that standings rank by: their names, meanings and needs, place points, sentences."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from scoring.errors import Problem
from scoring.rules.rules import Rules
from scoring.standings.counting import CARRIES
from scoring.standings.explain import READS, ReasonFacts, ahead, reason
from scoring.standings.metrics import METRICS, PRIMARIES, Metric
from scoring.standings.tie_breaks import TIE_BREAKS, TieBreak
from tournaments.domain.event_settings import Settings
from tournaments.models.events import EventKind


def size_of(rules: Rules, seats: int) -> int:
    """Return how many finish at a table: its seats, or its sides if rules have partners."""
    return len(rules.keys.teams.shape) if rules.keys.teams.mode != "none" else seats


def placement_problems(settings: Settings, rules: Rules, seats: int, kind: str) -> list[Problem]:
    """Return why place points lack a list for a table; 0 seats = unknown. A ladder has none."""
    if settings.primary != "placement_points" or not seats or kind == EventKind.LADDER:
        return []
    size = size_of(rules, seats)
    if str(size) in settings.placement:
        return []
    sizes = ", ".join(sorted(settings.placement, key=int))
    return [Problem("size_without_list", ("players",), {"found": size, "expected": sizes})]


def weight_of_earlier(carry: str, primary: str) -> Fraction:
    """Return the weight of the earlier value of a player who has not played in the stage yet.

    A mean of equally weighted games does not depend on the weight.

    >>> weight_of_earlier("half", "placement_points"), weight_of_earlier("none", "raw_per_hand")
    (Fraction(1, 2), Fraction(0, 1))
    """
    weight = CARRIES[carry]
    return Fraction(1) if weight and PRIMARIES[primary].is_mean else weight


def reason_sentences(facts: ReasonFacts | None, names: Mapping[str, str]) -> tuple[str, str]:
    """Return why a row is below the one above, and why that one is ahead, with `names` by id."""

    def name(code: str) -> str:
        return names.get(code, code)

    return reason(facts, name=name), ahead(facts, name=name)


class CriterionText:
    """A metric or a tie-break in words; `direction` is `asc` where less is better.

    `use` is `primary` (an event may be ranked by it), `tie_break` (a tie-break order has it) or
    `column` (it is shown).
    """

    def __init__(self, criterion: Metric | TieBreak, use: str, direction: str | None) -> None:
        self.key, self.use, self.short = criterion.key, use, criterion.short
        self.name = _PAGE_NAMES.get(criterion.key, criterion.name)
        self.direction, self.definition = direction, criterion.definition
        self.example, self.needs = criterion.example, tuple(sorted(criterion.needs))
        self.reads = criterion.reads if isinstance(criterion, TieBreak) else None

    @property
    def plain(self) -> str:
        return self.definition.replace("`", "") + (READS[self.reads] if self.reads else "")

    @property
    def meaning(self) -> str:
        return self.plain[:1].upper() + self.plain[1:]


_PAGE_NAMES: Final = {
    "placement_points": "Place points",
    "beaten_mean": "Opponents beaten",
    "raw_per_hand": "Average a hand",
}
"""Metric → its name, as the head of its column in the standings says it."""


def primaries() -> Sequence[CriterionText]:
    return tuple(map(primary_named, PRIMARIES))


def tie_breaks() -> Sequence[CriterionText]:
    return tuple(map(tie_break_named, TIE_BREAKS))


def list_criteria() -> Sequence[CriterionText]:
    columns = [
        CriterionText(metric, "column", metric.direction)
        for key, metric in METRICS.items()
        if key not in PRIMARIES
    ]
    return (*primaries(), *columns, *tie_breaks())


def primary_named(key: str) -> CriterionText:
    return CriterionText(PRIMARIES[key], "primary", PRIMARIES[key].direction)


def first_named(keys: Sequence[str], n: int) -> tuple[Sequence[str], int]:
    """Return the names of the first `n` tie-breaks and of a lot, and how many more there are.

    >>> first_named(["h2h", "wins", "sos", "lot"], 2)
    (['Head to head', 'Tables won', 'Lot'], 1)
    """
    kept_keys = [key for at, key in enumerate(keys) if at < n or key == "lot"]
    return [tie_break_named(key).name for key in kept_keys], len(keys) - len(kept_keys)


def tie_break_named(key: str) -> CriterionText:
    return CriterionText(TIE_BREAKS[key], "tie_break", None)
