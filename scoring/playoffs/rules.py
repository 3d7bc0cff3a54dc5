"""The settings of an event's play-offs: what they are by default, and what a club may write.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from scoring.errors import Problem, Refused, listed, shown

PLAYED: Final[Mapping[str, int]] = {"extra_hands": 1, "table": 4, "sudden_death": 1}
"""Policy of an event that plays ties off → after how many hands one looks whether it is decided.

The other policies, `share` and `criteria`, play nothing.
"""


@dataclass(frozen=True, slots=True)
class PlayoffRules:
    """How a tie is played off.

    `block` hands lie between two looks at the totals; before `min_hands` nobody looks. `duel` is
    how two play (`fillers`, or `two_hands`: a variant for two), `many` how 6 to 11 do
    (`cancellation`, or `heats`: two tables and the top of each meet). `finished` says what a
    correction does to a finished play-off whose group it changes: `ask`, `redo` or `keep`.
    """

    min_hands: int = 1
    block: int = 1
    max_hands: int = 8
    duel: str = "fillers"
    many: str = "cancellation"
    finished: str = "ask"


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "duel": ("fillers", "two_hands"),
    "many": ("cancellation", "heats"),
    "finished": ("ask", "redo", "keep"),
}
MOST_HANDS: Final = 100
_NAMES: Final = tuple(field.name for field in fields(PlayoffRules))


def playoff_rules(policy: str, typed: Mapping[str, object] | None = None) -> PlayoffRules:
    """Return the rules of an event's play-offs.

    Args:
        policy: one of `PLAYED`; with `sudden_death` the first hand that separates decides,
            whatever else is written.
        typed: setting → value, over the policy's defaults.

    Raises:
        Refused: unknown_playoff_rule, bad_playoff_rule; every one that was found.
        KeyError: a policy that plays nothing (a caller's bug).

    See docs/algorithms/playoffs.md.

    >>> playoff_rules("table").block, playoff_rules("extra_hands", {"min_hands": 2}).min_hands
    (4, 2)
    """
    wanted = dict(typed or {})
    problems = [problem for key, value in wanted.items() if (problem := _problem(key, value))]
    if problems:
        raise Refused(*problems)
    if policy == "sudden_death":
        wanted |= {"min_hands": 1, "block": 1}
    return PlayoffRules(**{"block": PLAYED[policy], **wanted})  # type: ignore[arg-type]  # looked at


def _problem(key: str, value: object) -> Problem | None:
    if key not in _NAMES:
        facts = {"found": shown(key), "known": listed(_NAMES)}
        return Problem("unknown_playoff_rule", (key,), facts)
    if key in CHOICES:
        good = isinstance(value, str) and value in CHOICES[key]
        expected = "one of " + ", ".join(CHOICES[key])
    else:
        good = type(value) is int and 1 <= value <= MOST_HANDS
        expected = f"a whole number from 1 to {MOST_HANDS}"
    facts = {"rule": key, "found": shown(value), "expected": expected}
    return None if good else Problem("bad_playoff_rule", (key,), facts)
