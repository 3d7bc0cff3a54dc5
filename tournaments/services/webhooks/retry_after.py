"""Reading `Retry-After`: how long a receiver asks to be left alone (RFC 9110, 10.2.3)."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_DIGITS: Final = 9
"""Seconds with more digits are no wait that anybody means."""


def retry_after(value: str, *, now: datetime) -> timedelta | None:
    """Return the wait that a header asks for; None where it says none that can be read.

    Args:
        value: seconds, or a date as HTTP writes it.

    >>> moment = datetime(2025, 11, 6, 20, 0, tzinfo=UTC)
    >>> retry_after("120", now=moment)
    datetime.timedelta(seconds=120)
    >>> retry_after("Thu, 06 Nov 2025 20:01:00 GMT", now=moment)
    datetime.timedelta(seconds=60)
    >>> retry_after("soon", now=moment)
    """
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return timedelta(seconds=int(text)) if len(text) <= LONGEST_DIGITS else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:  # "-0000", which says nothing of the zone: HTTP dates are in UTC
        moment = moment.replace(tzinfo=UTC)
    return max(moment - now, timedelta(0))
