"""From the rows of one table to its typed sheet: hands, seats, and every mistake in them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Final

from scoring.entry.sheet import Box, boxes, meld_names
from scoring.errors import Refused, listed
from scoring.game.running_totals import booked, find_slips, unclear_lines
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import is_as_written
from tournaments.documents.read.columns import length_of
from tournaments.documents.read.entries import EntryReader, SheetPlaces
from tournaments.documents.read.sheet_rows import SheetRow, valid_number
from tournaments.documents.read.table_rows import (
    Context,
    SheetReading,
    collect_notes,
    day_of,
    find_clashes,
    find_people,
    find_sum_slips,
    hands_of,
    has_hands,
    is_usable,
    used_width,
)
from tournaments.domain.imports.import_report import Finding, from_problem
from tournaments.domain.imports.imported_sheets import NOBODY, SheetHand, SheetRules, TypedSheet
from tournaments.domain.name_matching import folded
from tournaments.domain.replay_game import TOTALS

Sitter = tuple[int, str]
"""A player's key, or what is written of somebody who is not known."""

MOST_READINGS: Final = 3
"""Ways to read a hand that a message names."""


def give_seats(sheet: SheetReading) -> None:
    """Give each row of a sheet its seat.

    Players who sit at the table in the event have that seat. Otherwise the rows of the first hand
    sit clockwise in their order, and people who come later take the seat that is free then.
    """
    players = enumerate(_entrants_at_table(sheet))
    seats: dict[Sitter, int] = {(player, ""): seat for seat, player in players if player != NOBODY}
    by_hand: dict[int, list[SheetRow]] = {}
    for row in sheet.rows:
        by_hand.setdefault(row.hand or 0, []).append(row)
    for _, rows in sorted(by_hand.items()):
        people = list(dict.fromkeys(map(_sitter, rows)))
        occupied = {seats[person] for person in people if person in seats}
        free = (seat for seat in range(len(seats) + len(people)) if seat not in occupied)
        seated = {person: seats[person] if person in seats else next(free) for person in people}
        for row in rows:
            row.seat = seated[_sitter(row)]
        absent = {person: at for person, at in seats.items() if at not in seated.values()}
        seats = {**absent, **seated}


def labels_of_seats(rows: Sequence[SheetRow], names: Sequence[str]) -> tuple[str, ...]:
    """Return the player of each seat without a number, if only one sat there; else of `names`."""
    sat: dict[int | None, set[str]] = {}
    for row in rows:
        member = row.person.member
        sat.setdefault(row.seat, set()).add(member.name if member else row.person.found)
    return tuple(
        next(iter(sat[seat])) if len(sat.get(seat, ())) == 1 else name
        for seat, name in enumerate(names)
    )


def _entrants_at_table(sheet: SheetReading) -> Sequence[int]:
    """Return the players seated there in the event, if one of the rows is theirs."""
    seated = sheet.context.seated.get((sheet.round, sheet.table), ())
    members = {row.person.member.key for row in sheet.rows if row.person.member is not None}
    return seated if members & set(seated) else ()


def _sitter(row: SheetRow) -> Sitter:
    if row.person.member is not None:
        return row.person.member.key, ""
    return NOBODY, folded(row.person.found) or f"line {row.line}"


def seated_rows(
    sheet: SheetReading, number: int, block: list[SheetRow], places: SheetPlaces
) -> list[SheetRow] | None:
    """Return the hand's rows clockwise, or report what is wrong with its seats."""
    if number in sheet.broken:
        return None
    by_seat: dict[int, SheetRow] = {}
    for row in block:
        first = by_seat.setdefault(row.seat or 0, row)
        if first is row:
            continue
        sign = sheet.reader.sign
        if sign(first) == sign(row):
            sheet.add_finding("duplicate_row", [row], number)
            continue
        sheet.add_finding("duplicate_seat", block, number, found=places.names[row.seat or 0])
        return None
    if by_seat.keys() != set(range(places.rows)):
        if _has_stray_row(sheet, block):
            return None
        n_seats = len(by_seat)
        if n_seats == 1:
            count = f"one {places.noun}"
        else:
            count = f"{n_seats} {places.noun}s"
        expected = f"{places.rows} {places.noun}s"
        sheet.add_finding("seat_count", block, number, found=count, expected=expected)
        return None
    return [by_seat[seat] for seat in range(places.rows)]


def _has_stray_row(sheet: SheetReading, block: Sequence[SheetRow]) -> bool:
    if "column" in sheet.reader.columns.at:
        return False  # a hand is one line there
    around = range(min(row.line for row in block) - 1, max(row.line for row in block) + 2)
    return any(line in sheet.astray or line in sheet.context.outline.astray for line in around)


def blank_repeated(players: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(players)) == len(players):
        return players
    return tuple(key if players.count(key) == 1 else NOBODY for key in players)


