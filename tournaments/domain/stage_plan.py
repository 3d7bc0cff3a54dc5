"""Stages as they are planned: movement, rounds, sizes, who goes on; and the stages of presets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from scoring.duplicate.deals import plays_boards
from scoring.errors import Problem, shown
from scoring.rules.rules import Rules
from scoring.seating.brackets import USUAL_ADVANCE
from tournaments.domain.event_settings import FINAL_TABLE
from tournaments.errors import refuse_any
from tournaments.models.events import Carry, Seeding, Stage, StageKind, StageTakes


@dataclass(frozen=True, slots=True)
class GoesOn:
    each_table: int = USUAL_ADVANCE
    wild_cards: int = 0


LARGEST_TABLE: Final = 13
MOST_SIZES: Final = 8

MOST_STAGES: Final = 30
"""Stages of one event, play-offs not counted."""

_RANGES: Final = {
    "best": (2, 999),
    "each_table": (1, LARGEST_TABLE),
    "wild_cards": (0, 999),
}


def goes_on_from(stage: Stage) -> GoesOn:
    """Return how many qualify from each round of a knock-out.

    It is what its director says for each round, else the rule by which its entrants came from the
    tables of the stage before, else the best two of each table.
    """
    rule: Mapping[str, int] = stage.each_round or {}
    if not rule and "each_table" in (stage.advance or {}):
        rule = dict(stage.advance or {})
    return GoesOn(rule.get("each_table", USUAL_ADVANCE), rule.get("wild_cards", 0))


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


def swiss_rounds(entrants: int) -> int:
    """Return how many rounds a Swiss stage has for so many entrants: one for each time they double.

    >>> [swiss_rounds(entrants) for entrants in (6, 8, 9, 16, 23, 33, 400)]
    [3, 3, 4, 4, 5, 6, 9]
    """
    return max(3, (entrants - 1).bit_length())


def stages_of_preset(preset: str, entrants: int) -> Sequence[Mapping[str, object]]:
    stages = PRESET_STAGES.get(preset, ())
    if not entrants:
        return stages
    rounds = {"rounds": swiss_rounds(entrants)}
    return [
        {**rounds, **stage} if stage["movement"] == StageKind.SWISS.value else stage
        for stage in stages
    ]


FOR_PARTNERS: Final = frozenset({"pairs", "teams"})
"""Presets that need a game with two sides of two."""


def plays_opposite(rules: Rules) -> bool:
    """Whether rules have two sides of two, who sit opposite each other."""
    return [sorted(side) for side in rules.keys.teams.shape] == [[0, 2], [1, 3]]


def game_of_preset(preset: str, rules: Rules | None) -> str:
    """Return the name of the game that replaces the chosen one for a preset; "" for none."""
    if rules is None:
        return ""
    if preset in FOR_PARTNERS and not plays_opposite(rules):
        return "Partnership Hearts"
    return "Hearts (American)" if preset == "duplicate" and not plays_boards(rules) else ""


MOVEMENTS: Final = tuple(kind for kind in StageKind.values if kind != StageKind.PLAYOFF)
"""Movements that a director chooses; play-offs make their own stages."""

LONGEST_STAGE: Final = 99


def read_stage_plan(values: Mapping[str, object]) -> dict[str, object]:
    """Return the columns of a stage from what was entered, by column.

    `values`: any of `movement`, `rounds`, `table_sizes`, `carry`, `takes`, `advance`, `seeding`,
    `each_round`, `from_round`, `also_best`; what is not among them is not changed. `rounds`,
    `table_sizes`, `advance`, `each_round`, `from_round` and `also_best` may be None.
    """
    problems: list[Problem] = []
    columns: dict[str, object] = {}
    for member, column, choices, code in (
        ("movement", "kind", MOVEMENTS, "unknown_movement"),
        ("carry", "carry", tuple(Carry.values), "unknown_carry"),
        ("takes", "takes", tuple(StageTakes.values), "unknown_takes"),
        ("seeding", "seeding", tuple(Seeding.values), "unknown_seeding"),
    ):
        if member in values:
            columns[column] = values[member]
            if values[member] not in choices:
                facts = {"found": shown(values[member]), "expected": " or ".join(choices)}
                problems.append(Problem(code, (member,), facts))
    for member, column, read, code in (
        (
            "rounds",
            "planned_rounds",
            partial(within, least=1, most=LONGEST_STAGE),
            "bad_stage_rounds",
        ),
        ("table_sizes", "table_sizes", _sizes, "bad_stage_sizes"),
        ("advance", "advance", _advance, "bad_advance"),
        ("each_round", "each_round", _each_round, "bad_each_round"),
        (
            "from_round",
            "from_round",
            partial(within, least=1, most=LONGEST_STAGE),
            "bad_from_round",
        ),
        ("also_best", "also_best", partial(within, least=1, most=999), "bad_also_best"),
    ):
        if values.get(member) is not None:
            value = read(values[member])
            if value is None:
                problems.append(Problem(code, (member,), {"found": _as_entered(values[member])}))
            columns[column] = value
        elif member in values:
            columns[column] = None
    refuse_any(problems)
    return columns


def _as_entered(value: object) -> str:
    parts: Sequence[object] = ()
    if isinstance(value, Mapping):
        parts = tuple(value.values())
    elif isinstance(value, Sequence) and not isinstance(value, str):
        parts = value
    if parts:
        return ", ".join(shown(part) for part in parts[:MOST_SIZES])
    return shown(value)


def _sizes(value: object) -> list[int] | None:
    """Return sizes, largest first, each once: [4, 3] is tables of 4, and of 3 if needed."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    sizes = [within(size, 2, LARGEST_TABLE) for size in value]
    fitting = [size for size in sizes if size is not None]
    if len(fitting) != len(sizes) or len(set(fitting)) != len(fitting) or len(fitting) > MOST_SIZES:
        return None
    return sorted(fitting, reverse=True)


def _advance(value: object) -> dict[str, int] | None:
    """Return `{"best": k}`, or `{"each_table": k, "wild_cards": m}` with 0 for no wild cards."""
    if not isinstance(value, Mapping):
        return None
    keys = set(value)
    if keys != {"best"} and not {"each_table"} <= keys <= {"each_table", "wild_cards"}:
        return None
    numbers = {key: within(value[key], *_RANGES[key]) for key in value}
    valid = {key: number for key, number in numbers.items() if number is not None}
    if len(valid) != len(numbers):
        return None
    if "best" in valid:
        return valid
    return {"wild_cards": 0, **valid}


def _each_round(value: object) -> dict[str, int] | None:
    rule = _advance(value)
    return None if rule is None or "best" in rule else rule


def within(value: object, least: int, most: int) -> int | None:
    """Return a whole number, typed or sent, from `least` to `most`; None if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value).strip()
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(most)):
        return None
    if least <= int(text) <= most:
        return int(text)
    return None
