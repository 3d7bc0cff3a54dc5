"""At which tables a tie is played off: by how many there are, and by how many seats.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scoring.playoffs.rules import PlayoffRules
from scoring.standings.tie_breaks import drawn

LARGEST_TABLE: Final = 5
LARGEST_CANCELLATION: Final = 11
TABLE: Final = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """How a group plays.

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

    Args:
        members: 2 or more, by code.
        cuts: how many of them come above each line, ascending.
        rules: how two and how many play.
        seed: of the event, for who sits where.

    Returns:
        One table, or heats. Heats need every table to be larger than the seats above the last
        line; where they are not, 6 to 11 play one cancellation table. More than 11 who cannot
        be halved by heats draw lots.

    See docs/algorithms/playoffs.md.

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
