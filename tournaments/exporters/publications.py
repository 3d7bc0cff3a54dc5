"""A publication as a spreadsheet: the rows of its JSON, figures as numbers, and what it is of.

The first sheet has the table with all its columns, the last one which publication it is; a ladder
has its ratings between them. Nothing is computed: fractions are written in decimals as pages show
them. A name never starts a formula (`csv_safety`).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _

from tournaments.csv_safety import escape_formula
from tournaments.exporters.spreadsheets import Cell, Sheet, workbook
from tournaments.models.standings import Publication
from tournaments.presenters.figures import points
from tournaments.selectors.standings.sorting import decimal, decimals_of

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
