"""Which rows of a sheet belong to a hand, and what keeps the others from it."""

from collections.abc import Sequence

from scoring.errors import listed
from tournaments.domain.imports.import_report import Spot, finding
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.importers.sheets.context import Context, SheetReading
from tournaments.importers.sheets.rows import SheetRow


def has_hands(context: Context, raw: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether a sheet has hands by number: then a row of totals below them is none of its own."""
    numbers = (context.reader.hand[cells[context.reader.at["hand"]]].value for _, cells in raw)
    return any(number is not None and number > TOTALS for number in numbers)


def _is_number(sheet: SheetReading, number: int | None) -> bool:
    """Whether a hand can have that number; the totals of a game stand alone on their sheet."""
    if number is None:
        return False
    return not sheet.has_hands if number == TOTALS else 1 <= number <= LAST_HAND


def used_width(context: Context, raw: Sequence[tuple[int, list[str]]]) -> int:
    """Return how many columns the whole rows of a sheet fill; all where that cannot be told."""
    reader = context.reader
    if reader.own_width != reader.width:
        return 0  # the columns of the file are not those of the rows
    whole = [cells[: reader.width] for line, cells in raw if line not in context.widths]
    filled = [at for cells in whole for at, cell in enumerate(cells, start=1) if cell.strip()]
    return max(filled, default=reader.width)


def is_usable(sheet: SheetReading, row: SheetRow) -> bool:
    """Say what keeps a row from belonging to a hand."""
    number = row.hand
    reader = sheet.context.reader
    if (told := _why_unreadable(sheet, row)) is not None:
        return told
    has_seat = row.seat is not None or (reader.is_open and reader.is_hand(row.cells))
    if has_seat and row.is_whole and _is_number(sheet, number):
        return _is_understood(sheet, row)
    if not reader.is_hand(row.cells):
        sheet.add_finding("not_a_hand_row", [row], found=row_words(row.cells))
        return False
    if not _is_number(sheet, number):
        text = reader.plain[row.cells[reader.at["hand"]]].text
        expected = f"A number from 1 to {LAST_HAND}"
        found = f'"{text}"' if text else "nothing"
        field = reader.called("hand")
        sheet.add_finding("bad_number", [row], field=field, found=found, expected=expected)
        sheet.astray.add(row.line)
        return False
    if not has_seat:
        text = reader.plain[row.cells[reader.at[reader.place_key]]].text
        found = f'"{text}"' if text else "an empty cell"
        expected = "NS or EW" if reader.by_side else "N, E, S, W or a number"
        sheet.add_finding("unknown_seat", [row], row.hand, found=found, expected=expected)
        sheet.broken.add(row.hand or TOTALS)
    return True


def _why_unreadable(sheet: SheetReading, row: SheetRow) -> bool | None:
    """Say what keeps all cells of a row from being read; None where nothing does.

    The answer is whether the row is one of its hand's all the same.
    """
    context = sheet.context
    reader = context.reader
    if not reader.is_hand(row.cells):
        return None
    is_in_place = reader.is_in_place(row.cells)
    width = odd_width(context, row.line, row.cells)
    if width is not None and not (is_in_place and _is_harmless(sheet, row)):
        code, facts = width
        spot = sheet.spot([row], row.hand) if is_in_place else Spot((row.line,))
        sheet.findings.append(finding(code, spot, **facts))
    elif row.line in context.formulas:
        found = addresses(context.formulas[row.line])
        sheet.add_finding("formula_without_value", [row], row.hand, found=found)
    else:
        return None
    row.is_whole = False
    if not is_in_place:
        sheet.astray.add(row.line)
        return False
    sheet.broken.add(row.hand or 0)
    return True


def _is_harmless(sheet: SheetReading, row: SheetRow) -> bool:
    """Whether a row lacks only cells that are empty in all rows of its sheet."""
    if len(row.cells) - 1 > sheet.context.reader.width:
        return False
    return sheet.context.widths.get(row.line, 0) >= sheet.used


def odd_width(
    context: Context, line: int, cells: Sequence[str]
) -> tuple[str, dict[str, str]] | None:
    """Return that a row has more cells than there are heads, or is cut short; None for others."""
    reader = context.reader
    beyond = len(cells) - 1 - reader.width
    expected = str(reader.own_width)
    if beyond > 0:
        return "too_many_cells", {"found": str(beyond + reader.own_width), "expected": expected}
    there = context.widths.get(line)
    if there is None:
        return None
    code = "too_few_cells" if there < reader.own_width else "too_many_cells"
    return code, {"found": str(there), "expected": expected}


def addresses(cells: Sequence[tuple[int, str]]) -> str:
    """Return the cells of a row as one says them.

    >>> addresses([(8, "I5"), (9, "J5")])
    'I5, J5'
    """
    return listed([address for _, address in cells])


def _is_understood(sheet: SheetReading, row: SheetRow) -> bool:
    """Say what in a row of a foreign file names nobody who sat there; its hand waits."""
    odd = sheet.context.reader.columns.at.get("odd")
    if odd is not None and row.cells[odd]:
        sheet.add_finding("not_at_the_table", [row], row.hand, found=row.cells[odd])
        sheet.broken.add(row.hand or 0)
    return True


def row_words(cells: Sequence[str]) -> str:
    """Return what stands in a row, in short."""
    text = " ".join(cell.strip() for cell in cells if cell.strip()).replace("\0", "")
    return text if len(text) <= 60 else text[:60] + "…"
