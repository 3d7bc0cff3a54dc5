"""Calendars as files that calendar programs subscribe to (RFC 5545)."""

from collections.abc import Callable, Iterable
from datetime import UTC, timedelta
from typing import Final

from icalendar import Calendar
from icalendar import Event as CalendarEvent

from tournaments.presenters.clubs.calendar_entries import CalendarEntry

MEDIA_TYPE: Final = "text/calendar; charset=utf-8"
PRODUCT: Final = "-//Blacklady//Calendar 1//EN"
ASK_AGAIN: Final = timedelta(hours=1)


def icalendar_file(
    title: str, entries: Iterable[CalendarEntry], address: Callable[[tuple[str, ...]], str]
) -> bytes:
    """Return a calendar; moments are in UTC, and the bytes follow from the entries alone.

    Args:
        address: the whole address of an entry's page.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", _clean(title))
    calendar.add("name", _clean(title))
    calendar.add("refresh-interval", ASK_AGAIN, parameters={"VALUE": "DURATION"})
    for one in entries:
        calendar.add_component(_event(one, address(one.page)))
    made: bytes = calendar.to_ical()
    return made


def _event(entry: CalendarEntry, url: str) -> CalendarEvent:
    made = CalendarEvent()
    changed = entry.changed_at.astimezone(UTC).replace(microsecond=0)
    made.add("uid", entry.uid)
    made.add("dtstamp", changed)
    made.add("last-modified", changed)
    made.add("sequence", entry.sequence)
    made.add("status", "CANCELLED" if entry.is_cancelled else "CONFIRMED")
    made.add("summary", _clean(entry.title))
    made.add("dtstart", entry.starts)
    if entry.ends is not None:
        made.add("dtend", entry.ends)
    if entry.description:
        made.add("description", _clean(entry.description))
    if entry.place:
        made.add("location", _clean(entry.place))
    made.add("url", url)
    made.add("transp", "TRANSPARENT" if entry.ends is not None else "OPAQUE")
    return made


def _clean(text: str) -> str:
    r"""Return text without control characters, which calendar programs do not take.

    >>> _clean("one\x00 two\nthree")
    'one two\nthree'
    """
    return "".join(letter for letter in text if letter >= " " or letter == "\n")
