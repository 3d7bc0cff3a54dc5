"""Resolve one problem or one conflict of an import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
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
from tournaments.selectors.hands.entry_display import displayed_hand
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
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
    """The fields of all ways to resolve a problem; the button says which one counts."""

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
        name = super().field_of(problem)
        return "why" if name == "reason" and self.data.get("do") == "use-file" else name


def typed_cells(posted: Mapping[str, str], rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Return the cells of corrected lines as they were sent (`c-LINE-COLUMN`)."""
    return {
        line: [posted.get(f"c-{line}-{index}", cell) for index, cell in enumerate(cells)]
        for line, cells in rows.items()
    }


def conflict_of(
    request: PageRequest, event: Event, problem: ImportProblem
) -> dict[str, object] | None:
    """Return both hands of a conflict for the template; None if one of them is missing."""
    from_file = file_hand(problem)
    if from_file is None or problem.round is None or problem.table is None or problem.hand is None:
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
    effect = preview_text_of(at, change) if is_imported else _preview_before_import(at, change)
    return _both(problem, sheet, stored, from_file, effect)


def _preview_before_import(at: HandRef, change: Callable[[], object]) -> PreviewText:
    """Return the effect of the file's hand before its file is imported.

    The round is closed until then, and opens with the problem: that is no reason against it.
    """
    try:
        return preview_text(preview(at, change, now=timezone.now()))
    except Refused as refused:
        return PreviewText(None, tuple(map(sentence, refused.problems)))
    except (Conflict, Forbidden):
        return PreviewText(None)


def _both(
    problem: ImportProblem,
    sheet: TableSheet,
    stored: HandView,
    from_file: FileHand,
    effect: PreviewText,
) -> dict[str, object]:
    """Return both hands; `effect` has what the file's hand changes, or why it cannot be used."""
    n_seats, sides = len(sheet.seats), _sides(stored)
    typed = displayed_hand(from_file.entry, n_seats, sides=sides)
    changes = effect.preview.hands if effect.preview is not None else ()
    then = next(
        (change.hand_then.cells for change in changes if change.number == stored.number), ()
    )
    seats = [
        {
            "seat": cell.seat,
            "stored": cell.typed,
            "score": cell.score,
            "own": seat_in_file,
            "own_score": then[index].score if then else None,
            "has_own_scores": bool(then),
            "took_differs": cell.typed != seat_in_file,
            "score_differs": bool(then) and cell.score != then[index].score,
        }
        for index, (cell, seat_in_file) in enumerate(zip(stored.cells, typed.seats, strict=True))
    ]
    places = tuple(cell.seat for cell in stored.cells)
    own_table = (
        table_words(typed, places)
        + _length(stored, from_file.hands)
        + _board(stored.board if from_file.board is None else from_file.board)
    )
    stored_table = (
        table_words(displayed_hand(stored.entry, n_seats, sides=sides), places)
        + _length(stored, stored.n_hands)
        + _board(stored.board)
    )
    is_open = problem.state == ProblemState.OPEN
    is_imported = problem.batch.state == BatchState.DONE
    return {
        "sheet": sheet,
        "stored": stored,
        "seats": seats,
        "own_table": own_table,
        "stored_table": stored_table,
        "tables_differ": own_table != stored_table,
        "effect": effect,
        "is_open": is_open,
        "is_imported": is_imported,
        "may_use": is_open and is_imported and effect.preview is not None,
    }


def _sides(stored: HandView) -> tuple[tuple[int, ...], ...]:
    """Return the seats (from 0) of each side that has one score; empty if each seat has its own."""
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
    """Return the initial reason for using the file's hand."""
    facts = {"number": problem.batch.number, "file": problem.batch.file_name[:200]}
    return gettext("Import %(number)s: as in %(file)s.") % facts


def keep_stored(request: PageRequest, problem: ImportProblem, reason: str) -> None:
    """Keep the stored hand; the file's is not imported."""
    dismiss_problem(
        actor=request.actor,
        problem=problem,
        reason=reason or gettext("Stored hand kept."),
        now=timezone.now(),
    )
    messages.success(request, gettext("Stored hand kept. The file's hand is not imported."))


