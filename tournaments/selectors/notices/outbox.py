"""Which mails are still to be sent, and which of them a worker may take up now."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

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


def unsent_mails() -> QuerySet[Outbox]:
    """Return the mails that have not left, parked ones included."""
    return Outbox.objects.filter(sent_at__isnull=True)


def free_mails(now: datetime) -> QuerySet[Outbox]:
    """Return the mails that a worker may send now.

    A time further ahead than anybody ever sets was written before the clock stepped back: it counts
    as over.
    """
    claimed = Q(claimed_until__gt=now, claimed_until__lte=now + claim_lasts())
    waiting = Q(due_at__gt=now, due_at__lte=now + LONGEST_WAIT)
    return unsent_mails().filter(~claimed, ~waiting, parked=False)
