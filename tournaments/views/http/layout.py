"""The layout around every page: the club's name, its places, the breadcrumbs, who reads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from django.http import HttpRequest
from django.urls import ResolverMatch, reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.colours import accent_css
from tournaments.domain.etags import mark_of_text
from tournaments.models.clubs import Club, Player, Role
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.models.rules import HouseVariant
from tournaments.policy import PUBLIC, WITHHELD, Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import find_own_player, get_linked_name
from tournaments.selectors.events.events import event_url, is_for_everybody
from tournaments.selectors.events.players import ShownPlayer
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.imports import may_import
from tournaments.selectors.jobs.outgoing import KNOWN
from tournaments.selectors.rounds.round_names import names_on_page, round_title
from tournaments.views.http.page_head import PageHead

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails


Place: TypeAlias = tuple[str | Promise, str, str]
"""A text, its address, and `aria-current` of the link: "page", "true" below it, or ""."""

OF_A_PLAYER: Final = frozenset(
    {"challenge", "confirm_result", "open_dispute", "check_in", "note_own_result"}
)
"""Rights that a player has for themselves; hosts and directors have them for anybody."""

_PLACES: Final = (
    ("standings", gettext_lazy("Standings"), "club-standings", "event"),
    ("evenings", gettext_lazy("Evenings"), "club-evenings", "meetings"),
    ("ladders", gettext_lazy("Ladders"), "club-ladders", ""),
    ("players", gettext_lazy("Players"), "players", ""),
    ("rules", gettext_lazy("Rules"), "club-rules", "event-rules"),
    ("manage", gettext_lazy("Manage"), "club-manage", "manage-event"),
)
"""Key, text, the club's page, and the page of one event where it has its own."""

