"""The places of a club in its masthead: the same ones in the same order on each page.

Within an event `Standings`, `Evenings`, `Rules` and `Manage` lead to that event, and `Ladders` to
its ladder where it is one; on any other page they lead to the club's own page of that name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.urls import ResolverMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind
from tournaments.selectors.clubs.clubs import may_do


@dataclass(frozen=True, slots=True)
class Place:
    """One place; `current` is the `aria-current` of its link: "page", "true" below it, or ""."""

    key: str
    text: str | Promise
    url: str
    current: str = ""


PLACES: Final[tuple[tuple[str, str | Promise, str, str], ...]] = (
    ("standings", _("Standings"), "club-standings", "event"),
    ("evenings", _("Evenings"), "club-evenings", "meetings"),
    ("ladders", _("Ladders"), "club-ladders", ""),
    ("players", _("Players"), "players", ""),
    ("rules", _("Rules"), "club-rules", "event-rules"),
    ("manage", _("Manage"), "club-manage", "manage-event"),
)
"""Key, text, the club's page, and the page of one event where it has its own."""

_OF_SUBJECTS: Final[Mapping[str, str]] = {
    "standings": "standings",
    "playoffs": "standings",
    "stages": "standings",
    "events": "manage",
    "imports": "manage",
    "access": "manage",
    "clubs": "manage",
    "hands": "evenings",
    "rounds": "evenings",
    "ladders": "ladders",
    "rules": "rules",
}
"""Package of a page's view → its place; `_OF_PAGES` has the others."""

_OF_PAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("club", "search", "club-search", "me", "new-club", "import-club", "club-import"), ""
    ),
    **dict.fromkeys(("entrants", "entrant", "adjustments", "disputes"), "standings"),
    **dict.fromkeys(("season", "seasons", "season-publication", "change-log"), "standings"),
    **dict.fromkeys(
        ("players", "player", "edit-player", "add-players", "added-players"), "players"
    ),
    **dict.fromkeys(("link-player", "claim-player", "claims", "merge-player"), "players"),
    **dict.fromkeys(("unmerge-player", "erase-player", "erasure-request"), "players"),
    **dict.fromkeys(("new-round", "manage-round", "new-table", "table-seating"), "manage"),
    **dict.fromkeys(("settings", "change-settings"), "manage"),
    "club-ladders": "ladders",
    "club-evenings": "evenings",
    "club-standings": "standings",
    "club-rules": "rules",
}
"""Name of a page's address → its place, where its view's package does not say it."""


def places_of(
    club: Club, match: ResolverMatch | None, event: Event | None = None
) -> Iterator[Place]:
    """Yield the places of `club` as the reader may see them; no query.

    `Manage` is there for directors and owners. `event` is the one that the page is of.
    """
    here = place_of_page(match)
    name = match.url_name if match is not None else ""
    for key, text, of_club, of_event in PLACES:
        if key == "manage" and not may_do(event or club, "manage_event"):
            continue
        page = of_event if event is not None else ""
        if key == "ladders" and event is not None and event.kind == EventKind.LADDER:
            page = "ladder"
        address = {"club": club.slug}
        if page and event is not None:
            address["event"] = event.slug
        url = reverse(f"tournaments:{page or of_club}", kwargs=address)
        current = ""
        if key == here:
            current = "page" if name == (page or of_club) else "true"
        yield Place(key, text, url, current)


def place_of_page(match: ResolverMatch | None) -> str:
    """Return the key of the place that a page belongs to; "" for the club's own page."""
    if match is None or match.url_name is None:
        return ""
    if match.url_name in _OF_PAGES:
        return _OF_PAGES[match.url_name]
    view = getattr(match.func, "__module__", "")
    return _OF_SUBJECTS.get(view.removeprefix("tournaments.views.").split(".")[0], "")
