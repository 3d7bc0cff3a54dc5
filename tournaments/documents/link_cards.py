"""Cards with QR codes to print and cut: links to tables, and invitations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import segno

from tournaments.models.access import Invitation, TableLink
from tournaments.selectors.access.invitations import label_of, printable_token
from tournaments.selectors.access.table_links import LinkedTable, printable_secret

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
        """The players at the table, clockwise."""
        return " · ".join(self.table.players)

    @property
    def link(self) -> TableLink | None:
        return self.table.link


def cards(tables: Iterable[LinkedTable], *, entrance: str) -> Sequence[LinkCard]:
    """Return the cards of tables; `entrance` is the whole address where codes are typed."""
    return tuple(_link_card(table, entrance) for table in tables)


def _link_card(table: LinkedTable, entrance: str) -> LinkCard:
    secrets = printable_secret(table.link) if table.link is not None else None
    if secrets is None:
        return LinkCard(table)
    return LinkCard(table, qr_code(f"{entrance}/{secrets.token}"), secrets.code_in_print)


def qr_code(address: str) -> str:
    """Return an address as the data address of an SVG image: black on white, in any scheme."""
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(scale=SCALE, border=QUIET, dark="#000", light="#fff"))


def qr_svg(address: str) -> bytes:
    """Return an address as an SVG file: black on white, in any scheme."""
    code = segno.make(address, error="m", micro=False)
    file = BytesIO()
    code.save(file, kind="svg", scale=SCALE, border=QUIET, dark="#000", light="#fff")
    return file.getvalue()


ON_A_SHEET: Final = 8


@dataclass(frozen=True, slots=True)
class InvitationCard:
    """One invitation to hand out; `link` and `qr` are empty if it cannot be printed again."""

    invitation: Invitation
    link: str = ""
    qr: str = ""

    @property
    def label(self) -> str:
        """The name of the invited person."""
        return label_of(self.invitation)

    @property
    def text(self) -> str:
        """The link without its scheme, as people read it."""
        return self.link.partition("//")[2]


def invitation_cards(
    invitations: Iterable[Invitation], *, entrance: str
) -> Sequence[InvitationCard]:
    """Return the cards of invitations.

    Args:
        entrance: the whole address that their tokens follow.
    """
    return tuple(_invitation_card(invitation, entrance) for invitation in invitations)


def sheets_of(cards: Sequence[InvitationCard]) -> Sequence[Sequence[InvitationCard]]:
    """Return cards by sheet of paper."""
    return [cards[at : at + ON_A_SHEET] for at in range(0, len(cards), ON_A_SHEET)]


def _invitation_card(invitation: Invitation, entrance: str) -> InvitationCard:
    token = printable_token(invitation)
    if not token:
        return InvitationCard(invitation)
    link = f"{entrance}{token}"
    return InvitationCard(invitation, link, qr_code(link))
