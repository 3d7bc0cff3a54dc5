"""A publication as PDF, PNG picture and spreadsheet."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.documents.published_table import TableRowTexts, TableTexts
from tournaments.documents.spreadsheets import Cell, Sheet, workbook
from tournaments.documents.typesetting import (
    PrintedDocument,
    breakable,
    code_svg,
    typeset_images,
    typeset_pdf,
)
from tournaments.domain.colours import STANDARD
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.figures import points
from tournaments.domain.sheets.sheet_geometry import PAPERS
from tournaments.models.standings import Publication
from tournaments.selectors.standings.sorting import decimal, decimals_of

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


_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

_TYPED: Final = frozenset({"player_id", "player", "members", "story"})

"""Columns of text, though it may look like a number."""

_MEMBERS: Final = {"key": "members", "title": "Players"}

_TIED: Final = {"key": "tied", "title": "Tied"}

_WITHDRAWN: Final = {"key": "withdrawn", "title": "Withdrawn"}

_RATINGS: Final = {
    "rank": "Rank",
    "player_id": "Player id",
    "player": "Player",
    "rating": "Rating",
    "spread": "Spread",
    "games": "Rated games",
    "provisional": "Too few games for a rank",
    "change": "Change by the last game",
    "last_played": "Day of the last rated game",
}

NARROW: Final = 10

WIDE: Final = 32

"""Widths of columns of figures and of names, in signs."""


def publication_book(publication: Publication, site: str) -> bytes:
    """Return a publication of an event, of a season or of a ladder as an XLSX file.

    Args:
        site: the site's address, for that of the publication.
    """
    document: dict[str, Any] = json.loads(bytes(publication.body))
    sheets = [_table(document)]
    if "ratings" in document:
        keys = [{"key": key, "title": title} for key, title in _RATINGS.items()]
        sheets.append(_sheet(_("Ratings"), keys, document["ratings"]))
    return workbook(*sheets, _about(document, site))


def _table(document: Mapping[str, Any]) -> Sheet:
    rows = [*document["rows"], *document.get("provisional_rows", ())]
    columns = list(document["columns"])
    if any("tied" in row for row in rows):
        columns.insert(1, _TIED)
    if any(row.get("members") for row in rows):
        named = next(at for at, one in enumerate(columns) if one["key"] == "player")
        columns.insert(named + 1, _MEMBERS)
    if any(row.get("withdrawn") for row in rows):
        columns.append(_WITHDRAWN)
    name = _("Ladder") if "ratings" in document else _("Standings")
    return _sheet(name, columns, rows)


def _sheet(
    name: str, columns: Sequence[Mapping[str, str]], rows: Sequence[Mapping[str, Any]]
) -> Sheet:
    keys = [column["key"] for column in columns]
    decimals = {key: decimals_of([row.get(key) for row in rows]) for key in keys}

    def lines() -> Iterator[Sequence[Cell]]:
        yield [column["title"] for column in columns]
        for row in rows:
            yield [_cell(key, row.get(key), decimals[key]) for key in keys]

    widths = [WIDE if key in _TYPED - {"player_id"} else NARROW for key in keys]
    return Sheet(name, lines(), widths)


def _cell(key: str, value: Any, decimals: int) -> Cell:
    """A figure as a number; an exact fraction in as many decimals as its column has on pages."""
    if key == "members":
        value = ", ".join(one["player"] for one in value or ())
    if value is None or isinstance(value, bool):
        return _("yes") if value else None
    if key in _TYPED:
        return escape_formula(str(value))
    if isinstance(value, list):
        return points(value)
    shown = str(decimal(value, decimals) if _is_exact(value) else value)
    if not _NUMBER.fullmatch(shown):
        return shown
    return int(shown) if shown.lstrip("-").isdecimal() else Decimal(shown)


def _is_exact(value: object) -> bool:
    """Whether a value is a whole number or a fraction, and not decimals already."""
    return isinstance(value, int) or (isinstance(value, str) and "." not in value)


def _about(document: Mapping[str, Any], site: str) -> Sheet:
    head, club = document["publication"], document["club"]
    of = "event" if "event" in document else "season"
    own = document[of]
    table = "/ladder" if "ratings" in document else ""
    path = f"/clubs/{club['slug']}/{of}s/{own['slug']}{table}/publications/{head['number']}"
    lines: list[tuple[str, Cell]] = [
        (_("Club"), escape_formula(club["name"])),
        (_("Event") if of == "event" else _("Season"), escape_formula(own["name"])),
        (_("Publication"), head["number"]),
        (_("Published at"), head["published_at"]),
        (_("Version"), head["version"]),
        (_("Digest"), head["digest"]),
        (_("Page"), f"{site}{path}"),
    ]
    return Sheet(_("Publication"), [(_("What"), _("Value")), *lines], (16, 80))
