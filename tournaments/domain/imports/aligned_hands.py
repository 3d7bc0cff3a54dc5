"""Which hands of a table the rows of a file are, whatever numbers they have.

Rows are compared by content first: a row that was inserted in the middle shifts the numbers of all
rows below it, but not their content.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

Content = Hashable | None
"""What a hand holds; None if that is not known, which equals nothing."""


@dataclass(slots=True)
class Alignment:
    """The numbers that rows get at their table.

    Attributes:
        numbers: number of a row → number of its hand.
        unclear: rows that are new hands, or corrected ones: more rows than hands differ there.
    """

    numbers: dict[int, int] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)


def align_hands(stored: Mapping[int, Content], rows: Mapping[int, Content]) -> Alignment:
    """Return the hands of rows, both given as number → content.

    Rows that differ from the hands between the same neighbours are corrected hands; where the table
    has no such hand, they are new ones.

    >>> stored = {1: "A", 2: "B", 3: "C"}
    >>> sorted(align_hands(stored, {1: "A", 2: "X", 3: "B", 4: "C"}).numbers.items())
    [(1, 1), (2, 4), (3, 2), (4, 3)]
    >>> sorted(align_hands(stored, {1: "A", 2: "X", 3: "C", 4: "Y"}).numbers.items())
    [(1, 1), (2, 2), (3, 3), (4, 4)]
    """
    hands = sorted(stored)
    lines = sorted(rows)
    common = _common([stored[number] for number in hands], [rows[line] for line in lines])
    alignment = Alignment({lines[row]: hands[hand] for hand, row in common})
    _match_elsewhere(alignment, stored, rows)
    known = set(alignment.numbers.values())
    ends = [*common, (len(hands), len(lines))]
    start_hand = 0
    start_row = 0
    for hand, row in ends:
        missing = [number for number in hands[start_hand:hand] if number not in known]
        others = [line for line in lines[start_row:row] if line not in alignment.numbers]
        if len(missing) == 1:  # the corrected hand comes first
            likeness = {line: _likeness(stored[missing[0]], rows[line]) for line in others}
            others.sort(key=likeness.__getitem__, reverse=True)
        alignment.numbers.update(zip(others, missing, strict=False))
        if missing:
            alignment.unclear.update(others[len(missing) :])
        start_hand = hand + 1
        start_row = row + 1
    _number_new_hands(alignment, stored, lines)
    return alignment


@dataclass(frozen=True, slots=True)
class Shift:
    """Rows of a file that are hands of a table under other numbers.

    Attributes:
        numbers: number of a row → number of its hand at the table.
        inserted: rows that are no hands of the table.
        missing: hands of the table that the file does not have.
    """

    numbers: Mapping[int, int]
    inserted: Sequence[int]
    missing: Sequence[int]

    @property
    def first_moved(self) -> tuple[int, int]:
        """The first hand of the table with another number in the file, and that number."""
        gone = set(self.inserted)
        return min((at, row) for row, at in self.numbers.items() if at != row and row not in gone)


def find_shift(stored: Mapping[int, Content], rows: Mapping[int, Content]) -> Shift | None:
    """Return how numbered rows are the hands of a table with rows inserted, or with rows missing.

    Rows may also have the hands in another order. None where the numbers of the file fit as well.

    >>> stored = {1: "A", 2: "B", 3: "C"}
    >>> find_shift(stored, {1: "A", 2: "X", 3: "B", 4: "C"})
    Shift(numbers={1: 1, 3: 2, 4: 3, 2: 4}, inserted=[2], missing=[])
    >>> find_shift(stored, {1: "B", 2: "C"})
    Shift(numbers={1: 2, 2: 3}, inserted=[], missing=[1])
    >>> find_shift(stored, {1: "A", 2: "X", 3: "C", 4: "D"}) is None
    True
    """
    numbers = align_hands(stored, rows).numbers
    equal = {row: at for row, at in numbers.items() if _is_same(stored.get(at), rows[row])}
    n_by_number = sum(_is_same(stored[number], rows.get(number)) for number in stored)
    if len(equal) <= n_by_number:
        return None
    places = [equal[row] for row in sorted(equal)]
    is_in_order = places == sorted(places)
    inserted = sorted(row for row, at in numbers.items() if at not in stored)
    missing = sorted(stored.keys() - numbers.values())
    if is_in_order and inserted and missing:
        return None
    if not is_in_order and len(equal) < len(stored):
        return None
    return Shift(numbers, inserted, missing)


def find_moved(stored: Mapping[int, Content], rows: Mapping[int, Content]) -> dict[int, int]:
    """Return new rows that equal a hand for which the file has another row: row → that hand.

    >>> find_moved({1: "A", 2: "B"}, {1: "A", 2: "X", 3: "B", 4: "A"})
    {3: 2}
    """
    other = [n for n in sorted(stored) if n in rows and not _is_same(stored[n], rows[n])]
    by_content = {stored[number]: number for number in other if stored[number] is not None}
    return {
        row: by_content[content]
        for row, content in sorted(rows.items())
        if row not in stored and content in by_content
    }


def _common(stored: Sequence[Content], rows: Sequence[Content]) -> list[tuple[int, int]]:
    """Return the places of a longest common sequence, as pairs in order."""
    first = 0
    while first < min(len(stored), len(rows)) and _is_same(stored[first], rows[first]):
        first += 1
    lengths = [[0] * (len(rows) + 1) for _ in range(len(stored) + 1)]
    for hand in range(len(stored) - 1, first - 1, -1):
        for row in range(len(rows) - 1, first - 1, -1):
            if _is_same(stored[hand], rows[row]):
                lengths[hand][row] = lengths[hand + 1][row + 1] + 1
            else:
                lengths[hand][row] = max(lengths[hand + 1][row], lengths[hand][row + 1])
    pairs = [(at, at) for at in range(first)]
    hand = first
    row = first
    while hand < len(stored) and row < len(rows):
        if _is_same(stored[hand], rows[row]):
            pairs.append((hand, row))
            hand += 1
            row += 1
        elif lengths[hand + 1][row] >= lengths[hand][row + 1]:
            hand += 1
        else:
            row += 1
    return pairs


def _is_same(stored: Content, row: Content) -> bool:
    return stored is not None and stored == row


def _likeness(stored: Content, row: Content) -> int:
    if isinstance(stored, frozenset) and isinstance(row, frozenset):
        return len(stored & row)
    return 0


def _match_elsewhere(
    alignment: Alignment, stored: Mapping[int, Content], rows: Mapping[int, Content]
) -> None:
    """Match rows with equal hands at another place of the table."""
    matched = set(alignment.numbers.values())
    by_content: dict[Content, list[int]] = {}
    for number in sorted(stored.keys() - matched, reverse=True):
        by_content.setdefault(stored[number], []).append(number)
    for line in sorted(rows.keys() - alignment.numbers.keys()):
        numbers = by_content.get(rows[line]) if rows[line] is not None else None
        if numbers:
            alignment.numbers[line] = numbers.pop()


def _number_new_hands(
    alignment: Alignment, stored: Mapping[int, Content], lines: Sequence[int]
) -> None:
    """Number new hands: in a gap as their rows, else after all hands of the table."""
    taken = {*stored, *alignment.numbers.values()}
    last = max(taken, default=0)
    for line in lines:
        if line in alignment.numbers:
            continue
        number = line
        if line in taken or line > last:
            last += 1
            number = last
        alignment.numbers[line] = number
        taken.add(number)
