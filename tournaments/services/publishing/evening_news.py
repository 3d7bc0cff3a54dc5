"""What is said of the result of an evening when it is drawn."""

from datetime import datetime

from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication


def announce_result(
    meeting: Meeting, result: Publication, before: Publication | None, *, now: datetime
) -> None:
    """Tell of a result that was stored just now; nobody is told of any yet.

    The caller holds the row of the event, in whose transaction the result is stored.

    Args:
        before: the result that it replaces, None for the first of its evening.
    """
