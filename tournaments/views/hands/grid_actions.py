"""What buttons of the grid do to its rows before they are saved."""

from collections.abc import Sequence
from typing import Final

from tournaments.domain.replay_game import LAST_HAND
from tournaments.forms.hands.grid import MOST_ROWS, GridDraft
from tournaments.forms.hands.grid_paste import PastedBlock
from tournaments.forms.hands.grid_rows import RowTexts, read_row, write_row
from tournaments.forms.hands.hand_form_buttons import changed
from tournaments.views.hands.grid_screen import GridScreen

MORE_ROWS: Final = 4


def more_rows(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> list[GridDraft]:
    """Return the rows that come after the last one, to be written in `way`."""
    last = max((one.number for one in drafts), default=0)
    room = min(MORE_ROWS, MOST_ROWS - len(drafts), LAST_HAND - last)
    return [screen.draft(number, way) for number in range(last + 1, last + 1 + room)]


def change_way(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> None:
    """Write the hands that are not there yet in another way; what is typed stays."""
    for one in drafts:
        if one.based_on is None and way in screen.ways:
            one.way = way


def fill_rows(
    screen: GridScreen, drafts: Sequence[GridDraft], found: PastedBlock, begin: int
) -> tuple[list[GridDraft], int]:
    """Return the rows with a block's hands in them from hand `begin` on, and how many have no row.

    What is typed and not saved keeps its row; other rows make room.
    """
    rows = {one.number: one for one in drafts}
    coming = dict(zip(range(begin, LAST_HAND + 1), found.hands, strict=False))
    typed = [
        number
        for number, row in rows.items()
        if number not in coming and row.texts != screen.draft(number).texts
    ]
    placed = list(coming)[: max(MOST_ROWS - len(typed), 0)]
    for number in placed:
        row = rows.setdefault(number, screen.draft(number))
        row.way = found.way
        row.texts = RowTexts(coming[number], row.texts.beside)
    needed = [*typed, *placed]
    others = sorted(set(rows) - set(needed))[: MOST_ROWS - len(needed)]
    left = len(found.hands) - len(placed) + found.left_out
    return [rows[number] for number in sorted([*needed, *others])], left


def apply_row_button(screen: GridScreen, drafts: Sequence[GridDraft], what: str) -> None:
    """Change a row as its button says."""
    number, _colon, button = what.partition(":")
    for one in drafts:
        if str(one.number) == number:
            fields = read_row(screen.grammar, one.way, one.texts)[0]
            fields, _is_saved = changed(screen.sheet, fields, button)
            one.texts = write_row(screen.grammar, one.way, fields)
