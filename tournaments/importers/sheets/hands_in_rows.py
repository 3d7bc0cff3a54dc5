"""Which rows make a hand: two hands under one number, hands and sheets that stand there twice."""

from collections.abc import Sequence

from tournaments.domain.imports.import_report import Offer
from tournaments.importers.sheets.context import SheetReading
from tournaments.importers.sheets.rows import SheetRow


def hands_of(sheet: SheetReading) -> dict[int, list[list[SheetRow]]]:
    """Return the hands of the sheet: number → its unlike hands, each with its rows."""
    by_number: dict[int, list[SheetRow]] = {}
    for row in sheet.rows:
        by_number.setdefault(row.hand or 0, []).append(row)
    hands = {number: _blocks(rows) for number, rows in by_number.items()}
    if any(len(blocks) > 1 for blocks in hands.values()):
        hands = _without_repetitions(sheet, hands)
    for number, blocks in hands.items():
        if len(blocks) > 1:
            _add_repeated(sheet, number, blocks, max(hands))
    return hands


def _blocks(rows: list[SheetRow]) -> list[list[SheetRow]]:
    """Split the rows under one number where seats begin again, if each part is a whole hand."""
    seats = [row.seat for row in rows]
    size = len(set(seats))
    if size == len(rows) or None in seats or size < 2 or len(rows) % size:
        return [rows]
    blocks = [rows[start : start + size] for start in range(0, len(rows), size)]
    if all({row.seat for row in block} == set(seats) for block in blocks):
        return blocks
    return [rows]


def _without_repetitions(
    sheet: SheetReading, hands: dict[int, list[list[SheetRow]]]
) -> dict[int, list[list[SheetRow]]]:
    """Leave out hands that stand there again word for word, and say so once for a whole sheet."""
    kept: dict[int, list[list[SheetRow]]] = {}
    again: dict[int, list[SheetRow]] = {}
    sign = sheet.context.reader.sign
    for number, blocks in hands.items():
        seen: dict[frozenset[object], list[SheetRow]] = {}
        for block in blocks:
            key = frozenset(sign(row) for row in block)
            if key in seen:
                again.setdefault(number, []).extend(block)
            else:
                seen[key] = block
        kept[number] = list(seen.values())
    if len(again) > 1 and set(again) == set(hands):
        sheet.add_finding("duplicate_sheet", [row for rows in again.values() for row in rows])
    else:
        for number, rows in again.items():
            sheet.add_finding("duplicate_hand", rows, number)
    left_out = {row.line for rows in again.values() for row in rows}
    sheet.rows = [row for row in sheet.rows if row.line not in left_out]
    return kept


def _next_number(blocks: Sequence[Sequence[SheetRow]], number: int) -> Sequence[Offer]:
    """Offer the number after the last one to the later of two hands."""
    if len(blocks) != 2:
        return ()
    cells = {str(row.line): {"hand": str(number)} for row in blocks[1]}
    first, last = blocks[1][0].line, blocks[1][-1].line
    lines = f"line {first} is" if first == last else f"lines {first} to {last} are"
    return ({"text": f"{lines} hand {number}", "cells": cells},)


def _lines(block: Sequence[SheetRow]) -> str:
    first, last = block[0].line, block[-1].line
    return str(first) if first == last else f"{first} to {last}"


def _add_repeated(
    sheet: SheetReading, number: int, blocks: Sequence[Sequence[SheetRow]], highest: int
) -> None:
    places = [_lines(block) for block in blocks]
    sheet.add_finding(
        "repeated_hand_number",
        [row for block in blocks for row in block],
        number,
        found=" and ".join(places),
        expected="one hand of each number",
        suggestion=f"hand {highest + 1}?" if number == highest else None,
        offers=_next_number(blocks, highest + 1) if number == highest else (),
    )
    sheet.held.add(number)
