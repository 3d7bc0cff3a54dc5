"""An evening of which only the totals are known: one number a seat for the whole table."""

import uuid
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.hands.entry_fields import number_in
from tournaments.forms.hands.totals import TotalsForm, as_typed
from tournaments.previewing.run_preview import HandRef
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.rounds.photos import kept_photos
from tournaments.services.hands.record_entry import RecordedHand, TotalsEntry, record_entry
from tournaments.views.hands.entry_context import EntryContext
from tournaments.views.hands.preview_correction import PreviewForm, looked_at, must_look
from tournaments.views.hands.seat_from_sheet import ask_who_plays, takes_no_hands
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest

LONGEST_KEY: Final = 128
LOOK: Final = "look"
"""The button that shows what a correction changes."""
BACK: Final = "back"
"""The button that leads from there back to the numbers."""


@form_page("enter_hand", at_table=True)
def totals(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show the totals of a table as typed, or empty, and take them in or their next revision."""
    desk = EntryContext(event_at(request.actor, club, event, code=code), code, None)
    is_sent = request.method == "POST"
    if desk.is_abandoned and not desk.table.hands and not is_sent:
        return takes_no_hands(request, desk)
    if desk.is_empty:
        return ask_who_plays(request, desk)
    if desk.has_hands or (desk.is_void and not may_do(desk.event, "correct_closed")):
        return only_one(request, desk, status=409 if is_sent else 200)
    form = _form(request, desk)
    if not (is_sent and form.is_valid()) or request.POST.get("go") == BACK:
        return _show(request, desk, form)
    try:
        done = _saved_or_shown(request, desk, form)
    except Conflict as conflict:
        return _somebody_was_first(request, desk, conflict)
    except Refused as refused:
        form.place(refused.problems)
        return _show(request, desk, form)
    if isinstance(done, HttpResponse):
        return done
    text = _("The totals are saved as revision %(revision)s.")
    messages.success(request, text % {"revision": done.entry.revision})
    return redirect("tournaments:read-back", club, event, code)


def _form(request: PageRequest, desk: EntryContext) -> TotalsForm:
    there = desk.totals
    return TotalsForm(
        request.POST if request.method == "POST" else None,
        sheet=desk.sheet,
        people=desk.people,
        is_new=there is None,
        initial=as_typed(desk.sheet, there.entry, there.n_hands) if there else {},
    )


def _saved_or_shown(
    request: PageRequest, desk: EntryContext, form: TotalsForm
) -> RecordedHand | HttpResponse:
    """Save the totals; a correction of results that are out shows first what it changes."""
    there, is_look = desk.totals, request.POST.get("go") == LOOK
    reason = form.cleaned_data.get("reason", "").strip()
    if there is None or not (is_look or must_look(desk.event, desk.table)):
        return _record(request, desk, form, reason)
    kept = ("key", "based_on", "hands")
    saving = PreviewForm(
        action=request.path,
        title=_("Correct the totals"),
        button=_("Save as revision %(number)s") % {"number": there.revision + 1},
        fields=tuple(
            (name, value)
            for name, value in request.POST.dict().items()
            if name in kept or name.startswith("points-")
        ),
        reason=reason,
        back=BACK,
    )
    return looked_at(
        request,
        HandRef(desk.event, desk.code, TOTALS),
        desk.table,
        saving,
        lambda reason: _record(request, desk, form, reason),
        is_look=is_look,
    )


def _record(
    request: PageRequest, desk: EntryContext, form: TotalsForm, reason: str
) -> RecordedHand:
    try:
        return record_entry(
            actor=request.actor,
            game=desk.game,
            number=TOTALS,
            entry=form.entry(),
            totals=TotalsEntry(form.played),
            now=timezone.now(),
            source="host",
            based_on=number_in(request.POST.get("based_on", "")),
            key=_key(request),
            reason=reason,
        )
    except Conflict as conflict:
        if conflict.problem.code in ("hand_exists", "entry_outdated"):
            raise
        raise Refused(conflict.problem) from conflict
    except Forbidden as forbidden:
        raise Refused(forbidden.problem) from forbidden


def _somebody_was_first(
    request: PageRequest, desk: EntryContext, conflict: Conflict
) -> HttpResponse:
    """Show what was written first above what was typed here; nothing is chosen for anybody."""
    now = EntryContext(desk.event, desk.code, None)
    form, there = _form(request, now), now.totals
    if there is None or not form.is_valid():
        raise conflict
    if (there.entry, there.n_hands) == (form.entry(), form.played) and there.state != "void":
        messages.info(request, _("These totals are there already."))
        return redirect("tournaments:table", desk.event.club.slug, desk.event.slug, desk.code)
    return _show(request, now, form, first=there)


def _show(
    request: PageRequest, desk: EntryContext, form: TotalsForm, first: HandView | None = None
) -> HttpResponse:
    """Print the form; `first` are totals that somebody wrote before the ones typed here."""
    there = desk.totals
    is_again = form.is_bound and first is None
    looked_at = str(there.revision) if there else ""
    context = {
        "frame": layout.event_frame(request, desk.event),
        "event": desk.event,
        "desk": desk,
        "form": form,
        "there": there,
        "first": first,
        "photos": kept_photos(desk.event, desk.code),
        "key": _key(request) if is_again else _new_key(),
        "based_on": request.POST.get("based_on", "") if is_again else looked_at,
    }
    status = 409 if first else REFUSED if form.has_problems else 200
    return render(request, "hands/enter_totals.html", context, status=status)


def _key(request: PageRequest) -> str:
    return request.POST.get("key", "")[:LONGEST_KEY] or _new_key()


def _new_key() -> str:
    return f"page-{uuid.uuid4()}"


def only_one(request: PageRequest, desk: EntryContext, *, status: int = 200) -> HttpResponse:
    """Say that a table has either hands or its totals, which of both it has, and the ways on."""
    context = {
        "frame": layout.event_frame(request, desk.event),
        "event": desk.event,
        "desk": desk,
        "n_hands": sum(1 for hand in desk.table.hands if hand.number and hand.state != "void"),
        "may_void": may_do(desk.event, "void_hand"),
    }
    return render(request, "hands/no_double_entry.html", context, status=status)
