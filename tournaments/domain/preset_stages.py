"""What a preset of "Create event" brings beside settings: its stages, and a game for partners."""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.rules.rules import Rules
from tournaments.models.events import StageKind

_OPPOSITE: Final = [[0, 2], [1, 3]]

PRESET_STAGES: Final[Mapping[str, Sequence[Mapping[str, object]]]] = {
    "pairs": ({"movement": StageKind.PAIRS.value},),
    "teams": ({"movement": StageKind.TEAMS.value},),
}
"""Preset → the stages of a new event in order, each as `read_stage_plan` takes it; a preset that is
not here has one stage that seats whoever comes."""

FOR_PARTNERS: Final = frozenset({"pairs", "teams"})
"""Presets that need a game with two sides of two."""

PARTNERS_GAME: Final = "Partnership Hearts"
"""Name of the game of such a preset, where the game that was chosen has no partners."""


def plays_opposite(rules: Rules) -> bool:
    """Whether rules have two sides of two, who sit opposite each other."""
    return [sorted(side) for side in rules.keys.teams.shape] == _OPPOSITE


def game_of_preset(preset: str, rules: Rules | None) -> str:
    """Return the name of the game that a preset puts in the place of a chosen one; "" for none.

    Args:
        rules: those of the chosen game; None where there is no game of its name.
    """
    if preset not in FOR_PARTNERS or rules is None or plays_opposite(rules):
        return ""
    return PARTNERS_GAME