def _written_twice(rows: Sequence[SheetRow]) -> SheetRow | None:
    """Return the first row of somebody (a player, or a pair) who has two rows of one hand."""
    counts = Counter(row.person.member.key for row in rows if row.person.member)
    again = (row for row in rows if row.person.member and counts[row.person.member.key] > 1)
    return next(again, None)


def _typed_hand(
    sheet: SheetReading,
    number: int,
    rows: list[SheetRow],
    players: tuple[int, ...],
    read: EntryReader,
    places: SheetPlaces,
) -> SheetHand | None:
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
    at = sheet.reader.columns.at.get("column")
    heads = tuple(row.cells[at] for row in rows) if at is not None else ()
    return SheetHand(
        number,
        spot.lines,
        places.lines(rows),
        read.entry,
        players,
        read.mark,
        is_held,
        hands=length,
        columns=heads,
        board=board,
    )


def _board(sheet: SheetReading, rows: Sequence[SheetRow], number: int) -> tuple[int | None, bool]:
    at = sheet.reader.columns.at.get("board")
    if at is None or not sheet.context.has_boards:
        return None, True
    cells = [sheet.reader.whole[row.cells[at]] for row in rows]
    texts = dict.fromkeys(cell.text for cell in cells if cell.text)
    boards = {cell.value for cell in cells if cell.text}
    if len(boards) > 1 or not all(valid_number(board) for board in boards):
        sheet.add_finding("bad_board", rows, number, found=listed([f'"{t}"' for t in texts]))
        return None, False
    return next(iter(boards), None), True


def _of_totals(
    sheet: SheetReading, rows: Sequence[SheetRow], read: EntryReader
) -> tuple[int | None, bool]:
    """Return how many hands totals stand for, if known, and whether they can be read."""
    if read.entry.keys() != {"points"}:
        sheet.add_finding("only_points_in_totals", rows, TOTALS)
        return None, False
    at = sheet.reader.columns.at.get("hands")
    texts = dict.fromkeys(text for row in rows if at is not None and (text := row.cells[at]))
    lengths = {length_of(sheet.reader.plain[text]) for text in texts}
    if len(lengths) > 1 or None in lengths:
        quoted = listed([f'"{text.strip()}"' for text in texts])
        sheet.add_finding("bad_length", rows, TOTALS, found=quoted)
        return None, False
    return next(iter(lengths), None), True


def read_sheet(
    context: Context, round_: int, table: int, raw: Sequence[tuple[int, list[str]]]
) -> tuple[TypedSheet | None, int, list[Finding]]:
    """Return one table's sheet, how many hands it has, and its problems.

    The sheet is None if its rules are not known. `raw` are (line, fitted cells) of all its rows.
    """
    sheet = SheetReading(context, round_, table, [])
    if context.widths:
        sheet.used = used_width(context, raw)
    sheet.has_hands = has_hands(context, raw)
    for line, cells in raw:
        row = context.reader.row(line, cells)
        if is_usable(sheet, row):
            sheet.rows.append(row)
    if context.reader.is_open:
        give_seats(sheet)
    hands = hands_of(sheet)
    ruled = _find_rules(sheet)
    if ruled is not None:
        find_sum_slips(sheet, ruled.rules)
    day = day_of(sheet)
    find_clashes(sheet)
    find_people(sheet)
    collect_notes(sheet)
    count = sum(len(blocks) for blocks in hands.values())
    typed = _typed(sheet, hands, ruled, day) if ruled is not None and hands else None
    if context.has_running_totals and typed is not None and ruled is not None:
        typed = _without_slips(sheet, typed, ruled.rules)
    return typed, count, sheet.findings


def _without_slips(sheet: SheetReading, typed: TypedSheet, rules: Rules) -> TypedSheet:
    """Report a running total that makes two hands impossible, and hold these."""
    numbers = [hand.number for hand in typed.hands]
    points = [_points_of(hand) for hand in typed.hands]
    if not all(points) or numbers != list(range(1, len(numbers) + 1)):
        return typed
    typed = _without_unclear(sheet, typed, rules, points)
    running_totals = booked(rules, points)
    slips = find_slips(rules, running_totals)
    if not slips:
        return typed
    at = slips[0].line
    hand = typed.hands[at]
    rows = [row for row in sheet.rows if row.line in hand.lines]
    names = hand.columns or tuple(row.person.name for row in rows)
    cells = [f"{names[slip.place]} {running_totals[at][slip.place]}" for slip in slips]
    likely = [f"{names[slip.place]} {slip.likely}" for slip in slips]
    sheet.add_finding(
        "running_total_slip",
        rows,
        hand.number,
        found=listed(cells),
        expected="possible hands",
        suggestion=f"{' or '.join(likely)}?",
    )
    held = {hand.number, hand.number + 1}
    hands = (replace(each, is_held=each.is_held or each.number in held) for each in typed.hands)
    return replace(typed, hands=tuple(hands))


