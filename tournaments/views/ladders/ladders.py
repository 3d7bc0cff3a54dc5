"""Pages of a ladder as published: the list, moves, ratings; what all pages of a ladder share."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.etags import bare, etag
from tournaments.domain.standings.ladder_documents import MoveDocument
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.jobs.queue import PublicationProgress, get_ladder_progress
from tournaments.selectors.jobs.workers import is_heard
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders import ladder_page, ladders
from tournaments.selectors.ladders.challenges import challenge_lines
from tournaments.selectors.ladders.ladder_page import LadderView, ladder_with_state
from tournaments.selectors.ladders.ladders import moves_with_explanation
from tournaments.selectors.ladders.members import (
    ChallengeChoices,
    InactivityWarning,
    choices_of,
    inactivity_warnings,
    members_in_order,
)
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.account_hint import account_hint
from tournaments.views.http.decorators import page, stored_csv
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.http.page_head import PageHead, event_head
from tournaments.views.http.responses import not_modified, reader_mark
from tournaments.views.ladders.challenge_forms import LadderForm
from tournaments.views.ladders.challenge_text import ChallengeText, challenges_in_words
from tournaments.views.standings.standings import LiveState, seconds_between


def ladder_at(request: PageRequest, club: str, event: str) -> Event:
    """Return the ladder at an address."""
    return ladders.ladder_at(request.actor, club, event)


def ladder_layout(request: PageRequest, event: Event, *crumbs: Link, current: str = "") -> Layout:
    """Return the layout of a ladder's page; its list is what there is as CSV."""
    page_layout = layout.event_layout(request, event, crumbs, current=current)
    url = reverse("tournaments:ladder-csv", args=[event.club.slug, event.slug])
    return replace(page_layout, csv_url=url, csv_text=_("Ladder as CSV"))


def to_list(event: Event) -> Link:
    """Return the link to a ladder's challenges."""
    url = reverse("tournaments:challenges", args=[event.club.slug, event.slug])
    return Link(_("Challenges"), url)


def members_by_place(event: Event) -> Sequence[tuple[str, str]]:
    """Return code and label of everybody on the list as it is now, from the top, for fields of
    forms that choose one."""
    names = names_in(event)
    order = members_in_order(event, anew=True)
    return [(code, f"{at} {names.get(code, code)}") for at, code in enumerate(order, start=1)]


def own_code(request: PageRequest, event: Event) -> str:
    """Return the code of the reader's own member of a ladder, empty for who is none."""
    entrant = rows.own_entrant(request.actor, event)
    return entrant.code if entrant is not None else ""


def may_take_part(event: Event, own: str) -> bool:
    """Whether the reader finds forms that send a challenge or tell an absence."""
    may = may_do(event, "challenge") and (bool(own) or may_do(event, "enter_hand"))
    return may and event.state == "open"


@dataclass(frozen=True, slots=True)
class PlayerLadder:
    """A ladder that a player stands on, with the open challenges; `is_own`: it is the reader."""

    event: Event
    code: str
    is_own: bool
    open: tuple[ChallengeText, ...]
    progress: PublicationProgress


def ladders_of(request: PageRequest, club: Club, player: Player) -> tuple[PlayerLadder, ...]:
    """Return the ladders of a player that the reader may see, the newest first."""
    readable = events.listed_events(request.actor, club).filter(kind=EventKind.LADDER)
    found = []
    for event, code in rows.ladders_with(readable, player):
        own = own_code(request, event)
        listed = rows.challenges_of_member(event, code).filter(state__in=OPEN_CHALLENGES)
        told_ones = challenges_for_reader(request, event, list(listed), now=timezone.now(), own=own)
        progress = get_ladder_progress(event.pk, timezone.now())
        found.append(PlayerLadder(event, code, bool(own) and own == code, told_ones, progress))
    return tuple(found)


def idle_in(
    event: Event, view: LadderView | None, *, now: datetime
) -> dict[str, InactivityWarning]:
    """Return who is warned of dropping, by code, for members of the club; others learn of nobody,
    for who is away is not warned."""
    if view is None or not may_do(event, "read_members"):
        return {}
    return inactivity_warnings(
        event, {row.player_id: row.last_played for row in view.rows}, now=now
    )


def challenges_for_reader(
    request: PageRequest, event: Event, challenges: Sequence[Challenge], *, now: datetime, own: str
) -> tuple[ChallengeText, ...]:
    """Return challenges as the reader sees them, in words."""
    if not challenges:
        return ()
    lines = challenge_lines(event, list(challenges), actor=request.actor, now=now)
    return challenges_in_words(event, lines, now=now, own=own)


LEADERS: Final = 3
"""Members that a preview of the page names."""
NEWEST: Final = 40
"""So many publications stand as links below one of them."""
MOVES: Final = 100
"""So many moves stand on one page."""


