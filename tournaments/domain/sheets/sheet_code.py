"""The text of the QR code on a printed score sheet: which sheet it is, and nothing secret.

Pure. `BL1:<club>:<event>:<table>:<layout>:<first hand>`; the layout is
`<boxes|bubbles>-<paper>-<seats>-<rows>`, all that the positions on the sheet depend on beside the
rules of its table. A blank sheet has no club and no event, and its variant in the place of the
table. See docs/score-sheets.md.
"""

from dataclasses import dataclass


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
