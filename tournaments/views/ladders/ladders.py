"""Pages of a ladder as published: the list, moves, ratings; what all pages of a ladder share."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.domain.etags import bare, etag
from tournaments.domain.standings.ladder_documents import MoveDocument
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.selectors.attendance.attendance_entry import find_attendance_day
from tournaments.selectors.chat_text import challenges_text
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import event_url
from tournaments.selectors.jobs.queue import get_ladder_progress, is_heard
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders import ladder_page, ladders
from tournaments.selectors.ladders.challenges import challenge_lines
from tournaments.selectors.ladders.ladder_page import LadderView, ladder_with_state
from tournaments.selectors.ladders.ladders import (
    choices_of,
    inactivity_warnings,
    members_in_order,
    moves_with_explanation,
)
from tournaments.selectors.ladders.log import tables_without_moves
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page, page, stored_csv
from tournaments.views.http.layout import Layout, Link, PageRequest, account_hint
from tournaments.views.http.page_head import PageHead, event_head
from tournaments.views.http.responses import not_modified, reader_mark
from tournaments.views.http.service_form import ServiceForm, render_form
from tournaments.views.ladders.challenge_forms import (
    LadderForm,
    challenges_in_words,
    main_challenge,
)
from tournaments.views.standings.standings import LiveState, seconds_between

ladder_view = partial(event_page, find=ladders.get_ladder)
ladder_form = partial(event_form_page, find=ladders.get_ladder)

MOVES: Final = 100
"""Moves on one page."""


def ladder_layout(request: PageRequest, event: Event, *crumbs: Link, current: str = "") -> Layout:
    page_layout = layout.event_layout(request, event, crumbs, current=current)
    url = event_url("ladder-csv", event)
    return replace(page_layout, csv_url=url, csv_text=_("Ladder as CSV"))


def render_ladder(
    request: PageRequest,
    template: str,
    event: Event,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    crumbs: Sequence[Link] = (),
    current: str = "",
    status: int | None = None,
) -> HttpResponse:
    page_layout = ladder_layout(request, event, *crumbs, current=current)
    page = {"layout": page_layout, "event": event, **context}
    return render_form(request, template, page, *forms, status=status)


def to_list(event: Event) -> Link:
    return layout.link_to(_("Challenges"), "challenges", event)


def members_by_place(event: Event) -> Sequence[tuple[str, str]]:
    """Return the code and the label of each member on the current list, from the top, for fields of
    forms."""
    names = names_in(event)
    order = members_in_order(event, anew=True)
    return [(code, f"{at} {names.get(code, code)}") for at, code in enumerate(order, start=1)]


def own_code(request: PageRequest, event: Event) -> str:
    entrant = rows.own_entrant(request.actor, event)
    return entrant.code if entrant is not None else ""


def may_take_part(event: Event, own: str) -> bool:
    may = may_do(event, "challenge") and (bool(own) or may_do(event, "enter_hand"))
    return may and event.is_open


def ladders_of(request: PageRequest, club: Club, player: Player) -> list[dict[str, object]]:
    readable = events.listed_events(request.actor, club).filter(kind=EventKind.LADDER)
    ladders = []
    for event, code in rows.ladders_with(readable, player):
        own = own_code(request, event)
        challenges = rows.challenges_of_member(event, code).filter(state__in=OPEN_CHALLENGES)
        ladders.append(
            {
                "event": event,
                "code": code,
                "is_own": bool(own) and own == code,
                "open": challenges_for_reader(
                    request, event, list(challenges), now=timezone.now(), own=own
                ),
                "progress": get_ladder_progress(event.pk, timezone.now()),
            }
        )
    return ladders


def idle_in(
    event: Event, view: LadderView | None, *, now: datetime
) -> dict[str, dict[str, object]]:
    """Return the warnings of inactivity by code; none for readers outside the club, for they would
    show who is away."""
    if view is None or not may_do(event, "read_members"):
        return {}
    return inactivity_warnings(
        event, {row["player_id"]: row["last_played"] for row in view.rows}, now=now
    )


def challenges_for_reader(
    request: PageRequest, event: Event, challenges: Sequence[Challenge], *, now: datetime, own: str
) -> tuple[JsonDict, ...]:
    if not challenges:
        return ()
    lines = challenge_lines(event, list(challenges), actor=request.actor, now=now)
    return challenges_in_words(event, lines, now=now, own=own)


@page("read_public")
def ladder(request: PageRequest, club: str, event: str) -> HttpResponse:
    ladder_event = ladder_with_state(request.actor, club, event)
    now = timezone.now()
    live = _live(request.path, ladder_event, now)
    if request.htmx and (same := not_modified(request, live.etag)) is not None:
        return same
    entrant = rows.own_entrant(request.actor, ladder_event)
    code = entrant.code if entrant is not None else ""
    open_challenges = challenges_for_reader(
        request, ladder_event, list(rows.open_challenge_rows(ladder_event)), now=now, own=code
    )
    by_member: dict[str, list[JsonDict]] = {}
    for challenge in open_challenges:
        for side in (challenge["line"].challenger, challenge["line"].challenged):
            by_member.setdefault(side["player_id"], []).append(challenge)
    may_send = may_take_part(ladder_event, code)
    choices = None
    if entrant is not None and may_send:
        choices = choices_of(ladder_event, entrant, now=now)
    against: list[str] = []
    if choices is not None and choices["against"]:
        form = LadderForm(names=names_in(ladder_event), zone=ladder_event.club.time_zone)
        against = [form.sentence_of(problem) for problem in choices["against"]]
    view = ladder_page.current_ladder_view(ladder_event)
    context: dict[str, Any] = {
        "layout": replace(
            ladder_layout(request, ladder_event, current="ladder"),
            head=_head(request, ladder_event, view),
        ),
        "event": ladder_event,
        "live": live,
        "view": view,
        "progress": get_ladder_progress(ladder_event.pk, now),
        "own": code,
        "place": view.row_of(code) if view and code else None,
        "choices": choices,
        "against": against,
        "open": open_challenges,
        "main_challenge": main_challenge(open_challenges),
        "others": [challenge for challenge in open_challenges if not challenge["own"]],
        "chat": challenges_text(ladder_event, now=now) if open_challenges else "",
        "beside": by_member,
        "away": {
            row.entrant.code: row.until for row in ladder_page.current_absences(ladder_event, now)
        },
        "idle": idle_in(ladder_event, view, now=now),
        "may_send": may_send,
        "hint": account_hint(request, ladder_event),
        "may_read_away": may_do(ladder_event, "read_members"),
        "may_direct": may_do(ladder_event, "manage_event"),
        "attendance_day": find_attendance_day(ladder_event, now),
    }
    response = render(
        request, "ladders/_live.html" if request.htmx else "ladders/ladder.html", context
    )
    if request.htmx:
        response["ETag"] = live.etag
    return response


@ladder_view("read_public")
def ladder_csv(request: PageRequest, ladder_event: Event) -> HttpResponse:
    publication = ladder_page.newest_ladder(ladder_event)
    return stored_csv(publication, f"{ladder_event.club.slug}-{ladder_event.slug}-ladder")


@ladder_view("read_public")
def publication(request: PageRequest, ladder_event: Event, number: int) -> HttpResponse:
    view = ladder_page.ladder_view_at(ladder_event, number)
    publications = ladder_page.ladder_publications(ladder_event).values_list("number", flat=True)
    numbers = tuple(publications[:40])
    context = {
        "view": view,
        "newest": numbers[0],
        "numbers": numbers,
        "beside": {},
        "away": {},
        "idle": {},
        "own": "",
    }
    return render_ladder(request, "ladders/publication.html", ladder_event, context)


@ladder_view("read_public")
def moves(request: PageRequest, ladder_event: Event) -> HttpResponse:
    before = number_in(request.GET.get("before", ""))
    page_moves, more = _moves_before(ladder_event, before)
    context = {
        "view": ladder_page.current_ladder_view(ladder_event),
        "progress": get_ladder_progress(ladder_event.pk, timezone.now()),
        "moves": ladder_page.moves_with_short_explanation(page_moves),
        "without": tables_without_moves(ladder_event, before=before, since=more),
        "before": more,
        "is_first": before is None,
        "csv": f"/api/v1{request.path}.csv",
    }
    return render_ladder(request, "ladders/moves.html", ladder_event, context)


@ladder_view("read_public")
def ratings(request: PageRequest, ladder_event: Event) -> HttpResponse:
    context = {
        "view": ladder_page.current_ladder_view(ladder_event),
        "progress": get_ladder_progress(ladder_event.pk, timezone.now()),
    }
    return render_ladder(request, "ladders/ratings.html", ladder_event, context, current="ratings")


def _head(
    request: PageRequest, event: Event, view: ladder_page.LadderView | None
) -> PageHead | None:
    leaders = [(row["place"], row["name"]) for row in (view.rows if view is not None else ())]
    about = _("%(event)s, a Hearts ladder of %(club)s.")
    return event_head(request, event, about, leaders, is_published=view is not None)


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
        seconds=seconds_between(event, is_behind=is_behind, is_parked=is_parked),
        is_behind=is_behind,
        is_parked=is_parked,
        has_worker=has_worker,
    )


def _moves_before(event: Event, before: int | None) -> tuple[list[MoveDocument], int | None]:
    """Return the newest moves of whole steps before a step, and the step where the next page
    begins."""
    every = moves_with_explanation(event)
    if before is not None:
        every = every.filter(number__lt=before)
    page_moves = every[0 : MOVES + 1]
    if len(page_moves) <= MOVES:
        return page_moves, None
    whole = [move for move in page_moves if move["number"] != page_moves[-1]["number"]]
    if not whole:  # one step moved more members than a page holds
        number = page_moves[0]["number"]
        whole = list(every.filter(number__gte=number))
        return whole, number if every.filter(number__lt=number)[0:1] else None
    return whole, whole[-1]["number"]
