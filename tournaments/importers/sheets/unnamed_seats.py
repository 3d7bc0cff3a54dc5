"""Seats where a file does not name them: those of the event, or in the order of the rows."""

from collections.abc import Sequence

from tournaments.domain.imports.imported_sheet import NOBODY
from tournaments.domain.imports.name_matching import folded
from tournaments.importers.sheets.context import SheetReading
from tournaments.importers.sheets.rows import SheetRow

Who = tuple[int, str]
"""A player's key, or what is written of somebody who is not known."""


def give_seats(sheet: SheetReading) -> None:
    """Give each row of a sheet its seat.

    Whoever sits at the table in the event keeps that seat. Otherwise the rows of the first hand
    sit clockwise in their order, and whoever comes later takes the seat that is free then.
    """
    now: dict[Who, int] = {}
    for seat, player in enumerate(_entrants_at_table(sheet)):
        if player != NOBODY:
            now[player, ""] = seat
    by_hand: dict[int, list[SheetRow]] = {}
    for row in sheet.rows:
        by_hand.setdefault(row.hand or 0, []).append(row)
    for number in sorted(by_hand):
        rows = by_hand[number]
        here = list(dict.fromkeys(_who(row) for row in rows))
        taken = {now[who] for who in here if who in now}
        free = (seat for seat in range(len(now) + len(here)) if seat not in taken)
        seated = {who: now[who] if who in now else next(free) for who in here}
        for row in rows:
            row.seat = seated[_who(row)]
        gone = {who: seat for who, seat in now.items() if seat not in seated.values()}
        now = {**gone, **seated}


def labels_of_seats(rows: Sequence[SheetRow], names: Sequence[str]) -> tuple[str, ...]:
    """Return what seats are called whose numbers nobody wrote: by who sat there, if only one did.

    Args:
        names: what they are called otherwise.
    """
    sat: dict[int, set[str]] = {}
    for row in rows:
        if row.seat is not None:
            person = row.person
            sat.setdefault(row.seat, set()).add(
                person.member.name if person.member else person.found
            )
    return tuple(
        next(iter(sat[seat])) if len(sat.get(seat, ())) == 1 else name
        for seat, name in enumerate(names)
    )


def _entrants_at_table(sheet: SheetReading) -> Sequence[int]:
    """Return who sits there in the event, if the rows are all of them."""
    there = sheet.context.seated.get((sheet.round, sheet.table), ())
    known = {row.person.member.key for row in sheet.rows if row.person.member is not None}
    return there if known & set(there) else ()


def _who(row: SheetRow) -> Who:
    if row.person.member is not None:
        return row.person.member.key, ""
    return NOBODY, folded(row.person.found) or f"line {row.line}"