def use_files(request: PageRequest, problem: ImportProblem, based_on: int, reason: str) -> None:
    """Make the file's hand the next revision of the stored one."""
    recorded = use_file_hand(
        actor=request.actor, problem=problem, based_on=based_on, reason=reason, now=timezone.now()
    )
    text = gettext("The file's hand now counts as revision %(number)s.")
    messages.success(request, text % {"number": recorded.hand.revision})


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
    """Show one problem with every way to resolve it, and resolve it."""
    the_event = events.event_at(request.actor, club, event)
    shown_problem = imports.problem_at(imports.batch_at(the_event, number), position)
    upload = imports.file_of(shown_problem.batch)
    rows = resolve_problem.rows_of(shown_problem, upload) if upload is not None else {}
    problem_page = ProblemPage(
        the_event, shown_problem, upload, rows if len(rows) <= resolve_problem.MOST_LINES else {}
    )
    if request.method != "POST":
        written = (
            resolve_problem.written_person(shown_problem, upload) if upload is not None else {}
        )
        return _ask(
            request,
            problem_page,
            ResolveProblemForm(initial={**written, "why": likely_reason(shown_problem)}),
        )
    form = ResolveProblemForm(posted_with_answer(request, the_event.club))
    if not form.is_valid() or not attempt(form, lambda: _settle(request, problem_page, form)):
        return _ask(request, problem_page, form)
    if request.POST.get("do") == "import":  # back to both hands, now that one can be replaced
        return redirect("tournaments:problem", club, event, number, position)
    return redirect(_where_it_goes_on(problem_page))


def _where_it_goes_on(problem_page: ProblemPage) -> str:
    """Return the address of the import, at the next open problem in the file."""
    event, batch = problem_page.event, problem_page.problem.batch
    page = reverse("tournaments:import", args=(event.club.slug, event.slug, batch.number))
    lines = problem_page.problem.lines
    following = imports.next_open(batch, lines[0] if lines else 0)
    return f"{page}#problem-{following.position}" if following else page


def _settle(request: PageRequest, problem_page: ProblemPage, form: ResolveProblemForm) -> bool:
    """Run the action of the pressed button; true if it is done."""
    how = "player" if PICK in request.POST else request.POST.get("do", "")
    cleaned, now = form.cleaned_data, timezone.now()
    if how == "keep-stored":
        keep_stored(request, problem_page.problem, cleaned["reason"])
        return True
    if how == "use-file":
        use_files(
            request,
            problem_page.problem,
            natural_number(request.POST.get("based_on", "")) or 0,
            cleaned["why"],
        )
        return True
    if how == "import":
        confirm_upload(actor=request.actor, batch=problem_page.problem.batch, now=now)
        _work_off(problem_page.problem, now)
        return True
    if how == "dismiss":
        dismiss_problem(
            actor=request.actor, problem=problem_page.problem, reason=cleaned["reason"], now=now
        )
        messages.success(request, gettext("Problem dismissed. Its rows are not imported."))
        return True
    return _read_again(request, problem_page, form, how)


def _work_off(problem: ImportProblem, now: datetime) -> None:
    if problem.batch.rows <= ROWS:
        process_upload(problem.batch.pk, now=now)


def _read_again(
    request: PageRequest, problem_page: ProblemPage, form: ResolveProblemForm, how: str
) -> bool:
    """Read the file again with the given change; true if that was started."""
    cleaned, now = form.cleaned_data, timezone.now()
    if problem_page.upload is None:
        form.add_error(
            None, gettext("This file is not stored here. Correct the file and import it again.")
        )
        return False
    settling = Resolution(request.actor, problem_page.problem, problem_page.upload, now)
    if how.startswith("offer-") and how[6:].isdecimal():
        settling.offer(int(how[6:]))
    elif how == "player":
        settling.player(cleaned["player"])
    elif how == "newcomer":
        settling.newcomer(cleaned["name"], cleaned["player_id"])
    else:
        settling.mend(ResolvedLines(typed_cells(request.POST, problem_page.rows)))
    _work_off(problem_page.problem, now)
    messages.success(request, gettext("The file was checked again with your change."))
    return True


def ways_of(problem: ImportProblem) -> list[dict[str, object]]:
    """Return the offers of a problem that get a button each."""
    return [offer for offer in problem.offers if "text" in offer]


def _ask(request: PageRequest, problem_page: ProblemPage, form: ResolveProblemForm) -> HttpResponse:
    event, problem = problem_page.event, problem_page.problem
    if form.is_bound:
        problem.refresh_from_db(fields=["state", "reason"])  # somebody may have been first
    heads = problem_page.upload.heads if problem_page.upload is not None else []
    rows = typed_cells(request.POST, problem_page.rows)
    batch_link = layout.import_link(problem.batch, event)
    crumbs = (layout.event_link(event), layout.imports_link(event), batch_link)
    conflict = conflict_of(request, event, problem)
    context = {
        "conflict": conflict,
        "layout": layout.event_layout(request, event, crumbs),
        "event": event,
        "batch": problem.batch,
        "one": problem,
        "form": form,
        "heads": heads,
        "offers": ways_of(problem) if problem_page.upload is not None else (),
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
        "asks_who": problem_page.upload is not None
        and resolve_problem.asks_who(problem, problem_page.upload),
        "may_add_members": clubs.may_do(event, "edit_players"),
        "members": tuple(clubs.list_players_of(event.club).values_list("player_id", "name")),
    }
    return render(request, "imports/problem.html", context, status=422 if form.errors else 200)
