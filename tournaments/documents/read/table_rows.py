"""The rows of one table: which belong to which hand, the date, and the people."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from django.utils.translation import gettext

from scoring.errors import listed
from scoring.rules.rules import Rules
from tournaments.documents.read.csv import Formulas
from tournaments.documents.read.people import offers_of
from tournaments.documents.read.sheet_rows import (
    Key,
    Notes,
    Outline,
    RowReader,
    SheetRow,
    known_day,
    settled,
)
from tournaments.documents.read.sum_rows import SumSlip, can_be_a_hand
from tournaments.domain.imports.alike import ALIKE, NEXT_NUMBER, TAKE_POINTS, TAKE_SUMS
from tournaments.domain.imports.import_report import Finding, Offer, Spot, finding
from tournaments.domain.imports.imported_sheets import SheetRules
from tournaments.domain.replay_game import LAST_HAND, TOTALS

NOT_COMPARED: Final = "?"
"""Cell of a running sum that is not compared with the points."""


@dataclass(slots=True)
class Context:
    """The file and the event of a sheet that is read.

    `seated` is who sits at the event's tables, for files that do not give seats. `widths` are lines
    with fewer or more cells than the others, `shifted` those moved to the right, of a table with
    `n_heads`, whose rows are all as wide if it `is_padded`. `formulas` are cells without values.
    `has_boards` is whether hands name their boards, `has_running_totals` whether points were
    written as sums, `counts_hands` whether the numbers of hands count their rows. `find_days`
    returns the days of the event's evenings, of which one decides what a date means. `sum_slips`
    are the running sums of lines that the points beside them do not make, each with the head of the
    points and the place of the sum.
    """

    reader: RowReader
    outline: Outline
    rules_for: Callable[[str], SheetRules]
    notes: Notes
    today: date
    day: date | None = None
    seated: Mapping[Key, Sequence[int]] = field(default_factory=dict)
    widths: Mapping[int, int] = field(default_factory=dict)
    shifted: Mapping[int, int] = field(default_factory=dict)
    is_padded: bool = False
    n_heads: int = 0
    formulas: Formulas = field(default_factory=dict)
    has_boards: bool = False
    has_running_totals: bool = False
    counts_hands: bool = False
    find_days: Callable[[], Collection[date]] = tuple
    sum_slips: Mapping[int, Sequence[tuple[SumSlip, str, int]]] = field(default_factory=dict)


@dataclass(slots=True)
class SheetReading:
    """The state of reading one table's rows into a typed sheet."""

    context: Context
    round: int
    table: int
    rows: list[SheetRow]
    findings: list[Finding] = field(default_factory=list)
    held: set[int] = field(default_factory=set)
    hold_all: bool = False
    used: int = 0
    has_hands: bool = False
    broken: set[int] = field(default_factory=set)
    astray: set[int] = field(default_factory=set)

    @property
    def reader(self) -> RowReader:
        return self.context.reader

    def spot(self, rows: Sequence[SheetRow], hand: int | None = None) -> Spot:
        return Spot(tuple(sorted({row.line for row in rows})), self.round, self.table, hand)

    def add_finding(
        self,
        code: str,
        rows: Sequence[SheetRow],
        hand: int | None = None,
        *,
        offers: Sequence[Offer] = (),
        **facts: str | None,
    ) -> None:
        problem = finding(code, self.spot(rows, hand), **facts)
        self.findings.append(replace(problem, offers=tuple(offers)))

    def note(self, code: str, row: SheetRow, found: str, expected: str) -> None:
        where = (self.round, self.table, row.hand)
        self.context.notes.add(code, row.line, where, lambda: (found, expected))


