"""The layout around every page: the club's name, its places, the breadcrumbs, who reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.urls import resolve, reverse
from django.utils.encoding import escape_uri_path
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from tournaments.domain.colours import accent_css
from tournaments.domain.etags import mark_of_text
from tournaments.models.clubs import Club, Player, Role
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.variants import HouseVariant
from tournaments.policy import PUBLIC, WITHHELD, Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import get_linked_name
from tournaments.selectors.events.players import ShownPlayer
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.imports import may_import
from tournaments.views.http.page_head import PageHead, is_for_everybody
from tournaments.views.http.places import Place, places_of

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails


class PageRequest(HttpRequest):
    """A request that passed the `page` decorator: it knows who asks."""

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
    """What the list is called; empty for standings."""
    rest_url: str = ""
    at_table: bool = False
    may_enter: bool = False
    may_manage: bool = False
    may_import: bool = False
    needs_second_factor: bool = False
    """The reader's role waits for one."""
    accent_url: str = ""
    logo_url: str = ""
    head: PageHead | None = None
    """What a public page tells other sites, where it is the main page of a club or an event."""
    canonical: str = ""
    """The whole address of a page that everybody reads."""
    deleted_at: datetime | None = None
    """When the club is deleted, where its owner asked for that."""


def site_layout(request: PageRequest, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a page outside any club."""
    return Layout(
        path=request.get_full_path(),
        signed_in_as=reader_name(request.actor),
        crumbs=tuple(crumbs),
        rest_url=_rest_url(request),
    )


def club_layout(request: PageRequest, club: Club, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a club's page; `club` comes from a selector and knows its `role`.

    The breadcrumbs begin with the club; `crumbs` are what is between it and the page.
    """
    return replace(_layout(request, club, club), crumbs=_trail(request, (club_link(club), *crumbs)))


def event_layout(
    request: PageRequest, event: Event, crumbs: Sequence[Link] = (), *, current: str = ""
) -> Layout:
    """Return the layout of an event's page.

    The breadcrumbs begin with the club and the event; `crumbs` are what is between it and the page.

    Args:
        current: of a ladder, the tab that the page is.
    """
    club, address = event.club, {"club": event.club.slug, "event": event.slug}
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
        tabs=_tabs_of_ladder(event, address, current),
        crumbs=_trail(request, (club_link(club), event_link(event), *crumbs)),
        csv_url=reverse("tournaments:standings-csv", kwargs=address),
    )


def _layout(request: PageRequest, club: Club, of: Club | Event) -> Layout:
    event = of if isinstance(of, Event) else None
    return Layout(
        path=request.get_full_path(),
        signed_in_as=reader_name(request.actor, club),
        role=_role(request.actor, of),
        club_name=club.name,
        club_slug=club.slug,
        club_url=_club_url(club),
        zone=club.time_zone,
        places=tuple(places_of(club, request.resolver_match, event)),
        rest_url=_rest_url(request),
        may_enter=_may_enter(request.actor, of),
        may_manage=may_do(of, "manage_event"),
        may_import=event is not None and may_import(event),
        needs_second_factor=_is_withheld(request.actor, of),
        accent_url=_accent_url(club),
        logo_url=_logo_url(club),
        canonical=_canonical(request, of),
        deleted_at=club.delete_after,
    )


def _canonical(request: PageRequest, of: Club | Event) -> str:
    return request.build_absolute_uri(request.path) if is_for_everybody(of) else ""


def _trail(request: PageRequest, links: Iterable[Link]) -> tuple[Link, ...]:
    """Return breadcrumbs, each once and without the page itself."""
    by_url = {link.url: link for link in links if link.url != request.path}
    return tuple(by_url.values())


def _tabs_of_ladder(event: Event, address: dict[str, str], current: str) -> tuple[Link, ...]:
    if event.kind != EventKind.LADDER:
        return ()
    tabs = (
        ("ladder", _("Ladder"), "ladder"),
        ("challenges", _("Challenges"), "challenges"),
        ("ratings", _("Ratings"), "ratings"),
        ("standings", _("Tables"), "event"),
    )
    return tuple(
        Link(text, reverse(f"tournaments:{page}", kwargs=address), key == current)
        for key, text, page in tabs
    )


def _rest_url(request: PageRequest) -> str:
    """Return where REST says the same, below /api/v1; "" for a page that only people have."""
    same = resolve(f"/api/v1{request.path_info}")
    if same.url_name == "unknown_address" or not hasattr(getattr(same.func, "cls", None), "get"):
        return ""
    page = request.resolver_match
    if page is not None and len(page.kwargs) != len(same.kwargs):
        return ""  # `members/invite` is a page of its own, not the member "invite"
    return f"/api/v1{escape_uri_path(request.path)}"


def club_link(club: Club) -> Link:
    """Return the link to a club's page."""
    return Link(club.name, _club_url(club))


def players_link(club: Club) -> Link:
    """Return the link to a club's list of people."""
    return Link(_("Players"), reverse("tournaments:players", kwargs={"club": club.slug}))


def player_link(player: Player | ShownPlayer, club: Club) -> Link:
    """Return the link to a player's page."""
    address = {"club": club.slug, "player_id": player.player_id}
    return Link(player.name, reverse("tournaments:player", kwargs=address))


def player_crumbs(player: Player | ShownPlayer, club: Club) -> tuple[Link, Link]:
    """Return what is above a page about a player."""
    return players_link(club), player_link(player, club)


def members_link(club: Club) -> Link:
    """Return the link to a club's members, for owners."""
    return Link(_("Members"), reverse("tournaments:members", kwargs={"club": club.slug}))


