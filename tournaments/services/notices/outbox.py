"""Mails: written to the outbox with what they report, then claimed, sent, retried and parked."""

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, Q
from django.utils.translation import gettext

from scoring.errors import Problem
from tournaments.domain.notices import INVITATION, SIGN_IN
from tournaments.domain.sealing import seal
from tournaments.errors import Conflict
from tournaments.models.access import Contact, Token
from tournaments.models.clubs import Club, Player
from tournaments.models.jobs import FIRST_TRY, Outbox
from tournaments.models.notices import Notice
from tournaments.selectors.notices.outbox import LONGEST_WAIT, claim_lasts, list_free_mails
from tournaments.services.notices.mailboxes import forget_free_slots
from tournaments.services.operations import Operation, operation

WARNED_S: Final = 24 * 60 * 60
"""Shortest interval between two mails about a token that was sent without TLS."""

BACK_OFF: Final = (
    *(timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 30)),
    *(timedelta(hours=hours) for hours in (1, 3, 6, 12)),
    LONGEST_WAIT,
)
"""Waits after each failure; after one more the mail is parked, two days after the first try."""

MAILS_KEPT: Final = timedelta(days=30)
"""How long sent and failed mails are listed."""

_ERROR_LENGTH: Final = 500
_REFUSAL_LENGTH: Final = 200


def enqueue_mail(
    *,
    club: Club | None,
    kind: str,
    to: int | str | Player,
    now: datetime,
    payload: Mapping[str, object] = MappingProxyType({}),
    about: str = "",
) -> None:
    """Write a mail that is sent once the caller's transaction is committed.

    Args:
        club: the sender, in whose language it is written; None: the site.
        to: an account's id, a player without an account, or an address.
        payload: the facts of its text; ids, and no secret in plain text.
    """
    address = {"to": to} if isinstance(to, str) else {}
    Outbox.objects.create(
        club=club,
        user_id=to if isinstance(to, int) else None,
        player=to if isinstance(to, Player) else None,
        kind=kind,
        about=about,
        payload={**address, **payload},
        created_at=now,
        due_at=now,
    )


def enqueue_sign_in_mail(*, to: str, subject: str, text: str, now: datetime) -> None:
    """Write a mail about signing in, whose text holds a secret, sealed.

    `to` is empty for a mail that the worker drops: the request of a stranger takes the same path.
    """
    sealed = seal(json.dumps({"to": to, "subject": subject, "text": text}).encode())
    Outbox.objects.create(
        kind=SIGN_IN, payload={"sealed": sealed.decode()}, created_at=now, due_at=now
    )


def warn_of_plain_http(*, token: Token, now: datetime) -> None:
    """Write to the owner that their token was sent without TLS; at most once a day."""
    if not token.user.email or not cache.add(f"plain-token:{token.pk}", 1, WARNED_S):
        return
    text = gettext(
        "A token of your account (%(name)s) was sent to %(site)s by plain HTTP. The request was "
        "refused, but somebody on the way may have read the token.\n\n"
        "Revoke it and create a new one at %(site)s/tokens. In the program, let the address begin "
        "with https://."
    ) % {"name": token.name or "–", "site": settings.SITE_URL}
    subject = gettext("A token was sent without encryption")
    enqueue_sign_in_mail(to=token.user.email, subject=subject, text=text, now=now)


UNFINISHED: Final = "The worker ended while sending, each time"
"""The error of a mail that was claimed the most times, and never finished."""
_AT_ONCE: Final = 20


def claim_mail(*, now: datetime) -> Outbox | None:
    """Claim the mail that waits longest; None if none is due.

    It moves behind the others that are due, so that one at which a worker died delays none.
    """
    list_free_mails(now).filter(attempts__gt=len(BACK_OFF)).update(
        parked=True, error=UNFINISHED, claimed_until=None, due_at=now
    )
    due = list_free_mails(now).order_by("due_at", "pk").values_list("pk", flat=True)
    until = now + claim_lasts()
    for pk in list(due[:_AT_ONCE]):
        claimed = {"claimed_until": until, "due_at": now, "attempts": F("attempts") + 1}
        if list_free_mails(now).filter(pk=pk).update(**claimed):
            return Outbox.objects.select_related("club", "user", "player").filter(pk=pk).first()
    return None


