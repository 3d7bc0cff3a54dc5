"""Apply pasted blocks and buttons of the grid to its rows before they are saved.

A block has a line for each seat or for each hand, by its shape, or by its totals if both fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from scoring.entry.sheet import seat_names
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import LAST_HAND, hands_of_running_totals
from tournaments.views.hands.grid_cells import CellGrammar, read_cell
from tournaments.views.hands.grid_hints import FaceValues, verdict
from tournaments.views.hands.grid_rows import (
    LONGEST,
    MOST_ROWS,
    GridDraft,
    RowTexts,
    read_row,
    write_row,
)
from tournaments.views.hands.grid_screen import GridScreen
from tournaments.views.hands.running_totals import changed

LONGEST_BLOCK: Final = 20_000
MOST_LINES: Final = 100
As: TypeAlias = Literal["seat", "hand"]
Block: TypeAlias = list[list[str]]
Hands: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PastedBlock:
    """A block as it was read: the cells of each hand, and the other way that it could be read.

    `lines` and `columns` are those of the block, and `left_out` how many lines are too many for it;
    `other` is empty where only one way fits. `is_running` blocks had running totals; `hands` have
    the points of each hand.
    """

    hands: Hands
    read_as: As
    way: str
    lines: int
    columns: int
    other: As | None
    left_out: int = 0
    is_running: bool = False


def cells_in(text: str) -> Block:
    """Return the cells of a copied block, lines filled up to the same width; blank lines are none.

    >>> cells_in("6\\t3q\\n\\n7q\\t2\\t0")
    [['6', '3q', ''], ['7q', '2', '0']]
    """
    lines = _lines(text)[:MOST_LINES]
    mark = next(
        (separator for separator in ("\t", ";") if any(separator in line for line in lines)), None
    )
    rows = [[cell.strip()[:LONGEST] for cell in line.split(mark)] for line in lines]
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _lines(text: str) -> list[str]:
    """Return the lines that hold something; of a block that is too long, only whole ones."""
    lines = text[:LONGEST_BLOCK].splitlines()
    if is_too_long(text) and text[LONGEST_BLOCK] not in "\r\n":
        lines = lines[:-1]  # half a line would be another hand
    return [line for line in lines if line.strip()]


def is_too_long(text: str) -> bool:
    return len(text) > LONGEST_BLOCK


AS_POINTS: Final = ":points"
"""Behind a shape: the numbers are the points of each hand, no running totals."""


def pasted(
    text: str,
    grammar: CellGrammar,
    worth: FaceValues,
    names: Sequence[str],
    read_as: str = "",
    *,
    rules: Rules,
    before: tuple[int, ...] = (),
) -> PastedBlock | None:
    """Return the content of a pasted block; `None` if it has neither shape.

    Args:
        names: the players, in the order of the sheet's rows; a header of names overrides it.
        read_as: `seat` or `hand` if the user chose, with `AS_POINTS` behind it.
        before: the totals of the hands before the block, from which running totals may go on.
    """
    may_run = not read_as.endswith(AS_POINTS)
    read_as = read_as.removesuffix(AS_POINTS)
    block = cells_in(text)
    turned = [list(column) for column in zip(*block, strict=True)]
    readings: dict[As, list[Hands]] = {
        "hand": _readings(block, grammar, names),
        "seat": _readings(turned, grammar, names),
    }
    scored = {
        (kind, n, way): _n_right(grammar, worth, way, hands)
        for kind, kind_readings in readings.items()
        for n, hands in enumerate(kind_readings)
        for way in ("counts", "points")
    }
    if not scored:
        return None
    candidates = [key for key in scored if key[0] == read_as] or list(scored)
    kind, n, way = max(candidates, key=lambda key: scored[key])
    other = next((key for key in readings if key != kind and readings[key]), None)
    width = len(block[0]) if block else 0
    left_out = len(_lines(text)) - len(block)
    read = PastedBlock(readings[kind][n], kind, way, len(block), width, other, left_out)
    for candidate in (key for key in dict.fromkeys(key[:2] for key in candidates) if may_run):
        hands = _hands_of_totals(readings[candidate[0]][candidate[1]], rules, before)
        if hands:
            return replace(read, hands=hands, read_as=candidate[0], way="points", is_running=True)
    return read


def _hands_of_totals(lines: Hands, rules: Rules, before: tuple[int, ...]) -> Hands:
    """Return the points of each hand as texts, if lines are running totals; else nothing."""
    if not all(cell.isdecimal() for line in lines for cell in line):
        return ()
    totals = [tuple(map(int, line)) for line in lines]
    return tuple(tuple(map(str, hand)) for hand in hands_of_running_totals(rules, totals, before))


def _n_right(
    grammar: CellGrammar, worth: FaceValues, way: str, hands: Sequence[tuple[str, ...]]
) -> tuple[int, int]:
    rows = [RowTexts(cells) for cells in hands]
    right = sum(verdict(grammar, worth, way, row)[0] == "ok" for row in rows)
    return right, sum(not read_row(grammar, way, row)[1] for row in rows)


def _readings(block: Block, grammar: CellGrammar, names: Sequence[str]) -> list[Hands]:
    """The possible readings of a block with a line a hand, without its heads, numbers and sums.

    Either side may have empty columns, so a first column of numbers may be those of the hands or
    the points of a seat; the sums show which.
    """
    seats = len(grammar.sheet.rows)
    rows = block
    head = rows[0] if rows and not all(_is_cell(grammar, cell) for cell in rows[0]) else None
    rows = rows[1:] if head else rows
    rows = rows[:-1] if _ends_in_sums(grammar, rows) else rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    readings = []
    for begin in reversed(range(len(columns) - seats + 1)):
        end = begin + seats
        before, after = columns[:begin], columns[end:]
        labelled = not before or not any(before[-1]) or _are_labels(grammar, before[-1])
        summed = not after or all(
            not text or text.replace("\u2212", "-").lstrip("-").isdecimal() for text in after[0]
        )
        if labelled and summed and not any(map(any, [*before[:-1], *after[1:]])):
            order = _order(head[begin:end], names, grammar) if head else range(seats)
            cut = [row[begin:end] for row in rows if any(row[begin:end])]
            readings.append(tuple(tuple(row[place] for place in order) for row in cut))
    return [hands for hands in readings if hands]


def _ends_in_sums(grammar: CellGrammar, rows: Block) -> bool:
    words = [not _is_cell(grammar, row[0]) for row in rows]
    return len(words) > 1 and words[-1] and not any(words[:-1])


def _is_cell(grammar: CellGrammar, text: str) -> bool:
    number = text.replace("\u2212", "-").removeprefix("-").isdecimal()
    return not text or number or read_cell(grammar, "counts", 1, text) is not None


def _are_labels(grammar: CellGrammar, column: Sequence[str]) -> bool:
    if all(text.isdecimal() for text in column):
        numbers = [int(text) for text in column]
        return numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] > 0
    return not any(_is_cell(grammar, text) for text in column)


def _order(head: Sequence[str], names: Sequence[str], grammar: CellGrammar) -> Sequence[int]:
    labels = [seat_names(grammar.sheet.seats)[row - 1] for row in grammar.sheet.rows]
    for row_names in (names, labels):
        folded, folded_head = (
            [text.casefold() for text in row_names],
            [text.casefold() for text in head],
        )
        if sorted(folded) == sorted(folded_head) and len(set(folded)) == len(folded):
            return [folded_head.index(text) for text in folded]
    return range(len(head))


MORE_ROWS: Final = 4


def more_rows(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> list[GridDraft]:
    last = max((draft.number for draft in drafts), default=0)
    room = min(MORE_ROWS, MOST_ROWS - len(drafts), LAST_HAND - last)
    return [screen.draft(number, way) for number in range(last + 1, last + 1 + room)]


def change_way(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> None:
    for draft in drafts:
        if draft.based_on is None and way in screen.ways:
            draft.way = way


def fill_rows(
    screen: GridScreen, drafts: Sequence[GridDraft], block: PastedBlock, begin: int
) -> tuple[list[GridDraft], int]:
    """Return the rows with a block's hands in them from hand `begin` on, and how many have no row.

    Unsaved rows stay in place; other rows are moved.
    """
    rows = {draft.number: draft for draft in drafts}
    coming = dict(zip(range(begin, LAST_HAND + 1), block.hands, strict=False))
    unsaved_numbers = [
        number
        for number, row in rows.items()
        if number not in coming and row.texts != screen.draft(number).texts
    ]
    block_numbers = list(coming)[: max(MOST_ROWS - len(unsaved_numbers), 0)]
    for number in block_numbers:
        row = rows.setdefault(number, screen.draft(number))
        row.way = block.way
        row.texts = RowTexts(coming[number], row.texts.beside)
    needed = [*unsaved_numbers, *block_numbers]
    other_numbers = sorted(set(rows) - set(needed))[: MOST_ROWS - len(needed)]
    n_left = len(block.hands) - len(block_numbers) + block.left_out
    return [rows[number] for number in sorted([*needed, *other_numbers])], n_left


def apply_row_button(screen: GridScreen, drafts: Sequence[GridDraft], value: str) -> None:
    number, _colon, button = value.partition(":")
    for draft in drafts:
        if str(draft.number) == number:
            fields = read_row(screen.grammar, draft.way, draft.texts)[0]
            fields, _is_saved = changed(screen.sheet, fields, button)
            draft.texts = write_row(screen.grammar, draft.way, fields)
