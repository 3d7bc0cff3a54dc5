"""Mails to send, for workers, for the club's owner and for monitoring."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone, translation

from tournaments.domain.references import INVITATION_KIND, find_uuids
from tournaments.errors import first_or_missing
from tournaments.models.access import Contact, Invitation
from tournaments.models.clubs import Club
from tournaments.models.jobs import Outbox
from tournaments.selectors.jobs.mail_states import MAIL_STATES
from tournaments.selectors.jobs.queue import GIVEN_UP_LATELY, MessageBacklog, is_ahead

LONGEST_WAIT = timedelta(days=1)
"""No wait after a failure is longer."""


def send_limit_s() -> float:
    """Return how many seconds sending one mail may take, all its steps together."""
    return 3.0 * settings.EMAIL_TIMEOUT


def claim_lasts() -> timedelta:
    """Return the duration of a claim: longer than sending any mail may take."""
    return timedelta(seconds=5 * settings.EMAIL_TIMEOUT + 5)


def list_unsent_mails() -> QuerySet[Outbox]:
    return Outbox.objects.filter(sent_at__isnull=True)


def list_free_mails(now: datetime) -> QuerySet[Outbox]:
    claimed = is_ahead("claimed_until", now, claim_lasts())
    waiting = is_ahead("due_at", now, LONGEST_WAIT)
    return list_unsent_mails().filter(~claimed, ~waiting, parked=False)


@contextmanager
def in_language_of(club: Club | None) -> Iterator[str]:
    """Write texts in the language and time zone of a club, or of the site; yields the language."""
    language = club.language if club is not None else ""
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    zone = ZoneInfo(club.time_zone if club is not None else settings.TIME_ZONE)
    with translation.override(language), timezone.override(zone):
        yield language


MOST_MAILS = 100
"""Mails of each state that are listed."""


def mails_of(club: Club, *, with_site: bool = False) -> QuerySet[Outbox]:
    """Return the mails of a club.

    Args:
        with_site: those about signing in too, which are of no club.
    """
    of_site = Q(club__isnull=True) if with_site else Q()
    return Outbox.objects.filter(Q(club=club) | of_site).select_related("user", "player__contact")


def get_club_mails(club: Club, *, with_site: bool) -> dict[str, list[Outbox]]:
    """Return the newest mails of a club by state; five queries."""
    rows = mails_of(club, with_site=with_site)
    unsent = rows.filter(sent_at__isnull=True)
    given_up = unsent.filter(parked=True).order_by("-due_at", "-pk")
    waiting = unsent.filter(parked=False).order_by("due_at", "pk")
    mails = {
        "parked": given_up.filter(held_since=None),
        "dropped": given_up.exclude(held_since=None),
        "held": waiting.exclude(held_since=None),
        "waiting": waiting.filter(held_since=None),
        "sent": rows.filter(sent_at__isnull=False).order_by("-sent_at", "-pk"),
    }
    return {state: list(mails[state][:MOST_MAILS]) for state in MAIL_STATES}


def get_mail(club: Club, number: int, *, with_site: bool = False) -> Outbox:
    rows = mails_of(club, with_site=with_site).filter(pk=number)
    return first_or_missing(rows, "mail", mail=number)


def find_addresses(mails: Mapping[str, Iterable[Outbox]]) -> dict[int, str]:
    """Return the recipient of each mail, by its row.

    Of a sent mail the address that it went to, "" where that is not known; of the others the
    present one of an account, a player or an invitation.
    """
    every = [mail for of_state in mails.values() for mail in of_state]
    unsent = [mail for mail in every if mail.sent_at is None]
    ids = find_uuids({mail.about for mail in unsent}, INVITATION_KIND)
    invitations = Invitation.objects.filter(public_id__in=ids.values())
    emails = dict(invitations.values_list("public_id", "email"))
    by_text = {text: emails.get(public_id, "") for text, public_id in ids.items()}
    addresses = {mail.pk: mail.sent_to for mail in every}
    for mail in unsent:
        addresses[mail.pk] = _reader_address(mail) or by_text.get(mail.about, "")
    return addresses


def _reader_address(mail: Outbox) -> str:
    if mail.user is not None:
        return mail.user.email
    contact: Contact | None = getattr(mail.player, "contact", None)
    if contact is None:
        return ""
    return contact.email or contact.new_email


def mail_rows(club: Club, *, with_site: bool) -> list[dict[str, object]]:
    """Return the newest mails of a club as REST lists them, parked ones first."""
    mails = get_club_mails(club, with_site=with_site)
    addresses = find_addresses(mails)
    return [
        {
            "number": mail.pk,
            "kind": mail.kind,
            "to": addresses[mail.pk],
            "state": state,
            "error": mail.error,
            "attempts": mail.attempts,
            "created_at": mail.created_at,
            "due_at": mail.due_at,
            "sent_at": mail.sent_at,
        }
        for state, of_state in mails.items()
        for mail in of_state
    ]


_ADDRESS: Final = re.compile(r"[^\s<>]+@[^\s<>]+")


def get_last_mail_fault() -> str:
    """Return why the mail that waits longest was not sent yet, without addresses; empty if it was
    not tried, or waits for nothing."""
    rows = list_unsent_mails().filter(parked=False).exclude(error="")
    error = rows.order_by("created_at").values_list("error", flat=True).first() or ""
    return _ADDRESS.sub("…", error)


def get_mail_backlog(now: datetime) -> MessageBacklog:
    """Return how far mail has come; what the bound of a mailbox holds back is no fault."""
    rows = list_unsent_mails().filter(parked=False, held_since=None)
    waiting = rows.aggregate(n=Count("pk"), first=Min("created_at"))
    parked = list_unsent_mails().filter(parked=True, held_since=None)
    return MessageBacklog(
        waiting=waiting["n"],
        due=waiting["n"],
        oldest=waiting["first"],
        parked=parked.count(),
        parked_lately=parked.filter(due_at__gt=now - GIVEN_UP_LATELY).count(),
    )
