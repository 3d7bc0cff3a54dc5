"""The text of the QR code on a printed score sheet: which sheet it is, and nothing secret.

Pure. `BL1:<club>:<event>:<table>:<layout>:<first hand>`; the layout is
`<boxes|bubbles>-<paper>-<seats>-<rows>`, all that the positions on the sheet depend on beside the
rules of its table. A blank sheet has no club and no event, and its variant in the place of the
table. See docs/score-sheets.md.
"""

import re
from dataclasses import dataclass
from typing import Final

_TEXT: Final = re.compile(
    r"BL1:([^:]*):([^:]*):([^:]+):(boxes|bubbles)-(a4|letter)-([0-9]{1,3})-([0-9]{1,3}):([0-9]{1,4})"
)


@dataclass(frozen=True, slots=True)
class SheetCode:
    """What the code of a sheet says.

    `seats` are those of the table when the sheet was printed, `rows` the hands on this page,
    `first_hand` the number of the first of them.
    """

    club: str
    event: str
    table: str
    layout: str
    paper: str
    seats: int
    rows: int
    first_hand: int

    @property
    def text(self) -> str:
        """Text of the QR code.

        >>> SheetCode("riverside", "league", "r3t2", "boxes", "a4", 4, 8, 1).text
        'BL1:riverside:league:r3t2:boxes-a4-4-8:1'
        """
        layout = f"{self.layout}-{self.paper}-{self.seats}-{self.rows}"
        return f"BL1:{self.club}:{self.event}:{self.table}:{layout}:{self.first_hand}"


def read_sheet_code(text: str) -> SheetCode | None:
    """Return what a code says; None where it is not the code of a score sheet.

    >>> read_sheet_code("BL1:::hearts:bubbles-letter-5-12:13").first_hand
    13
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    club, event, table, layout, paper = match.groups()[:5]
    seats, rows, first = map(int, match.groups()[5:])
    return SheetCode(club, event, table, layout, paper, seats, rows, first)
