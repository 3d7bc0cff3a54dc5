"""Enter a sheet with totals only, and seat a table by its first sheet."""

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import points_text
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain import seating_runs
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.find_players import names_of
from tournaments.selectors.hands.disputes import may_dispute
from tournaments.selectors.hands.score_sheet_views import HandView, must_preview
from tournaments.selectors.rounds.resolve_players import (
    free_players,
    players_at_seats,
    players_on_sides,
)
from tournaments.selectors.rounds.table_sheets import stored_photos
from tournaments.selectors.rounds.tables import side_shape
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.record_entry import RecordedHand, record_entry, record_totals
from tournaments.services.previewing.run_preview import ChosenHands
from tournaments.services.rounds.seating import seat_open_table
from tournaments.services.rounds.seating_checks import ASKED, has_pairs, table_abandoned
from tournaments.views.hands.change_players import SeatingForm
from tournaments.views.hands.grid_rows import known_moves_in
from tournaments.views.hands.hand_form import RowPlayer
from tournaments.views.hands.hand_form_fields import LONGEST, EntryFields, entry_of, number_in
from tournaments.views.hands.hand_screen import (
    ADD,
    FILE,
    HANDS_MOVED,
    KNOWN_MOVES,
    LONGEST_KEY,
    LONGEST_REASON,
    EntryScreen,
    HandScreen,
    filing_of,
    new_key,
)
from tournaments.views.hands.move_hands import moved_hands
from tournaments.views.hands.phone_queue import outbox_json_without_form
from tournaments.views.hands.preview_correction import BACK, LOOK, PreviewForm, preview_or_save
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.find_players import posted_at_table
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done
from tournaments.views.http.service_form import ServiceForm, operation_of, posted


