"""How many mails a mailbox gets within a day, whoever writes them.

A worker takes a slot of the mailbox for a mail that it has claimed, just before it sends the mail.
Each slot is one row, so that of two workers at one moment only one takes it: an update names what
the row was, and a new row is unique.
"""

from datetime import datetime, timedelta
from typing import Final

from tournaments.domain.mailboxes import mailbox_digest
from tournaments.models.jobs import MailboxSlot

MOST_A_DAY: Final = 12
"""Mails to one mailbox within `A_DAY`, of all kinds and clubs, but for those about signing in."""
A_DAY: Final = timedelta(days=1)


def take_slot(address: str, mail: int, *, now: datetime) -> datetime | None:
    """Take a slot of a mailbox for a mail, by its row; None if it was taken.

    Another try of the same mail keeps its slot. Otherwise this returns when the next slot is free.
    At most five statements, or two for each other worker that takes a slot at the same moment.
    """
    mailbox = mailbox_digest(address)
    slots = list(MailboxSlot.objects.filter(mailbox=mailbox).order_by("taken_at", "number"))
    taken = {"mail": mail, "taken_at": now}
    for slot in sorted(slots, key=lambda slot: slot.mail != mail):
        if slot.mail == mail or _is_free(slot, now):
            unchanged = MailboxSlot.objects.filter(
                pk=slot.pk, mail=slot.mail, taken_at=slot.taken_at
            )
            if unchanged.update(**taken):
                return None
    used = {slot.number for slot in slots}
    for number in sorted({*range(MOST_A_DAY)} - used):
        _slot, is_new = MailboxSlot.objects.get_or_create(
            mailbox=mailbox, number=number, defaults=taken
        )
        if is_new:
            return None
    return min((slot.taken_at + A_DAY for slot in slots), default=now + A_DAY)


def forget_free_slots(*, now: datetime) -> None:
    MailboxSlot.objects.filter(taken_at__lte=now - A_DAY).delete()


def _is_free(slot: MailboxSlot, now: datetime) -> bool:
    """Whether a day has passed; a time ahead was written before the clock was set back."""
    return not now - A_DAY < slot.taken_at <= now + A_DAY
