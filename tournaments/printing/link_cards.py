"""Cards of tables to lay out or cut: what opens each table, as a QR code and to be typed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import segno

from tournaments.models.links import TableLink
from tournaments.selectors.access.linked_tables import LinkedTable
from tournaments.selectors.access.table_links import printable

SCALE: Final = 4
QUIET: Final = 4
"""Modules of white around the code, as ISO/IEC 18004 asks for."""


@dataclass(frozen=True, slots=True)
class LinkCard:
    """One table's card. `qr` is an image as a data address; empty without a link to print."""

    table: LinkedTable
    qr: str = ""
    code: str = ""

    @property
    def players(self) -> str:
        """Who sits there, clockwise."""
        return " · ".join(self.table.players)

    @property
    def link(self) -> TableLink | None:
        """The link that works now."""
        return self.table.link


def cards(tables: Iterable[LinkedTable], *, entrance: str) -> Sequence[LinkCard]:
    """Return the cards of tables; `entrance` is the whole address where codes are typed."""
    return tuple(_card(table, entrance) for table in tables)


def _card(table: LinkedTable, entrance: str) -> LinkCard:
    secrets = printable(table.link) if table.link is not None else None
    if secrets is None:
        return LinkCard(table)
    return LinkCard(table, qr_code(f"{entrance}/{secrets.token}"), secrets.code_in_print)


def qr_code(address: str) -> str:
    """Return an address as the data address of an SVG image: black on white, in any scheme."""
    made = segno.make(address, error="m", micro=False)
    return str(made.svg_data_uri(scale=SCALE, border=QUIET, dark="#000", light="#fff"))


def qr_svg(address: str) -> bytes:
    """Return an address as an SVG file: black on white, in any scheme."""
    made = segno.make(address, error="m", micro=False)
    file = BytesIO()
    made.save(file, kind="svg", scale=SCALE, border=QUIET, dark="#000", light="#fff")
    return file.getvalue()