def has_hands(context: Context, raw: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether a sheet has numbered hands: then a row of totals below them is not a hand."""
    numbers = (context.reader.hand[cells[context.reader.at["hand"]]].value for _, cells in raw)
    return any(number is not None and number > TOTALS for number in numbers)


def _is_number(sheet: SheetReading, number: int | None) -> bool:
    """Whether a hand can have that number; totals of a game must be alone on their sheet."""
    if number is None:
        return False
    if number == TOTALS:
        return not sheet.has_hands
    return 1 <= number <= LAST_HAND


def used_width(context: Context, raw: Sequence[tuple[int, list[str]]]) -> int:
    """Return how many columns the whole rows of a sheet fill; 0 for a mapped file."""
    reader = context.reader
    if reader.file_width != reader.width:
        return 0  # the columns of the file are not those of the rows
    whole_rows = [cells[: reader.width] for line, cells in raw if line not in context.widths]
    filled = [at for cells in whole_rows for at, cell in enumerate(cells, start=1) if cell.strip()]
    return max(filled, default=reader.width)


def is_usable(sheet: SheetReading, row: SheetRow) -> bool:
    """Whether a row belongs to a hand; reports the reason if not."""
    reader = sheet.reader
    if (is_of_hand := _why_unreadable(sheet, row)) is not None:
        return is_of_hand
    has_seat = row.seat is not None or (reader.is_open and reader.is_hand(row.cells))
    if has_seat and row.is_whole and _is_number(sheet, row.hand):
        odd = reader.columns.at.get("odd")
        if odd is not None and row.cells[odd]:  # a foreign row names somebody else; its hand waits
            sheet.add_finding("not_at_the_table", [row], row.hand, found=row.cells[odd])
            sheet.broken.add(row.hand or 0)
        return True
    if not reader.is_hand(row.cells):
        sheet.add_finding("not_a_hand_row", [row], found=row_words(row.cells))
        return False
    if not _is_number(sheet, row.hand):
        text = reader.plain[row.cells[reader.at["hand"]]].text
        sheet.add_finding(
            "bad_number",
            [row],
            field=reader.called("hand"),
            found=f'"{text}"' if text else "nothing",
            expected=f"A number from 1 to {LAST_HAND}",
        )
        sheet.astray.add(row.line)
        return False
    if not has_seat:
        text = reader.plain[row.cells[reader.at[reader.place_key]]].text
        sheet.add_finding(
            "unknown_seat",
            [row],
            row.hand,
            found=f'"{text}"' if text else "an empty cell",
            expected="NS or EW" if reader.by_side else "N, E, S, W or a number",
        )
        sheet.broken.add(row.hand or TOTALS)
    return True


def _why_unreadable(sheet: SheetReading, row: SheetRow) -> bool | None:
    """Report why some cells of a row cannot be read; return None if all can.

    Otherwise return whether the row still belongs to its hand.
    """
    context = sheet.context
    reader = context.reader
    if not reader.is_hand(row.cells):
        return None
    is_in_place = reader.is_in_place(row.cells)
    width = odd_width(context, row.line, row.cells)
    is_harmless = is_in_place and row.line not in context.shifted and _is_harmless(sheet, row)
    if width is not None and not is_harmless:
        code, facts = width
        if is_in_place:
            spot = sheet.spot([row], row.hand)
        else:
            spot = Spot((row.line,))
        sheet.findings.append(finding(code, spot, **facts))
    elif formulas := context.formulas.get(row.line):
        sheet.add_finding("formula_without_value", [row], row.hand, found=addresses(formulas))
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
    if len(row.cells) - 1 > sheet.reader.width:
        return False
    if sheet.context.is_padded:
        return True  # an empty last cell is one of the row
    return sheet.context.widths.get(row.line, 0) >= sheet.used


def odd_width(
    context: Context, line: int, cells: Sequence[str]
) -> tuple[str, dict[str, str]] | None:
    reader = context.reader
    if (n_cells := context.shifted.get(line)) is not None:
        return "row_moved", {"found": str(n_cells), "expected": str(context.n_heads)}
    beyond = len(cells) - 1 - reader.width
    width = context.widths.get(line)
    if beyond > 0:
        width = beyond + reader.file_width
    if width is None:
        return None
    if context.is_padded and beyond <= 0:
        return "row_moved", {"found": str(width), "expected": str(context.n_heads)}
    code = "too_few_cells" if width < reader.file_width else "too_many_cells"
    return code, {"found": str(width), "expected": str(reader.file_width)}


def addresses(cells: Sequence[tuple[int, str]]) -> str:
    """Return the addresses of cells as a list in words.

    >>> addresses([(8, "I5"), (9, "J5")])
    'I5 and J5'
    """
    return listed([address for _, address in cells])


def row_words(cells: Sequence[str]) -> str:
    text = " ".join(cell.strip() for cell in cells if cell.strip()).replace("\0", "")
    if len(text) <= 60:
        return text
    return text[:60] + "…"


def hands_of(sheet: SheetReading) -> dict[int, list[list[SheetRow]]]:
    """Return the hands of the sheet: number → its different hands, each with its rows."""
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
    """Leave out hands that are repeated word for word, and report each, or the whole sheet once."""
    unlike: dict[int, list[list[SheetRow]]] = {}
    again: dict[int, list[SheetRow]] = {}
    sign = sheet.reader.sign
    for number, blocks in hands.items():
        blocks_by_sign: dict[frozenset[object], list[SheetRow]] = {}
        for block in blocks:
            if blocks_by_sign.setdefault(frozenset(map(sign, block)), block) is not block:
                again.setdefault(number, []).extend(block)
        unlike[number] = list(blocks_by_sign.values())
    repeated_rows = [row for rows in again.values() for row in rows]
    if len(again) > 1 and set(again) == set(hands):
        sheet.add_finding("duplicate_sheet", repeated_rows)
    else:
        for number, rows in again.items():
            sheet.add_finding("duplicate_hand", rows, number)
    lines = {row.line for row in repeated_rows}
    sheet.rows = [row for row in sheet.rows if row.line not in lines]
    return unlike


def find_sum_slips(sheet: SheetReading, rules: Rules) -> None:
    """Ask about rows of a sheet whose points and running sums beside them disagree."""
    rows_by_line: dict[int, list[SheetRow]] = {}
    for row in sheet.rows:
        if row.line in sheet.context.sum_slips:
            rows_by_line.setdefault(row.line, []).append(row)
    for line, rows in rows_by_line.items():
        slips = sheet.context.sum_slips[line]
        facts = [
            gettext("{name}: {points} points, sum {written} instead of {expected}").format(
                name=name, points=slip.points, written=slip.written, expected=slip.expected
            )
            for slip, name, _ in slips
        ]
        offers: list[Offer] = [
            {
                "text": gettext("The points are right"),
                ALIKE: TAKE_POINTS,
                "cells": {str(line): {f"#{at}": NOT_COMPARED for _, _, at in slips}},
            }
        ]
        points_by_sum = {name: slip.points_by_sum for slip, name, _ in slips}
        if _may_be_hand(sheet, rows, points_by_sum, rules):
            changes = {f"#{slip.place}": str(slip.points_by_sum) for slip, _, _ in slips}
            offers.append(
                {
                    "text": gettext("The sum is right"),
                    ALIKE: TAKE_SUMS,
                    "cells": {str(line): changes},
                }
            )
        sheet.add_finding(
            "sum_beside_disagrees", rows, rows[0].hand, found="; ".join(facts), offers=offers
        )
        sheet.held.add(rows[0].hand or 0)


def _may_be_hand(
    sheet: SheetReading, rows: Sequence[SheetRow], changed: Mapping[str, int], rules: Rules
) -> bool:
    """Whether the points of a row can be those of a hand, with those of some heads changed."""
    reader = sheet.reader
    at_points = reader.columns.at["points"]
    points: dict[str, int] = {}
    for row in rows:
        head = row.cells[reader.columns.at["column"]]
        number = changed.get(head, reader.whole[row.cells[at_points]].value)
        if number is None:
            return False
        points[head] = number
    return can_be_a_hand(rules, points)


def _next_number(blocks: Sequence[Sequence[SheetRow]], number: int) -> Sequence[Offer]:
    """Offer the number after the last one for the later of two hands."""
    if len(blocks) != 2:
        return ()
    cells = {str(row.line): {"hand": str(number)} for row in blocks[1]}
    lines = _lines(blocks[1])
    if " " in lines:
        are = f"lines {lines} are"
    else:
        are = f"line {lines} is"
    return ({"text": f"{are} hand {number}", ALIKE: NEXT_NUMBER, "cells": cells},)


def _lines(block: Sequence[SheetRow]) -> str:
    first = block[0].line
    last = block[-1].line
    if first == last:
        return str(first)
    return f"{first} to {last}"


def _add_repeated(
    sheet: SheetReading, number: int, blocks: Sequence[Sequence[SheetRow]], highest: int
) -> None:
    sheet.add_finding(
        "repeated_hand_number",
        [row for block in blocks for row in block],
        number,
        found=" and ".join(map(_lines, blocks)),
        expected="one hand of each number",
        suggestion=f"hand {highest + 1}?" if number == highest else None,
        offers=_next_number(blocks, highest + 1) if number == highest else (),
    )
    sheet.held.add(number)


def day_of(sheet: SheetReading) -> date | None:
    rows_by_text: dict[str, list[SheetRow]] = {}
    for row in sheet.rows:
        if row.day.text:
            rows_by_text.setdefault(row.day.text, []).append(row)
    rows_by_day: dict[date, list[SheetRow]] = {}
    for text, rows in rows_by_text.items():
        day = rows[0].day.value
        settled_day = settled(day, sheet.context.outline.orders, sheet.context.today)
        if settled_day is None and day.options:
            settled_day = known_day(day, sheet.context.find_days())
        if settled_day is None:
            _add_bad_day(sheet, text, rows, day.options)
            continue
        rows_by_day.setdefault(settled_day, []).extend(rows)
        if not day.is_iso:
            for row in rows:
                sheet.note("date_format", row, text, settled_day.isoformat())
    return _one_day(sheet, rows_by_day)


def _add_bad_day(
    sheet: SheetReading, text: str, rows: Sequence[SheetRow], options: Sequence[date]
) -> None:
    if options:
        hint = " or ".join(option.isoformat() for option in options)
        sheet.add_finding("ambiguous_date", rows, found=text, expected="one date", suggestion=hint)
        sheet.hold_all = True
    else:
        sheet.add_finding("bad_date", rows, found=f'"{text}"', expected="a date like 2025-11-13")
        sheet.held.update(row.hand or 0 for row in rows)


def _one_day(sheet: SheetReading, rows_by_day: dict[date, list[SheetRow]]) -> date | None:
    context = sheet.context
    if not rows_by_day:
        return context.day
    days = sorted(rows_by_day)
    round_day = context.outline.days.get(sheet.round)
    odd = [day for day in days if day != round_day]
    if odd and (len(days) > 1 or sheet.round in context.outline.days):
        sheet.add_finding(
            "dates_disagree",
            [row for day in odd for row in rows_by_day[day]],
            found=" and ".join(day.isoformat() for day in days),
            expected=round_day.isoformat() if round_day else "on several days",
        )
        sheet.hold_all = True
    if days[-1] > context.today:
        for row in rows_by_day[days[-1]]:
            sheet.note("date_in_future", row, days[-1].isoformat(), context.today.isoformat())
    return days[0]


def find_clashes(sheet: SheetReading) -> None:
    """Report players who sit at another table of the round too; both sheets wait."""
    clashes = sheet.context.outline.clashes.get((sheet.round, sheet.table), ())
    for code, tables in clashes:
        sheet.hold_all = True
        if sheet.table != tables[0]:
            rows = [
                row
                for row in sheet.rows
                if row.person.member is not None and row.person.member.player_id == code
            ]
            name = rows[0].person.name if rows else code
            spot = Spot(tuple(sorted({row.line for row in rows})), sheet.round)
            pair = f"{tables[0]} and {sheet.table}"
            sheet.findings.append(finding("player_at_two_tables", spot, found=name, expected=pair))


def find_people(sheet: SheetReading) -> None:
    """Report unknown people once for the sheet, and hold the hands of those rows."""
    rows_by_problem: dict[tuple[str, str, str], list[SheetRow]] = {}
    _find_partners(sheet)
    for row in sheet.rows:
        if not row.is_whole:
            continue  # what is written there may be another column's
        person = row.person
        if person.code:
            problem = (person.code, person.found, person.expected)
            rows_by_problem.setdefault(problem, []).append(row)
            sheet.held.add(row.hand or 0)
        if "name_cut" in person.notes:
            sheet.note("name_cut", row, str(person.length), str(len(person.found)))
        if "name_order" in person.notes and person.member is not None:
            sheet.note("name_order", row, f'"{person.found}"', person.member.name)
    for (code, text, expected), rows in rows_by_problem.items():
        hands = {row.hand for row in rows}
        person = rows[0].person
        seated = {
            row.person.member.player_id
            for row in sheet.rows
            if row.hand in hands and row.person.member is not None
        }
        sheet.add_finding(
            code,
            rows,
            hands.pop() if len(hands) == 1 else None,
            found=f'"{text}"' if text else "nobody",
            expected=expected or "a member",
            suggestion=person.suggestion,
            offers=[
                *offers_of(person, seated),
                {"seated": sorted(seated)},
            ],
        )


def _find_partners(sheet: SheetReading) -> None:
    """Report players whose pair differs between file and event, and hold their hands."""
    reader = sheet.reader
    if reader.by_side or "pair_id" not in reader.columns.at:
        return
    odd: dict[tuple[str, str, str], list[SheetRow]] = {}
    for row in sheet.rows:
        cell = row.cells[reader.at["pair_id"]]
        member = row.person.member
        if member is not None and not reader.pairs.has(cell, member.key):
            key = (str(member), reader.plain[cell].text, reader.pairs.of(member.key))
            odd.setdefault(key, []).append(row)
            sheet.held.add(row.hand or 0)
    for (member_text, expected, pair), rows in odd.items():
        sheet.add_finding(
            "pair_disagrees", rows, found=member_text, expected=expected, suggestion=pair or None
        )


def collect_notes(sheet: SheetReading) -> None:
    for row in sheet.rows:
        for code in set(row.notes) - {"name_cut", "name_order", "table_name"}:
            sheet.note(code, row, _example(sheet, row, code), "")
    _note_tables(sheet)


def _note_tables(sheet: SheetReading) -> None:
    """Note how the name of a table is read; a row of it may have any."""
    at = sheet.reader.at["table"]
    for row in sheet.rows:
        cell = sheet.reader.table[row.cells[at]]
        if "table_name" in cell.notes:
            sheet.note("table_name", row, cell.text, str(cell.value))


def _example(sheet: SheetReading, row: SheetRow, code: str) -> str:
    reader = sheet.reader
    for index in reader.columns.at.values():
        if code in reader.plain[row.cells[index]].notes:
            return f'"{reader.plain[row.cells[index]].text}"'
    return "a cell"
