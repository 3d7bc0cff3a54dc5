"""Cells of players that have more than a number: `13 (13)`, `5Q`, `13*`, `x`, `moon`.

A way to read them is proposed where it makes the first rows hands. It is part of a column plan, as
words in `given`; nothing is read so unless the plan says it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

from scoring.entry.sheet import boxes, moon_payment
from scoring.game.running_totals import MOST_LINES, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import plain, whole
from tournaments.documents.read.column_plan import ColumnPlan, labels_of
from tournaments.documents.read.columns import is_sum
from tournaments.models.imports import SEATS

MARKS: Final = "marks"
"""What `given` has the ways under by which the marks of a file are read, with blanks between."""

FIRST: Final = "first"
SECOND: Final = "second"
QUEEN: Final = "queen"
CROSS_IS_ZERO: Final = "cross_is_zero"
CROSS_IS_NOBODY: Final = "cross_is_nobody"
MOON: Final = "moon"

WAYS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "pair": (FIRST, SECOND),
    "queen": (QUEEN,),
    "cross": (CROSS_IS_ZERO, CROSS_IS_NOBODY),
    "moon": (MOON,),
}
"""Kind of mark → the ways in which it can be read."""

WAYS: Final = tuple(way for ways in WAYS_OF.values() for way in ways)

QUEEN_OF_SPADES: Final = "QS"
NOBODY: Final = frozenset({"", "-", "–", "—"})

PAIR: Final = re.compile(r"(-?[0-9]{1,4}) ?(?:\( ?(-?[0-9]{1,4}) ?\)|/ ?(-?[0-9]{1,4}))")
WITH_QUEEN: Final = re.compile(
    r"(?P<number>[0-9]{1,2})? ?\+? ?\(?(?P<mark>q|qs|q♠|♠q|♠|d|pd|pik dame|dame|l|lady|bl|\*|★)\)?",
    re.IGNORECASE,
)
CROSS: Final = frozenset({"x", "×", "✗", "✕", "✘"})
MOON_WORDS: Final = frozenset(
    {"moon", "shot", "shot the moon", "stm", "slam", "mond", "durchmarsch", "marsch", "maan"}
    | {"pit", "capot", "lune", "grand chelem", "🌙", "🌕", "☾"}
)

LEAST: Final = Fraction(1, 2)
"""Share of the first rows that must be hands, so that a way is possible."""


@dataclass(frozen=True, slots=True)
class MarkedCell:
    """The kind of mark in a cell, empty without one, and its numbers."""

    kind: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatCell:
    """A cell as it is read: its number as text, and whether the player took the queen or all."""

    text: str
    has_queen: bool = False
    has_shot: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks in the first rows of a file: an example of each kind, and the possible plans."""

    examples: Mapping[str, str]
    plans: tuple[ColumnPlan, ...] = ()


NO_MARKS: Final = Marks({})


def mark_in(cell: str) -> MarkedCell | None:
    """Return the mark in a cell; None if it has no number and no mark.

    >>> [mark_in(text).kind for text in ("13 (26)", "5Q", "13*", "x", "Moon", "13")]
    ['pair', 'queen', 'queen', 'cross', 'moon', '']
    >>> mark_in("13/26").numbers, mark_in("Q").numbers, mark_in("7,5")
    ((13, 26), (0,), None)
    """
    text = plain(cell).text
    number = whole(text).value
    if number is not None:
        return MarkedCell("", (number,))
    if match := PAIR.fullmatch(text):
        return MarkedCell("pair", (int(match[1]), int(match[2] or match[3])))
    if text.casefold() in CROSS:
        return MarkedCell("cross")
    if text.strip("!. ").casefold() in MOON_WORDS:
        return MarkedCell("moon")
    match = WITH_QUEEN.fullmatch(text)
    # A star is a queen behind a number only.
    if match and (match["number"] or match["mark"] not in "*★"):
        return MarkedCell("queen", (int(match["number"] or 0),))
    return None


def read_cells(texts: Sequence[str], ways: Sequence[str], moon: int | None) -> list[SeatCell]:
    """Return the cells of a row as these ways read them; any other mark stays as it is.

    Args:
        moon: the points of who took everything, where the others have none.
    """
    marks = [mark_in(text) for text in texts]
    others_have_points = any(
        mark is not None and mark.kind != "moon" and any(mark.numbers) for mark in marks
    )
    points_of_shooter = 0 if others_have_points else moon
    return [
        _read_cell(text, mark, ways, points_of_shooter)
        for text, mark in zip(texts, marks, strict=True)
    ]


