"""What is odd about a sheet but can be read in one way only: gaps in its hands, changed players."""

from collections.abc import Callable, Collection, Mapping, Sequence

from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.imports.imported_sheet import NOBODY, TypedSheet

Seated = tuple[int, ...]
"""Players' keys clockwise, `NOBODY` where that is open."""


def sheet_notes(
    sheet: TypedSheet, there: Mapping[int, Seated], names: Callable[[int], str]
) -> list[Finding]:
    """Return notes on a sheet; `there` is who sat in the hands that the event has of it already."""
    sat = {**sheet.sat, **there}
    numbers = sorted(sat)
    gaps = numbers[:1] != [1] or numbers[-1] != len(numbers)
    said = _gaps(sheet, numbers) if gaps else []
    first, *rest = sat.values()
    if any(players != first for players in rest):
        said.extend(_changes(sheet, sat, sheet.sat.keys() - there.keys(), names))
    return said


def _lines(sheet: TypedSheet, number: int) -> tuple[int, ...]:
    found = [hand.lines for hand in sheet.hands if hand.number == number]
    return found[0] if found else sheet.lines


def _gaps(sheet: TypedSheet, numbers: Sequence[int]) -> list[Finding]:
    said = []
    for before, number in zip([0, *numbers], numbers, strict=False):
        if number > before + 1 and number in sheet.sat:
            spot = Spot(_lines(sheet, number), sheet.round, sheet.table, number)
            after = str(before) if before else "none"
            said.append(finding("hand_jump", spot, found=str(number), expected=after))
    return said


def _changes(
    sheet: TypedSheet, sat: Mapping[int, Seated], new: Collection[int], names: Callable[[int], str]
) -> list[Finding]:
    """Return a note for each new hand that has another player on a seat than the hand before."""
    said = []
    labels = sheet.names
    now: Mapping[int, int] = {}
    for number in sorted(sat):
        seated = {seat: player for seat, player in enumerate(sat[number]) if player != NOBODY}
        for seat, player in seated.items():
            before = now.get(seat)
            if number in new and before is not None and before != player:
                spot = Spot(_lines(sheet, number), sheet.round, sheet.table, number)
                facts = {"found": names(player), "expected": names(before)}
                said.append(finding("player_changes", spot, seat=labels[seat], **facts))
        now = {**now, **seated}
    return said
