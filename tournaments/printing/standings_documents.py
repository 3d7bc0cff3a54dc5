"""A publication for the wall, as a PDF file, and as the picture of link previews, a PNG file.

Both are typeset from texts of the stored publication (`presenters.standings.published_table`).
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain.colours import STANDARD
from tournaments.domain.sheets.sheet_geometry import PAPERS
from tournaments.presenters.standings.published_table import TableRowTexts, TableTexts
from tournaments.printing.drawing import breakable, code_svg
from tournaments.printing.typesetting import PrintedDocument, typeset_images, typeset_pdf

MOST_ROWS: Final = 2_000
"""Rows of a print; more take too long, and no wall has room for them."""
SIZES: Final = ((20, 20), (24, 17), (28, 15), (MOST_ROWS, 14))
"""Rows up to → size of the type, in points; as many as 30 of one line are on one page."""
SIDES: Final = 26.0
"""Millimetres beside the table."""
LETTER: Final = 0.56
"""How wide a sign is about, in sizes of the type."""
SMALL: Final = 0.8
"""How wide a sign of a head is, in signs of a row."""
INSETS: Final = 3.6
"""Millimetres beside the text of a column."""
FOR_NAMES: Final = 0.42
"""The share of the width that names have where they need it."""
MM_OF_A_POINT: Final = 25.4 / 72
CARD: Final = (1200, 630)
"""Width and height of the picture, in pixels: what link previews ask for."""
ON_CARD: Final = 5
"""Rows on the picture."""
PIXELS_OF_AN_INCH: Final = 72.0
"""The picture is laid out in points, one a pixel."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def wall_sheet(table: TableTexts, *, paper: str, colour: str, site: str) -> bytes:
    """Return the standings to be hung up, as a PDF file: large type, the head on every page.

    Args:
        site: the site's address, for the code that leads to the page of the table.

    Raises:
        Refused: too_many_rows_to_print.
    """
    return typeset_pdf(wall_document(table, paper=paper, colour=colour, site=site))


def wall_document(table: TableTexts, *, paper: str, colour: str, site: str) -> PrintedDocument:
    """Return the pages of the standings to be hung up.

    Raises:
        Refused: too_many_rows_to_print.
    """
    n = len(table.rows) + len(table.provisional)
    if n > MOST_ROWS:
        raise Refused(Problem("too_many_rows_to_print", facts={"found": n, "expected": MOST_ROWS}))
    width, height = PAPERS[paper]
    size = next(size for most, size in SIZES if n <= most)
    columns = _widths(table, size, width - SIDES)
    n_figures = len(columns) - 2
    address = f"{site}{table.path}"
    page = {
        "kind": "wall", "width": width, "height": height, "colour": colour or STANDARD,
        "size": size, "columns": columns,
        "club": _name(table.club), "name": _name(table.name),
        "subtitle": f"{table.kind} · " + _("Publication %(number)s") % {"number": table.number},
        "about": _sentence(table),
        "of": _("Page {page} of {pages}"),
        "published": table.published,
        "foot": _("Publication %(number)s of %(when)s")
        % {"number": table.number, "when": table.published},
        "code": code_svg(address), "alt": _("QR code of the page of this table"),
        "address": breakable(address), "current": _("Current table"),
        "heads": [_("Place"), table.competitor, *table.heads[:n_figures]],
        "rows": [_cells(row, n_figures) for row in table.rows],
        "provisional": [_cells(row, n_figures) for row in table.provisional],
        "unranked": _("Not ranked yet"),
    }  # fmt: skip
    title = f"{_clean(table.club)}: {_clean(table.name)}"
    return PrintedDocument(title, get_language() or "en", [page])


def link_picture(table: TableTexts, *, colour: str) -> bytes:
    """Return the picture that a link to the table shows in a chat, as a PNG file."""
    shown = table.rows[:ON_CARD]
    more = len(table.rows) + len(table.provisional) - len(shown)
    page = {
        "kind": "card", "width": CARD[0], "height": CARD[1], "colour": colour or STANDARD,
        "club": _clean(table.club), "name": _clean(table.name),
        "subtitle": table.kind,
        "head": table.heads[0] if table.heads else "",
        "foot": _("Publication %(number)s of %(when)s")
        % {"number": table.number, "when": table.published},
        "more": ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more} if more else "",
        "rows": [[row.place, _clean(row.name), row.cells[0] if row.cells else ""] for row in shown],
        "empty": _("No ranks yet"),
    }  # fmt: skip
    document = PrintedDocument(_clean(table.name), get_language() or "en", [page])
    (made,) = typeset_images(document, dots_per_inch=PIXELS_OF_AN_INCH)
    return made


def _sentence(table: TableTexts) -> str:
    about = f"{table.about[:1].upper()}{table.about[1:]}." if table.about else ""
    return " ".join(filter(None, (about, table.ranked_by)))


def _widths(table: TableTexts, size: float, room: float) -> list[float]:
    """The widths of the columns in millimetres; 0 for the names, which take the rest.

    Widths are estimated from the number of signs. Columns that leave the names too little room are
    left out, the last ones first.
    """
    every = (*table.rows, *table.provisional)
    letter = size * LETTER * MM_OF_A_POINT

    def width(head: str, texts: Iterable[str]) -> float:
        longest = max((len(word) for word in head.split()), default=1) * SMALL
        return max([longest, *map(len, texts)]) * letter + INSETS

    place = width(_("Place"), (row.place for row in every))
    names = width("", (f"{row.name}  {row.note}" for row in every))
    left = room - place - min(names, room * FOR_NAMES)
    found: list[float] = []
    for at, head in enumerate(table.heads):
        wanted = width(head, (row.cells[at] for row in every))
        if found and sum(found) + wanted > left:
            break
        found.append(wanted)
    return [place, 0, *found]


def _cells(row: TableRowTexts, n_figures: int) -> dict[str, Any]:
    return {
        "place": row.place,
        "name": _name(row.name),
        "members": _name(row.members),
        "note": row.note,
        "cells": list(row.cells[:n_figures]),
    }


def _name(text: str) -> str:
    """A name whose words break where even a line of its own is too short for them."""
    return _LONG.sub(lambda word: breakable(word[0]), _clean(text))


_LONG: Final = re.compile(r"\S{18,}")


def _clean(text: str) -> str:
    """A text without control characters and without overrides of its direction.

    >>> _clean("Elsa\\u202e D.\\x07")
    'Elsa D.'
    """
    seen = (sign for sign in text if unicodedata.bidirectional(sign) not in _OVERRIDES)
    return _CONTROLS.sub(" ", "".join(seen)).strip()


_OVERRIDES: Final = frozenset({"LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI", "FSI", "PDI"})
