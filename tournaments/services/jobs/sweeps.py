"""The sweep: what one worker at a time does every few seconds, whichever of them is alive."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q

from tournaments.models.outbox import Dirty

PERIOD: Final = timedelta(seconds=10)
SCOPE: Final = "sweep"
"""Its claim row: `claimed_until` is when the next one is due, `version` counts them."""


def claim_sweep(*, now: datetime) -> bool:
    """Take the next sweep, if it is due; of several workers that ask one is let in.

    A worker that is killed amid its sweep keeps the next one from nobody. A time further ahead than
    anybody sets was written before the clock stepped back. Two periods, since the clock of the
    worker that asks may have been read before that of the one that was let in.
    """
    due = Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=now + 2 * PERIOD)
    rows = Dirty.objects.filter(scope=SCOPE)
    taken = {"claimed_until": now + PERIOD, "done_at": now}
    if rows.filter(due).update(version=F("version") + 1, done=F("version") + 1, **taken):
        return True
    if rows.exists():
        return False
    _row, is_ours = Dirty.objects.get_or_create(
        scope=SCOPE, defaults={"version": 1, "done": 1, **taken}
    )
    return is_ours
