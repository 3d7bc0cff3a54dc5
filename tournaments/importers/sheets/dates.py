"""The date of a sheet, however it is written."""

from collections.abc import Sequence
from datetime import date

from tournaments.importers.sheets.context import SheetReading
from tournaments.importers.sheets.first_pass import settled
from tournaments.importers.sheets.rows import SheetRow


def day_of(sheet: SheetReading) -> date | None:
    """Return the date of the sheet, or say what is wrong with it."""
    context = sheet.context
    texts: dict[str, list[SheetRow]] = {}
    for row in sheet.rows:
        texts.setdefault(row.day.text, []).append(row)
    found: dict[date, list[SheetRow]] = {}
    for text, rows in texts.items():
        if not text:
            continue
        day = rows[0].day.value
        one = settled(day, context.outline.orders)
        if one is None:
            _add_bad_day(sheet, text, rows, day.options)
            continue
        found.setdefault(one, []).extend(rows)
        if not day.is_iso:
            for row in rows:
                sheet.note("date_format", row, text, one.isoformat())
    return _one_day(sheet, found)


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


def _one_day(sheet: SheetReading, found: dict[date, list[SheetRow]]) -> date | None:
    context = sheet.context
    if not found:
        return context.day
    days = sorted(found)
    meant = context.outline.days.get(sheet.round)
    odd = [day for day in days if day != meant]
    if odd and (len(days) > 1 or sheet.round in context.outline.days):
        sheet.add_finding(
            "dates_disagree",
            [row for day in odd for row in found[day]],
            found=" and ".join(day.isoformat() for day in days),
            expected=meant.isoformat() if meant else "on several days",
        )
        sheet.hold_all = True
    if days[-1] > context.today:
        for row in found[days[-1]]:
            sheet.note("date_in_future", row, days[-1].isoformat(), context.today.isoformat())
    return days[0]
