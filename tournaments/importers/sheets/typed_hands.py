"""One hand of a sheet: its rows by seat, who sat there, its board and its entry."""

from collections import Counter
from collections.abc import Sequence

from scoring.errors import listed
from tournaments.domain.imports.import_report import from_problem
from tournaments.domain.imports.imported_sheet import NOBODY, TypedHand
from tournaments.domain.replay_game import TOTALS
from tournaments.importers.sheets.context import SheetReading
from tournaments.importers.sheets.entries import ReadEntry
from tournaments.importers.sheets.rows import SheetRow, valid_number
from tournaments.importers.sheets.seats_or_sides import SheetPlaces
from tournaments.importers.tabular.list_columns import length_of


def seated_rows(
    sheet: SheetReading, number: int, block: list[SheetRow], places: SheetPlaces
) -> list[SheetRow] | None:
    """Return the hand's rows clockwise, or say what is wrong with its seats."""
    if number in sheet.broken:
        return None
    by_seat: dict[int, SheetRow] = {}
    for row in block:
        there = by_seat.setdefault(row.seat or 0, row)
        if there is row:
            continue
        sign = sheet.context.reader.sign
        if sign(there) == sign(row):
            sheet.add_finding("duplicate_row", [row], number)
            continue
        sheet.add_finding("duplicate_seat", block, number, found=places.names[row.seat or 0])
        return None
    if by_seat.keys() != set(range(places.rows)):
        if _has_stray_row(sheet, block):
            return None
        here = len(by_seat)
        found = f"one {places.noun}" if here == 1 else f"{here} {places.noun}s"
        expected = f"{places.rows} {places.noun}s"
        sheet.add_finding("seat_count", block, number, found=found, expected=expected)
        return None
    return [by_seat[seat] for seat in range(places.rows)]


def _has_stray_row(sheet: SheetReading, block: Sequence[SheetRow]) -> bool:
    """Whether a row beside the hand, already reported, may be the one that it lacks."""
    if "column" in sheet.context.reader.columns.at:
        return False  # a hand is one line there
    around = range(min(row.line for row in block) - 1, max(row.line for row in block) + 2)
    return any(line in sheet.astray or line in sheet.context.outline.astray for line in around)


def once_each(players: tuple[int, ...]) -> tuple[int, ...]:
    """Leave open who sat where a player is written for two seats."""
    if len(set(players)) == len(players):
        return players
    return tuple(key if players.count(key) == 1 else NOBODY for key in players)


def _written_twice(rows: Sequence[SheetRow]) -> SheetRow | None:
    """Return the first row of somebody (a player, or a pair) who has two rows of one hand."""
    keys = [row.person.member.key for row in rows if row.person.member]
    if len(set(keys)) == len(keys):
        return None
    written = Counter(keys)
    again = (row for row in rows if row.person.member and written[row.person.member.key] > 1)
    return next(again, None)


def typed_hand(
    sheet: SheetReading,
    number: int,
    rows: list[SheetRow],
    players: tuple[int, ...],
    read: ReadEntry,
    places: SheetPlaces,
) -> TypedHand | None:
    """Return a hand from its rows clockwise, or say what is wrong in it.

    Args:
        rows: as `seated_rows` returns them.
        read: the entry of the hand by seat.
    """
    spot = sheet.spot(rows, number)
    for problem, row in read.problems:
        sheet.findings.append(from_problem(problem, sheet.spot([row], number)))
    if read.bad_points:
        sheet.add_finding(
            "partners_disagree", rows, number, found=read.bad_points, expected="one score"
        )
    if read.bad_mark:
        sheet.add_finding(
            "bad_moon_mark", rows, number, found=read.bad_mark, expected="others or self"
        )
    if (
        not {"hearts", "taken", "points", "clean", "trick_points"} & set(read.entry)
        and not read.problems
    ):
        sheet.add_finding("no_counts", rows, number)
        return None
    length: int | None = 1  # of an ordinary hand
    if number == TOTALS:
        length, is_read = _of_totals(sheet, rows, read)
        if not is_read:
            return None
    board, is_read = _board(sheet, rows, number)
    if not (read.is_whole and is_read):
        return None
    is_held = sheet.hold_all or number in sheet.held
    if twice := _written_twice(rows):
        sheet.add_finding("same_player_twice", rows, number, found=twice.person.name)
        is_held = True
    lines = places.lines(rows)
    at = sheet.context.reader.columns.at.get("column")
    heads = tuple(row.cells[at] for row in rows) if at is not None else ()
    return TypedHand(
        number, spot.lines, lines, read.entry, players, read.mark, is_held, hands=length,
        columns=heads, board=board,
    )  # fmt: skip


def _board(sheet: SheetReading, rows: Sequence[SheetRow], number: int) -> tuple[int | None, bool]:
    """Return the board that a hand names, if it names one, and whether that can be read."""
    at = sheet.context.reader.columns.at.get("board")
    if at is None or not sheet.context.has_boards:
        return None, True
    cells = [sheet.context.reader.whole[row.cells[at]] for row in rows]
    texts = dict.fromkeys(cell.text for cell in cells if cell.text)
    boards = {cell.value for cell in cells if cell.text}
    if len(boards) > 1 or not all(valid_number(board) for board in boards):
        found = listed([f'"{text}"' for text in texts])
        sheet.add_finding("bad_board", rows, number, found=found)
        return None, False
    return next(iter(boards), None), True


def _of_totals(
    sheet: SheetReading, rows: Sequence[SheetRow], read: ReadEntry
) -> tuple[int | None, bool]:
    """Return how many hands totals stand for, if that is known, and whether they can be read."""
    if read.entry.keys() != {"points"}:
        sheet.add_finding("only_points_in_totals", rows, TOTALS)
        return None, False
    at = sheet.context.reader.columns.at.get("hands")
    texts = dict.fromkeys(text for row in rows if at is not None and (text := row.cells[at]))
    lengths = {length_of(sheet.context.reader.plain[text]) for text in texts}
    if len(lengths) > 1 or None in lengths:
        found = listed([f'"{text.strip()}"' for text in texts])
        sheet.add_finding("bad_length", rows, TOTALS, found=found)
        return None, False
    return next(iter(lengths), None), True
