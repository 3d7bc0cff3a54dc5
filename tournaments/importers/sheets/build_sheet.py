"""From the rows of one table to its typed sheet: hands, who sat there, every mistake in them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scoring.entry.meld_names import meld_names
from scoring.entry.sheet import Box, boxes
from scoring.errors import Refused, listed
from scoring.rules.rules import Rules
from tournaments.domain.imports.import_report import Finding, Spot, finding, from_problem
from tournaments.domain.imports.imported_sheet import NOBODY, TypedHand, TypedSheet
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.importers.sheets.context import Context, SheetReading
from tournaments.importers.sheets.dates import day_of
from tournaments.importers.sheets.entries import EntryReader, ReadEntry
from tournaments.importers.sheets.hands_in_rows import hands_of
from tournaments.importers.sheets.rows import SheetRow, valid_number
from tournaments.importers.sheets.seats_or_sides import SheetPlaces
from tournaments.importers.sheets.unnamed_seats import give_seats, labels_of_seats
from tournaments.importers.tabular.cells import is_as_written
from tournaments.importers.tabular.list_columns import length_of
from tournaments.services.imports.rules import SheetRules


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """One table's sheet, None where its rules are not known; its hands; and what is wrong."""

    typed: TypedSheet | None
    hands: int
    findings: list[Finding]


def read_sheet(
    context: Context, round_: int, table: int, raw: Sequence[tuple[int, list[str]]]
) -> ReadSheet:
    """Read one table's sheet.

    Args:
        raw: (line, fitted cells) of all its rows, in the order of the file.
    """
    sheet = SheetReading(context, round_, table, [])
    if context.widths:
        sheet.used = _used(context, raw)
    sheet.has_hands = _has_hands(context, raw)
    for line, cells in raw:
        row = context.reader.row(line, cells)
        if _is_usable(sheet, row):
            sheet.rows.append(row)
    if context.reader.is_open:
        give_seats(sheet)
    hands = hands_of(sheet)
    ruled = _ruled(sheet)
    day = day_of(sheet)
    _clash(sheet)
    _people(sheet)
    _row_notes(sheet)
    count = sum(len(blocks) for blocks in hands.values())
    typed = _typed(sheet, hands, ruled, day) if ruled is not None and hands else None
    return ReadSheet(typed, count, sheet.findings)


