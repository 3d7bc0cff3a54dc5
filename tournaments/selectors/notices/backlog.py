"""How many mails wait, since when, and how many were given up; for monitoring."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min

from tournaments.selectors.notices.outbox import unsent_mails

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


def mail_backlog(now: datetime) -> MailBacklog:
    """Return how the outbox stands."""
    waiting = unsent_mails().filter(parked=False).aggregate(n=Count("pk"), first=Min("created_at"))
    parked = unsent_mails().filter(parked=True)
    return MailBacklog(
        waiting=waiting["n"],
        oldest=waiting["first"],
        parked=parked.count(),
        parked_lately=parked.filter(due_at__gt=now - GIVEN_UP_LATELY).count(),
    )
