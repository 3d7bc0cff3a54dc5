"""Metadata of a public page for other sites and programs: address, preview, data, feeds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.events.events import is_for_everybody
from tournaments.selectors.events.players import ShownPlayer

EMBEDDED_ROWS: Final = 10
"""Rows of an embedded table unless its address says another number."""
HEIGHT: Final = 560
"""Pixels of a frame that shows the standard number of rows."""
_IN_HTML: Final = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


@dataclass(frozen=True, slots=True)
class AlternateLink:
    media_type: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class PageHead:
    """The head of a public page. Addresses are whole; `json_ld` is safe within a script element.

    `calendar_url`, `feed_url` and `frame` are what readers subscribe to and embed, "" where there
    is none.
    """

    canonical: str
    title: str
    description: str
    site: str
    image: str
    json_ld: SafeString
    alternates: tuple[AlternateLink, ...]
    calendar_url: str
    feed_url: str = ""
    frame: str = ""
    embed_url: str = ""

    @property
    def webcal_url(self) -> str:
        return f"webcal://{self.calendar_url.partition('://')[2]}"


def club_head(request: HttpRequest, club: Club, description: str) -> PageHead | None:
    """Return the head of a club's page; None where it is not public."""
    if not is_for_everybody(club):
        return None
    url = absolute_url(request, "club", club.slug)
    calendar = absolute_url(request, "club-calendar", club.slug)
    logo = ""
    if club.logo_digest:
        logo = absolute_url(request, "club-logo", club.slug, club.logo_digest)
    return PageHead(
        canonical=url,
        title=club.name,
        description=description,
        site=club.name,
        image=logo,
        json_ld=_json_ld(_organization(club, url)),
        alternates=(AlternateLink("text/calendar", _("Evenings and deadlines"), calendar),),
        calendar_url=calendar,
    )


LEADERS: Final = 3
"""Rows that the description of a page names."""


def event_head(
    request: HttpRequest,
    event: Event,
    about: str,
    leaders: Sequence[tuple[object, str]],
    *,
    is_published: bool,
) -> PageHead | None:
    """Return the head of an event's page of standings, or of its ladder; None where the event is
    not public.

    Args:
        about: a sentence with the names of `event` and `club`.
        leaders: place and name of who leads, from the first place on.
        is_published: whether there is a publication, and so a picture of it.
    """
    if not is_for_everybody(event):
        return None
    club = event.club
    address = (event.club.slug, event.slug)
    first = "; ".join(f"{place}. {name}" for place, name in leaders[:LEADERS])
    description = f"{about % {'event': event.name, 'club': club.name}} {first}".strip()
    is_ladder = event.is_ladder
    url = absolute_url(request, "ladder" if is_ladder else "event", *address)
    path = f"/api/v1/clubs/{club.slug}/events/{event.slug}"
    table = request.build_absolute_uri(f"{path}/{'ladder' if is_ladder else 'standings'}")
    picture = f"{table}.png" if is_published else ""
    feed = absolute_url(request, "evenings-feed", *address)
    calendar = absolute_url(request, "club-calendar", club.slug)
    embed = absolute_url(request, "embed", *address)
    query = urlencode({"url": url, "format": "json"})
    oembed = f"{absolute_url(request, 'oembed')}?{query}"
    event_data = {
        "@type": "SportsEvent",
        "@id": url,
        "name": event.name,
        "url": url,
        "sport": "Hearts",
        "description": description,
        "organizer": _organization(club, absolute_url(request, "club", club.slug)),
        **({"image": picture} if picture else {}),
    }
    documents: list[Mapping[str, Any]] = [event_data]
    if leaders:
        documents.append(_item_list(event.name, leaders))
    return PageHead(
        canonical=url,
        title=f"{event.name} · {club.name}",
        description=description,
        site=club.name,
        image=picture,
        json_ld=_json_ld(*documents),
        alternates=(
            AlternateLink("application/atom+xml", _("Results of evenings"), feed),
            AlternateLink("application/json", _("Standings as JSON"), table),
            AlternateLink("text/csv", _("Standings as CSV"), f"{table}.csv"),
            AlternateLink("text/calendar", _("Evenings and deadlines"), calendar),
            AlternateLink("application/json+oembed", event.name, oembed),
        ),
        calendar_url=calendar,
        feed_url=feed,
        frame=frame_line(embed, event),
        embed_url=embed,
    )


