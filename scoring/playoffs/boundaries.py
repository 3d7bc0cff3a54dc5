"""Which ties matter: groups that span a cut-off, the order a play-off gives them, corrections.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Final, TypeAlias

from scoring.errors import Problem, listed
from scoring.playoffs.progress import FINISHED

Tiers: TypeAlias = Sequence[Sequence[str]]

TABLE_LINE: Final = "table"
"""Kind of the line below the last place that goes on from a table of a round."""

WILD_CARD_LINE: Final = "wild_card"
"""Kind of the line below the last wild card of a round."""


@dataclass(frozen=True, slots=True, order=True)
class Boundary:
    """A cut-off: the line below place `above`, and what it is for.

    For a `table`, `above` counts places at the table that `round` and `table` identify. For a
    `wild_card` it counts those of `round`.
    """

    above: int
    kind: str
    round: int = 0
    table: int = 0

    @property
    def written(self) -> dict[str, int | str]:
        """The cut-off as it is stored."""
        where = {"round": self.round, "table": self.table}
        numbers = {name: number for name, number in where.items() if number}
        return {"kind": self.kind, "above": self.above, **numbers}


@dataclass(frozen=True, slots=True)
class Need:
    """A tie that has to be played off.

    `members` are tied, by code; `ahead` are strictly before them; `cuts` are the seats above
    each line among the members, ascending; `boundaries` the lines it spans.
    """

    members: tuple[str, ...]
    ahead: int
    boundaries: tuple[Boundary, ...]

    @property
    def cuts(self) -> tuple[int, ...]:
        """The number of members above each line that they span."""
        return tuple(sorted({line.above - self.ahead for line in self.boundaries}))

    @property
    def key(self) -> str:
        """The identity of the play-off: its lines, its seats and its members."""
        lines = "+".join(
            f"{line.kind}:{line.above}/{line.above - self.ahead}"
            + (f"@{line.round}.{line.table}" if line.round else "")
            for line in self.boundaries
        )
        return f"{lines}|{','.join(self.members)}"


def boundaries_of(written: Mapping[str, int | Sequence[int]]) -> tuple[Boundary, ...]:
    """Return an event's boundaries from its setting, from the top.

    `written`: kind → how many are above the cut-off, or several such numbers.

    >>> [line.above for line in boundaries_of({"cut": 8, "title": 1, "prize": [2, 3]})]
    [1, 2, 3, 8]
    """
    lines = [
        Boundary(above, kind)
        for kind, numbers in written.items()
        for above in ([numbers] if isinstance(numbers, int) else numbers)
    ]
    return tuple(sorted(set(lines)))


def needs(
    tiers: Tiers, boundaries: Sequence[Boundary], *, policy: str, by_primary: Tiers | None = None
) -> tuple[Need, ...]:
    """Return the ties that a play-off must decide, from the top.

    Args:
        tiers: the qualified entrants that have not withdrawn, by code; those of one tier are
            tied after every criterion but the lot. Best first.
        boundaries: lines that matter; a group spans one that falls inside it.
        policy: of the event; `share` and `criteria` play nothing.
        by_primary: the same entrants tied on the primary value alone, where ties at a title
            go straight to a play-off.

    One need a group, though it spans several lines. Ties across no line stay shared.

    >>> needs([["A", "C", "E"], ["B"]], [Boundary(1, "title")], policy="table")[0].cuts
    (1,)
    """
    if policy in ("share", "criteria"):
        return ()
    tie_needs = []
    ahead = 0
    for tier in tiers if by_primary is None else _straight(tiers, by_primary, boundaries):
        spanned = {line for line in boundaries if ahead < line.above < ahead + len(tier)}
        if spanned:
            tie_needs.append(Need(tuple(sorted(tier)), ahead, tuple(sorted(spanned))))
        ahead += len(tier)
    return tuple(tie_needs)


def table_needs(
    tables: Mapping[int, Mapping[str, int]], above: int, *, round_number: int
) -> tuple[Need, ...]:
    """Return the ties for the last place that goes on from each table of a round.

    Args:
        tables: place of each entrant who may go on, by code, by the number of the table.
        above: how many of each table go on.

    >>> ties = table_needs({1: {"A": 1, "B": 2, "C": 2}, 2: {"D": 1, "E": 2}}, 2, round_number=3)
    >>> [(tie.key, tie.cuts) for tie in ties]
    [('table:2/1@3.1|B,C', (1,))]
    """
    return tuple(
        need
        for number, places in sorted(tables.items())
        for need in needs(
            tiers_by(places),
            [Boundary(above, TABLE_LINE, round_number, number)],
            policy="extra_hands",
        )
    )


def tiers_by(keys: Mapping[str, Any]) -> list[list[str]]:
    """Return codes with an equal key as a tier, the smallest key first."""
    ordered = sorted(keys, key=lambda code: (keys[code], code))
    return [list(tier) for _, tier in groupby(ordered, keys.__getitem__)]


def wild_card_tiers(
    tables: Iterable[Mapping[str, tuple[int, int]]], above: int, gone: Collection[str] = ()
) -> Tiers:
    """The candidates for a wild card, best first: by place, then points against the mean.

    Args:
        tables: place and points of this round, fewer are better, of each entrant by code.
        above: how many of each table go on by their place.
        gone: entrants who cannot go on; the next one takes their place.

    >>> one, two = {"A": (1, 0), "B": (2, 3), "C": (3, 9)}, {"D": (1, 1), "E": (2, 2), "F": (3, 9)}
    >>> wild_card_tiers([one, two], 1)
    [['E'], ['B'], ['C', 'F']]
    """
    keys: dict[str, tuple[int, Fraction]] = {}
    for table_tiers in tables:
        mean = Fraction(sum(points for _, points in table_tiers.values()), len(table_tiers))
        fit = sorted((place, code) for code, (place, _) in table_tiers.items() if code not in gone)
        for place, code in fit[above:]:
            keys[code] = (sum(better < place for better, _ in fit), table_tiers[code][1] - mean)
    return tiers_by(keys)


def above_line(tiers: Tiers, above: int) -> frozenset[str] | None:
    """The codes above a line, or None where a tie spans it.

    Args:
        tiers: level entrants, best first, play-offs folded in.
        above: how many are above the cut-off; all of them where there are fewer.

    >>> sorted(above_line([["A"], ["B", "C"], ["D"]], 3)), above_line([["A", "B"]], 1)
    (['A', 'B', 'C'], None)
    """
    codes: set[str] = set()
    for tier in tiers:
        if len(codes) < above:
            codes |= set(tier)
    return None if above < len(codes) else frozenset(codes)


def split_at(tiers: Tiers, above: int) -> tuple[set[str], set[str]]:
    """Return who is above a line without doubt, and who is tied across it.

    >>> sure, tied = split_at([["A"], ["B", "C"], ["D"]], 2)
    >>> sure, sorted(tied)
    ({'A'}, ['B', 'C'])
    >>> sorted(split_at([["A"], ["B", "C"], ["D"]], 3)[0]), split_at([["A"]], 0), split_at([], 2)
    (['A', 'B', 'C'], (set(), set()), (set(), set()))
    """
    sure: set[str] = set()
    for tier in tiers:
        if len(sure) >= above:
            break
        if len(sure) + len(tier) > above:
            return sure, {*tier}
        sure |= {*tier}
    return sure, set()


def _straight(tiers: Tiers, by_primary: Tiers, boundaries: Sequence[Boundary]) -> Tiers:
    mixed: list[Sequence[str]] = []
    ahead = 0
    for group in by_primary:
        after = ahead + len(group)
        titles = any(line.kind == "title" and ahead < line.above < after for line in boundaries)
        parts = [tier for tier in tiers if set(tier) <= set(group)]
        mixed.extend([group] if titles else parts)
        ahead = after
    return mixed


def ranks(order: Tiers) -> dict[str, int]:
    """Return each member's place within the group, from 1; members still tied share it.

    With each one's results (`told`) it is the criterion `playoff`, after the tie-break order.

    `order`: of a play-off, best first (`Progress.order`).

    >>> ranks([["D"], ["B", "C"], ["A"]])
    {'D': 1, 'B': 2, 'C': 2, 'A': 4}
    """
    rank_by_code: dict[str, int] = {}
    for level in order:
        place = len(rank_by_code) + 1
        rank_by_code.update(dict.fromkeys(level, place))
    return rank_by_code


def folded(tiers: Tiers, playoff_rank: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Return the tiers with those split whose members have all played off.

    `playoff_rank`: code → place in its play-off.

    The same entrants; each stays within the places of its tier.

    >>> folded([["A"], ["B", "C", "D"], ["E"]], {"D": 1, "B": 2, "C": 2})
    (('A',), ('D',), ('B', 'C'), ('E',))
    """
    after: list[tuple[str, ...]] = []
    for tier in tiers:
        places = {code: playoff_rank.get(code, 0) for code in tier}
        if 0 in places.values():
            after.append(tuple(tier))
        else:
            after += (
                tuple(code for code in tier if places[code] == place)
                for place in sorted(set(places.values()))
            )
    return tuple(after)