def _read_cell(
    text: str, mark: MarkedCell | None, ways: Sequence[str], moon: int | None
) -> SeatCell:
    kind = mark.kind if mark is not None else ""
    numbers = mark.numbers if mark is not None else ()
    if kind == "pair" and FIRST in ways:
        return SeatCell(str(numbers[0]))
    if kind == "pair" and SECOND in ways:
        return SeatCell(str(numbers[1]))
    if kind == "queen" and QUEEN in ways:
        return SeatCell(str(numbers[0]), has_queen=True)
    if kind == "cross" and CROSS_IS_ZERO in ways:
        return SeatCell("0")
    if kind == "cross" and CROSS_IS_NOBODY in ways:
        return SeatCell("")
    if kind == "moon" and MOON in ways and moon is not None:
        return SeatCell(str(moon), has_shot=True)
    return SeatCell(text)


def ways_in(plan: ColumnPlan) -> tuple[str, ...]:
    words = plan.given.get(MARKS, "").split()
    return tuple(way for way in WAYS if way in words)


def with_marks(plan: ColumnPlan, ways: Sequence[str], kind: str) -> ColumnPlan:
    """Return a plan that reads marks in these ways; the numbers are of the kind `kind`."""
    values = {key: text for key, text in plan.given.items() if key != MARKS}
    if ways:
        values[MARKS] = " ".join(ways)
    return replace(plan, cells=kind, given=values)


def points_of_moon(rules: Rules | None, seats: int) -> int | None:
    """Return the points of the cards of a moon; None where the rules have none, or several."""
    if rules is None or not _has_table_of(rules, seats):
        return None
    payment = moon_payment(rules, seats)
    if payment is None:
        return None
    return payment.face


def _has_table_of(rules: Rules, seats: int) -> bool:
    fewest, most = rules.keys.players
    return fewest <= seats <= most


def marks_of(
    plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]], rules: Rules
) -> Marks:
    """Return the marks in the cells of players, and the plans by which most rows are hands."""
    rows = list(_rows_of_players(plan, heads, sample))
    examples: dict[str, str] = {}
    for row in rows:
        for text in row:
            mark = mark_in(text)
            if mark is not None and mark.kind:
                examples.setdefault(mark.kind, text)
    if not examples:
        return Marks({})
    kinds = [WAYS_OF[kind] for kind in WAYS_OF if kind in examples]
    contents = ["points"]
    if "hearts" in {box.kind for box in boxes(rules, rules.keys.players[1])}:
        contents.append("hearts")
    shares: dict[object, tuple[Fraction, ColumnPlan]] = {}
    for content, ways in product(contents, product(*kinds)):
        lines = _lines(rows, ways, rules)
        n_hands = sum(1 for line in lines if _is_hand(line, content, rules))
        share = Fraction(n_hands, len(rows))
        shares.setdefault((content, tuple(lines)), (share, with_marks(plan, ways, content)))
    best = max(share for share, _ in shares.values())
    if best < LEAST:
        return Marks(examples)
    return Marks(examples, tuple(found for share, found in shares.values() if share == best))


def _rows_of_players(
    plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]]
) -> Iterator[list[str]]:
    if plan.rows == SEATS:
        return
    columns = [at for at, label in enumerate(labels_of(heads)) if plan.has_numbers(label)]
    for row in sample[:MOST_LINES]:
        texts = [plain(row[at]).text if at < len(row) else "" for at in columns]
        if not is_sum(row) and any(text not in NOBODY for text in texts):
            yield texts


Line = tuple[tuple[str, bool], ...]
"""The number of each seat, empty for nobody, and whether the player took the queen."""


def _lines(rows: Sequence[Sequence[str]], ways: Sequence[str], rules: Rules) -> list[Line]:
    lines = []
    for row in rows:
        moon = points_of_moon(rules, sum(1 for text in row if text not in NOBODY))
        cells = read_cells(row, ways, moon)
        lines.append(tuple((cell.text, cell.has_queen) for cell in cells))
    return lines


def _is_hand(line: Line, content: str, rules: Rules) -> bool:
    played = [(text, has_queen) for text, has_queen in line if text not in NOBODY]
    numbers = [value for text, _ in played if (value := whole(text).value) is not None]
    if len(numbers) < len(played) or not _has_table_of(rules, len(numbers)):
        return False
    if content == "points":
        return is_hand(rules, tuple(numbers))
    maximum = {box.card or box.kind: box.maximum for box in boxes(rules, len(numbers))}
    n_queens = sum(1 for _, has_queen in played if has_queen)
    return sum(numbers) == maximum.get("hearts") and n_queens == maximum.get(QUEEN_OF_SPADES)
