"""Which kind of message says what."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User

from tournaments.presenters.notices import challenges, evenings, events, tables
from tournaments.presenters.notices.sentences import NoticeContext, NoticeText

TEXTS: Final[Mapping[str, Callable[[NoticeContext], NoticeText | None]]] = {
    "challenge_received": challenges.received,
    "challenge_answered": challenges.answered,
    "challenge_deadline": challenges.deadline_near,
    "result_to_confirm": challenges.to_confirm,
    "correction": tables.correction,
    "dispute_decided": tables.dispute_decided,
    "playoff_called": events.playoff_called,
    "evening_reminder": evenings.reminder,
    "evening_changed": evenings.changed,
    "evening_cancelled": evenings.cancelled,
    "next_table": tables.next_table,
    "digest": events.digest,
}
"""The kinds of `tournaments.domain.people.notification_kinds.KIND_OF`."""


def notice_text(
    kind: str, facts: dict[str, Any], reader: User, *, now: datetime | None = None
) -> NoticeText | None:
    """Return what a message says to its reader, in the language and zone of now.

    Names are those of now. None where what it tells of is gone or over, or not for the reader.

    Args:
        now: when a mail is sent, which tells of nothing that is past; None for a notice.
    """
    return TEXTS[kind](NoticeContext(reader, facts, now))
