"""How many go on from each table of a knock-out, as its stage says it."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.seating.brackets import USUAL_ADVANCE
from tournaments.models.events import Stage


@dataclass(frozen=True, slots=True)
class GoesOn:
    """How many of each table go on from a round, and how many wild cards."""

    each_table: int = USUAL_ADVANCE
    wild_cards: int = 0


def goes_on_from(stage: Stage) -> GoesOn:
    """Return who goes on from each round of a knock-out.

    It is what its director says for each round, else the rule by which its entrants came from the
    tables of the stage before, else the best two of each table.
    """
    rule: Mapping[str, int] = stage.each_round or {}
    if not rule and "each_table" in (stage.advance or {}):
        rule = dict(stage.advance or {})
    return GoesOn(rule.get("each_table", USUAL_ADVANCE), rule.get("wild_cards", 0))
