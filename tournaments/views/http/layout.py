"""What stands around every page: the club's name, the way back, the event's links, who reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.urls import resolve, reverse
from django.utils.encoding import escape_uri_path
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from tournaments.models.clubs import Club, Role
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.variants import HouseVariant
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.imports.imports import may_import

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
    nav: tuple[Link, ...] = ()
    crumbs: tuple[Link, ...] = ()
    csv_url: str = ""
    csv_text: str = ""
    """What the list is called; empty for standings."""
    rest_url: str = ""
    at_table: bool = False
    may_enter: bool = False


def site_layout(request: PageRequest, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a page outside any club."""
    return Layout(
        path=request.get_full_path(),
        signed_in_as=_name(request.actor),
        crumbs=tuple(crumbs),
        rest_url=_rest_url(request),
    )


def club_layout(request: PageRequest, club: Club, crumbs: Sequence[Link] = ()) -> Layout:
    """Return the layout of a club's page; `club` comes from a selector and knows its `role`."""
    return Layout(
        path=request.get_full_path(),
        signed_in_as=_name(request.actor),
        role=_role(request.actor, club),
        club_name=club.name,
        club_url=_club_url(club),
        zone=club.time_zone,
        crumbs=tuple(crumbs),
        rest_url=_rest_url(request),
        may_enter=_may_enter(request.actor, club),
    )


def event_layout(
    request: PageRequest, event: Event, crumbs: Sequence[Link] = (), *, current: str = ""
) -> Layout:
    """Return the layout of an event's page: the club first, then `crumbs`, down to the page."""
    if request.actor.at is not None:
        return Layout(
            path=request.get_full_path(),
            club_name=event.club.name,
            zone=event.club.time_zone,
            at_table=True,
        )
    club, address = event.club, {"club": event.club.slug, "event": event.slug}
    nav = [
        *_of_a_ladder(event, address),
        ("standings", _("Standings"), reverse("tournaments:event", kwargs=address)),
        ("evenings", _("Evenings"), reverse("tournaments:meetings", kwargs=address)),
    ]
    if may_do(event, "manage_event"):
        nav.append(("manage", _("Manage"), reverse("tournaments:manage-event", kwargs=address)))
    if may_import(event):
        nav.append(("imports", _("Imports"), reverse("tournaments:imports", kwargs=address)))
    return Layout(
        path=request.get_full_path(),
        signed_in_as=_name(request.actor),
        role=_role(request.actor, event),
        club_name=club.name,
        club_url=_club_url(club),
        zone=club.time_zone,
        nav=tuple(Link(text, url, key == current) for key, text, url in nav),
        crumbs=(club_link(club), *crumbs),
        csv_url=reverse("tournaments:standings-csv", kwargs=address),
        rest_url=_rest_url(request),
        may_enter=_may_enter(request.actor, event),
    )


def _of_a_ladder(event: Event, address: dict[str, str]) -> Sequence[tuple[str, str, str]]:
    """What the pages of a ladder have before those of every event."""
    if event.kind != EventKind.LADDER:
        return ()
    return (
        ("ladder", _("Ladder"), reverse("tournaments:ladder", kwargs=address)),
        ("challenges", _("Challenges"), reverse("tournaments:challenges", kwargs=address)),
        ("ratings", _("Ratings"), reverse("tournaments:ratings", kwargs=address)),
    )


def _rest_url(request: PageRequest) -> str:
    """Return where REST says the same, below /api/v1; "" for a page that only people have."""
    same = resolve(f"/api/v1{request.path_info}")
    if same.url_name == "unknown_address" or not hasattr(getattr(same.func, "cls", None), "get"):
        return ""
    return f"/api/v1{escape_uri_path(request.path)}"


def club_link(club: Club) -> Link:
    """Return the link to a club's page."""
    return Link(club.name, _club_url(club))


def players_link(club: Club) -> Link:
    """Return the link to a club's list of people."""
    return Link(_("Players"), reverse("tournaments:players", kwargs={"club": club.slug}))


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
    """Return the link to an event's standings."""
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


def settings_link(event: Event) -> Link:
    """Return the link to an event's settings."""
    address = {"club": event.club.slug, "event": event.slug}
    return Link(_("Settings"), reverse("tournaments:settings", kwargs=address))


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


def _club_url(club: Club) -> str:
    return reverse("tournaments:club", kwargs={"club": club.slug})


def _name(actor: Actor) -> str:
    return actor.name if actor.kind == "user" else ""


def _may_enter(actor: Actor, with_role: Club | Event) -> bool:
    return actor.kind == "user" and may_do(with_role, "enter_hand")


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
