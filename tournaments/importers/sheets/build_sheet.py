"""From the rows of one table to its typed sheet: hands, who sat there, every mistake in them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scoring.entry.meld_names import meld_names
from scoring.entry.sheet import Box, boxes
from scoring.errors import Refused
from scoring.rules.rules import Rules
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.imports.imported_sheet import TypedHand, TypedSheet
from tournaments.importers.sheets.context import Context, SheetReading
from tournaments.importers.sheets.dates import day_of
from tournaments.importers.sheets.entries import EntryReader
from tournaments.importers.sheets.hands_in_rows import hands_of
from tournaments.importers.sheets.rows import SheetRow
from tournaments.importers.sheets.seats_or_sides import SheetPlaces
from tournaments.importers.sheets.sheet_people import collect_notes, find_clashes, find_people
from tournaments.importers.sheets.typed_hands import once_each, seated_rows, typed_hand
from tournaments.importers.sheets.unnamed_seats import give_seats, labels_of_seats
from tournaments.importers.sheets.usable_rows import has_hands, is_usable, used_width
from tournaments.importers.tabular.cells import is_as_written
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
        sheet.used = used_width(context, raw)
    sheet.has_hands = has_hands(context, raw)
    for line, cells in raw:
        row = context.reader.row(line, cells)
        if is_usable(sheet, row):
            sheet.rows.append(row)
    if context.reader.is_open:
        give_seats(sheet)
    hands = hands_of(sheet)
    ruled = _ruled(sheet)
    day = day_of(sheet)
    find_clashes(sheet)
    find_people(sheet)
    collect_notes(sheet)
    count = sum(len(blocks) for blocks in hands.values())
    typed = _typed(sheet, hands, ruled, day) if ruled is not None and hands else None
    return ReadSheet(typed, count, sheet.findings)


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
            rows = seated_rows(sheet, number, block, places)
            players = places.players(block)
            sat[number] = once_each(players)
            if rows is None:
                continue
            hand = typed_hand(
                sheet, number, rows, players, places.by_seat(reader.read(rows)), places
            )
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
