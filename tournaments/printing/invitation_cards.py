"""Cards of invitations to print and cut, eight on an A4 sheet: a name, a QR code, and the link."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.models.invitations import Invitation
from tournaments.printing.link_cards import qr_code
from tournaments.selectors.access.invitations import label_of, printable_token

ON_A_SHEET: Final = 8


@dataclass(frozen=True, slots=True)
class InvitationCard:
    """One invitation to hand out; `link` and `qr` are empty where it cannot be printed again."""

    invitation: Invitation
    link: str = ""
    qr: str = ""

    @property
    def label(self) -> str:
        """Whom it is for."""
        return label_of(self.invitation)

    @property
    def text(self) -> str:
        """The link as people read it, without its scheme."""
        return self.link.partition("//")[2]


def invitation_cards(
    invitations: Iterable[Invitation], *, entrance: str
) -> Sequence[InvitationCard]:
    """Return the cards of invitations.

    Args:
        entrance: the whole address that their tokens follow.
    """
    return tuple(_card(one, entrance) for one in invitations)


def sheets_of(cards: Sequence[InvitationCard]) -> Sequence[Sequence[InvitationCard]]:
    """Return cards by sheet of paper."""
    return [cards[at : at + ON_A_SHEET] for at in range(0, len(cards), ON_A_SHEET)]


def _card(invitation: Invitation, entrance: str) -> InvitationCard:
    token = printable_token(invitation)
    if not token:
        return InvitationCard(invitation)
    link = f"{entrance}{token}"
    return InvitationCard(invitation, link, qr_code(link))
