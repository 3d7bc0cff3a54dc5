"""Why hands were deleted, in the words of who deleted them."""

from collections.abc import Collection, Mapping
from typing import TypeAlias

from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.selectors.audit.event_subjects import event_subjects

HandKey: TypeAlias = tuple[str, int]
"""Code of a table and number of a hand."""


def void_reasons(event: Event, hands: Collection[HandKey]) -> Mapping[HandKey, str]:
    """Return the newest reason of each of these hands of an event; two queries, none without hands.

    A hand that was never deleted is not in it.
    """
    if not hands:
        return {}
    about = {
        f"{one}/table:{code}/hand:{number}": (code, number)
        for one in event_subjects(event)
        for code, number in hands
    }
    lines = AuditLine.objects.filter(club=event.club_id, act="void_hand", subject__in=about)
    rows = lines.order_by("number").values_list("subject", "facts")
    return {about[subject]: str(facts["reason"]) for subject, facts in rows}
