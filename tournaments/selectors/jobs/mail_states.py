"""How far a mail has come."""

from typing import Final

from tournaments.models.jobs import Outbox

MAIL_STATES: Final = ("parked", "dropped", "held", "waiting", "sent")
"""A mail is `held` while its mailbox has the most mails of a day, then `dropped` if too late."""
GIVEN_UP: Final = ("parked", "dropped")
"""States of a mail that is not tried again by itself."""


def mail_state(mail: Outbox) -> str:
    if mail.sent_at is not None:
        return "sent"
    if mail.parked:
        return "parked" if mail.held_since is None else "dropped"
    return "waiting" if mail.held_since is None else "held"
