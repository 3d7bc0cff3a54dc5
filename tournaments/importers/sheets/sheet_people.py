"""What a sheet says of its people: who is unknown, at two tables, or in another pair."""

from tournaments.domain.imports.import_report import Spot, finding
from tournaments.importers.sheets.context import SheetReading
from tournaments.importers.sheets.rows import SheetRow


def find_clashes(sheet: SheetReading) -> None:
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


def find_people(sheet: SheetReading) -> None:
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


def collect_notes(sheet: SheetReading) -> None:
    """Collect the notes of the rows' cells, each with an example."""
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