_OF_SUBJECTS: Final = {
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
"""Package of a page's view → the key of its place; `_OF_PAGES` has the others."""

_PAGES: Final = {
    "": "club search club-search me new-club import-club club-import",
    "standings": (
        "entrants entrant adjustments opening-values disputes season seasons "
        "season-publication change-log club-standings"
    ),
    "players": (
        "players player edit-player add-players added-players link-player claim-player claims "
        "merge-player unmerge-player erase-player erasure-request"
    ),
    "manage": "new-round new-table table-seating settings change-settings",
    "ladders": "club-ladders",
    "evenings": "club-evenings",
    "rules": "club-rules",
}
"""Key of a place → names of addresses whose view's package does not say that they belong to it."""

_OF_PAGES: Final = {page: place for place, pages in _PAGES.items() for page in pages.split()}
"""Name of a page's address → the key of its place; "" for none."""


class PageRequest(HttpRequest):
    """A request that passed the `page` decorator; it has an actor."""

    actor: Actor
    htmx: "HtmxDetails"


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its text; `is_current` marks the page one is on."""

    text: str
    url: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of one page; `at_table`: for the holder of a table link, without other links."""

    path: str = "/"
    signed_in_as: str = ""
    role: str | Promise = ""
    club_name: str = ""
    club_url: str = ""
    zone: str = "UTC"
    club_slug: str = ""
    places: tuple[Place, ...] = ()
    """The same ones in the same order on each page of a club."""
    tabs: tuple[Link, ...] = ()
    """The pages of a ladder."""
    crumbs: tuple[Link, ...] = ()
    """From the club down to the page above this one."""
    csv_url: str = ""
    csv_text: str = ""
    """Name of the list; empty for standings."""
    at_table: bool = False
    may_enter: bool = False
    may_manage: bool = False
    may_import: bool = False
    is_outgoing_off: bool = False
    """The reader manages, and mails and webhooks wait."""
    needs_second_factor: bool = False
    """The reader's role waits for one."""
    accent_url: str = ""
    logo_url: str = ""
    head: PageHead | None = None
    """Metadata for other sites, on the main page of a club or an event."""
    canonical: str = ""
    """The whole address of a page that everybody reads."""
    deleted_at: datetime | None = None
    """Time of the club's deletion, if its owner asked for it."""


def site_layout(request: PageRequest, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a page that belongs to no club."""
    return Layout(
        path=request.get_full_path(),
        signed_in_as=reader_name(request.actor),
        crumbs=tuple(crumbs),
    )


def club_layout(request: PageRequest, club: Club, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a club's page; `club` comes from a selector with its `role`.

    The breadcrumbs begin with the club; `crumbs` are what is between it and the page.
    """
    trail = _trail(request, (club_link(club), *crumbs))
    return replace(_layout(request, club), crumbs=trail)


def event_layout(
    request: PageRequest, event: Event, crumbs: Sequence[Link] = (), *, current: str = ""
) -> Layout:
    """Return the layout of an event's page.

    The breadcrumbs begin with the club and the event; `crumbs` are what is between it and the page.

    Args:
        current: the page's tab on a ladder.
    """
    club = event.club
    if request.actor.at is not None:
        return Layout(
            path=request.get_full_path(),
            club_name=club.name,
            zone=club.time_zone,
            at_table=True,
            accent_url=_accent_url(club) if club.is_public else "",
        )
    return replace(
        _layout(request, club, event),
        tabs=_tabs_of_ladder(event, current),
        crumbs=_trail(request, (club_link(club), event_link(event), *crumbs)),
        csv_url=event_url("standings-csv", event),
    )


def _layout(request: PageRequest, club: Club, event: Event | None = None) -> Layout:
    """Return what the pages of a club and of its events have in common."""
    actor = request.actor
    subject = event or club  # the one of them that has the reader's role
    role = getattr(subject, "role", PUBLIC)
    role_label: str | Promise = ""
    if actor.kind == "user" and role in Role.values:
        role_label = Role(role).label
    canonical = ""
    if is_for_everybody(subject):
        canonical = request.build_absolute_uri(request.path)
    may_manage = may_do(subject, "manage_event")
    return Layout(
        path=request.get_full_path(),
        signed_in_as=reader_name(actor, club),
        role=role_label,
        club_name=club.name,
        club_slug=club.slug,
        club_url=club_link(club).url,
        zone=club.time_zone,
        places=tuple(_list_places(club, event, request.resolver_match)),
        may_enter=actor.kind == "user" and may_do(subject, "enter_hand"),
        may_manage=may_manage,
        may_import=event is not None and may_import(event),
        is_outgoing_off=may_manage and KNOWN.is_outgoing_off(),
        needs_second_factor=actor.lacks_factor or role == WITHHELD,
        accent_url=_accent_url(club),
        logo_url=_logo_url(club),
        canonical=canonical,
        deleted_at=club.delete_after,
    )


def _trail(request: PageRequest, links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links without that of the page itself, and each address once."""
    by_url = {link.url: link for link in links if link.url != request.path}
    return tuple(by_url.values())


def _tabs_of_ladder(event: Event, current: str) -> tuple[Link, ...]:
    if not event.is_ladder:
        return ()
    pages = (
        ("ladder", _("Ladder"), "ladder"),
        ("challenges", _("Challenges"), "challenges"),
        ("ratings", _("Ratings"), "ratings"),
        ("standings", _("Tables"), "event"),
    )
    tabs = []
    for key, text, page in pages:
        link = link_to(text, page, event)
        tabs.append(replace(link, is_current=key == current))
    return tuple(tabs)


def link_to(text: str, page: str, of: Club | Event, **address: object) -> Link:
    """Return a link to a page of a club or an event; `address` has what else its address names."""
    if isinstance(of, Club):
        slugs = {"club": of.slug}
    else:
        slugs = {"club": of.club.slug, "event": of.slug}
    return Link(text, reverse(f"tournaments:{page}", kwargs={**slugs, **address}))


def club_link(club: Club) -> Link:
    return link_to(club.name, "club", club)


def players_link(club: Club) -> Link:
    return link_to(_("Players"), "players", club)


def player_crumbs(player: Player | ShownPlayer, club: Club) -> tuple[Link, Link]:
    """Return what is above a page about a player."""
    player_link = link_to(player.name, "player", club, player_id=player.player_id)
    return players_link(club), player_link


def members_link(club: Club) -> Link:
    return link_to(_("Members"), "members", club)


def seasons_link(club: Club) -> Link:
    return link_to(_("Seasons"), "seasons", club)


def house_rules_link(club: Club) -> Link:
    return link_to(_("House rules"), "house-rules", club)


def house_link(house: HouseVariant) -> Link:
    return link_to(house.name, "house-rule", house.club, slug=house.slug)


def event_link(event: Event) -> Link:
    if event.is_ladder:
        return link_to(event.name, "ladder", event)
    return link_to(event.name, "event", event)


def direct_link(event: Event) -> Link:
    return link_to(_("Manage"), "manage-event", event)


def evenings_link(event: Event) -> Link:
    return link_to(_("Evenings"), "meetings", event)


def imports_link(event: Event) -> Link:
    return link_to(_("Imports"), "imports", event)


def import_link(batch: ImportBatch, event: Event) -> Link:
    return link_to(batch.file_name, "import", event, number=batch.number)


def round_link(event: Event, number: int) -> Link:
    title = round_title(number, names_on_page(event))
    return link_to(title, "round", event, number=number)


def accent_digest(club: Club) -> str:
    return mark_of_text(accent_css(club.colour))


def _accent_url(club: Club) -> str:
    if not club.colour:
        return ""
    return link_to("", "club-accent", club, digest=accent_digest(club)).url


def _logo_url(club: Club) -> str:
    if not club.logo_digest:
        return ""
    return link_to("", "club-logo", club, digest=club.logo_digest).url


def reader_name(actor: Actor, club: Club | None = None) -> str:
    """Return how a page names its reader: as the linked player, else by the account.

    A visitor who is not signed in has no name: "".
    """
    if actor.kind != "user":
        return ""
    return get_linked_name(actor, club) or actor.name


def table_layout(request: PageRequest, event: Event, sheet: TableSheet, *more: Link) -> Layout:
    """Return the layout of a page of one table; `more` links are those below the table's."""
    text = _("Table %(number)s") % {"number": sheet.number}
    table_link = link_to(text, "table", event, code=sheet.code)
    crumbs = (round_link(event, sheet.round_number), table_link, *more)
    return event_layout(request, event, crumbs)


def _list_places(club: Club, event: Event | None, match: ResolverMatch | None) -> Iterator[Place]:
    """Yield the places of `club` as the reader may see them; no query.

    Within an event `Standings`, `Evenings`, `Rules` and `Manage` lead to that event, and `Ladders`
    to its ladder where it is one; on any other page they lead to the club's own page of that name.
    `Manage` is shown to directors and owners.
    """
    current_place = _place_of_page(match)
    current_page = match.url_name if match is not None else ""
    for place, text, club_page, event_page in _PLACES:
        if place == "manage" and not may_do(event or club, "manage_event"):
            continue
        if event is not None and place == "ladders" and event.is_ladder:
            page = "ladder"
            url = link_to("", page, event).url
        elif event is not None and event_page:
            page = event_page
            url = link_to("", page, event).url
        else:
            page = club_page
            url = link_to("", page, club).url
        aria_current = ""
        if place == current_place:
            aria_current = "page" if page == current_page else "true"
        yield text, url, aria_current


def _place_of_page(match: ResolverMatch | None) -> str:
    if match is None or match.url_name is None:
        return ""
    if match.url_name in _OF_PAGES:
        return _OF_PAGES[match.url_name]
    module = getattr(match.func, "__module__", "")
    package = module.removeprefix("tournaments.views.").split(".")[0]
    return _OF_SUBJECTS.get(package, "")


def account_hint(request: PageRequest, read: Club | Event) -> tuple[str, Link | None] | None:
    """Return what the reader lacks to act as a player; one query at most.

    A sentence and the link to follow, if the reader can act. None for a reader who is linked to a
    player of the club, may act for others, or holds a table's link.

    Args:
        read: the page's object, with the reader's `role`.
    """
    actor = request.actor
    if actor.at is not None or may_do(read, "enter_hand"):
        return None
    if actor.kind != "user":
        back = urlencode({"next": request.get_full_path()})
        link = Link(_("Sign in"), f"{reverse('account_login')}?{back}")
        return _("Sign in if you are one of them."), link
    club = read if isinstance(read, Club) else read.club
    if not may_do(read, "edit_own_player"):
        text = _("Your account is not a member of %(club)s. Ask the club for an invitation.")
        return text % {"club": club.name}, None
    if find_own_player(actor, club) is not None:
        return None
    text = _("Your account is not linked to a player. Ask a director to link it.")
    return text, Link(_("This is me"), reverse("tournaments:me"))
