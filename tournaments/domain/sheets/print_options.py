"""What is printed for a round, and how: the words that forms and documents share. Pure."""

from dataclasses import dataclass
from typing import Final

LIST: Final = "list"
CARDS: Final = "cards"
SHEETS: Final = "sheets"
PARTS: Final = (LIST, CARDS, SHEETS)
"""The parts of a round's document, in their order."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """The paper and the layout of score sheets, as `domain.sheets.sheet_geometry` names them."""

    paper: str = "a4"
    layout: str = "boxes"