def _has_hands(context: Context, raw: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether a sheet has hands by number: then a row of totals below them is none of its own."""
    numbers = (context.reader.hand[cells[context.reader.at["hand"]]].value for _, cells in raw)
    return any(number is not None and number > TOTALS for number in numbers)


def _is_number(sheet: SheetReading, number: int | None) -> bool:
    """Whether a hand can have that number; the totals of a game stand alone on their sheet."""
    if number is None:
        return False
    return not sheet.has_hands if number == TOTALS else 1 <= number <= LAST_HAND


def _used(context: Context, raw: Sequence[tuple[int, list[str]]]) -> int:
    """Return how many columns the whole rows of a sheet fill; all where that cannot be told."""
    reader = context.reader
    if reader.own_width != reader.width:
        return 0  # the columns of the file are not those of the rows
    whole = [cells[: reader.width] for line, cells in raw if line not in context.widths]
    filled = [at for cells in whole for at, cell in enumerate(cells, start=1) if cell.strip()]
    return max(filled, default=reader.width)


def _is_usable(sheet: SheetReading, row: SheetRow) -> bool:
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


def _ruled(sheet: SheetReading) -> SheetRules | None:
    """Return the rules of the sheet's variant, or say why there are none."""
    rows = sheet.rows
    names = list(dict.fromkeys(row.variant for row in rows if row.variant))
    found: dict[str, SheetRules] = {}
    for name in names or [""]:
        try:
            ruled = sheet.context.rules_for(name)
        except Refused as refused:
            hints = refused.problems[0].suggestions
            hint = hints[0].text if hints else None
            sheet.add_finding(
                "unknown_variant",
                [row for row in rows if row.variant == name],
                found=f'"{name}"',
                expected="a variant of the catalogue",
                suggestion=hint,
            )
            return None
        if sheet.context.reader.by_side and ruled.rules.keys.teams.mode != "pooled":
            sheet.add_finding(
                "seats_needed", rows, found=ruled.rules.name, expected="a row a player"
            )
            return None
        if _has_unknown_sides(sheet, ruled):
            sheet.add_finding("sides_unknown", rows, found=ruled.rules.name)
            return None
        found.setdefault(ruled.rules.content_hash, ruled)
    if len(found) > 1:
        sheet.add_finding("variants_disagree", rows, found=names[0], expected=", ".join(names[1:]))
        return None
    return next(iter(found.values()))


def _has_unknown_sides(sheet: SheetReading, ruled: SheetRules) -> bool:
    """Whether nothing says who plays with whom: neither the file, nor a seating of the event."""
    if not sheet.context.reader.is_open or ruled.rules.keys.teams.mode == "none":
        return False
    return (sheet.round, sheet.table) not in sheet.context.seated


def _clash(sheet: SheetReading) -> None:
    """Say who sits at another table of the round too; both sheets wait."""
    clashes = sheet.context.outline.clashes.get((sheet.round, sheet.table), ())
    for code, tables in clashes:
        sheet.hold_all = True
        if sheet.table != tables[0]:
            rows = [
                row for row in sheet.rows
                if row.person.member is not None and row.person.member.player_id == code
            ]  # fmt: skip
            name = rows[0].person.name if rows else code
            spot = Spot(tuple(sorted({row.line for row in rows})), sheet.round)
            both = f"{tables[0]} and {sheet.table}"
            sheet.findings.append(finding("player_at_two_tables", spot, found=name, expected=both))


def _people(sheet: SheetReading) -> None:
    """Say once for the sheet who is not known, and hold the hands of those rows."""
    open_: dict[tuple[str, str, str], list[SheetRow]] = {}
    _partners(sheet)
    for row in sheet.rows:
        if not row.is_whole:
            continue  # what is written there may be another column's
        person = row.person
        if person.code:
            open_.setdefault((person.code, person.found, person.expected), []).append(row)
            sheet.held.add(row.hand or 0)
        if "name_cut" in person.notes:
            sheet.note("name_cut", row, str(person.length), str(len(person.found)))
        if "name_order" in person.notes and person.member is not None:
            sheet.note("name_order", row, f'"{person.found}"', person.member.name)
    for (code, found, expected), rows in open_.items():
        hands = {row.hand for row in rows}
        sheet.add_finding(
            code,
            rows,
            hands.pop() if len(hands) == 1 else None,
            found=f'"{found}"' if found else "nobody",
            expected=expected or "a member",
            suggestion=rows[0].person.suggestion,
            offers=[
                {"text": str(member), "player": member.player_id}
                for member in rows[0].person.candidates
            ],
        )


def _partners(sheet: SheetReading) -> None:
    """Say of whom the file names another pair than the event, and hold those hands."""
    reader = sheet.context.reader
    if reader.by_side or "pair_id" not in reader.columns.at:
        return
    odd: dict[tuple[str, str, str], list[SheetRow]] = {}
    for row in sheet.rows:
        cell, member = row.cells[reader.at["pair_id"]], row.person.member
        if member is not None and not reader.pairs.has(cell, member.key):
            key = (str(member), reader.plain[cell].text, reader.pairs.of(member.key))
            odd.setdefault(key, []).append(row)
            sheet.held.add(row.hand or 0)
    for (found, expected, own), rows in odd.items():
        sheet.add_finding(
            "pair_disagrees", rows, found=found, expected=expected, suggestion=own or None
        )


def _row_notes(sheet: SheetReading) -> None:
    for row in sheet.rows:
        for code in set(row.notes) - {"name_cut", "name_order"}:
            sheet.note(code, row, _example(sheet, row, code), "")


def _example(sheet: SheetReading, row: SheetRow, code: str) -> str:
    """Return the cell that a note is about, in quotes."""
    reader = sheet.context.reader
    for index in reader.columns.at.values():
        if code in reader.plain[row.cells[index]].notes:
            return f'"{reader.plain[row.cells[index]].text}"'
    return "a cell"


def _typed(
    sheet: SheetReading, hands: dict[int, list[list[SheetRow]]], ruled: SheetRules, day: date | None
) -> TypedSheet:
    places = SheetPlaces(sheet.context.reader, ruled.rules, _seats(hands))
    counted = counted_cards(ruled.rules, places.seats)
    is_open = sheet.context.reader.is_open
    labels = labels_of_seats(sheet.rows, places.names) if is_open else places.names
    melds = words_of_melds(ruled.rules, places.seats)
    reader = EntryReader(sheet.context.reader, counted, labels, sheet.rows, sheet.note, melds)
    found: list[TypedHand] = []
    sat: dict[int, tuple[int, ...]] = {}
    for number in sorted(hands):
        for block in hands[number]:
            rows = _seated(sheet, number, block, places)
            players = places.players(block)
            sat[number] = _once_each(players)
            if rows is None:
                continue
            hand = _hand(sheet, number, rows, players, places.by_seat(reader.read(rows)), places)
            if hand is not None:
                found.append(hand)
    lines = tuple(dict.fromkeys(row.line for row in sheet.rows))
    return TypedSheet(
        sheet.round, sheet.table, lines, day, ruled.name, places.seats, tuple(found), sat,
        labels if is_open else (), _keeps_sides(sheet),
    )  # fmt: skip


def _keeps_sides(sheet: SheetReading) -> bool:
    """Whether a row says that partners who are no pair sat together all the same."""
    at = sheet.context.reader.columns.at.get("sides")
    return at is not None and any(is_as_written(row.cells[at]) for row in sheet.rows)


def _seats(hands: dict[int, list[list[SheetRow]]]) -> int:
    """Return how many sit at the table: as many as in most of its hands, at least two."""
    sizes = Counter(
        1 + max(row.seat or 0 for row in block) for blocks in hands.values() for block in blocks
    )
    return max(2, max(sizes, key=lambda size: (sizes[size], size)))


@lru_cache(maxsize=256)
def counted_cards(rules: Rules, seats: int) -> Mapping[str, Box]:
    """Return the boxes of the cards that have a column of their own on a sheet of these rules."""
    least, most = rules.keys.players
    fitting = min(max(seats, least), most)
    return {box.card: box for box in boxes(rules, fitting) if box.card}


@lru_cache(maxsize=256)
def words_of_melds(rules: Rules, seats: int) -> Mapping[str, str]:
    """Return the words under which melds are read in a cell; none under rules without them."""
    if not rules.keys.melds:
        return {}
    least, most = rules.keys.players
    fitting = min(max(seats, least), most)
    found = (meld_names(box) for box in boxes(rules, fitting) if box.kind == "melds")
    return next(found, {})


def _seated(
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


def _once_each(players: tuple[int, ...]) -> tuple[int, ...]:
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


def _hand(
    sheet: SheetReading,
    number: int,
    rows: list[SheetRow],
    players: tuple[int, ...],
    read: ReadEntry,
    places: SheetPlaces,
) -> TypedHand | None:
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
