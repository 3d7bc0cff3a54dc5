"""Rows of words where players have numbers: they are the heads of a table that begins there."""

from collections.abc import Sequence
from typing import Final

from tournaments.documents.read.cells import plain, seat, whole
from tournaments.documents.read.column_plan import NOTHING
from tournaments.documents.read.columns import fold
from tournaments.documents.read.marked_cells import mark_in

LEAST: Final = 2
"""Number of different words that are heads: one may be a remark, or one that each cell has."""


def are_words_of_heads(cells: Sequence[str]) -> bool:
    """Whether cells of players have words and no numbers, and are no seats and no marks.

    >>> are_words_of_heads(["Uschi", "H.P.", "", "Moni"]), are_words_of_heads(["Uschi", "3"])
    (True, False)
    >>> are_words_of_heads(["moon", "0"]), are_words_of_heads(["away", "away"])
    (False, False)
    >>> are_words_of_heads(["N", "E", "S", "W"]), are_words_of_heads(["5Q", "x", "-", "moon"])
    (False, False)
    """
    texts = [text for cell in cells if (text := plain(cell).text) not in NOTHING]
    if len(texts) < LEAST or any(whole(text).value is not None for text in texts):
        return False
    words = {fold(text) for text in texts if mark_in(text) is None and any(map(str.isalpha, text))}
    if len(words) < LEAST:
        return False
    return not all(seat(text).value is not None for text in texts)
