"""What buttons of the grid do to its rows before anything is saved."""

from collections.abc import Sequence
from typing import Final

from tournaments.forms.changes import changed
from tournaments.forms.grid import MOST_ROWS, Draft
from tournaments.forms.grid_rows import read_row, write_row
from tournaments.services.entries import LAST_HAND
from tournaments.views.grid_desk import GridDesk

MORE_ROWS: Final = 4


def more(desk: GridDesk, drafts: Sequence[Draft]) -> list[Draft]:
    """Return the rows that come after the last one."""
    last = max((one.number for one in drafts), default=0)
    room = min(MORE_ROWS, MOST_ROWS - len(drafts), LAST_HAND - last)
    return [desk.draft(number) for number in range(last + 1, last + 1 + room)]


def turn(desk: GridDesk, drafts: Sequence[Draft], way: str) -> None:
    """Write the hands that are not there yet in another way; what is typed stays."""
    for one in drafts:
        if one.based_on is None and way in desk.ways:
            one.way = way


def mended(desk: GridDesk, drafts: Sequence[Draft], what: str) -> bool:
    """Change a row as its button says; whether all is to be saved."""
    number, _colon, button = what.partition(":")
    for one in drafts:
        if str(one.number) == number:
            fields = read_row(desk.grammar, one.way, one.texts)[0]
            fields, is_saved = changed(desk.sheet, fields, button)
            one.texts = write_row(desk.grammar, one.way, fields)
            return is_saved
    return False