@page("read_public")
def ladder(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the list as published, open challenges beside it; to a member their own place first."""
    found = ladder_with_state(request.actor, club, event)
    now = timezone.now()
    live = _live(request.path, found, now)
    if request.htmx and (same := not_modified(request, live.etag)) is not None:
        return same
    entrant = rows.own_entrant(request.actor, found)
    code = entrant.code if entrant is not None else ""
    still_open = list(rows.open_challenge_rows(found))
    open_ones = challenges_for_reader(request, found, still_open, now=now, own=code)
    may_send = may_take_part(found, code)
    choices: ChallengeChoices | None = None
    if entrant is not None and may_send:
        choices = choices_of(found, entrant, now=now)
    view = ladder_page.current_ladder_view(found)
    context: dict[str, Any] = {
        "layout": replace(
            ladder_layout(request, found, current="ladder"), head=_head(request, found, view)
        ),
        "event": found,
        "live": live,
        "view": view,
        "progress": get_ladder_progress(found.pk, now),
        "own": code,
        "place": view.row_of(code) if view and code else None,
        "choices": choices,
        "against": _against(found, choices),
        "open": open_ones,
        "others": [challenge for challenge in open_ones if not challenge.own],
        "beside": _open_challenges_by_member(open_ones),
        "away": {row.entrant.code: row.until for row in ladder_page.current_absences(found, now)},
        "idle": idle_in(found, view, now=now),
        "may_send": may_send,
        "hint": account_hint(request, found),
        "may_read_away": may_do(found, "read_members"),
        "may_direct": may_do(found, "manage_event"),
    }
    response = render(
        request, "ladders/_live.html" if request.htmx else "ladders/ladder.html", context
    )
    if request.htmx:
        response["ETag"] = live.etag
    return response


@page("read_public")
def ladder_csv(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the stored CSV of the current publication."""
    found = ladder_at(request, club, event)
    publication = ladder_page.newest_ladder(found)
    return stored_csv(publication, f"{found.club.slug}-{found.slug}-ladder")


@page("read_public")
def publication(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print one numbered publication of the ladder, which never changes."""
    found = ladder_at(request, club, event)
    view = ladder_page.ladder_view_at(found, number)
    listed = ladder_page.ladder_publications(found).values_list("number", flat=True)
    numbers = tuple(listed[:NEWEST])
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found)),
        "event": found,
        "view": view,
        "newest": numbers[0],
        "numbers": numbers,
        "beside": {},
        "away": {},
        "idle": {},
        "own": "",
    }
    return render(request, "ladders/publication.html", context)


@page("read_public")
def moves(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print every move with its story, the newest first, a page at a time."""
    found = ladder_at(request, club, event)
    before = number_in(request.GET.get("before", ""))
    listed, more = _moves_before(found, before)
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found)),
        "event": found,
        "view": ladder_page.current_ladder_view(found),
        "progress": get_ladder_progress(found.pk, timezone.now()),
        "moves": ladder_page.moves_with_short_explanation(listed),
        "before": more,
        "is_first": before is None,
        "csv": f"/api/v1{request.path}.csv",
    }
    return render(request, "ladders/moves.html", context)


@page("read_public")
def ratings(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the ratings as published."""
    found = ladder_at(request, club, event)
    context = {
        "layout": ladder_layout(request, found, current="ratings"),
        "event": found,
        "view": ladder_page.current_ladder_view(found),
        "progress": get_ladder_progress(found.pk, timezone.now()),
    }
    return render(request, "ladders/ratings.html", context)


def _head(
    request: PageRequest, event: Event, view: ladder_page.LadderView | None
) -> PageHead | None:
    """Return what the page tells other sites: who is at the top."""
    rows = view.rows if view is not None else ()
    first = "; ".join(f"{row.place}. {row.name}" for row in rows[:LEADERS])
    text = _("%(event)s, a Hearts ladder of %(club)s.")
    about = text % {"event": event.name, "club": event.club.name}
    return event_head(
        request,
        event,
        description=f"{about} {first}".strip(),
        names=[row.name for row in rows],
        is_published=view is not None,
    )


def _live(path: str, event: Event, now: datetime) -> LiveState:
    is_behind, is_parked = event.is_behind, event.is_parked  # type: ignore[attr-defined]  # annotated
    published = bare(str(event.published or 0))  # type: ignore[attr-defined]  # annotated
    seen_at = event.worker_seen_at  # type: ignore[attr-defined]  # annotated
    has_worker = not is_behind or is_heard(seen_at, now)
    waits = f"{'-behind' * is_behind}{'-parked' * is_parked}{'-alone' * (not has_worker)}"
    changed = f"{event.challenged}-{event.club.names_version}"  # type: ignore[attr-defined]  # annotated
    tag = etag(f"{event.state}-{published}{waits}-{changed}{reader_mark(event)}")
    return LiveState(
        url=path,
        etag=tag,
        headers=json.dumps({"If-None-Match": tag}),
        seconds=seconds_between(event, is_behind=is_behind, is_parked=is_parked),
        is_behind=is_behind,
        is_parked=is_parked,
        has_worker=has_worker,
    )


def _moves_before(event: Event, before: int | None) -> tuple[list[MoveDocument], int | None]:
    """The newest moves of the steps before one, no step in parts, and where it goes on."""
    every = moves_with_explanation(event)
    if before is not None:
        every = every.filter(number__lt=before)
    listed = every[0 : MOVES + 1]
    if len(listed) <= MOVES:
        return listed, None
    whole = [one for one in listed if one["number"] != listed[-1]["number"]]
    if not whole:  # one step moved more members than a page holds
        number = listed[0]["number"]
        whole = list(every.filter(number__gte=number))
        return whole, number if every.filter(number__lt=number)[0:1] else None
    return whole, whole[-1]["number"]


def _against(event: Event, choices: ChallengeChoices | None) -> list[str]:
    """What speaks against the next one up, for a member who may challenge nobody."""
    if choices is None or not choices.against:
        return []
    form = LadderForm(names=names_in(event), zone=event.club.time_zone)
    return [form.sentence_of(one) for one in choices.against]


def _open_challenges_by_member(
    open_ones: tuple[ChallengeText, ...],
) -> dict[str, list[ChallengeText]]:
    """The open challenges by the code of each of the two, as they stand in the list."""
    found: dict[str, list[ChallengeText]] = {}
    for challenge in open_ones:
        for side in (challenge.line.challenger, challenge.line.challenged):
            found.setdefault(side.player_id, []).append(challenge)
    return found
