"""Mails to send, for workers, for the club's owner and for monitoring."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet

from tournaments.errors import Missing
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club
from tournaments.models.outbox import Outbox

LONGEST_WAIT = timedelta(days=1)
"""No wait after a failure is longer."""


def send_limit_s() -> float:
    """Return how many seconds sending one mail may take, all its steps together."""
    return 3.0 * settings.EMAIL_TIMEOUT


def claim_lasts() -> timedelta:
    """Return how long a claim keeps others away: longer than any mail may take to be sent.

    The mail of a worker that is killed waits so long, and is sent again then.
    """
    return timedelta(seconds=5 * settings.EMAIL_TIMEOUT + 5)


def list_unsent_mails() -> QuerySet[Outbox]:
    """Return the mails that have not left, parked ones included."""
    return Outbox.objects.filter(sent_at__isnull=True)


def list_free_mails(now: datetime) -> QuerySet[Outbox]:
    """Return the mails that a worker may send now.

    A time further ahead than anybody ever sets was written before the clock stepped back: it counts
    as over.
    """
    claimed = Q(claimed_until__gt=now, claimed_until__lte=now + claim_lasts())
    waiting = Q(due_at__gt=now, due_at__lte=now + LONGEST_WAIT)
    return list_unsent_mails().filter(~claimed, ~waiting, parked=False)


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


def get_club_mails(club: Club, *, with_site: bool = False) -> ClubMails:
    """Return the newest mails of a club, three queries."""
    rows = mails_of(club, with_site=with_site)
    unsent = rows.filter(sent_at__isnull=True)
    return ClubMails(
        tuple(unsent.filter(parked=True).order_by("-due_at", "-pk")[:SHOWN]),
        tuple(unsent.filter(parked=False).order_by("due_at", "pk")[:SHOWN]),
        tuple(rows.filter(sent_at__isnull=False).order_by("-sent_at", "-pk")[:SHOWN]),
    )


def get_mail(club: Club, number: int, *, with_site: bool = False) -> Outbox:
    """Return one mail of a club."""
    outbox = mails_of(club, with_site=with_site).filter(pk=number).first()
    if outbox is None:
        raise Missing("mail", {"mail": number})
    return outbox


def find_addresses(mails: ClubMails) -> dict[int, str]:
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
    club_mails = get_club_mails(club, with_site=with_site)
    addresses = find_addresses(club_mails)
    return tuple(
        MailRow(
            row.pk, row.kind, addresses[row.pk], state, row.error, row.attempts,
            row.created_at, row.due_at, row.sent_at,
        )
        for state, rows in zip(
            MAIL_STATES, (club_mails.parked, club_mails.waiting, club_mails.sent), strict=True
        )
        for row in rows
    )  # fmt: skip


GIVEN_UP_LATELY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class MailBacklog:
    """The outbox at one moment: mails that wait, when the oldest was written, mails given up.

    `parked` counts all that are still listed, `parked_lately` those of the last day.
    """

    waiting: int
    oldest: datetime | None
    parked: int
    parked_lately: int


def get_mail_backlog(now: datetime) -> MailBacklog:
    """Return how the outbox stands."""
    waiting = (
        list_unsent_mails().filter(parked=False).aggregate(n=Count("pk"), first=Min("created_at"))
    )
    parked = list_unsent_mails().filter(parked=True)
    return MailBacklog(
        waiting=waiting["n"],
        oldest=waiting["first"],
        parked=parked.count(),
        parked_lately=parked.filter(due_at__gt=now - GIVEN_UP_LATELY).count(),
    )
