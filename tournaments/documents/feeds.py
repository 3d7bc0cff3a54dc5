"""Atom feeds (RFC 4287, paged as in RFC 5005) and iCalendar files (RFC 5545)."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.utils.feedgenerator import Atom1Feed
from django.utils.xmlutils import SimplerXMLGenerator
from icalendar import Calendar
from icalendar import Event as CalendarEvent

from tournaments.documents.calendar_entries import CalendarEntry

ATOM_TYPE: Final = "application/atom+xml; charset=utf-8"

_NOT_IN_XML: Final = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that no XML 1.0 document may hold."""


class AtomFeed(Atom1Feed):
    """A page of an Atom feed with links to the others, a plain summary and the content as HTML.

    `pages` are the addresses of the `first` page, and of the `previous` (newer) and the `next`
    (older) one, empty if there is none. The bytes follow from the arguments alone.
    """

    def __init__(
        self,
        *,
        id: str,
        title: str,
        subtitle: str,
        author: str,
        url: str,
        page_url: str,
        language: str,
        updated_at: datetime,
        pages: Mapping[str, str],
    ) -> None:
        super().__init__(
            title=_clean_xml(title),
            link=page_url,
            description="",
            subtitle=_clean_xml(subtitle),
            author_name=_clean_xml(author),
            feed_url=url,
            feed_guid=id,
            language=language,
            pages=pages,
        )
        self._updated_at = updated_at

    def add_entry(
        self, *, id: str, title: str, url: str, published_at: datetime, summary: str, content: str
    ) -> None:
        """Add an entry; `summary` is plain text, `content` HTML, `id` an IRI that never changes."""
        self.add_item(
            title=_clean_xml(title),
            link=url,
            description=None,  # type: ignore[arg-type]  # no second summary
            summary=_clean_xml(summary),
            content=_clean_xml(content),
            unique_id=id,
            pubdate=published_at,
            updateddate=published_at,
        )

    def latest_post_date(self) -> datetime:
        """Return when the feed changed last, even if it has no entries."""
        return self._updated_at

    def content(self) -> bytes:
        return str(self.writeString("utf-8")).encode()

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        super().add_root_elements(handler)
        for rel, href in self.feed["pages"].items():
            if href:
                handler.addQuickElement("link", "", {"rel": rel, "href": href})

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("summary", item["summary"], {"type": "text"})
        handler.addQuickElement("content", item["content"], {"type": "html"})


def _clean_xml(text: str) -> str:
    """Return text without characters that XML cannot hold.

    >>> _clean_xml("Zoë\\x0b K.")
    'Zoë K.'
    """
    return _NOT_IN_XML.sub("", text)


CALENDAR_TYPE: Final = "text/calendar; charset=utf-8"

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
    for entry in entries:
        calendar.add_component(_event(entry, address(entry.page)))
    content: bytes = calendar.to_ical()
    return content


def _event(entry: CalendarEntry, url: str) -> CalendarEvent:
    component = CalendarEvent()
    changed = entry.changed_at.astimezone(UTC).replace(microsecond=0)
    component.add("uid", entry.uid)
    component.add("dtstamp", changed)
    component.add("last-modified", changed)
    component.add("sequence", entry.sequence)
    component.add("status", "CANCELLED" if entry.is_cancelled else "CONFIRMED")
    component.add("summary", _clean(entry.title))
    component.add("dtstart", entry.starts)
    if entry.ends is not None:
        component.add("dtend", entry.ends)
    if entry.description:
        component.add("description", _clean(entry.description))
    if entry.place:
        component.add("location", _clean(entry.place))
    component.add("url", url)
    component.add("transp", "TRANSPARENT" if entry.ends is not None else "OPAQUE")
    return component


def _clean(text: str) -> str:
    r"""Return text without control characters, which calendar programs do not take.

    >>> _clean("one\x00 two\nthree")
    'one two\nthree'
    """
    return "".join(letter for letter in text if letter >= " " or letter == "\n")