def finish_mail(mail: Outbox, *, to: str, now: datetime) -> None:
    """Note that a mail was sent and to which address, and remove its text.

    The address of a mail about signing in is of no club, and is not stored.
    """
    sent_to = "" if mail.kind == SIGN_IN else to
    Outbox.objects.filter(pk=mail.pk).update(
        sent_at=now, sent_to=sent_to, payload={}, claimed_until=None, held_since=None, error=""
    )


def note_address(mail: Outbox, address: str, refusal: str = "") -> None:
    """Count that the mail server refused a player's address for good, or begin to count anew.

    Its words are stored without the address.
    """
    if mail.player_id is not None:
        words = re.sub(re.escape(address), "…", refusal, flags=re.IGNORECASE)[:_REFUSAL_LENGTH]
        contacts = Contact.objects.filter(player=mail.player_id, email=address)
        contacts.update(refusals=F("refusals") + 1 if refusal else 0, refusal=words)


def drop_mail(mail: Outbox, *, now: datetime) -> None:
    """Remove a mail that is out of date. One that was held back is listed as not sent.

    An invitation is out of date because somebody accepted, replaced or revoked it.
    """
    row = Outbox.objects.filter(pk=mail.pk)
    if mail.held_since is None or mail.kind == INVITATION:
        row.delete()
    else:
        row.update(parked=True, error="", claimed_until=None, due_at=now)


HELD_AT_MOST: Final = timedelta(days=2)
"""A mail that was held back so long is not sent any more."""


def hold_mail(mail: Outbox, *, until: datetime, now: datetime) -> bool:
    """Hold a mail back until its mailbox takes one again, or give it up; return whether it waits.

    Holding is no try.
    """
    since = mail.held_since or now
    waits = now - since < HELD_AT_MOST
    Outbox.objects.filter(pk=mail.pk).update(
        held_since=since,
        parked=not waits,
        attempts=max(mail.attempts - 1, 0),
        error="",
        claimed_until=None,
        due_at=until if waits else now,
    )
    return waits


def retry_mail(mail: Outbox, *, error: str, is_permanent: bool, now: datetime) -> bool:
    """Try a mail again later, or park it; return whether it is parked now."""
    parked = is_permanent or mail.attempts > len(BACK_OFF)
    Outbox.objects.filter(pk=mail.pk).update(
        parked=parked,
        error=error[:_ERROR_LENGTH],
        claimed_until=None,
        held_since=None,
        due_at=now if parked else now + BACK_OFF[mail.attempts - 1],
    )
    return parked


def forget_old_mails(*, now: datetime) -> int:
    """Remove old mails and notices; return how many mails."""
    old = Q(sent_at__lt=now - MAILS_KEPT) | Q(parked=True, due_at__lt=now - MAILS_KEPT)
    Notice.objects.filter(created_at__lt=now - timedelta(days=90)).delete()
    forget_free_slots(now=now)
    return Outbox.objects.filter(old).delete()[0]


@operation("read_mail", refuses=("mail_is_sent",))
def send_mail_again(op: Operation, club: Club, /, *, mail: Outbox) -> None:
    """Retry an undelivered mail at once. The answer is 409 if the mail was already sent.

    One that was held back waits again while its mailbox has the most mails of a day.
    """
    waiting = Outbox.objects.filter(pk=mail.pk, sent_at__isnull=True)
    if not waiting.update(due_at=op.now, held_since=None, **FIRST_TRY):
        raise Conflict(Problem("mail_is_sent", facts={"mail": mail.pk}))
    op.audit(club, {"kind": mail.kind}, subject=f"mail:{mail.pk}")