def _without_unclear(
    sheet: SheetReading, typed: TypedSheet, rules: Rules, points: Sequence[tuple[int, ...]]
) -> TypedSheet:
    """Report running totals that could come from other points, and hold their hands."""
    if not rules.keys.running.resets:
        return typed
    unclear = {each.line: each.readings for each in unclear_lines(rules, booked(rules, points))}
    for at, readings in unclear.items():
        hand = typed.hands[at]
        rows = [row for row in sheet.rows if row.line in hand.lines]
        texts = [", ".join(map(str, reading)) for reading in readings[:MOST_READINGS]]
        sheet.add_finding("running_total_unclear", rows, hand.number, found=" / ".join(texts))
    held = {typed.hands[at].number for at in unclear}
    hands = (replace(each, is_held=each.is_held or each.number in held) for each in typed.hands)
    return replace(typed, hands=tuple(hands))


def _points_of(hand: SheetHand) -> tuple[int, ...]:
    points = hand.entry.get("points")
    whole = [each for each in points if isinstance(each, int)] if isinstance(points, list) else []
    if len(whole) != len(hand.players):
        return ()
    return tuple(whole)


def _find_rules(sheet: SheetReading) -> SheetRules | None:
    rows = sheet.rows
    names = list(dict.fromkeys(row.variant for row in rows if row.variant))
    rules_by_hash: dict[str, SheetRules] = {}
    for name in names or [""]:
        try:
            ruled = sheet.context.rules_for(name)
        except Refused as refused:
            hints = refused.problems[0].suggestions
            sheet.add_finding(
                "unknown_variant",
                [row for row in rows if row.variant == name],
                found=f'"{name}"',
                expected="a variant of the catalogue",
                suggestion=hints[0].text if hints else None,
            )
            return None
        if sheet.reader.by_side and ruled.rules.keys.teams.mode != "pooled":
            sheet.add_finding(
                "seats_needed", rows, found=ruled.rules.name, expected="a row a player"
            )
            return None
        if (
            sheet.reader.is_open
            and ruled.rules.keys.teams.mode != "none"
            and (sheet.round, sheet.table) not in sheet.context.seated
        ):
            sheet.add_finding("sides_unknown", rows, found=ruled.rules.name)
            return None
        rules_by_hash.setdefault(ruled.rules.content_hash, ruled)
    if len(rules_by_hash) > 1:
        sheet.add_finding("variants_disagree", rows, found=names[0], expected=", ".join(names[1:]))
        return None
    return next(iter(rules_by_hash.values()))


def _typed(
    sheet: SheetReading, hands: dict[int, list[list[SheetRow]]], ruled: SheetRules, day: date | None
) -> TypedSheet:
    places = SheetPlaces(sheet.reader, ruled.rules, _seats(hands))
    is_open = sheet.reader.is_open
    labels = labels_of_seats(sheet.rows, places.names) if is_open else places.names
    counted, melds = _cards_and_melds(ruled.rules, places.seats)
    reader = EntryReader(sheet.reader, counted, labels, sheet.rows, sheet.note, melds)
    typed_hands: list[SheetHand] = []
    sat: dict[int, tuple[int, ...]] = {}
    for number in sorted(hands):
        for block in hands[number]:
            rows = seated_rows(sheet, number, block, places)
            players = places.players(block)
            sat[number] = blank_repeated(players)
            if rows is None:
                continue
            entry = places.by_seat(reader.read(rows))
            if (hand := _typed_hand(sheet, number, rows, players, entry, places)) is not None:
                typed_hands.append(hand)
    lines = tuple(dict.fromkeys(row.line for row in sheet.rows))
    at = sheet.reader.columns.at.get("sides")
    keeps_sides = at is not None and any(is_as_written(row.cells[at]) for row in sheet.rows)
    return TypedSheet(
        sheet.round,
        sheet.table,
        lines,
        day,
        ruled.name,
        places.seats,
        tuple(typed_hands),
        sat,
        labels if is_open else (),
        keeps_sides,
        sheet.context.counts_hands,
    )


def _seats(hands: dict[int, list[list[SheetRow]]]) -> int:
    """Return the number of seats: as many as in most of its hands, at least two."""
    sizes = Counter(
        1 + max(row.seat or 0 for row in block) for blocks in hands.values() for block in blocks
    )
    return max(2, max(sizes, key=lambda size: (sizes[size], size)))


@lru_cache(maxsize=256)
def _cards_and_melds(rules: Rules, seats: int) -> tuple[Mapping[str, Box], Mapping[str, str]]:
    """Return the boxes of cards with a column of their own, and the words that mean melds."""
    least, most = rules.keys.players
    sheet_boxes = boxes(rules, min(max(seats, least), most))
    names = (meld_names(box) for box in sheet_boxes if box.kind == "melds" and rules.keys.melds)
    return {box.card: box for box in sheet_boxes if box.card}, next(names, {})
