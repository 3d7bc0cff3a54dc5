"""Blind double entry: the grid of a second typist, and what differs between both typings."""

from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.hands.entry_fields import number_in
from tournaments.forms.hands.grid import MOST_ROWS, GridDraft, RowOutcome, posted_rows
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.hands.double_entry import twice_at
from tournaments.services.hands.double_entry import rule
from tournaments.views.hands.double_entry_context import DoubleEntryContext, SecondEntryContext
from tournaments.views.hands.grid_actions import mended, more, turn
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest

CONFLICT = 409


@form_page("enter_hand")
def second(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show empty rows to a second typist, and keep what is typed beside the first."""
    found = _event(request, club, event)
    desk = SecondEntryContext(found, code, request.actor)
    if desk.is_empty or desk.has_totals:
        return redirect("tournaments:table", club, event, code)
    if not desk.is_whole or desk.is_own:
        status = CONFLICT if request.method == "POST" else 200
        return _show(request, desk, [], {}, status=status)
    if request.method != "POST":
        return _show(request, desk, desk.drafts(request.GET.get("way", "")), {})
    drafts = [
        one for one in posted_rows(desk.sheet, request.POST.dict()) if one.number not in desk.own
    ]
    button, _colon, what = request.POST.get("go", "").partition(":")
    if button == "more":
        drafts += more(desk, drafts)
    elif button == "way":
        turn(desk, drafts, what)
    elif button != "row" or mended(desk, drafts, what):
        return _keep(request, desk, drafts)
    return _show(request, desk, drafts, {})


@form_page("enter_hand")
def differences(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show cell by cell where two typings of a sheet differ, and take the decision."""
    found = _event(request, club, event)
    problems: Sequence[Problem] = ()
    status = 200
    if request.method == "POST":
        desk = DoubleEntryContext(found, code)
        number = number_in(request.POST.get("hand", "")) or 0
        try:
            rule(
                actor=request.actor,
                game=desk.game,
                number=number,
                second=number_in(request.POST.get("second", "")) or 0,
                revision=number_in(request.POST.get("revision", "")) or 0,
                stands=request.POST.get("stands", ""),
                reason=request.POST.get("reason", ""),
                now=timezone.now(),
            )
        except Conflict as conflict:
            problems, status = (conflict.problem,), CONFLICT
        except Refused as refused:
            problems, status = refused.problems, REFUSED
        except Forbidden as forbidden:
            problems, status = (forbidden.problem,), 403
        else:
            messages.success(request, _("Hand %(hand)s is decided.") % {"hand": number})
            return redirect("tournaments:differences", club, event, code)
    desk = DoubleEntryContext(found, code)
    if desk.is_empty or desk.has_totals:
        return redirect("tournaments:table", club, event, code)
    context = {
        **_around(request, found, desk),
        "differences": desk.differences,
        "twice": desk.twice,
        "problems": tuple(map(sentence, problems)),
        "chosen": number_in(request.POST.get("hand", "")),
        "reason": request.POST.get("reason", ""),
        "may_void": clubs.may_do(found, "void_hand"),
    }
    return render(request, "hands/double_entry_differences.html", context, status=status)


def _event(request: PageRequest, club: str, event: str) -> Event:
    """Return the event, if its sheets are typed twice; else there is no such page."""
    found = events.event_at(request.actor, club, event)
    if not settings_of(found).double_entry:
        raise Http404
    return found


def _keep(
    request: PageRequest, desk: SecondEntryContext, drafts: Sequence[GridDraft]
) -> HttpResponse:
    if all(one.texts.is_empty for one in drafts):
        messages.error(request, _("Nothing is typed yet."))
        return _show(request, desk, drafts, {}, status=REFUSED)
    try:
        outcomes = desk.keep(request.actor, drafts, timezone.now())
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
        return _show(request, desk, drafts, {}, status=CONFLICT)
    if any(one.kind == "refused" for one in outcomes.values()):
        return _show(request, desk, drafts, outcomes, status=REFUSED)
    club, event = desk.event.club.slug, desk.event.slug
    twice = twice_at(desk.event, desk.code)
    if twice.open:
        return redirect("tournaments:differences", club, event, desk.code)
    facts = {"table": desk.table.number}
    is_done = twice.is_typed_twice
    said = _("Table %(table)s is typed twice, the same.") if is_done else _("So far the same.")
    messages.success(request, said % facts)
    return redirect("tournaments:pile", club, event, desk.table.round_number)


def _show(
    request: PageRequest,
    desk: SecondEntryContext,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome],
    *,
    status: int = 200,
) -> HttpResponse:
    ways = {one.way for one in drafts}
    context = {
        **_around(request, desk.event, desk),
        "grid": desk.show(drafts, outcomes) if drafts else None,
        "words": desk.words,
        "letters": desk.letters,
        "n_saved": sum(one.kind == "saved" for one in outcomes.values()),
        "ways": tuple(way for way in desk.ways if way not in ways),
        "can_grow": drafts
        and len(drafts) < MOST_ROWS
        and not (desk.of and drafts[-1].number >= desk.of),
    }
    return render(request, "hands/double_entry.html", context, status=status)


def _around(
    request: PageRequest, event: Event, desk: SecondEntryContext | DoubleEntryContext
) -> dict[str, object]:
    number = desk.table.round_number
    links = (layout.event_link(event), layout.round_link(event, number))
    return {
        "frame": layout.event_frame(request, event, links),
        "event": event,
        "desk": desk,
        "table": desk.table,
    }
