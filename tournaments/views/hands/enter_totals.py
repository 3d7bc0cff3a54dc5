"""An evening of which only the totals are known: one number a seat for the whole table."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating import shown_seats
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.hands.hand_form_fields import number_in
from tournaments.forms.hands.totals import TotalsForm, as_typed
from tournaments.previewing.run_preview import HandRef
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.rounds.photos import stored_photos
from tournaments.services.hands.file_disputed import file_disputed
from tournaments.services.hands.record_entry import RecordedHand, record_totals
from tournaments.views.hands.entry_screen import FILE, LONGEST_KEY, new_key
from tournaments.views.hands.hand_screen import HandScreen
from tournaments.views.hands.preview_correction import (
    BACK,
    LOOK,
    PreviewForm,
    must_preview,
    preview_or_save,
)
from tournaments.views.hands.seat_from_sheet import ask_who_plays, takes_no_hands
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest


@form_page("enter_hand", at_table=True)
def totals(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show the totals of a table as typed, or empty, and take them in or their next revision."""
    screen = HandScreen(event_at(request.actor, club, event, code=code), code)
    is_sent = request.method == "POST"
    if screen.is_abandoned and not screen.table.hands and not is_sent:
        return takes_no_hands(request, screen)
    if screen.is_empty:
        return ask_who_plays(request, screen)
    if screen.has_hands or (screen.is_void and not may_do(screen.event, "correct_closed")):
        return only_one(request, screen, status=409 if is_sent else 200)
    form = _form(request, screen)
    if not (is_sent and form.is_valid()) or request.POST.get("go") == BACK:
        return _show(request, screen, form)
    try:
        done = _save_or_preview(request, screen, form)
    except Conflict as conflict:
        return _show_conflict(request, screen, conflict)
    except Refused as refused:
        form.place(refused.problems)
        return _show(request, screen, form)
    if isinstance(done, HttpResponse):
        return done
    text = _("Totals saved as revision %(revision)s.")
    messages.success(request, text % {"revision": done.entry.revision})
    return redirect("tournaments:verify-sheet", club, event, code)


def _form(request: PageRequest, screen: HandScreen) -> TotalsForm:
    there = screen.totals
    return TotalsForm(
        request.POST if request.method == "POST" else None,
        sheet=screen.sheet,
        people=screen.people,
        is_new=there is None,
        initial=as_typed(screen.sheet, there.entry, there.n_hands) if there else {},
    )


def _file_disputed(request: PageRequest, screen: HandScreen, form: TotalsForm) -> HttpResponse:
    """Keep totals that no hands can make as they are on the sheet."""
    file_disputed(
        actor=request.actor,
        game=screen.game,
        number=TOTALS,
        entry=form.entry(),
        hands=form.played,
        key=_key(request),
        reason=request.POST.get("reason", ""),
        now=timezone.now(),
    )
    text = _("The totals are saved as disputed. They do not count until they are resolved.")
    messages.success(request, text)
    return redirect("tournaments:table", *screen.address)


def _save_or_preview(
    request: PageRequest, screen: HandScreen, form: TotalsForm
) -> RecordedHand | HttpResponse:
    """Save the totals; a correction of results that are out shows first what it changes."""
    there, is_look = screen.totals, request.POST.get("go") == LOOK
    reason = form.cleaned_data.get("reason", "").strip()
    if there is None and request.POST.get("go") == FILE:
        return _file_disputed(request, screen, form)
    if there is None or not (is_look or must_preview(screen.event, screen.table)):
        return _record(request, screen, form, reason)
    kept = ("key", "based_on", "hands", shown_seats.FIELD)
    saving = PreviewForm(
        action=request.path,
        title=_("Correct totals"),
        button=_("Save as revision %(number)s") % {"number": there.revision + 1},
        fields=tuple(
            (name, value)
            for name, value in request.POST.dict().items()
            if name in kept or name.startswith("points-")
        ),
        reason=reason,
        back=BACK,
    )
    return preview_or_save(
        request,
        HandRef(screen.event, screen.code, TOTALS),
        screen.table,
        saving,
        lambda reason: _record(request, screen, form, reason),
        is_look=is_look,
    )


def _record(
    request: PageRequest, screen: HandScreen, form: TotalsForm, reason: str
) -> RecordedHand:
    try:
        return record_totals(
            actor=request.actor,
            game=screen.game,
            entry=form.entry(),
            hands=form.played,
            now=timezone.now(),
            source="host",
            based_on=number_in(request.POST.get("based_on", "")),
            key=_key(request),
            reason=reason,
            shown=shown_seats.in_field(request.POST.get(shown_seats.FIELD, "")),
        )
    except Conflict as conflict:
        if conflict.problem.code in ("hand_exists", "entry_outdated"):
            raise
        raise Refused(conflict.problem) from conflict
    except Forbidden as forbidden:
        raise Refused(forbidden.problem) from forbidden


def _show_conflict(request: PageRequest, screen: HandScreen, conflict: Conflict) -> HttpResponse:
    """Show what was written first above what was typed here; nothing is chosen for anybody."""
    now = HandScreen(screen.event, screen.code)
    form, there = _form(request, now), now.totals
    if there is None or not form.is_valid():
        raise conflict
    if (there.entry, there.n_hands) == (form.entry(), form.played) and there.state != "void":
        messages.info(request, _("These totals were already entered."))
        return redirect("tournaments:table", *screen.address)
    return _show(request, now, form, first=there)


def _show(
    request: PageRequest, screen: HandScreen, form: TotalsForm, first: HandView | None = None
) -> HttpResponse:
    """Print the form; `first` are totals that somebody wrote before the ones typed here."""
    there = screen.totals
    is_again = form.is_bound and first is None
    preview_or_save = str(there.revision) if there else ""
    context = {
        **screen.page(request),
        "form": form,
        "there": there,
        "first": first,
        "photos": stored_photos(screen.event, screen.code),
        "key": _key(request) if is_again else new_key("page"),
        "may_file": there is None and screen.may_file(form.placed),
        "reason": request.POST.get("reason", ""),
        "based_on": request.POST.get("based_on", "") if is_again else preview_or_save,
    }
    status = 409 if first else REFUSED if form.has_problems else 200
    return render(request, "hands/enter_totals.html", context, status=status)


def _key(request: PageRequest) -> str:
    return request.POST.get("key", "")[:LONGEST_KEY] or new_key("page")


def only_one(request: PageRequest, screen: HandScreen, *, status: int = 200) -> HttpResponse:
    """Say that a table has either hands or its totals, which of both it has, and the ways on."""
    context = {
        **screen.page(request),
        "n_hands": sum(1 for hand in screen.table.hands if hand.number and hand.state != "void"),
        "may_void": may_do(screen.event, "void_hand"),
    }
    return render(request, "hands/no_double_entry.html", context, status=status)
