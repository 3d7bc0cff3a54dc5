"""What was answered under an idempotency key: kept for a day, and said again.

The row is there before the work begins, so that of two requests at once one works and the other
is told to come back. The work and its answer are stored in one transaction: a process that dies
leaves both or neither, and whoever asks again does the work once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.audit import Reply
from tournaments.services.db.transactions import repeat_once

KEPT: Final = timedelta(hours=24)
PATIENCE: Final = timedelta(minutes=2)
"""A request that has not ended by then died with its process; whoever asks again may work."""

FORM: Final = "form"
"""Stands for the fingerprint of a form, whose key is one already."""

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What is kept of an answer, to be given again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def claim_key(*, caller: str, key: str, fingerprint: str, now: datetime) -> Reply:
    """Return the reply under `key`: a new one to be filled, or the one that was given."""
    Reply.objects.filter(started_at__lt=now - KEPT).delete()
    try:
        with transaction.atomic():
            return Reply.objects.create(
                caller=caller, key=key, fingerprint=fingerprint, started_at=now
            )
    except IntegrityError:
        return _earlier(caller, key, fingerprint, now)


def store_answer_of(
    reply: Reply,
    act: Callable[[], A],
    kept: Callable[[A], StoredAnswer | None],
    *,
    is_repeatable: bool = True,
) -> A:
    """Do an act and keep its answer in one transaction.

    What the act does after its commit (hints to workers) is done after this one. Where a deadlock
    ends the transaction all of it is done once more.

    Args:
        kept: gives what to keep of the answer; None where nothing was done, which is undone then.
        is_repeatable: whether `act` may be called twice.
    """
    if not is_repeatable:
        return _kept_with(reply, act, kept)
    return repeat_once(lambda: _kept_with(reply, act, kept), "store_answer_of")


def _kept_with(reply: Reply, act: Callable[[], A], kept: Callable[[A], StoredAnswer | None]) -> A:
    with transaction.atomic():
        answer = act()
        said = kept(answer)
        if said is None:
            transaction.set_rollback(True)
        else:
            store_answer(reply, said)
    return answer


def result_once(*, caller: str, key: str, now: datetime, act: Callable[[], str]) -> str:
    """Do the act of a form once; the same form sent again gives what the first one gave.

    Of two at once the second waits for the first, and works only where that one was refused.

    Args:
        key: a digest of all that the form said, so that a changed form is another one.
    """
    Reply.objects.filter(started_at__lt=now - KEPT).delete()
    with transaction.atomic():
        try:
            with transaction.atomic():
                reply = Reply.objects.create(
                    caller=caller, key=key, fingerprint=FORM, started_at=now
                )
        except IntegrityError:
            return str(Reply.objects.get(caller=caller, key=key).headers["result"])
        result = act()
        Reply.objects.filter(pk=reply.pk).update(status=201, headers={"result": result})
    return result


def store_answer(reply: Reply, said: StoredAnswer) -> None:
    """Keep what was answered."""
    still_ours = Reply.objects.filter(pk=reply.pk, status=None, started_at=reply.started_at)
    if not still_ours.update(status=said.status, headers=dict(said.headers), body=said.body):
        raise Conflict(Problem("request_in_progress"))


def release_key(reply: Reply) -> None:
    """Let the key be used again: nothing was done under it."""
    Reply.objects.filter(pk=reply.pk, status=None, started_at=reply.started_at).delete()


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
        reply.started_at = now
    return reply
