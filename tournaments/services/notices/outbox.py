"""Writing a mail: a row of the outbox in the caller's transaction, sent by a worker after it."""

import json
from collections.abc import Mapping
from datetime import datetime

from tournaments.domain.people.notification_kinds import SIGN_IN
from tournaments.domain.sealing import seal
from tournaments.models.clubs import Club
from tournaments.models.outbox import Outbox


def enqueue_mail(
    *,
    club: Club | None,
    kind: str,
    to: int | str,
    now: datetime,
    payload: Mapping[str, object] | None = None,
    key: str = "",
    about: str = "",
) -> None:
    """Write a mail that goes out once the caller's transaction is committed, and not without it.

    Args:
        club: whose mail it is, and in whose language it is written; None: the site's own.
        kind: one of `tournaments.domain.people.notification_kinds`.
        to: an account's id, or an address that has no account.
        payload: what its text is made of; ids, and nothing that opens anything in plain text.
        key: with one, an account is written to once of a kind.
        about: what it is about (`invitation:7`), so that a page shows how far its mail has come.
    """
    address = {"to": to} if isinstance(to, str) else {}
    row = Outbox(
        club=club,
        user_id=None if isinstance(to, str) else to,
        kind=kind,
        key=key,
        about=about,
        payload={**address, **(payload or {})},
        created_at=now,
        due_at=now,
    )
    Outbox.objects.bulk_create([row], ignore_conflicts=bool(key))


def enqueue_sign_in_mail(*, to: str, subject: str, text: str, now: datetime) -> None:
    """Write a mail about signing in, whose text holds a secret, sealed.

    Args:
        to: the address; empty for a mail that nobody gets: what a stranger asks for takes the same
            way as what an account does, and is thrown away by the worker.
    """
    sealed = seal(json.dumps({"to": to, "subject": subject, "text": text}).encode())
    Outbox.objects.create(
        kind=SIGN_IN, payload={"sealed": sealed.decode()}, created_at=now, due_at=now
    )
