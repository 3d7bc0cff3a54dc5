"""The seating of a round to be hung up: by name, and by table."""

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from django.utils.translation import gettext as _

from tournaments.domain.sheets.sheet_geometry import PAPERS
from tournaments.printing.score_sheets import seat_titles
from tournaments.selectors.rounds.printed_tables import PrintedTable

SIZES: Final = (22, 20, 18, 16, 14, 13, 12, 11)
"""Of the type, in points."""
ONE_COLUMN: Final = 12
"""A list of so many names has one column."""
LINE: Final = 1.25
HEADING: Final = 1.9
"""How high a line and the heading of a table are, in sizes of the type."""
HEAD: Final = 54.0
"""Millimetres of a page that its margins and its title take."""
SIDES: Final = 30.0
GUTTER: Final = 12.0
"""Millimetres beside a page's columns, and between them with the space before a seat."""
LETTER: Final = 0.5
"""How wide a letter is about, in sizes of the type."""
NARROWED: Final = 14
"""The type does not become smaller than this for the sake of long names."""
MM_OF_A_POINT: Final = 25.4 / 72


def seating_pages(
    tables: Sequence[PrintedTable],
    sitting_out: Sequence[str],
    *,
    title: str,
    subtitle: str,
    paper: str,
) -> list[dict[str, Any]]:
    """Return the lists by name and by table; who sits out stands among the names."""
    return [
        _page(_by_name(tables, sitting_out), f"{title} · {_('by name')}", subtitle, paper),
        _page(_by_table(tables), f"{title} · {_('by table')}", subtitle, paper),
    ]


def _page(groups: list[dict[str, Any]], title: str, subtitle: str, paper: str) -> dict[str, Any]:
    width, height = PAPERS[paper]
    return {
        "kind": "list", "title": title, "subtitle": subtitle, "width": width, "height": height,
        "groups": groups, **_set(groups, width, height),
    }  # fmt: skip


def _set(groups: Sequence[dict[str, Any]], width: float, height: float) -> dict[str, Any]:
    """The size of the type, and how many groups are in the left column.

    The largest size in which all fits a page; `left` is None where it fits in none and goes on
    over pages. Nothing is measured: widths are estimated, a long name takes two lines, and a page
    can grow.
    """
    high = [LINE * len(one["rows"]) + (HEADING if one["title"] else 0) for one in groups]
    n_columns = 2 if sum(len(one["rows"]) for one in groups) > ONE_COLUMN else 1
    room = (height - HEAD) / MM_OF_A_POINT
    needed = sum(high) / n_columns + (max(high, default=0) if n_columns > 1 else 0)
    column = (width - SIDES - (n_columns - 1) * GUTTER) / n_columns / MM_OF_A_POINT
    long = max((LETTER * sum(map(len, row)) for one in groups for row in one["rows"]), default=0)
    sizes = [size for size in SIZES if size <= NARROWED or size * long <= column]
    size = next((size for size in sizes if size * needed <= room), None)
    if size is None:
        return {"size": SIZES[-1], "left": None}
    if n_columns == 1:
        return {"size": size, "left": len(groups)}
    ends = list(accumulate(high))
    middles = (end - own / 2 for end, own in zip(ends, high, strict=True))
    return {"size": size, "left": sum(middle < ends[-1] / 2 for middle in middles)}


def _by_name(tables: Sequence[PrintedTable], sitting_out: Sequence[str]) -> list[dict[str, Any]]:
    """One group for each line, so that columns break anywhere."""
    rows = [
        (name, _("Table %(number)s · %(seat)s") % {"number": table.number, "seat": title})
        for table in tables
        for name, title in zip(table.names, seat_titles(len(table.names)), strict=True)
        if name
    ]
    rows += [(name, _("Sitting out")) for name in sitting_out]
    return [{"title": "", "rows": [row]} for row in sorted(rows, key=lambda row: _key(row[0]))]


def _by_table(tables: Sequence[PrintedTable]) -> list[dict[str, Any]]:
    return [
        {
            "title": _("Table %(number)s") % {"number": table.number},
            "rows": [
                (name or "–", title)
                for name, title in zip(table.names, seat_titles(len(table.names)), strict=True)
            ],
        }
        for table in tables
    ]


def _key(name: str) -> str:
    """What names are sorted by: without accents and case."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))
