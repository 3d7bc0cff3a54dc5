"""Whether a table's sheet was checked against the paper, by whom, and whether it changed since.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.read_backs import ReadBack
from tournaments.selectors.hands.bylines import bylines
from tournaments.selectors.hands.score_sheet_views import TableSheet


@dataclass(frozen=True, slots=True)
class SheetVerificationView:
    """The newest check of a sheet against the paper; `is_current` where nothing changed since."""

    by: str
    at: datetime
    is_current: bool


def digest_of(hands: Iterable[tuple[int, str, int]]) -> str:
    """Return the digest of a sheet: SHA-256 over number, state and revision of each hand.

    >>> digest_of([(2, "accepted", 1), (1, "void", 2)])[:12]
    'a00aeddc6bb3'
    """
    text = "\n".join(f"{number} {state} {revision}" for number, state, revision in sorted(hands))
    return hashlib.sha256(text.encode()).hexdigest()


def sheet_digest(sheet: TableSheet) -> str:
    """Return the digest of a sheet as it is shown."""
    return digest_of((hand.number, hand.state, hand.revision) for hand in sheet.hands)


def sheet_verification_of(event: Event, sheet: TableSheet) -> SheetVerificationView | None:
    """Return who read a table's sheet back last, in one query; None where nobody did."""
    found = ReadBack.objects.filter(game__event=event, game__table__code=sheet.code)
    rows = list(found.order_by("at", "pk"))
    if not rows:
        return None
    digest = sheet_digest(sheet)
    current = next((row for row in rows if row.sheet == digest), None)
    shown = current or rows[-1]
    names = bylines(event, {shown.by_id})
    by = names.get(shown.by_id or 0, shown.by_as)
    return SheetVerificationView(by, shown.at, current is not None)
