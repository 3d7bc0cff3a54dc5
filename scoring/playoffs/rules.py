"""The settings of an event's play-offs, and the tables at which a tie is played off.

See docs/algorithms/playoffs.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.tie_breaks import drawn

PLAYED: Final[Mapping[str, int]] = {"extra_hands": 1, "table": 4, "sudden_death": 1}
"""Policy of an event that plays ties off → after how many hands one looks whether it is decided.

The other policies, `share` and `criteria`, play nothing.
"""


@dataclass(frozen=True, slots=True)
class PlayoffRules:
    """The rules by which a tie is played off.

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

    >>> playoff_rules("table").block, playoff_rules("extra_hands", {"min_hands": 2}).min_hands
    (4, 2)
    """
    settings = dict(typed or {})
    problems = [problem for key, value in settings.items() if (problem := _problem(key, value))]
    if problems:
        raise Refused(*problems)
    if policy == "sudden_death":
        settings |= {"min_hands": 1, "block": 1}
    return PlayoffRules(**{"block": PLAYED[policy], **settings})  # type: ignore[arg-type]  # looked at


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


LARGEST_TABLE: Final = 5
LARGEST_CANCELLATION: Final = 11
TABLE: Final = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """The tables and hands of a group's play-off.

    `kind` is `fillers`, `two_hands`, `table`, `cancellation`, `heats` or `lot`. `tables` has the
    members at each table in the order of their seats; `fillers` neutral players sit down with
    them, whose scores do not count; `through` of each table meet afterwards.
    """

    kind: str
    tables: tuple[tuple[str, ...], ...]
    fillers: int = 0
    through: int = 0


def plan(members: Sequence[str], cuts: Sequence[int], rules: PlayoffRules, *, seed: str) -> Plan:
    """Return the tables for those still undecided.

    `cuts`: how many of them come above each line, ascending.

    One table, or heats. Heats need every table to be larger than the seats above the last line;
    where they are not, 6 to 11 play one cancellation table. More than 11 who cannot be halved by
    heats draw lots.

    >>> plan(["A", "C", "E"], [1], PlayoffRules(), seed="7f3c").kind
    'table'
    """
    seated = tuple(sorted(members, key=lambda code: drawn(seed, code)))
    count, through = len(seated), max(cuts)
    if count == 2:
        fillers = TABLE - 2 if rules.duel == "fillers" else 0
        return Plan(rules.duel, (seated,), fillers)
    if count <= LARGEST_TABLE:
        return Plan("table", (seated,))
    if count <= LARGEST_CANCELLATION and rules.many == "cancellation":
        return Plan("cancellation", (seated,))
    n_tables = 2 if count <= LARGEST_CANCELLATION else -(-count // TABLE)
    tables = tuple(seated[start::n_tables] for start in range(n_tables))
    if through < min(len(table) for table in tables):
        return Plan("heats", tables, through=through)
    if count <= LARGEST_CANCELLATION:
        return Plan("cancellation", (seated,))
    return Plan("lot", ())
