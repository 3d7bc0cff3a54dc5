"""Resolve one problem or one conflict of an import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportProblem, ProblemState, Upload
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.hands.entry_display import SeatEntry, displayed_hand
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
    SeatView,
    TableSheet,
    hand_of,
    table_words,
)
from tournaments.selectors.imports import imports
from tournaments.services.imports import resolve_problem
from tournaments.services.imports.process_upload import ROWS, process_upload
from tournaments.services.imports.resolve_conflict import (
    FileHand,
    correct_hand,
    file_hand,
    use_file_hand,
)
from tournaments.services.imports.resolve_problem import Resolution, ResolvedLines, dismiss_problem
from tournaments.services.imports.uploads import confirm_upload
from tournaments.services.previewing.run_preview import HandRef, preview
from tournaments.services.rounds.seating import table_code
from tournaments.views.hands.enter_hand import natural_number
from tournaments.views.hands.preview_correction import PreviewText, preview_text, preview_text_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.find_players import (
    PICK,
    NamedField,
    NamedPlayersForm,
    posted_with_answer,
)
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt


class ResolveProblemForm(NamedPlayersForm):
    """Who sat there, somebody new, why a problem is dismissed, or why the file's hand counts; the
    button says which."""

    player = forms.CharField(
        label=_("Player"),
        help_text=_("Enter a player's id or name. The beginning of the name is enough."),
        required=False,
        widget=forms.TextInput(attrs={"list": "members", "autocomplete": "off"}),
    )
    name = forms.CharField(label=_("Name"), max_length=120, required=False)
    player_id = forms.CharField(
        label=_("Player id"),
        help_text=_("If empty, the player is a guest with the next free number."),
        max_length=40,
        required=False,
    )
    reason = forms.CharField(
        label=_("Reason for dismissing"),
        help_text=_("One sentence."),
        max_length=500,
        required=False,
    )
    why = forms.CharField(
        label=_("Reason for the correction"),
        help_text=_("Shown on the sheet and in the public change log."),
        max_length=500,
        required=False,
    )

    @property
    def named_player(self) -> NamedField:
        """The field for who sat there, with the players that its text may mean."""
        return self._named("player")

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; the reason of a correction has its own."""
        named = super().field_of(problem)
        return "why" if named == "reason" and self.data.get("do") == "use-file" else named


