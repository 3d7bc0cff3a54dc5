"""What a preset of "Create event" brings beside settings: its stages, and a game that it needs."""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.duplicate.deals import plays_boards
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import FINAL_TABLE
from tournaments.models.events import Carry, Seeding, StageKind

_OPPOSITE: Final = [[0, 2], [1, 3]]

PRESET_STAGES: Final[Mapping[str, Sequence[Mapping[str, object]]]] = {
    "pairs": ({"movement": StageKind.PAIRS.value},),
    "teams": ({"movement": StageKind.TEAMS.value},),
    "swiss": (
        {"name": "Swiss", "movement": StageKind.SWISS.value, "table_sizes": [4, 3]},
        {
            "name": "Final table",
            "movement": StageKind.INDIVIDUAL.value,
            "rounds": 1,
            "table_sizes": [5, 4],
            "advance": {"best": FINAL_TABLE},
            "carry": Carry.NONE.value,
        },
    ),
    "cup": (
        {
            "name": "Cup",
            "movement": StageKind.KNOCKOUT.value,
            "table_sizes": [4, 3],
            "each_round": {"each_table": 2, "wild_cards": 0},
            "seeding": Seeding.LOT.value,
        },
    ),
}
"""Preset → the stages of a new event in order, each with a `name` and as `read_stage_plan` takes
it; a preset that is not here has one stage that seats whoever comes."""

FEWEST_ROUNDS: Final = 3


def swiss_rounds(entrants: int) -> int:
    """Return how many rounds a Swiss stage has for so many entrants: one for each time they double.

    >>> [swiss_rounds(entrants) for entrants in (6, 8, 9, 16, 23, 33, 400)]
    [3, 3, 4, 4, 5, 6, 9]
    """
    return max(FEWEST_ROUNDS, (entrants - 1).bit_length())


def stages_of_preset(preset: str, entrants: int = 0) -> Sequence[Mapping[str, object]]:
    """Return the stages of a new event with a preset.

    A Swiss stage has its number of rounds where the entrants are known already.

    Args:
        entrants: how many the event begins with; 0 where they come later.
    """
    stages = PRESET_STAGES.get(preset, ())
    if not entrants:
        return stages
    rounds = {"rounds": swiss_rounds(entrants)}
    return [
        {**rounds, **one} if one["movement"] == StageKind.SWISS.value else one for one in stages
    ]


FOR_PARTNERS: Final = frozenset({"pairs", "teams"})
"""Presets that need a game with two sides of two."""

PARTNERS_GAME: Final = "Partnership Hearts"
"""Name of the game of such a preset, where the game that was chosen has no partners."""

WITH_BOARDS: Final = frozenset({"duplicate"})
"""Presets that need a game for four with one pack."""

BOARDS_GAME: Final = "Hearts (American)"
"""Name of the game of such a preset, where the chosen game cannot be played with boards."""


def plays_opposite(rules: Rules) -> bool:
    """Whether rules have two sides of two, who sit opposite each other."""
    return [sorted(side) for side in rules.keys.teams.shape] == _OPPOSITE


def game_of_preset(preset: str, rules: Rules | None) -> str:
    """Return the name of the game that a preset puts in the place of a chosen one; "" for none.

    Args:
        rules: those of the chosen game; None where there is no game of its name.
    """
    if rules is None:
        return ""
    if preset in FOR_PARTNERS and not plays_opposite(rules):
        return PARTNERS_GAME
    return BOARDS_GAME if preset in WITH_BOARDS and not plays_boards(rules) else ""
