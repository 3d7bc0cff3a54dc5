"""Cards with QR codes to print and cut: links to tables, personal links, and invitations.

Their sizes on paper are those of `.qrs` and `.qrc` in static/blacklady/parts.css.
"""

from collections.abc import Iterable
from io import BytesIO
from typing import Final

import segno

from tournaments.models.access import Invitation, PersonalLink
from tournaments.models.rounds import Table
from tournaments.selectors.access import personal_links
from tournaments.selectors.access.evening_codes import code_in_print
from tournaments.selectors.access.invitations import label_of, printable_token
from tournaments.selectors.access.table_links import printable_secret

SCALE: Final = 4
QUIET: Final = 4
"""Modules of white around the code, as ISO/IEC 18004 asks for."""
ON_A_SHEET: Final = 8


def qr_code(address: str) -> str:
    """Return an address as the data address of an SVG image: black on white, in any scheme."""
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(scale=SCALE, border=QUIET, dark="#000", light="#fff"))


def qr_svg(address: str) -> bytes:
    code = segno.make(address, error="m", micro=False)
    file = BytesIO()
    code.save(file, kind="svg", scale=SCALE, border=QUIET, dark="#000", light="#fff")
    return file.getvalue()


def cards(tables: Iterable[Table], *, entrance: str) -> list[dict[str, object]]:
    """Return the cards of tables; `qr` is empty without a link to print."""
    rows = []
    for table in tables:
        secrets = printable_secret(table.link) if table.link is not None else None
        rows.append(
            {
                "table": table,
                "players": " · ".join(table.players),
                "link": table.link,
                "qr": qr_code(f"{entrance}/{secrets.token}") if secrets is not None else "",
                "code": secrets.code_in_print if secrets is not None else "",
            }
        )
    return rows


def invitation_cards(
    invitations: Iterable[Invitation], *, entrance: str
) -> list[dict[str, object]]:
    """Return the cards of invitations; `link` and `qr` are empty if it cannot be printed again.

    `text` is the link without its scheme.
    """
    rows = []
    for invitation in invitations:
        token = printable_token(invitation)
        link = f"{entrance}{token}" if token else ""
        rows.append(
            {
                "invitation": invitation,
                "label": label_of(invitation),
                "link": link,
                "text": link.partition("//")[2],
                "qr": qr_code(link) if link else "",
            }
        )
    return rows


def personal_card(link: PersonalLink, *, entrance: str) -> dict[str, object]:
    """Return the card of a personal link; `link`, `qr` and `code` are empty if it cannot be printed
    again.

    `text` is the link without its scheme, `code` what opens one evening in the hall.
    """
    token = personal_links.printable_token(link)
    address = f"{entrance}{token}" if token else ""
    return {
        "player": link.player,
        "link": address,
        "text": address.partition("//")[2],
        "qr": qr_code(address) if address else "",
        "code": code_in_print(link),
        "used_at": link.used_at,
    }
