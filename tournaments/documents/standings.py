"""A publication as PDF, PNG picture and spreadsheet."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import formats
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.documents.typesetting import (
    PrintedDocument,
    breakable,
    code_svg,
    typeset_images,
    typeset_pdf,
)
from tournaments.documents.workbooks import Cell, Sheet, workbook
from tournaments.domain.colours import STANDARD
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.figures import points
from tournaments.domain.sheets.sheet_geometry import PAPERS
from tournaments.domain.standings.evening_outcomes import of_consolation_sentence
from tournaments.models.standings import Publication
from tournaments.selectors.ladders.ladder_page import ladder_view
from tournaments.selectors.standings.short_reasons import first_places
from tournaments.selectors.standings.sorting import decimal, decimals_of, decimals_to_tell
from tournaments.selectors.standings.standings_view import (
    FURTHER,
    StandingsColumn,
    StandingsRow,
    StandingsView,
    ranking_column,
    standings_view,
)

MOST_COLUMNS: Final = 6
"""Columns of figures that a sheet of paper to be hung up has room for."""
_FIRST: Final = ("", "p1", "p2", "p3")
"""Columns by how early a narrow page drops them, the ones that stay longest first."""


@dataclass(frozen=True, slots=True)
class TableRowTexts:
    """One line: the place as it is written, the name, the players of a pair or a team, figures.

    `note` is a mark behind the name: that the entrant has withdrawn or is a guest, or how far it
    came in a cup.
    """

    place: str
    name: str
    members: str
    note: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableTexts:
    """A publication as texts; `provisional` are the rows without a rank, `unranked` says why.

    `path` is that of the page with the current table, which `is_result` of an evening or a
    publication; `about` is a line on the counted games, and
    `ranked_by` one on the order.
    """

    club: str
    name: str
    kind: str
    number: int
    published: str
    about: str
    ranked_by: str
    path: str
    competitor: str
    heads: tuple[str, ...]
    rows: tuple[TableRowTexts, ...]
    provisional: tuple[TableRowTexts, ...]
    unranked: str = ""
    is_result: bool = False


MOST_ROWS: Final = 2_000
"""Rows of a print; more take too long, and no wall has room for them."""

LETTER: Final = 0.56
"""Approximate width of a character, in font sizes."""

SMALL: Final = 0.8
"""Width of a character of the heads, in characters of a row."""

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
_LONG: Final = re.compile(r"\S{18,}")
_OVERRIDES: Final = frozenset({"LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI", "FSI", "PDI"})
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

_TYPED: Final = frozenset({"player_id", "player", "members", "story", "progress"})
"""Columns of text, though it may look like a number."""

NARROW: Final = 10

WIDE: Final = 32
"""Widths of columns of figures and of names, in signs."""


def published_table(publication: Publication, zone: str) -> TableTexts:
    """Return a publication of an event, of a season or of a ladder as texts; no query.

    Args:
        zone: time zone of the club, for the moment of the publication.
    """
    body = publication.document
    published = formats.date_format(
        publication.published_at.astimezone(ZoneInfo(zone)), "j M Y, H:i"
    )
    if publication.ladder_id is not None:
        return _ladder(publication, body, published)
    return _standings(publication, body, published)


def _standings(publication: Publication, body: dict[str, Any], published: str) -> TableTexts:
    view = standings_view(publication)
    of = "event" if "event" in body else "season"
    club = body["club"]["slug"]
    columns = _columns(view)
    kind = _("Standings") if of == "event" else _("Season standings")
    path = reverse(f"tournaments:{of}", args=[club, body[of]["slug"]])
    evening = body.get("evening")
    parts = []
    decided_before = ""
    if evening is not None:
        day = evening["date"]
        kind = _("Evening of %(day)s") % {"day": _day(date.fromisoformat(day))}
        decided_before = of_consolation_sentence(body)
        path = reverse("tournaments:evening", args=[club, body[of]["slug"], day])
    elif view.as_of and view.round:
        facts = {"day": _day(view.as_of), "round": view.round}
        parts.append(_("as of %(day)s, up to round %(round)s") % facts)
    elif view.as_of:
        parts.append(_("as of %(day)s") % {"day": _day(view.as_of)})
    if view.hands:
        parts.append(ngettext("%(n)s hand", "%(n)s hands", view.hands) % {"n": view.hands})
    return TableTexts(
        club=body["club"]["name"],
        name=body[of]["name"],
        kind=kind,
        number=view.number,
        published=published,
        about=", ".join(parts),
        ranked_by=f"{_ranked_by(view)} {decided_before}".strip(),
        path=path,
        is_result=evening is not None,
        competitor=str(view.competitor),
        heads=tuple(str(column.head) for column in columns),
        rows=tuple(_row(row, columns) for row in view.rows),
        provisional=tuple(_row(row, columns) for row in view.provisional_rows),
        unranked=view.unranked,
    )


def _columns(view: StandingsView) -> Sequence[StandingsColumn]:
    every = (*view.rows, *view.provisional_rows)
    filled = [
        column
        for at, column in enumerate(view.columns)
        if column.decides or any(row.cells[at].number not in (None, 0) for row in every)
    ]
    adjustments = [column for column in filled if column.key == "adjustment"]
    others = [column for column in filled if column not in adjustments]
    n_others = MOST_COLUMNS - len(adjustments)
    first = sorted(others, key=lambda column: _FIRST.index(column.rank))[:n_others]
    columns = [column for column in view.columns if column in first]
    # A penalty says why a value is not the sum of the games, so it is beside the value.
    return [*columns[:1], *adjustments, *columns[1:]]


def _row(row: StandingsRow, columns: Sequence[StandingsColumn]) -> TableRowTexts:
    members = ", ".join(row.members)
    numbers = {cell.column.key: cell.number for cell in row.cells}
    return TableRowTexts(
        place=row.place,
        name=row.name,
        members="" if members == row.name or " & ".join(row.members) == row.name else members,
        note=_note(row),
        cells=tuple(points(numbers[column.key]) for column in columns),
    )


def _note(row: StandingsRow) -> str:
    if row.is_withdrawn:
        return _("withdrawn")
    if row.is_guest:
        return _("guest")
    return row.progress


def _ranked_by(view: StandingsView) -> str:
    if view.is_knockout:
        return _("Knock-out: ranked by the round reached.")
    what = {"what": view.columns[0].head}
    text = _("Ranked by %(what)s: highest wins.") % what
    if view.ascending:
        text = _("Ranked by %(what)s: lowest wins.") % what
    return f"{text} {view.byes}".strip()


def _ladder(publication: Publication, body: dict[str, Any], published: str) -> TableTexts:
    view = ladder_view(publication)
    parts = [_("as of %(day)s") % {"day": _day(view.on)}] if view.on else []
    parts.append(ngettext("%(n)s rated game", "%(n)s rated games", view.games) % {"n": view.games})
    return TableTexts(
        club=body["club"]["name"],
        name=body["event"]["name"],
        kind=_("Ladder"),
        number=view.number,
        published=published,
        about=", ".join(parts),
        ranked_by="",
        path=reverse("tournaments:ladder", args=[body["club"]["slug"], body["event"]["slug"]]),
        competitor=_("Player"),
        heads=(_("Rating"), _("Games"), _("Last move")),
        rows=tuple(
            TableRowTexts(
                place=str(row["place"]),
                name=row["name"],
                members="",
                note=_("provisional") if row["is_provisional"] and row["games"] else "",
                cells=(points(row["rating"]), str(row["games"]), _day(row["moved_on"])),
            )
            for row in view.rows
        ),
        provisional=(),
    )


def _day(day: date | None) -> str:
    return formats.date_format(day, "j M Y") if day else ""


SIZES: Final = ((20, 20), (24, 17), (28, 15), (MOST_ROWS, 14))
"""Rows up to → size of the type, in points; as many as 30 of one line are on one page."""
SIDES: Final = 26.0
"""Millimetres beside the table."""


def wall_sheet(table: TableTexts, *, paper: str, colour: str, site: str) -> bytes:
    """Return the standings for a wall as a PDF file: large type, the head on every page.

    Args:
        site: the site's address, for the code that leads to the page of the table.
    """
    return typeset_pdf(wall_document(table, paper=paper, colour=colour, site=site))


def wall_document(table: TableTexts, *, paper: str, colour: str, site: str) -> PrintedDocument:
    n = len(table.rows) + len(table.provisional)
    if n > MOST_ROWS:
        raise Refused(Problem("too_many_rows_to_print", facts={"found": n, "expected": MOST_ROWS}))
    width, height = PAPERS[paper]
    size = next(size for most, size in SIZES if n <= most)
    columns = _widths(table, size, width - SIDES)
    n_figures = len(columns) - 2
    address = f"{site}{table.path}"
    about = f"{table.about[:1].upper()}{table.about[1:]}." if table.about else ""
    numbered = _("Publication %(number)s")
    if table.is_result:
        numbered = _("Result %(number)s")
    page = {
        "kind": "wall",
        "width": width,
        "height": height,
        "colour": colour or STANDARD,
        "size": size,
        "columns": columns,
        "club": _name(table.club),
        "name": _name(table.name),
        "subtitle": f"{table.kind} · {numbered % {'number': table.number}}",
        "about": " ".join(filter(None, (about, table.ranked_by))),
        "of": _("Page {page} of {pages}"),
        "published": table.published,
        "foot": _foot(table),
        "code": code_svg(address),
        "alt": _("QR code of the page of this table"),
        "address": breakable(address),
        "current": _("Current table"),
        "heads": [_("Place"), table.competitor, *table.heads[:n_figures]],
        "rows": [_cells(row, n_figures) for row in table.rows],
        "provisional": [_cells(row, n_figures) for row in table.provisional],
        "unranked": table.unranked,
    }
    title = f"{_clean(table.club)}: {_clean(table.name)}"
    return PrintedDocument(title, get_language() or "en", [page])


def link_picture(table: TableTexts, *, colour: str) -> bytes:
    """Return the preview picture of a link to the table, as a PNG file."""
    n_first = first_places([row.place for row in table.rows], ON_CARD)[0]
    first_rows = table.rows[: n_first or ON_CARD]
    more = len(table.rows) + len(table.provisional) - len(first_rows)
    page = {
        "kind": "card",
        "width": CARD[0],
        "height": CARD[1],
        "colour": colour or STANDARD,
        "club": _clean(table.club),
        "name": _clean(table.name),
        "subtitle": table.kind,
        "head": table.heads[0] if table.heads else "",
        "foot": _foot(table),
        "more": ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more} if more else "",
        "rows": [
            [row.place, _name_on_card(row), row.cells[0] if row.cells else ""] for row in first_rows
        ],
        "empty": _("No ranks yet"),
    }
    document = PrintedDocument(_clean(table.name), get_language() or "en", [page])
    (image,) = typeset_images(document, dots_per_inch=PIXELS_OF_AN_INCH)
    return image


def _foot(table: TableTexts) -> str:
    facts = {"number": table.number, "when": table.published}
    if table.is_result:
        return _("Result %(number)s of %(when)s") % facts
    return _("Publication %(number)s of %(when)s") % facts


def _name_on_card(row: TableRowTexts) -> str:
    if not row.note:
        return _clean(row.name)
    return _("%(name)s (%(note)s)") % {"name": _clean(row.name), "note": row.note}


def _widths(table: TableTexts, size: float, room: float) -> list[float]:
    """Return the widths of the columns in millimetres; 0 for the names, which take the rest.

    Widths are estimated from the number of letters. If the names have too little room, the last
    columns are left out.
    """
    all_rows = (*table.rows, *table.provisional)
    letter = size * LETTER * MM_OF_A_POINT

    def width(head: str, texts: Iterable[str]) -> float:
        longest = max((len(word) for word in head.split()), default=1) * SMALL
        return max([longest, *map(len, texts)]) * letter + INSETS

    place = width(_("Place"), (row.place for row in all_rows))
    names = width("", (f"{row.name}  {row.note}" for row in all_rows))
    remaining = room - place - min(names, room * FOR_NAMES)
    widths: list[float] = []
    for at, head in enumerate(table.heads):
        column_width = width(head, (row.cells[at] for row in all_rows))
        if widths and sum(widths) + column_width > remaining:
            break
        widths.append(column_width)
    return [place, 0, *widths]


def _cells(row: TableRowTexts, n_figures: int) -> dict[str, Any]:
    return {
        "place": row.place,
        "name": _name(row.name),
        "members": _name(row.members),
        "note": row.note,
        "cells": list(row.cells[:n_figures]),
    }


def _name(text: str) -> str:
    """Return a name whose words break if a line of its own is too short for them."""
    return _LONG.sub(lambda word: breakable(word[0]), _clean(text))


def _clean(text: str) -> str:
    """A text without control characters and without overrides of its direction.

    >>> _clean("Elsa\\u202e D.\\x07")
    'Elsa D.'
    """
    signs = (sign for sign in text if unicodedata.bidirectional(sign) not in _OVERRIDES)
    return _CONTROLS.sub(" ", "".join(signs)).strip()


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


def publication_book(publication: Publication, site: str) -> bytes:
    """Return a publication of an event, of a season or of a ladder as an XLSX file.

    Args:
        site: the site's address, for that of the publication.
    """
    document: dict[str, Any] = publication.document
    sheets = [_table(document)]
    if "ratings" in document:
        keys = [{"key": key, "title": title} for key, title in _RATINGS.items()]
        sheets.append(_sheet(_("Ratings"), keys, document["ratings"], frozenset()))
    return workbook(*sheets, _about(document, site))


def _table(document: Mapping[str, Any]) -> Sheet:
    rows = [*document["rows"], *document.get("provisional_rows", ())]
    columns = list(document["columns"])
    if any("tied" in row for row in rows):
        columns.insert(1, {"key": "tied", "title": "Tied"})
    if any(row.get("members") for row in rows):
        player_at = next(at for at, column in enumerate(columns) if column["key"] == "player")
        columns.insert(player_at + 1, {"key": "members", "title": "Players"})
    if any(row.get("withdrawn") for row in rows):
        columns.append({"key": "withdrawn", "title": "Withdrawn"})
    if any(row.get("guest") for row in rows):
        columns.append({"key": "guest", "title": "Guest"})
    if "ratings" in document:
        return _sheet(_("Ladder"), columns, rows, frozenset())
    published = {column["key"]: column for column in document["columns"]}
    decides = ranking_column(document["scheme"]["primary"], published)
    return _sheet(_("Standings"), columns, rows, {decides, "average_per_hand", *FURTHER})


def _sheet(
    name: str,
    columns: Sequence[Mapping[str, str]],
    rows: Sequence[Mapping[str, Any]],
    as_on_page: Set[str],
) -> Sheet:
    """Return the sheet of a table.

    Args:
        as_on_page: keys of figures that a page shows with as few decimals as tell rows apart.
    """
    keys = [column["key"] for column in columns]
    decimals = {}
    for key in keys:
        values = [row.get(key) for row in rows]
        decimals[key] = decimals_to_tell(values) if key in as_on_page else decimals_of(values)

    def lines() -> Iterator[Sequence[Cell]]:
        yield [column["title"] for column in columns]
        for row in rows:
            yield [
                _cell(key, row.get(key), decimals[key], is_rounded=key in as_on_page)
                for key in keys
            ]

    widths = [WIDE if key in _TYPED - {"player_id"} else NARROW for key in keys]
    return name, lines(), widths


def _cell(key: str, value: Any, decimals: int, *, is_rounded: bool) -> Cell:
    """Return a figure as a number; an exact fraction with its column's decimals on pages."""
    if key == "members":
        value = ", ".join(member["player"] for member in value or ())
    if value is None or isinstance(value, bool):
        return _("yes") if value else None
    if key in _TYPED:
        return escape_formula(str(value))
    if isinstance(value, list):
        return points(value)
    is_exact = isinstance(value, int) or (isinstance(value, str) and "." not in value)
    text = str(decimal(value, decimals) if is_exact or is_rounded else value)
    if not _NUMBER.fullmatch(text):
        return text
    if not text.lstrip("-").isdecimal():
        return Decimal(text)
    return int(text)


def _about(document: Mapping[str, Any], site: str) -> Sheet:
    head, club = document["publication"], document["club"]
    of = "event" if "event" in document else "season"
    owner = document[of]
    table = "/ladder" if "ratings" in document else ""
    path = f"/clubs/{club['slug']}/{of}s/{owner['slug']}{table}/publications/{head['number']}"
    lines: list[tuple[str, Cell]] = [
        (_("Club"), escape_formula(club["name"])),
        (_("Event") if of == "event" else _("Season"), escape_formula(owner["name"])),
    ]
    evening = document.get("evening")
    if evening is None:
        lines.append((_("Publication"), head["number"]))
    else:
        day = evening["date"]
        place = (club["slug"], owner["slug"], day, head["number"])
        path = reverse("tournaments:evening-result", args=place)
        lines += [(_("Evening"), day), (_("Result"), head["number"])]
    lines += [
        (_("Published at"), head["published_at"]),
        (_("Version"), head["version"]),
        (_("Digest"), head["digest"]),
        (_("Page"), f"{site}{path}"),
    ]
    name = _("Publication") if evening is None else _("Result")
    return name, [(_("What"), _("Value")), *lines], (16, 80)
