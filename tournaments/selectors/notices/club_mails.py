"""The mails of a club as its owner sees them: waiting, given up, sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.invitations import Invitation
from tournaments.models.outbox import Outbox

SHOWN = 100


@dataclass(frozen=True, slots=True)
class ClubMails:
    """The newest mails of a club by what became of them."""

    parked: tuple[Outbox, ...]
    waiting: tuple[Outbox, ...]
    sent: tuple[Outbox, ...]


def mails_of(club: Club, *, with_site: bool = False) -> QuerySet[Outbox]:
    """Return the mails of a club.

    Args:
        with_site: those about signing in too, which are of no club.
    """
    of_site = Q(club__isnull=True) if with_site else Q()
    return Outbox.objects.filter(Q(club=club) | of_site).select_related("user")


def club_mails(club: Club, *, with_site: bool = False) -> ClubMails:
    """Return the newest mails of a club, three queries."""
    rows = mails_of(club, with_site=with_site)
    unsent = rows.filter(sent_at__isnull=True)
    return ClubMails(
        tuple(unsent.filter(parked=True).order_by("-due_at", "-pk")[:SHOWN]),
        tuple(unsent.filter(parked=False).order_by("due_at", "pk")[:SHOWN]),
        tuple(rows.filter(sent_at__isnull=False).order_by("-sent_at", "-pk")[:SHOWN]),
    )


def mail_at(club: Club, number: int, *, with_site: bool = False) -> Outbox:
    """Return one mail of a club.

    Raises:
        Missing: mail.
    """
    found = mails_of(club, with_site=with_site).filter(pk=number).first()
    if found is None:
        raise Missing("mail", {"mail": number})
    return found


def addresses_of(mails: ClubMails) -> dict[int, str]:
    """Return whom each mail goes to: an account's address, or that of an invitation."""
    every = (*mails.parked, *mails.waiting, *mails.sent)
    about = {one.about.removeprefix("invitation:") for one in every if one.about}
    invited = dict(Invitation.objects.filter(public_id__in=about).values_list("public_id", "email"))
    by_text = {f"invitation:{key}": email for key, email in invited.items()}
    return {
        one.pk: one.user.email if one.user is not None else by_text.get(one.about, "")
        for one in every
    }


@dataclass(frozen=True, slots=True)
class MailRow:
    """A mail as REST lists it."""

    number: int
    kind: str
    to: str
    state: str
    error: str
    attempts: int
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None


MAIL_STATES = ("parked", "waiting", "sent")


def mail_rows(club: Club, *, with_site: bool = False) -> Sequence[MailRow]:
    """Return the newest mails of a club with their states, parked ones first."""
    found = club_mails(club, with_site=with_site)
    addresses = addresses_of(found)
    return tuple(
        MailRow(
            one.pk, one.kind, addresses[one.pk], state, one.error, one.attempts,
            one.created_at, one.due_at, one.sent_at,
        )
        for state, rows in zip(MAIL_STATES, (found.parked, found.waiting, found.sent), strict=True)
        for one in rows
    )  # fmt: skip