def evening_head(
    request: HttpRequest,
    event: Event,
    day: date,
    about: str,
    first: Sequence[tuple[object, str]],
    result: int | None = None,
) -> PageHead | None:
    """Return the head of the page of an evening; None where the event is not public.

    Args:
        about: a sentence with the names of `event` and `club`, and the `day`.
        first: place and name of the first of the evening; nobody where it has no winner.
        result: the number of its newest result, of which there is a picture.
    """
    if not is_for_everybody(event):
        return None
    club = event.club
    address = (club.slug, event.slug)
    url = absolute_url(request, "evening", *address, day.isoformat())
    names = {"event": event.name, "club": club.name, "day": date_format(day, "j M Y")}
    leaders = "; ".join(f"{place}. {name}" for place, name in first[:LEADERS])
    description = f"{about % names} {leaders}".strip()
    title = _("%(event)s, evening of %(day)s") % names
    feed = absolute_url(request, "evenings-feed", *address)
    calendar = absolute_url(request, "club-calendar", club.slug)
    alternates = [AlternateLink("application/atom+xml", _("Results of evenings"), feed)]
    if not event.is_ladder:
        path = reverse("read_evening_standings", args=(*address, day.isoformat()))
        table = request.build_absolute_uri(path)
        alternates += [
            AlternateLink("application/json", _("Table of this evening as JSON"), table),
            AlternateLink("text/csv", _("Table of this evening as CSV"), f"{table}.csv"),
        ]
    alternates.append(AlternateLink("text/calendar", _("Evenings and deadlines"), calendar))
    evening_data: dict[str, Any] = {
        "@type": "SportsEvent",
        "@id": url,
        "name": title,
        "url": url,
        "sport": "Hearts",
        "startDate": day.isoformat(),
        "description": description,
        "organizer": _organization(club, absolute_url(request, "club", club.slug)),
        "superEvent": {
            "@type": "SportsEvent",
            "name": event.name,
            "url": absolute_url(request, "ladder" if event.is_ladder else "event", *address),
        },
    }
    picture = ""
    if result is not None:
        path = reverse("read_evening_result_png", args=(*address, day.isoformat(), result))
        picture = request.build_absolute_uri(path)
        evening_data["image"] = picture
    graph: list[Mapping[str, Any]] = [evening_data]
    if first:
        graph.append(_item_list(title, first))
    return PageHead(
        canonical=url,
        title=f"{title} · {club.name}",
        description=description,
        site=club.name,
        image=picture,
        json_ld=_json_ld(*graph),
        alternates=tuple(alternates),
        calendar_url=calendar,
        feed_url=feed,
    )


def player_head(request: HttpRequest, club: Club, player: ShownPlayer) -> PageHead | None:
    """Return the head of a player's page; None where the club is not public.

    It has the name that the reader gets: the public one wherever everybody reads the page.
    """
    if not is_for_everybody(club):
        return None
    url = absolute_url(request, "player", club.slug, player.player_id)
    page = reverse("tournaments:player", args=[club.slug, player.player_id])
    table = request.build_absolute_uri(f"/api/v1{page}")
    calendar = absolute_url(request, "club-calendar", club.slug)
    text = _("Results of %(name)s in events of %(club)s.")
    person = {
        "@type": "Person",
        "@id": url,
        "name": player.name,
        "url": url,
        "memberOf": _organization(club, absolute_url(request, "club", club.slug)),
    }
    return PageHead(
        canonical=url,
        title=f"{player.name} · {club.name}",
        description=text % {"name": player.name, "club": club.name},
        site=club.name,
        image="",
        json_ld=_json_ld(person),
        alternates=(
            AlternateLink("application/json", _("Results as JSON"), f"{table}/results"),
            AlternateLink("text/csv", _("Results as CSV"), f"{table}/results.csv"),
            AlternateLink("text/calendar", _("Evenings and deadlines"), calendar),
        ),
        calendar_url=calendar,
    )


def frame_line(
    address: str,
    event: Event,
    *,
    rows: int = EMBEDDED_ROWS,
    width: str = "100%",
    height: int = HEIGHT,
) -> str:
    """Return the line of HTML that frames an event's standings on another site.

    It has no script and no style of its own, so that a strict policy of the other site needs to
    allow the frame only.

    Args:
        address: the whole address of the embedded page.
    """
    return str(
        format_html(
            '<iframe src="{}" title="{}" width="{}" height="{}" frameborder="0" loading="lazy">'
            "</iframe>",
            address if rows == EMBEDDED_ROWS else f"{address}?rows={rows}",
            _("%(event)s, %(club)s") % {"event": event.name, "club": event.club.name},
            width,
            height,
        )
    )


def _organization(club: Club, url: str) -> Mapping[str, str]:
    return {"@type": "SportsOrganization", "name": club.name, "url": url, "sport": "Hearts"}


def _item_list(title: str, leaders: Sequence[tuple[object, str]]) -> Mapping[str, Any]:
    first = enumerate(leaders[:10], start=1)
    return {
        "@type": "ItemList",
        "name": title,
        "itemListOrder": "https://schema.org/ItemListOrderAscending",
        "itemListElement": [
            {"@type": "ListItem", "position": at, "name": name} for at, (_place, name) in first
        ],
    }


def _json_ld(*things: Mapping[str, Any]) -> SafeString:
    document = {"@context": "https://schema.org", "@graph": things}
    text = json.dumps(document, ensure_ascii=False).translate(_IN_HTML)
    return mark_safe(text)  # noqa: S308  # neither a tag nor an entity is left in it


def absolute_url(request: HttpRequest, name: str, *args: object) -> str:
    return request.build_absolute_uri(reverse(f"tournaments:{name}", args=args))
