"""Cards to stand on the tables of a round: the number, who sits there, and the table's link."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.domain.sheets.sheet_geometry import PAPERS, Rect
from tournaments.printing.drawing import HAIR, add_line, code_image, name_at, text_at
from tournaments.printing.score_sheets import seat_titles
from tournaments.printing.typesetting import Drawn, Frame
from tournaments.selectors.access.linked_tables import LinkedTable
from tournaments.selectors.access.table_links import printable

ON_A_PAGE: Final = 4
MARGIN: Final = 11.0
CODE: Final = 44.0


def card_frame(paper: str) -> Frame:
    """Return the page of four cards, with the lines to cut along."""
    width, height = PAPERS[paper]
    frame = Frame(width, height)
    add_line(frame, width / 2, 0, width / 2, height, HAIR)
    add_line(frame, 0, height / 2, width, height / 2, HAIR)
    return frame


def card_pages(
    tables: Sequence[LinkedTable],
    names: Mapping[str, Sequence[str]],
    *,
    frame: int,
    paper: str,
    entrance: str,
) -> Iterator[dict[str, Any]]:
    """Yield the pages of cards.

    Args:
        names: code of a table → who sits in each seat, empty where nobody does.
        frame: the index of `card_frame` among the frames of the document.
        entrance: the whole address where codes are typed.
    """
    width, height = (side / 2 for side in PAPERS[paper])
    for start in range(0, len(tables), ON_A_PAGE):
        texts: list[Drawn] = []
        images: list[Drawn] = []
        for at, table in enumerate(tables[start : start + ON_A_PAGE]):
            row, column = divmod(at, 2)
            place = Rect(
                column * width + MARGIN,
                row * height + MARGIN,
                width - 2 * MARGIN,
                height - 2 * MARGIN,
            )
            texts += _texts(table, names.get(table.table.code, ()), place, entrance)
            images += _code(table, place, entrance)
        yield {"kind": "sheet", "frame": frame, "texts": texts, "images": images}


def _texts(card: LinkedTable, names: Sequence[str], place: Rect, entrance: str) -> Iterator[Drawn]:
    table = card.table
    about = [table.event.name, _("Round %(number)s") % {"number": table.round.number}]
    if table.round.meeting is not None:
        about.append(formats.date_format(table.round.meeting.date, "j M Y"))
    yield text_at(Rect(place.x, place.y, place.width, 5), " · ".join(about), 10, least=5, clip=True)
    title = _("Table %(number)s") % {"number": table.number}
    yield text_at(
        Rect(place.x, place.y + 6, place.width, 16), title, 40, least=16, weight="bold", clip=True
    )
    below = Rect(place.x, place.bottom - CODE, place.width, CODE)
    middle = Rect(place.x, place.y + 24, place.width, below.y - place.y - 26)
    yield from _players(names, middle)
    yield from _opening(card, below, entrance)


def _players(names: Sequence[str], place: Rect) -> Iterator[Drawn]:
    line = min(7.0, place.height / max(len(names), 1))
    for at, (name, seat) in enumerate(zip(names, seat_titles(len(names)), strict=True)):
        y = place.y + at * line
        yield name_at(Rect(place.x, y, place.width - 17, line), name, min(13, line * 1.9))
        yield text_at(Rect(place.right - 16, y, 16, line), seat, min(10, line * 1.7), align="right")


def _code(card: LinkedTable, place: Rect, entrance: str) -> Iterator[Drawn]:
    secrets = printable(card.link) if card.link is not None else None
    if secrets is not None:
        box = Rect(place.x - 4, place.bottom - CODE + 2, CODE, CODE)
        alt = _("QR code that opens table %(number)s") % {"number": card.table.number}
        yield code_image(box, f"{entrance}/{secrets.token}", alt)


def _opening(card: LinkedTable, place: Rect, entrance: str) -> Iterator[Drawn]:
    """How to come to the table's page: by the code beside, or typed."""
    link = card.link
    secrets = printable(link) if link is not None else None
    if link is None or secrets is None:
        text = _("No link for this table. Create it under Table links, then print again.")
        yield text_at(place, text, 10, least=6, lines=4, valign="b", grey=True)
        return
    right = Rect(place.x + CODE - 2, place.y, place.width - CODE + 2, place.height)
    lines = (
        (_("Scan, or open"), 9, "regular"),
        (entrance.partition("//")[2], 10, "bold"),
        (_("and enter"), 9, "regular"),
        (secrets.code_in_print, 15, "bold"),
        (_("until %(when)s") % {"when": _moment(link.expires_at, card)}, 8, "regular"),
    )
    for at, (text, size, weight) in enumerate(lines):
        one = Rect(right.x, right.y + 6 + at * 7, right.width, 7)
        yield text_at(one, text, size, least=4, weight=weight)


def _moment(when: datetime, card: LinkedTable) -> str:
    return formats.date_format(when.astimezone(ZoneInfo(card.table.club.time_zone)), "j M, H:i")
