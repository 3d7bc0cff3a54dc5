"""A publication laid out for paper and for a picture: the stored document as texts, row by row.

Nothing is computed and nothing is asked of the database: standings and seasons are read as their
page reads them (`standings_view`), ladders as theirs (`ladder_view`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.domain.figures import points
from tournaments.models.standings import Publication
from tournaments.selectors.ladders.ladder_page import ladder_view
from tournaments.selectors.standings.standings_view import (
    StandingsColumn,
    StandingsRow,
    StandingsView,
    standings_view,
)

MOST_COLUMNS: Final = 6
"""Columns of figures that a sheet of paper to be hung up has room for."""
_FIRST: Final = ("", "p1", "p2", "p3")
"""Columns by how early a narrow page drops them, the ones that stay longest first."""


@dataclass(frozen=True, slots=True)
class TableRowTexts:
    """One line: the place as it is written, the name, the players of a pair or a team, figures.

    `note` is a mark behind the name: that the entrant has withdrawn.
    """

    place: str
    name: str
    members: str
    note: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableTexts:
    """A publication as texts; `provisional` are the rows without a rank.

    `path` is that of the page with the current table, `about` a line on the counted games, and
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


def published_table(publication: Publication, zone: str) -> TableTexts:
    """Return a publication of an event, of a season or of a ladder as texts; no query.

    Args:
        zone: time zone of the club, for the moment of the publication.
    """
    body = json.loads(bytes(publication.body))
    published = _moment(publication.published_at, zone)
    if publication.ladder_id is not None:
        return _ladder(publication, body, published)
    return _standings(publication, body, published)


def _standings(publication: Publication, body: dict[str, Any], published: str) -> TableTexts:
    view = standings_view(publication)
    of = "event" if "event" in body else "season"
    club = body["club"]["slug"]
    columns = _columns(view)
    return TableTexts(
        club=body["club"]["name"],
        name=body[of]["name"],
        kind=_("Standings") if of == "event" else _("Season standings"),
        number=view.number,
        published=published,
        about=_about(view),
        ranked_by=_ranked_by(view),
        path=reverse(f"tournaments:{of}", args=[club, body[of]["slug"]]),
        competitor=str(view.competitor),
        heads=tuple(str(column.head) for column in columns),
        rows=tuple(_row(row, columns) for row in view.rows),
        provisional=tuple(_row(row, columns) for row in view.provisional_rows),
    )


def _columns(view: StandingsView) -> Sequence[StandingsColumn]:
    """Return the columns that fit on the paper, in the order of the page, without empty ones."""
    every = (*view.rows, *view.provisional_rows)
    filled = [
        column
        for at, column in enumerate(view.columns)
        if column.decides or any(row.cells[at].number not in (None, 0) for row in every)
    ]
    first = sorted(filled, key=lambda column: _FIRST.index(column.rank))[:MOST_COLUMNS]
    return [column for column in view.columns if column in first]


def _row(row: StandingsRow, columns: Sequence[StandingsColumn]) -> TableRowTexts:
    members = ", ".join(row.members)
    return TableRowTexts(
        place=row.place,
        name=row.name,
        members="" if members == row.name or " & ".join(row.members) == row.name else members,
        note=_("withdrawn") if row.is_withdrawn else "",
        cells=tuple(points(cell.number) for cell in row.cells if cell.column in columns),
    )


def _about(view: StandingsView) -> str:
    parts = []
    if view.as_of and view.round:
        facts = {"day": _day(view.as_of), "round": view.round}
        parts.append(_("as of %(day)s, up to round %(round)s") % facts)
    elif view.as_of:
        parts.append(_("as of %(day)s") % {"day": _day(view.as_of)})
    if view.hands:
        parts.append(ngettext("%(n)s hand", "%(n)s hands", view.hands) % {"n": view.hands})
    return ", ".join(parts)


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
                place=str(row.place),
                name=row.name,
                members="",
                note=_("provisional") if row.is_provisional and row.games else "",
                cells=(points(row.rating), str(row.games), _day(row.moved_on)),
            )
            for row in view.rows
        ),
        provisional=(),
    )


def _day(day: date | None) -> str:
    return formats.date_format(day, "j M Y") if day else ""


def _moment(moment: datetime, zone: str) -> str:
    return formats.date_format(moment.astimezone(ZoneInfo(zone)), "j M Y, H:i")
