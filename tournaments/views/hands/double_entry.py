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
from tournaments.forms.hands.grid import GridDraft, RowOutcome, posted_rows
from tournaments.forms.hands.hand_form_fields import number_in
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.hands.double_entry import double_entry_of_table
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.services.hands.double_entry import choose_entry
from tournaments.views.hands.double_entry_screen import DoubleEntryScreen, SecondEntryScreen
from tournaments.views.hands.grid_actions import apply_row_button, change_way, more_rows
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest

CONFLICT = 409


@form_page("enter_hand")
def enter_second(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show empty rows to a second typist, and keep what is typed beside the first."""
    found = _event(request, club, event)
    screen = SecondEntryScreen(found, code, request.actor)
    if screen.is_empty or screen.totals_only:
        return redirect("tournaments:table", club, event, code)
    if not screen.is_whole or screen.is_own:
        status = CONFLICT if request.method == "POST" else 200
        return _show(request, screen, [], {}, status=status)
    if request.method != "POST":
        return _show(request, screen, screen.drafts(request.GET.get("way", "")), {})
    drafts = [
        one
        for one in posted_rows(screen.sheet, request.POST.dict())
        if one.number not in screen.own
    ]
    button, _colon, what = request.POST.get("go", "").partition(":")
    if button == "more":
        drafts += more_rows(screen, drafts, screen.way_of_new(request, drafts))
    elif button == "way":
        change_way(screen, drafts, what)
    else:
        if button == "row":
            apply_row_button(screen, drafts, what)
        return _store(request, screen, drafts)
    return _show(request, screen, drafts, {})


@form_page("enter_hand")
def differences(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show cell by cell where two typings of a sheet differ, and take the decision."""
    found = _event(request, club, event)
    problems: Sequence[Problem] = ()
    status = 200
    if request.method == "POST":
        number = number_in(request.POST.get("hand", "")) or 0
        try:
            choose_entry(
                actor=request.actor,
                game=game_at(found, code),
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
            messages.success(request, _("Hand %(hand)s resolved.") % {"hand": number})
            return redirect("tournaments:double-entry-differences", club, event, code)
    screen = DoubleEntryScreen(found, code)
    if screen.is_empty or screen.totals_only:
        return redirect("tournaments:table", club, event, code)
    context = {
        **screen.page(request, *screen.crumbs()),
        "differences": screen.differences,
        "twice": screen.twice,
        "problems": tuple(map(sentence, problems)),
        "chosen": number_in(request.POST.get("hand", "")),
        "reason": request.POST.get("reason", ""),
        "may_void": clubs.may_do(found, "void_hand"),
    }
    return render(request, "hands/double_entry_differences.html", context, status=status)


def _event(request: PageRequest, club: str, event: str) -> Event:
    """Return the event, if it requires double entry; else there is no such page."""
    found = events.event_at(request.actor, club, event)
    if not settings_of(found).double_entry:
        raise Http404
    return found


def _store(
    request: PageRequest, screen: SecondEntryScreen, drafts: Sequence[GridDraft]
) -> HttpResponse:
    if all(one.texts.is_empty for one in drafts):
        messages.error(request, _("No entries yet."))
        return _show(request, screen, drafts, {}, status=REFUSED)
    try:
        outcomes = screen.store(request.actor, drafts, timezone.now())
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
        return _show(request, screen, drafts, {}, status=CONFLICT)
    if any(one.kind == "refused" for one in outcomes.values()):
        return _show(request, screen, drafts, outcomes, status=REFUSED)
    club, event, _code = screen.address
    twice = double_entry_of_table(screen.event, screen.code)
    if twice.open:
        return redirect("tournaments:double-entry-differences", club, event, screen.code)
    facts = {"table": screen.table.number}
    is_done = twice.is_typed_twice
    notice = (
        _("Table %(table)s: both entries agree.") if is_done else _("Both entries agree so far.")
    )
    messages.success(request, notice % facts)
    return redirect("tournaments:sheets-to-enter", club, event, screen.table.round_number)


def _show(
    request: PageRequest,
    screen: SecondEntryScreen,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome],
    *,
    status: int = 200,
) -> HttpResponse:
    ways = {one.way for one in drafts}
    context = {
        **screen.grid_page(request, drafts, outcomes),
        "ways": tuple(way for way in screen.ways if way not in ways),
    }
    return render(request, "hands/double_entry.html", context, status=status)
