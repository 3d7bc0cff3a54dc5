"""Atom feeds (RFC 4287), in pages (RFC 5005)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.feedgenerator import Atom1Feed
from django.utils.xmlutils import SimplerXMLGenerator

MEDIA_TYPE: Final = "application/atom+xml; charset=utf-8"
_NOT_IN_XML: Final = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that no XML 1.0 document may hold."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; `summary` is plain text, `content` HTML, `id` an IRI that never changes."""

    id: str
    title: str
    url: str
    published_at: datetime
    summary: str
    content: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed, or one page of it; `previous` and `next` are the pages beside it, newer and older,
    "" where there is none."""

    id: str
    title: str
    subtitle: str
    author: str
    url: str
    page_url: str
    language: str
    updated_at: datetime
    entries: Sequence[FeedEntry]
    first: str = ""
    previous: str = ""
    next: str = ""


def atom(feed: Feed) -> bytes:
    """Return a feed as Atom; the bytes follow from the feed alone."""
    made = _PagedAtom(
        title=_clean(feed.title),
        link=feed.page_url,
        description="",
        subtitle=_clean(feed.subtitle),
        author_name=_clean(feed.author),
        feed_url=feed.url,
        feed_guid=feed.id,
        language=feed.language,
        pages={"first": feed.first, "previous": feed.previous, "next": feed.next},
        updated_at=feed.updated_at,
    )
    for one in feed.entries:
        made.add_item(
            title=_clean(one.title),
            link=one.url,
            description=None,  # type: ignore[arg-type]  # no second summary
            summary=_clean(one.summary),
            content=_clean(one.content),
            unique_id=one.id,
            pubdate=one.published_at,
            updateddate=one.published_at,
        )
    return str(made.writeString("utf-8")).encode()


class _PagedAtom(Atom1Feed):
    """Atom with links to the pages beside, a plain summary and the content as HTML."""

    def latest_post_date(self) -> datetime:
        """Return when the feed changed last, without entries too."""
        updated: datetime = self.feed["updated_at"]
        return updated

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        """Add the links to the pages of the feed."""
        super().add_root_elements(handler)
        for rel, href in self.feed["pages"].items():
            if href:
                handler.addQuickElement("link", "", {"rel": rel, "href": href})

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        """Add the summary and the content of an entry."""
        super().add_item_elements(handler, item)
        handler.addQuickElement("summary", item["summary"], {"type": "text"})
        handler.addQuickElement("content", item["content"], {"type": "html"})


def _clean(text: str) -> str:
    """Return text without characters that XML cannot hold.

    >>> _clean("Zoë\\x0b K.")
    'Zoë K.'
    """
    return _NOT_IN_XML.sub("", text)