class TotalsForm(ServiceForm):
    """The totals of a whole game; `reason` is asked where there are totals already."""

    hands = forms.CharField(
        label=_("Number of hands played"),
        help_text=_(
            "If unknown, leave it empty. The totals then do not count for averages per hand."
        ),
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Reason for the correction"),
        help_text=_("One sentence. Shown on the sheet."),
        max_length=LONGEST_REASON,
    )

    def __init__(
        self,
        data: object,
        *,
        sheet: EntryFields,
        people: Sequence[RowPlayer],
        is_new: bool,
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self.sheet, self._people = sheet, people
        if is_new:
            del self.fields["reason"]
        for person in people:
            self.fields[f"points-{person.number}"] = forms.CharField(
                label=person.name,
                max_length=LONGEST,
                widget=forms.TextInput(
                    attrs={"class": "lone", "inputmode": "text", "autocomplete": "off"}
                ),
            )

    @property
    def rows(self) -> list[forms.BoundField]:
        return [self[f"points-{person.number}"] for person in self._people]

    def clean(self) -> JsonDict:
        """Ask for every total: an empty one is not a nought."""
        values = super().clean() or self.cleaned_data
        for person in self._people:
            name = f"points-{person.number}"
            if not values.get(name) and name not in self.errors:
                text = gettext("Enter the total of %(name)s, even if it is 0.")
                self.add_error(name, text % {"name": person.name})
        hands = values.get("hands")
        if hands and number_in(hands) is None:
            text = gettext(
                "%(found)s is not a valid number of hands. Enter 1 to 999, or leave "
                "the field empty."
            )
            self.add_error("hands", text % {"found": hands})
        return values

    def entry(self) -> JsonDict:
        values = self.cleaned_data
        fields = {name: [value] for name, value in values.items() if name.startswith("points-")}
        return entry_of(self.sheet, "points", fields)

    @property
    def played(self) -> int | None:
        return number_in(self.cleaned_data["hands"])

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; one of `points` is about a row, counted from 0."""
        if len(problem.at) == 2 and problem.at[0] == "points" and isinstance(problem.at[1], int):
            row = problem.at[1]
            if row < len(self._people):
                return f"points-{self._people[row].number}"
        return super().field_of(problem)


def initial_texts(sheet: EntryFields, entry: JsonObject, hands: int | None) -> dict[str, str]:
    rows = zip(sheet.rows, entry.get("points") or [], strict=False)
    texts = {f"points-{row}": points_text(value) for row, value in rows}
    return {**texts, "hands": str(hands) if hands else ""}


def ask_who_plays(request: PageRequest, screen: HandScreen) -> HttpResponse:
    """Ask for the players of an empty table and seat them; a hand sent for it has none yet."""
    may_seat = may_do(screen.event, "seat_open_table")
    is_sent = may_seat and bool({"seat-1", "side-1"} & set(request.POST))
    seats = screen.rules.keys.players[1]
    posted_data = posted_at_table(request, screen.event) if is_sent else None
    is_by_seat = "seat-1" in request.POST or not has_pairs(screen.event)
    shape = () if is_by_seat else side_shape(screen.rules, seats)
    form = SeatingForm(posted_data, seats=seats, shape=shape)
    if is_sent and form.is_valid():
        with form.placing():
            _seat(request, screen, form)
            notice = gettext("Table %(number)s seated.")
            messages.success(request, notice % {"number": screen.table.number})
            return redirect("tournaments:new-hand", *screen.address)
    round_link = layout.round_link(screen.event, screen.table.round_number)
    is_open = not screen.table.hands and screen.table.round_state in ("posted", "playing")
    context = {
        **screen.page(request, round_link),
        "round": round_link,
        "form": form if is_open and may_seat else None,
        "people": names_of(
            screen.event.club, free_players(screen.event.club, screen.game.table.round)
        )
        if may_seat
        else [],
        "may_add_guest": may_do(screen.event, "add_guest"),
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
    }
    is_refused = (request.method == "POST" and not is_sent) or not (is_open and may_seat)
    status = 200
    if is_refused:
        status = 409
    elif form.has_problems:
        status = REFUSED
    return render(request, "hands/seat_from_sheet.html", context, status=status)


def explain_no_hands(
    request: PageRequest, screen: EntryScreen, why: Problem | None = None, *, says: str = ""
) -> HttpResponse:
    """Show why the table accepts no hand, instead of the form; by default: abandoned.

    `says` is a sentence that is no refusal, in place of that of the problem.

    Hands stored on this device for the table are shown, and can be discarded.
    """
    round_link = layout.round_link(screen.event, screen.table.round_number)
    context = {
        **screen.page(request, round_link),
        "outbox": outbox_json_without_form(screen.event, screen.table, timezone.now()),
        "says": says or sentence(why or table_abandoned(screen.code, screen.table.number)),
        "may_report": screen.table.round_state == "closed"
        and may_dispute(request.actor, screen.event, screen.code),
    }
    return render(request, "hands/abandoned.html", context)


def _seat(request: PageRequest, screen: HandScreen, form: SeatingForm) -> None:
    round_ = screen.game.table.round
    if form.shape:
        players = players_on_sides(
            event=screen.event, round_=round_, typed=form.players(), shape=form.shape
        )
    else:
        players = players_at_seats(club=screen.event.club, round_=round_, typed=form.players())
    is_split = "split" in request.POST
    op = operation_of(request)
    seat_open_table(op, screen.game, players=players, split_sides=is_split)


@event_form_page(record_entry, seat_open_table, file_disputed, at_table=True)
def totals(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Show the totals of a table as typed, or empty, and take them in or their next revision."""
    screen = HandScreen(event, code)
    is_sent = request.method == "POST"
    if screen.is_abandoned and not screen.table.hands and not is_sent:
        return explain_no_hands(request, screen)
    if screen.is_empty:
        return ask_who_plays(request, screen)
    if screen.has_hands or (screen.is_void and not may_do(screen.event, "correct_closed")):
        return explain_totals_or_hands(request, screen, status=409 if is_sent else 200)
    if screen.table.round_state == "draft" and not is_sent:
        return explain_no_hands(request, screen, screen.why_no_hands)
    form = _form(request, screen)
    if not (is_sent and form.is_valid()) or request.POST.get("go") == BACK:
        return _show(request, screen, form)
    try:
        recorded = _save_or_preview(request, screen, form)
    except Conflict as conflict:
        return _show_conflict(request, screen, conflict)
    except Refused as refused:
        form.place(refused.problems)
        return _show(request, screen, form)
    if isinstance(recorded, HttpResponse):
        return recorded
    text = gettext("Totals saved as revision %(revision)s.")
    notice = text % {"revision": recorded.entry.revision}
    return done(request, notice, "verify-sheet", event, code=code)


def _form(request: PageRequest, screen: HandScreen) -> TotalsForm:
    stored_totals = screen.totals
    return TotalsForm(
        posted(request),
        sheet=screen.sheet,
        people=screen.people,
        is_new=stored_totals is None,
        initial=initial_texts(screen.sheet, stored_totals.entry, stored_totals.n_hands)
        if stored_totals
        else {},
    )


def _file_disputed(request: PageRequest, screen: HandScreen, form: TotalsForm) -> HttpResponse:
    file_disputed(
        operation_of(request),
        screen.game,
        number=TOTALS,
        entry=form.entry(),
        hands=form.played,
        key=_key(request),
        reason=request.POST.get("reason", ""),
        known_moves=known_moves_in(request.POST.dict()),
    )
    text = gettext("The totals are saved as disputed. They do not count until they are resolved.")
    messages.success(request, text)
    return redirect("tournaments:table", *screen.address)


def _save_or_preview(
    request: PageRequest, screen: HandScreen, form: TotalsForm
) -> RecordedHand | HttpResponse:
    stored_totals = screen.totals
    is_look = request.POST.get("go") == LOOK
    reason = form.cleaned_data.get("reason", "").strip()
    if stored_totals is None and request.POST.get("go") == FILE:
        return _file_disputed(request, screen, form)
    if stored_totals is None or not (is_look or must_preview(screen.event, screen.table)):
        return _record(request, screen, form, reason)
    carried = ("key", "based_on", "hands", seating_runs.FIELD, KNOWN_MOVES)
    saving = PreviewForm(
        action=request.path,
        title=gettext("Correct totals"),
        button=gettext("Save as revision %(number)s") % {"number": stored_totals.revision + 1},
        fields=tuple(
            (name, value)
            for name, value in request.POST.dict().items()
            if name in carried or name.startswith("points-")
        ),
        reason=reason,
        back=BACK,
    )
    return preview_or_save(
        request,
        ChosenHands(screen.event, screen.code, TOTALS),
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
            operation_of(request),
            screen.game,
            entry=form.entry(),
            hands=form.played,
            source="host",
            based_on=number_in(request.POST.get("based_on", "")),
            key=_key(request),
            reason=reason,
            displayed_players=seating_runs.in_field(request.POST.get(seating_runs.FIELD, "")),
            known_moves=known_moves_in(request.POST.dict()),
            additional=request.POST.get("go") == ADD,
        )
    except (Conflict, Forbidden) as refusal:
        if refusal.problem.code in ("hand_exists", "entry_outdated"):
            raise  # `_show_conflict` shows what is stored
        raise Refused(refusal.problem) from refusal


def _show_conflict(request: PageRequest, screen: HandScreen, conflict: Conflict) -> HttpResponse:
    now = HandScreen(screen.event, screen.code)
    form = _form(request, now)
    stored_totals = now.totals
    if stored_totals is None or not form.is_valid():
        raise conflict
    if (stored_totals.entry, stored_totals.n_hands) == (
        form.entry(),
        form.played,
    ) and stored_totals.state != "void":
        messages.info(request, gettext("These totals were already entered."))
        return redirect("tournaments:table", *screen.address)
    return _show(request, now, form, first=stored_totals)


def _show(
    request: PageRequest, screen: HandScreen, form: TotalsForm, first: HandView | None = None
) -> HttpResponse:
    """Print the form; `first` are totals that somebody wrote before the ones typed here."""
    stored_totals = screen.totals
    is_again = form.is_bound and first is None
    revision = str(stored_totals.revision) if stored_totals else ""
    moved = next((problem for problem in form.placed if problem.code == HANDS_MOVED), None)
    known_moves: object = known_moves_in(request.POST.dict()) if is_again else screen.moves
    if moved is not None:
        known_moves = moved.facts["moves"]
    context = {
        **screen.page(request),
        "form": form,
        "there": stored_totals,
        "first": first,
        "photos": stored_photos(screen.event, screen.code),
        "key": _key(request) if is_again else new_key("page"),
        "known_moves": known_moves,
        "moved": moved_hands(screen.event, screen.code, moved) if moved is not None else None,
        "may_add": screen.may_add(form.placed),
        "filing": filing_of(screen.event, form.placed) if stored_totals is None else "",
        "reason": request.POST.get("reason", ""),
        "based_on": request.POST.get("based_on", "") if is_again else revision,
    }
    status = 200
    if first:
        status = 409
    elif form.has_problems:
        status = REFUSED
    return render(request, "hands/enter_totals.html", context, status=status)


def _key(request: PageRequest) -> str:
    return request.POST.get("key", "")[:LONGEST_KEY] or new_key("page")


def explain_totals_or_hands(
    request: PageRequest, screen: HandScreen, *, status: int = 200
) -> HttpResponse:
    context = {
        **screen.page(request),
        "n_hands": sum(1 for hand in screen.table.hands if hand.number and hand.state != "void"),
        "may_void": may_do(screen.event, "void_hand"),
    }
    return render(request, "hands/no_double_entry.html", context, status=status)
