"""What search engines are told of: public clubs, and their public events that are listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, OuterRef, Q, Subquery

from tournaments.models.events import EventKind
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY
from tournaments.selectors.clubs.clubs import clubs_for
from tournaments.selectors.events.events import events_for

MOST: Final = 20_000
"""Events of a sitemap, which may have 50,000 addresses."""
MOST_CLUBS: Final = 20_000


@dataclass(frozen=True, slots=True)
class PublicPage:
    """A page that everybody reads: its name and the parts of its address, and when what it shows
    was published last, None before that."""

    name: str
    address: tuple[str, ...]
    changed_at: datetime | None = None


def has_public_clubs() -> bool:
    """Whether anybody finds a club here without an account; one query."""
    return clubs_for(ANYBODY).exists()


def public_pages() -> Sequence[PublicPage]:
    """Return the front page, the pages of public clubs and of their public events; two queries."""
    clubs = clubs_for(ANYBODY).order_by("pk")[:MOST_CLUBS]
    of_clubs = [PublicPage("club", (one.slug,)) for one in clubs]
    return (PublicPage("clubs", ()), *of_clubs, *_events())


def _events() -> Sequence[PublicPage]:
    newest = Publication.objects.filter(
        Q(event=OuterRef("pk"), ladder=None) | Q(ladder=OuterRef("pk"))
    )
    published = newest.order_by("-published_at").values("published_at")[:1]
    listed = events_for(ANYBODY).filter(archived_at__isnull=True)
    rows = listed.annotate(published_at=Subquery(published)).order_by("-pk")
    return [
        PublicPage("ladder" if kind == EventKind.LADDER else "event", (club, slug), at)
        for club, slug, kind, at in rows.values_list(
            F("club__slug"), "slug", "kind", "published_at"
        )[:MOST]
    ]