def seasons_link(club: Club) -> Link:
    """Return the link to a club's seasons."""
    return Link(_("Seasons"), reverse("tournaments:seasons", kwargs={"club": club.slug}))


def season_link(season: Season) -> Link:
    """Return the link to a season."""
    address = {"club": season.club.slug, "season": season.slug}
    return Link(season.name, reverse("tournaments:season", kwargs=address))


def season_csv(season: Season) -> str:
    """Return the address of a season's own table as CSV."""
    address = {"club": season.club.slug, "season": season.slug}
    return reverse("tournaments:season-csv", kwargs=address)


def house_rules_link(club: Club) -> Link:
    """Return the link to a club's house rules."""
    return Link(_("House rules"), reverse("tournaments:house-rules", kwargs={"club": club.slug}))


def house_link(house: HouseVariant) -> Link:
    """Return the link to one of a club's house rules."""
    address = {"club": house.club.slug, "slug": house.slug}
    return Link(house.name, reverse("tournaments:house-rule", kwargs=address))


def mappings_link(club: Club) -> Link:
    """Return the link to a club's mappings of foreign columns."""
    return Link(_("Column mappings"), reverse("tournaments:mappings", kwargs={"club": club.slug}))


def event_link(event: Event) -> Link:
    """Return the link to an event: its standings, or the ladder that it is."""
    if event.kind == EventKind.LADDER:
        return ladder_link(event)
    address = {"club": event.club.slug, "event": event.slug}
    return Link(event.name, reverse("tournaments:event", kwargs=address))


def ladder_link(event: Event) -> Link:
    """Return the link to an event's ladder."""
    address = {"club": event.club.slug, "event": event.slug}
    return Link(event.name, reverse("tournaments:ladder", kwargs=address))


def direct_link(event: Event) -> Link:
    """Return the link to an event's page for its director."""
    address = {"club": event.club.slug, "event": event.slug}
    return Link(_("Manage"), reverse("tournaments:manage-event", kwargs=address))


def evenings_link(event: Event) -> Link:
    """Return the link to an event's evenings."""
    address = {"club": event.club.slug, "event": event.slug}
    return Link(_("Evenings"), reverse("tournaments:meetings", kwargs=address))


def imports_link(event: Event) -> Link:
    """Return the link to an event's imports."""
    address = {"club": event.club.slug, "event": event.slug}
    return Link(_("Imports"), reverse("tournaments:imports", kwargs=address))


def import_link(batch: ImportBatch, event: Event) -> Link:
    """Return the link to one import."""
    address = {"club": event.club.slug, "event": event.slug, "number": batch.number}
    return Link(batch.file_name, reverse("tournaments:import", kwargs=address))


def round_link(event: Event, number: int) -> Link:
    """Return the link to a round's tables."""
    address = {"club": event.club.slug, "event": event.slug, "number": number}
    text = _("Round %(number)s") % {"number": number}
    return Link(text, reverse("tournaments:round", kwargs=address))


def table_link(event: Event, sheet: TableSheet) -> Link:
    """Return the link to a table's sheet."""
    address = {"club": event.club.slug, "event": event.slug, "code": sheet.code}
    text = _("Table %(number)s") % {"number": sheet.number}
    return Link(text, reverse("tournaments:table", kwargs=address))


def photos_link(event: Event, code: str) -> Link:
    """Return the link to the photos of a table's sheet."""
    address = {"club": event.club.slug, "event": event.slug, "code": code}
    return Link(_("Photos"), reverse("tournaments:photos", kwargs=address))


def accent_digest(club: Club) -> str:
    """Return what names the stylesheet with a club's colour."""
    return mark_of_text(accent_css(club.colour))


def _accent_url(club: Club) -> str:
    if not club.colour:
        return ""
    address = {"club": club.slug, "digest": accent_digest(club)}
    return reverse("tournaments:club-accent", kwargs=address)


def _logo_url(club: Club) -> str:
    if not club.logo_digest:
        return ""
    return reverse("tournaments:club-logo", kwargs={"club": club.slug, "digest": club.logo_digest})


def _club_url(club: Club) -> str:
    return reverse("tournaments:club", kwargs={"club": club.slug})


def reader_name(actor: Actor, club: Club | None = None) -> str:
    """Return how a page names its reader: as the linked player, else by the account; "" nobody."""
    if actor.kind != "user":
        return ""
    return get_linked_name(actor, club) or actor.name


def _may_enter(actor: Actor, with_role: Club | Event) -> bool:
    return actor.kind == "user" and may_do(with_role, "enter_hand")


def _is_withheld(actor: Actor, with_role: Club | Event) -> bool:
    return actor.lacks_factor or getattr(with_role, "role", PUBLIC) == WITHHELD


def _role(actor: Actor, with_role: Club | Event) -> str | Promise:
    role = getattr(with_role, "role", PUBLIC)
    return Role(role).label if actor.kind == "user" and role in Role.values else ""


def manage_layout(request: PageRequest, event: Event, *more: Link) -> Layout:
    """Return the layout of a page where an event is managed, with `more` below its own links."""
    return event_layout(request, event, (event_link(event), direct_link(event), *more))


def table_layout(request: PageRequest, event: Event, sheet: TableSheet, *more: Link) -> Layout:
    """Return the layout of an act at a table, with links to its round and its sheet."""
    to_round, to_table = round_link(event, sheet.round_number), table_link(event, sheet)
    return event_layout(request, event, (event_link(event), to_round, to_table, *more))