def best_of_tables(
    tiers: Tiers,
    tables: Mapping[int, Mapping[str, int]],
    *,
    each_table: int,
    wild_cards: int = 0,
    shares: bool = False,
) -> tuple[Tiers, int, tuple[str, ...], int | None]:
    """Order a stage for a rule "the best `each_table` of each table and so many wild cards".

    Args:
        tiers: the standings, best first, of those who may go on; level entrants share a tier.
        tables: code → place (1 = first) at each table of the last round, by table number. Codes
            that are in no tier (withdrawn) are skipped, and the next one goes on.
        each_table: how many of a table go on; all of a smaller one.
        shares: all who share the last place of a table go on.

    Return an order with those who go on before the line (`boundaries.above_line`): those who go
    on by their table, then the others by the standings. Also return who shares the last qualifying
    place of a table and is tied in the standings, and the table's number; they and everybody
    after them are then one tier.

    Source: our own rule; the top two of each table are the common knock-out for four.

    >>> tables = {1: {"a": 1, "b": 2, "c": 3}, 2: {"d": 1, "e": 2, "f": 2}}
    >>> best_of_tables(
    ...     [["a"], ["d"], ["f"], ["b"], ["e"], ["c"]], tables, each_table=2, wild_cards=1
    ... )
    ([['a', 'b', 'd', 'f'], ['e'], ['c']], 5, (), None)
    """
    at = {code: tier for tier, codes in enumerate(tiers) for code in codes}
    through: set[str] = set()
    tied: tuple[str, ...] = ()
    tied_table = None
    above = wild_cards
    for number, places in sorted(tables.items()):
        fit = {code: (place, at[code]) for code, place in places.items() if code in at}
        above += min(each_table, len(fit))
        sure, edge = _split(fit, each_table)
        if shares and edge:
            above += len(sure) + len(edge) - min(each_table, len(fit))
            sure, edge = sure | edge, set()
        through |= sure
        if edge and not tied:
            tied = tuple(sorted(edge))
            tied_table = number
    others = [[code for code in tier if code not in through] for tier in tiers]
    rest = [tier for tier in others if tier]
    if tied:
        rest = [[code for tier in rest for code in tier]]
    order = [sorted(through), *rest] if through else rest
    return order, above, tied, tied_table


