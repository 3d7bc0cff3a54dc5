"""The settings of a ladder: what they are by default, and what a club may write instead.

Pure. See docs/algorithms/position-ladder.md and docs/algorithms/rating-ladder.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final

from scoring.errors import Problem, Refused, listed, shown


@dataclass(frozen=True, slots=True)
class LadderRules:
    """The rules of a ladder: one frozen set of values, each with its default.

    Days are local days of the club; `None` in `max_span` and `reach_top` means no such limit.
    """

    rule: str = "take_place"
    max_span: int | None = None
    reach: int = 3
    top_places: int = 10
    reach_top: int | None = None
    free_challenge: bool = False
    respond_days: int = 3
    play_days: int = 14
    postpone_days: int = 7
    rematch_days: int = 7
    confirm_hours: int = 48
    unplayed: str = "forfeited_d"
    forgive_first_refusal: bool = False
    refusal_days: int = 30
    away_days: int = 30
    idle_days: int = 28
    idle_drop: int = 1
    rating: str = "elo"
    start: int = 1500
    k: int = 32
    k_new: int = 64
    new_games: int = 10
    provisional_games: int = 10
    hidden_days: int = 90

    def as_json(self) -> dict[str, object]:
        """The rules as they are stored; `ladder_rules` reads them again."""
        return asdict(self)


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "rule": ("take_place", "swap", "halfway", "one_up"),
    "unplayed": ("forfeited_d", "forfeited_c", "cancelled"),
    "rating": ("elo", "plackett_luce"),
}
"""Setting → the words it may be; the first is the default."""

LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "max_span": (2, 1000),
    "reach": (1, 1000),
    "top_places": (1, 1000),
    "reach_top": (1, 1000),
    "respond_days": (1, 90),
    "play_days": (1, 365),
    "postpone_days": (0, 90),
    "rematch_days": (0, 365),
    "confirm_hours": (1, 720),
    "refusal_days": (1, 365),
    "away_days": (0, 366),
    "idle_days": (7, 366),
    "idle_drop": (0, 100),
    "start": (0, 10_000),
    "k": (1, 400),
    "k_new": (1, 400),
    "new_games": (0, 1000),
    "provisional_games": (0, 1000),
    "hidden_days": (7, 3660),
}
"""Setting → the least and the most it may be."""

_OPEN: Final = frozenset({"max_span", "reach_top"})
_NAMES: Final = tuple(field.name for field in fields(LadderRules))


def ladder_rules(typed: Mapping[str, object]) -> LadderRules:
    """The rules that a club wrote, over the defaults.

    `typed`: setting → value, as JSON has them; what is missing stays at its default.

    >>> ladder_rules({"rule": "halfway", "reach": 5}).reach
    5
    """
    problems = [problem for key, value in typed.items() if (problem := _problem(key, value))]
    if problems:
        raise Refused(*problems)
    return LadderRules(**typed)  # type: ignore[arg-type]  # each value was looked at


def _problem(key: str, value: object) -> Problem | None:
    if key not in _NAMES:
        facts = {"found": shown(key), "known": listed(_NAMES)}
        return Problem("unknown_ladder_rule", (key,), facts)
    expected = _expected(key, value)
    if expected is None:
        return None
    facts = {"rule": key, "found": shown(value), "expected": expected}
    return Problem("bad_ladder_rule", (key,), facts)


def _expected(key: str, value: object) -> str | None:
    """The expected form of the value, or None where it has it."""
    if key in CHOICES:
        good = value in CHOICES[key] if isinstance(value, str) else False
        return None if good else "one of " + ", ".join(CHOICES[key])
    if key not in LIMITS:
        return None if isinstance(value, bool) else "true or false"
    if value is None and key in _OPEN:
        return None
    least, most = LIMITS[key]
    good = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    nothing = " or null" if key in _OPEN else ""
    return None if good else f"a whole number from {least} to {most}{nothing}"
