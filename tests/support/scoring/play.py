"""Playing hands in tests: one line from an entry to what the rules say of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.entry.hand_reader import read_entry
from scoring.errors import Problem, Refused
from scoring.game.game import GameState, HandScore, new_game, play
from scoring.numbers import Score
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules

VARIANTS = Path(__file__).resolve().parents[2] / "cases" / "variants"
"""Small variants that say each key of the vocabulary once."""
HEARTS = [f"{rank}H" for rank in ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]]
MOON: dict[str, Any] = {"taken": [[*HEARTS, "QS"], [], [], []]}
PLAIN: dict[str, Any] = {"hearts": [3, 7, 0, 3], "taken": [[], ["QS"], [], []]}


def rules(variant: str = "hearts", **options: object) -> Rules:
    return catalogue([VARIANTS]).rules(variant, options)


def played(
    entry: object, variant: str = "hearts", seats: int = 4, start: Mapping[str,object]|None = None,
    **options: object,
) -> tuple[HandScore, GameState]:  # fmt: skip
    found = rules(variant, **options)
    state = new_game(found, seats, **(start or {}))
    return play(found, state, read_entry(entry, found, seats, state.teams))


def scored(entry: object, variant: str = "hearts", **more: Any) -> list[Score]:
    return list(played(entry, variant, **more)[0].scores)


def totals(entry: object, variant: str = "hearts", **more: Any) -> list[Score]:
    return list(played(entry, variant, **more)[1].totals)


def refused(entry: object, variant: str = "hearts", **more: Any) -> list[str]:
    return [problem.code for problem in problems(entry, variant, **more)]


def problems(entry: object, variant: str = "hearts", **more: Any) -> tuple[Problem, ...]:
    """The problems with which the hand is refused."""
    try:
        found = played(entry, variant, **more)[0]
    except Refused as refusal:
        return refusal.problems
    raise AssertionError(f"accepted as {found}")
