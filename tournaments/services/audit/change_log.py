"""The public change log: what was mended after it had counted, said with its reason.

Written in the transaction of the change, with the event's version that contains it. Nothing here
names a person: `by` is a role, `facts` hold ids and numbers.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from tournaments.models.changes import Change
from tournaments.models.events import Event
from tournaments.policy import shown_role

LONGEST_REASON: Final = 500


def note_change(
    *,
    event: Event,
    version: int,
    kind: str,
    by: str,
    now: datetime,
    table: str = "",
    number: int | None = None,
    reason: str = "",
    facts: Mapping[str, object] | None = None,
) -> Change:
    """Add a line to the event's change log.

    Args:
        version: the event's version that contains the change (`mark_changed`).
        kind: `correct_hand`, `void_hand`, `settings`, `penalty`, `ruling` and so on.
        by: the role that did it.
        table: the public code of the table, `number` the hand's, where it is about one.
    """
    return Change.objects.create(
        club_id=event.club_id,
        event=event,
        version=version,
        at=now,
        kind=kind,
        table=table,
        number=number,
        reason=reason.strip()[:LONGEST_REASON],
        by=shown_role(by),
        facts=dict(facts or {}),
    )