def with_best_of_another(first: Tiers, above: int, second: Tiers, best: int) -> Tiers:
    """Order two stages for a rule "those of the first, and the best of the second".

    `above` of the first order go on and `best` of the second, which has none of those. A line after
    `above + best` of the new order separates who goes on; where a tie spans one of the two lines,
    everybody is one tier.

    Source: our own rule; a repechage in a knock-out.

    >>> with_best_of_another([["a"], ["b"], ["c"]], 2, [["d"], ["e"]], 1)
    [['a', 'b', 'd'], ['c'], ['e']]
    >>> with_best_of_another([["a"], ["b"]], 1, [["d", "e"]], 1)
    [['a', 'b', 'd', 'e']]
    """
    through, back = above_line(first, above), above_line(second, best)
    if through is None or back is None:
        return [list(dict.fromkeys(code for tier in (*first, *second) for code in tier))]
    order = [sorted(through | back)]
    placed = through | back
    for tier in (*first, *second):
        if rest := [code for code in tier if code not in placed]:
            placed = placed.union(rest)
            order.append(rest)
    return order


def _split(fit: Mapping[str, tuple[int, int]], count: int) -> tuple[set[str], set[str]]:
    ordered = sorted(fit, key=lambda code: (fit[code], code))
    if len(ordered) <= count:
        return set(ordered), set()
    line = fit[ordered[count - 1]]
    if fit[ordered[count]] != line:
        return set(ordered[:count]), set()
    level = {code for code in ordered if fit[code] == line}
    return set(ordered[:count]) - level, level


KnownPlayoff: TypeAlias = tuple[str, str, frozenset[str], str]
"""An existing play-off: its id, its key, its members, its state."""
Review: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[Need, ...], tuple[Problem, ...]]
"""The result of detection: ids of play-offs that stay, ids of those that are voided, new needs, and
a question for each finished play-off that a correction would change; until it is answered it stays,
and nothing is detected for its members."""


def review(
    playoffs: Sequence[KnownPlayoff], needs_now: Sequence[Need], finished: str = "ask"
) -> Review:
    """Return the play-offs of an event after any change of its table.

    Args:
        playoffs: every play-off of the event; void ones are ignored; they are kept for audit.
        finished: for finished ones whose group has changed: `ask`, `redo` or `keep`.

    The review is idempotent: repeated on unchanged data, it detects and voids nothing.
    """
    keys_needed = {need.key for need in needs_now}
    open_playoffs, void = [], []
    questions: list[Problem] = []
    members_asked: set[str] = set()
    for playoff in playoffs:
        number, key, members, state = playoff
        if state == "void":
            continue
        if key in keys_needed:
            open_playoffs.append(playoff)
        elif state in FINISHED and finished != "redo":
            open_playoffs.append(playoff)
            members_asked |= members
            if finished == "ask":
                facts = {"playoff": number, "members": ", ".join(sorted(members))}
                questions.append(Problem("playoff_would_change", facts=facts))
        else:
            void.append(number)
    keys_open = {key for _, key, _, _ in open_playoffs}
    new = [
        need
        for need in needs_now
        if need.key not in keys_open and members_asked.isdisjoint(need.members)
    ]
    return tuple(number for number, *_ in open_playoffs), tuple(void), tuple(new), tuple(questions)


def cut_problems(went_on: frozenset[str], tiers: Tiers, above: int) -> tuple[Problem, ...]:
    """The problems of a correction where the best of a stage have gone on already.

    `cut_would_change` with who would come in and who would go out; nothing where the same go on. It
    is asked, kept or redone by the event's setting, like a finished play-off.
    """
    now = above_line(tiers, above)
    if now == went_on:
        return ()
    facts = {
        "above": above,
        "tie": now is None,
        "come": listed(sorted((now or went_on) - went_on)) or "nobody",
        "go": listed(sorted(went_on - (now or went_on))) or "nobody",
    }
    return (Problem("cut_would_change", facts=facts),)
