"""Answers by idempotency key: stored for a day, and given again.

The row is created before the work begins, so that of two requests at once one works and the other
gets a conflict. The work and its answer are stored in one transaction: a process that dies leaves
both or neither, and a repeated request does the work once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.audit import Reply
from tournaments.services.db.transactions import repeat_once

REPLIES_KEPT: Final = timedelta(hours=24)
PATIENCE: Final = timedelta(minutes=2)
"""After this time a request counts as dead, and a repeat may run it."""

FORM: Final = "form"
"""Stands for the fingerprint of a form, whose key is one already."""

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class FormRepeated(Exception):
    """What a form changes is stored already, by the same form."""


def claim_key(*, caller: str, key: str, fingerprint: str, now: datetime) -> Reply:
    """Return the reply under `key`: a new one to be filled, or the one that was given."""
    Reply.objects.filter(started_at__lt=now - REPLIES_KEPT).delete()
    try:
        with transaction.atomic():
            return Reply.objects.create(
                caller=caller, key=key, fingerprint=fingerprint, started_at=now
            )
    except IntegrityError:
        return _earlier(caller, key, fingerprint, now)


def store_answer_of(
    reply: Reply,
    operation: Callable[[], A],
    to_store: Callable[[A], StoredAnswer | None],
    *,
    is_repeatable: bool = True,
) -> A:
    """Do an operation and store its answer in one transaction.

    What the operation does after its commit is done after this one. A deadlock has it all done once
    more if it `is_repeatable`. Where `to_store` returns None nothing was done, and it is undone.
    """

    def attempt() -> A:
        with transaction.atomic():
            answer = operation()
            stored = to_store(answer)
            if stored is None:
                transaction.set_rollback(True)
            else:
                store_answer(reply, stored)
        return answer

    if is_repeatable:
        return repeat_once(attempt, "store_answer_of")
    return attempt()


@dataclass(slots=True)
class FormReply:
    """The reply to a form, which is stored in the transaction of what the form changes.

    Of two equal forms at once the second waits for the first; a form that was refused leaves none.
    """

    caller: str
    key: str
    now: datetime
    is_claimed: bool = False

    def claim(self) -> None:
        try:
            Reply.objects.create(
                caller=self.caller, key=self.key, fingerprint=FORM, started_at=self.now
            )
        except IntegrityError as error:
            raise FormRepeated from error
        self.is_claimed = True

    def stored(self) -> Reply | None:
        return Reply.objects.filter(caller=self.caller, key=self.key).first()

    def finish(self, answer: StoredAnswer | None) -> None:
        """Store the answer; without one the form may be sent again."""
        Reply.objects.filter(started_at__lt=self.now - REPLIES_KEPT).delete()
        reply = self.stored()
        if reply is not None and answer is not None:
            store_answer(reply, answer)
        elif reply is not None:
            release_key(reply)


def store_answer(reply: Reply, answer: StoredAnswer) -> None:
    """Store the answer of a reply, unless another process has taken it over."""
    changes = {"status": answer.status, "headers": dict(answer.headers), "body": answer.body}
    if not _unanswered(reply).update(**changes):
        raise Conflict(Problem("request_in_progress"))


def release_key(reply: Reply) -> None:
    _unanswered(reply).delete()


def _unanswered(reply: Reply) -> QuerySet[Reply]:
    return Reply.objects.filter(pk=reply.pk, status=None, started_at=reply.started_at)


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