def typed_cells(posted: Mapping[str, str], rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Return the cells of mended lines as they were sent (`c-LINE-COLUMN`)."""
    return {
        line: [posted.get(f"c-{line}-{index}", cell) for index, cell in enumerate(cells)]
        for line, cells in rows.items()
    }


@dataclass(frozen=True, slots=True)
class ComparedSeat:
    """A seat in the stored hand and in the file's; scores are None where nothing is booked."""

    seat: SeatView
    stored: SeatEntry
    score: Any
    own: SeatEntry
    own_score: Any
    has_own_scores: bool

    @property
    def took_differs(self) -> bool:
        """Whether the file says something else of the seat."""
        return self.stored != self.own

    @property
    def score_differs(self) -> bool:
        """Whether the seat is booked something else with the file's hand."""
        return self.has_own_scores and self.score != self.own_score


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Both hands. `effect` says what the file's hand would change, or why it cannot be used."""

    sheet: TableSheet
    stored: HandView
    seats: tuple[ComparedSeat, ...]
    own_table: tuple[tuple[str | Promise, str | Promise], ...]
    stored_table: tuple[tuple[str | Promise, str | Promise], ...]
    effect: PreviewText
    is_open: bool
    is_imported: bool

    @property
    def may_use(self) -> bool:
        """Whether the file's hand can take the place of the stored one now."""
        return self.is_open and self.is_imported and self.effect.preview is not None

    @property
    def tables_differ(self) -> bool:
        """Whether what is said of the whole table differs."""
        return self.own_table != self.stored_table


def conflict_of(request: PageRequest, event: Event, problem: ImportProblem) -> ConflictView | None:
    """Return both hands of a conflict; None where there are no two."""
    own = file_hand(problem)
    if own is None or problem.round is None or problem.table is None or problem.hand is None:
        return None
    code = table_code(problem.round, problem.table)
    try:
        sheet = table_sheet(event, code)
        stored = hand_of(sheet, problem.hand)
    except Missing:
        return None
    at = HandRef(event, code, problem.hand)

    def change() -> object:
        return correct_hand(
            actor=request.actor,
            problem=problem,
            event=event,
            based_on=stored.revision,
            reason=likely_reason(problem),
            now=timezone.now(),
        )

    is_imported = problem.batch.state == BatchState.DONE
    shown = preview_text_of(at, change) if is_imported else _preview_before_import(at, change)
    return _both(problem, sheet, stored, own, shown)


def _preview_before_import(at: HandRef, change: Callable[[], object]) -> PreviewText:
    """Return what the file's hand would change before its file is imported, or why it cannot be.

    The round is closed until then, and opens with the problem: that is no reason against it.
    """
    try:
        return preview_text(preview(at, change, now=timezone.now()))
    except Refused as refused:
        return PreviewText(None, tuple(map(sentence, refused.problems)))
    except (Conflict, Forbidden):
        return PreviewText(None)


def _both(
    problem: ImportProblem, sheet: TableSheet, stored: HandView, own: FileHand, shown: PreviewText
) -> ConflictView:
    n_seats, sides = len(sheet.seats), _sides(stored)
    typed = displayed_hand(own.entry, n_seats, sides=sides)
    changes = shown.preview.hands if shown.preview is not None else ()
    then = next((one.hand_then.cells for one in changes if one.number == stored.number), ())
    seats = tuple(
        ComparedSeat(
            cell.seat,
            cell.typed,
            cell.score,
            mine,
            then[index].score if then else None,
            bool(then),
        )
        for index, (cell, mine) in enumerate(zip(stored.cells, typed.seats, strict=True))
    )
    places = tuple(cell.seat for cell in stored.cells)
    return ConflictView(
        sheet=sheet,
        stored=stored,
        seats=seats,
        own_table=table_words(typed, places)
        + _length(stored, own.hands)
        + _board(stored.board if own.board is None else own.board),
        stored_table=table_words(displayed_hand(stored.entry, n_seats, sides=sides), places)
        + _length(stored, stored.n_hands)
        + _board(stored.board),
        effect=shown,
        is_open=problem.state == ProblemState.OPEN,
        is_imported=problem.batch.state == BatchState.DONE,
    )


def _sides(stored: HandView) -> tuple[tuple[int, ...], ...]:
    """Return the seats (from 0) of each side that has one score; nothing where each has its own."""
    places = [cell.seat for cell in stored.cells]
    sides = {cell.column.seats: None for cell in stored.cells if cell.side is not None}
    return tuple(tuple(places.index(seat) for seat in seats) for seats in sides)


def _length(stored: HandView, hands: int | None) -> tuple[tuple[str, str], ...]:
    """Return how many hands totals stand for, as a line below them."""
    if stored.number != TOTALS:
        return ()
    return ((gettext("hands played"), "–" if hands is None else str(hands)),)


def _board(number: int | None) -> tuple[tuple[str, str], ...]:
    """Return the board of a hand of a duplicate event, as a line below it."""
    return () if number is None else ((gettext("board"), str(number)),)


def likely_reason(problem: ImportProblem) -> str:
    """Return the reason that is written in advance for using the file's hand."""
    facts = {"number": problem.batch.number, "file": problem.batch.file_name[:200]}
    return gettext("Import %(number)s: as in %(file)s.") % facts


def keep_stored(request: PageRequest, problem: ImportProblem, reason: str) -> None:
    """Leave the stored hand as it is; the file's stays out."""
    dismiss_problem(
        actor=request.actor,
        problem=problem,
        reason=reason or gettext("Stored hand kept."),
        now=timezone.now(),
    )
    messages.success(request, gettext("Stored hand kept. The file's hand is not imported."))


def use_files(request: PageRequest, problem: ImportProblem, based_on: int, reason: str) -> None:
    """Make the file's hand the next revision of the stored one."""
    done = use_file_hand(
        actor=request.actor, problem=problem, based_on=based_on, reason=reason, now=timezone.now()
    )
    text = gettext("The file's hand now counts as revision %(number)s.")
    messages.success(request, text % {"number": done.hand.revision})


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """One problem with its file, None where it is not kept, and its rows as they read now."""

    event: Event
    problem: ImportProblem
    upload: Upload | None
    rows: dict[int, list[str]]


@form_page(imports.ACT)
def problem(
    request: PageRequest, club: str, event: str, number: int, position: int
) -> HttpResponse:
    """Show one problem with every way to settle it, and settle it."""
    found = events.event_at(request.actor, club, event)
    one = imports.problem_at(imports.batch_at(found, number), position)
    upload = imports.file_of(one.batch)
    rows = resolve_problem.rows_of(one, upload) if upload is not None else {}
    asked = ProblemPage(found, one, upload, rows if len(rows) <= resolve_problem.MOST_LINES else {})
    if request.method != "POST":
        written = resolve_problem.written_person(one, upload) if upload is not None else {}
        return _ask(
            request, asked, ResolveProblemForm(initial={**written, "why": likely_reason(one)})
        )
    form = ResolveProblemForm(posted_with_answer(request, found.club))
    if not form.is_valid() or not attempt(form, lambda: _settle(request, asked, form)):
        return _ask(request, asked, form)
    if request.POST.get("do") == "import":  # back to both hands, now that one can be replaced
        return redirect("tournaments:problem", club, event, number, position)
    return redirect(_where_it_goes_on(asked))


def _where_it_goes_on(asked: ProblemPage) -> str:
    """Return the address of the import, at the next problem that waits in the file."""
    event, batch = asked.event, asked.problem.batch
    page = reverse("tournaments:import", args=(event.club.slug, event.slug, batch.number))
    lines = asked.problem.lines
    following = imports.next_open(batch, lines[0] if lines else 0)
    return f"{page}#problem-{following.position}" if following else page


def _settle(request: PageRequest, asked: ProblemPage, form: ResolveProblemForm) -> bool:
    """Do what the pressed button says; true where it is done."""
    how = "player" if PICK in request.POST else request.POST.get("do", "")
    typed, now = form.cleaned_data, timezone.now()
    if how == "keep-stored":
        keep_stored(request, asked.problem, typed["reason"])
        return True
    if how == "use-file":
        use_files(
            request,
            asked.problem,
            natural_number(request.POST.get("based_on", "")) or 0,
            typed["why"],
        )
        return True
    if how == "import":
        confirm_upload(actor=request.actor, batch=asked.problem.batch, now=now)
        _work_off(asked.problem, now)
        return True
    if how == "dismiss":
        dismiss_problem(actor=request.actor, problem=asked.problem, reason=typed["reason"], now=now)
        messages.success(request, gettext("Problem dismissed. Its rows are not imported."))
        return True
    return _read_again(request, asked, form, how)


def _work_off(problem: ImportProblem, now: datetime) -> None:
    if problem.batch.rows <= ROWS:
        process_upload(problem.batch.pk, now=now)


def _read_again(
    request: PageRequest, asked: ProblemPage, form: ResolveProblemForm, how: str
) -> bool:
    """Have the file read again with what was said; true where that was begun."""
    typed, now = form.cleaned_data, timezone.now()
    if asked.upload is None:
        form.add_error(
            None, gettext("This file is not stored here. Correct the file and import it again.")
        )
        return False
    settling = Resolution(request.actor, asked.problem, asked.upload, now)
    if how.startswith("offer-") and how[6:].isdecimal():
        settling.offer(int(how[6:]))
    elif how == "player":
        settling.player(typed["player"])
    elif how == "newcomer":
        settling.newcomer(typed["name"], typed["player_id"])
    else:
        settling.mend(ResolvedLines(typed_cells(request.POST, asked.rows)))
    _work_off(asked.problem, now)
    messages.success(request, gettext("The file was checked again with your change."))
    return True


def ways_of(problem: ImportProblem) -> list[dict[str, object]]:
    """Return the offers of a problem that are a button each."""
    return [offer for offer in problem.offers if "text" in offer]


def _ask(request: PageRequest, asked: ProblemPage, form: ResolveProblemForm) -> HttpResponse:
    event, one = asked.event, asked.problem
    if form.is_bound:
        one.refresh_from_db(fields=["state", "reason"])  # somebody may have been first
    heads = asked.upload.heads if asked.upload is not None else []
    rows = typed_cells(request.POST, asked.rows)
    crumbs = (
        layout.event_link(event), layout.imports_link(event), layout.import_link(one.batch, event)
    )  # fmt: skip
    conflict = conflict_of(request, event, one)
    context = {
        "conflict": conflict,
        "layout": layout.event_layout(request, event, crumbs),
        "event": event,
        "batch": one.batch,
        "one": one,
        "form": form,
        "heads": heads,
        "offers": ways_of(one) if asked.upload is not None else (),
        "rows": [
            (
                line,
                [
                    (index, head, cell)
                    for index, (head, cell) in enumerate(zip(heads, cells, strict=True))
                ],
            )
            for line, cells in rows.items()
        ],
        "asks_who": asked.upload is not None and resolve_problem.asks_who(one, asked.upload),
        "may_add_members": clubs.may_do(event, "edit_players"),
        "members": tuple(clubs.players_of(event.club).values_list("player_id", "name")),
    }
    return render(request, "imports/problem.html", context, status=422 if form.errors else 200)
