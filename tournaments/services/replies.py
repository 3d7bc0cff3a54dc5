"""What was answered under an idempotency key: kept for a day, and said again.

The row is there before the work begins, so that of two requests at once one works and the other
is told to come back.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.replies import Reply

KEPT: Final = timedelta(hours=24)
PATIENCE: Final = timedelta(minutes=2)
"""A request that has not ended by then died with its process; whoever asks again may work."""


def begin(*, caller: str, key: str, fingerprint: str, now: datetime) -> Reply:
    """Return the reply under `key`: a new one to be filled, or the one that was given.

    Raises:
        Refused: idempotency_key_reused, for another request.
        Conflict: request_in_progress.
    """
    Reply.objects.filter(started_at__lt=now - KEPT).delete()
    try:
        with transaction.atomic():
            return Reply.objects.create(
                caller=caller, key=key, fingerprint=fingerprint, started_at=now
            )
    except IntegrityError:
        return _earlier(caller, key, fingerprint, now)


def finish(reply: Reply, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Keep what was answered."""
    Reply.objects.filter(pk=reply.pk).update(status=status, headers=dict(headers), body=body)


def forget(reply: Reply) -> None:
    """Let the key be used again: nothing was done under it."""
    Reply.objects.filter(pk=reply.pk, status=None).delete()


def _earlier(caller: str, key: str, fingerprint: str, now: datetime) -> Reply:
    replies = Reply.objects.filter(caller=caller, key=key)
    reply = replies.first()
    if reply is None:  # forgotten at this very moment
        raise Conflict(Problem("request_in_progress"))
    if reply.fingerprint != fingerprint:
        raise Refused(Problem("idempotency_key_reused"))
    if reply.status is None:
        given_up = replies.filter(status=None, started_at__lt=now - PATIENCE)
        if not given_up.update(started_at=now):
            raise Conflict(Problem("request_in_progress"))
    return reply
