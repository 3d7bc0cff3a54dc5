"""Resolve one problem or one conflict of an import."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.imports.import_report import words_for_places
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportBatch, ImportProblem, ProblemState, Upload
from tournaments.selectors import imports
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.find_players import names_of
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, TableSheet, hand_of
from tournaments.selectors.rounds.resolve_players import free_for_problem
from tournaments.services.imports import resolve_problem
from tournaments.services.imports.process_upload import ROWS, process_upload
from tournaments.services.imports.resolve_problem import (
    confirm_repeats,
    correct_hand,
    dismiss_problem,
    file_hand,
    name_new_player,
    name_player,
    place_sheet,
    use_file_hand,
    use_offer,
)
from tournaments.services.imports.uploads import confirm_upload, correct_upload
from tournaments.services.operations import Operation
from tournaments.services.previewing.run_preview import ChosenHands
from tournaments.services.rounds.seating import table_code
from tournaments.templatetags.people import offers
from tournaments.templatetags.points import problem_places
from tournaments.views.hands.hand_form_fields import natural_number
from tournaments.views.hands.preview_correction import preview_text_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.find_players import (
    PICK,
    NamedField,
    NamedPlayersForm,
    posted_with_answer,
)
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_event
from tournaments.views.http.service_form import operation_of, text_field


class ResolveProblemForm(NamedPlayersForm):
    """The fields of all ways to resolve a problem; the button says which one counts."""

    player = text_field(
        _("Player"), _("Enter the name or its beginning."), list="members", autocomplete="off"
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    player_id = forms.CharField(
        label=_("Player id"),
        help_text=_("If empty, the player is a guest with the next free number."),
        max_length=40,
    )
    once = forms.BooleanField(
        label=_("Only in this file"),
        help_text=_("Otherwise the answer is kept: files with this name are read so from now on."),
    )
    once_added = forms.BooleanField(label=once.label, help_text=once.help_text)
    reason = forms.CharField(label=_("Reason"), help_text=_("One sentence."), max_length=500)
    why = forms.CharField(
        label=_("Reason for the correction"),
        help_text=_("Shown on the sheet and in the public change log."),
        max_length=500,
    )

    @property
    def named_player(self) -> NamedField:
        """The field for who sat there, with the players that its text may mean."""
        return self._named("player")

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; the reason of a correction has its own."""
        name = super().field_of(problem)
        return "why" if name == "reason" and self.data.get("do") == "use-file" else name


Rows = dict[int, list[str]]


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
    at = ChosenHands(event, code, problem.hand)

    def change() -> object:
        op = operation_of(request)
        reason = likely_reason(problem)
        return correct_hand(op, problem, based_on=stored.revision, reason=reason)

    # Before its file is imported the round is closed; it opens with the problem.
    is_imported = problem.batch.state == BatchState.DONE
    effect = preview_text_of(at, change, tells_conflicts=is_imported)
    return _compare(problem, sheet, stored, from_file, effect)


def _compare(
    problem: ImportProblem,
    sheet: TableSheet,
    stored: HandView,
    from_file: JsonObject,
    effect: Mapping[str, Any],
) -> dict[str, object]:
    """Return both hands; `effect` has what the file's hand changes, or why it cannot be used."""
    in_event = stored.shown_revision
    in_file = in_event.with_entry(from_file["entry"])
    changes = effect["preview"].hands if "preview" in effect else ()
    cells = next(
        (change.hand_then.cells for change in changes if change.hand.number == stored.number), ()
    )
    scores = [cell.score for cell in cells] or [None] * len(stored.cells)
    seats = [
        {
            "column": column,
            "stored": cell.typed,
            "score": cell.score,
            "file": seat_in_file,
            "file_score": score,
            "has_file_scores": bool(cells),
            "took_differs": cell.typed != seat_in_file,
            "score_differs": bool(cells) and cell.score != score,
        }
        for cell, score in zip(stored.cells, scores, strict=True)
        for column, seat_in_file in in_file.lines
        if column.seats[0] == cell.seat
    ]
    board = from_file.get("board")
    file_table = (
        in_file.table
        + _length(stored, from_file.get("hands"))
        + _board(stored.board if board is None else board)
    )
    stored_table = in_event.table + _length(stored, stored.n_hands) + _board(stored.board)
    is_open = problem.state == ProblemState.OPEN
    is_imported = problem.batch.state == BatchState.DONE
    return {
        "sheet": sheet,
        "stored": stored,
        "seats": seats,
        "file_table": file_table,
        "stored_table": stored_table,
        "tables_differ": file_table != stored_table,
        "effect": effect,
        "is_open": is_open,
        "is_imported": is_imported,
        "may_use": is_open and is_imported and "preview" in effect,
    }


def _length(stored: HandView, hands: int | None) -> tuple[tuple[str, str], ...]:
    if stored.number != TOTALS:
        return ()
    return ((gettext("hands played"), "–" if hands is None else str(hands)),)


def _board(number: int | None) -> tuple[tuple[str, str], ...]:
    if number is None:
        return ()
    return ((gettext("board"), str(number)),)


def likely_reason(problem: ImportProblem) -> str:
    facts = {"number": problem.batch.number, "file": problem.batch.file_name[:200]}
    return gettext("Import %(number)s: as in %(file)s.") % facts


@event_form_page(
    dismiss_problem,
    use_file_hand,
    name_player,
    name_new_player,
    confirm_repeats,
    place_sheet,
    correct_upload,
    confirm_upload,
)
def problem(request: PageRequest, event: Event, number: int, position: int) -> HttpResponse:
    row = imports.problem_at(imports.batch_at(event, number), position)
    upload = imports.file_of(row.batch)
    rows = resolve_problem.rows_of(row, upload) if upload is not None else {}
    rows = rows if len(rows) <= resolve_problem.MOST_LINES_SHOWN else {}
    if request.method != "POST":
        person = resolve_problem.written_person(row, upload) if upload is not None else {}
        form = ResolveProblemForm(initial={**person, "why": likely_reason(row)})
        return _ask(request, event, row, upload, rows, form)
    form = ResolveProblemForm(posted_with_answer(request, event.club))
    is_resolved = False
    if form.is_valid():
        with form.placing():
            is_resolved = _resolve(request, row, upload, rows, form)
    if not is_resolved:
        return _ask(request, event, row, upload, rows, form)
    if request.POST.get("do") == "import":  # back to both hands, now that one can be replaced
        return go_to("problem", event, number=number, position=position)
    following = imports.next_open(row)
    if following and "next" in request.GET:
        return go_to("problem", event, number=number, position=following.position)
    page = event_url("import", event, number)
    return redirect(f"{page}#problem-{following.position}" if following else page)


def _resolve(
    request: PageRequest,
    problem: ImportProblem,
    upload: Upload | None,
    rows: Rows,
    form: ResolveProblemForm,
) -> bool:
    button = "player" if PICK in request.POST else request.POST.get("do", "")
    cleaned = form.cleaned_data
    op = operation_of(request)
    if button == "keep-stored":
        reason = cleaned["reason"] or gettext("Stored hand kept.")
        dismiss_problem(op, problem, reason=reason)
        messages.success(request, gettext("Stored hand kept. The file's hand is not imported."))
    elif button == "use-file":
        based_on = natural_number(request.POST.get("based_on", "")) or 0
        recorded = use_file_hand(op, problem, based_on=based_on, reason=cleaned["why"])
        text = gettext("The file's hand now counts as revision %(number)s.")
        messages.success(request, text % {"number": recorded.hand.revision})
    elif button == "import":
        confirm_upload(op, problem.batch)
        _process(op, problem.batch)
    elif button == "dismiss":
        dismiss_problem(op, problem, reason=cleaned["reason"])
        messages.success(request, gettext("The rows of this problem are left out."))
    elif upload is None:
        text = gettext("This file is not stored here. Correct the file and import it again.")
        form.add_error(None, text)
        return False
    else:
        _correct(op, problem, upload, button, cleaned, typed_cells(request.POST, rows))
        _process(op, problem.batch)
        messages.success(request, gettext("The file was checked again with your change."))
    return True


def _process(op: Operation, batch: ImportBatch) -> None:
    if batch.rows <= ROWS:
        process_upload(batch.pk, now=op.now)


def _correct(
    op: Operation,
    problem: ImportProblem,
    upload: Upload,
    button: str,
    cleaned: JsonObject,
    rows: Rows,
) -> None:
    if button.startswith("offer-") and button[6:].isdecimal():
        use_offer(op, problem, upload, int(button[6:]), keeps_name=not cleaned["once"])
    elif button == "player":
        name_player(
            op,
            problem,
            upload=upload,
            player=cleaned["player"],
            keeps_name=not cleaned["once"],
        )
    elif button == "newcomer":
        name, player_id = cleaned["name"], cleaned["player_id"]
        name_new_player(
            op,
            problem,
            upload=upload,
            name=name,
            player_id=player_id,
            keeps_name=not cleaned["once_added"],
        )
    else:
        correct_upload(op, problem.batch, lines=rows)


def _choices(
    problem: ImportProblem, upload: Upload | None, *, has_offers: bool, is_compared: bool
) -> list[str]:
    """Return what may be done about a problem."""
    if is_compared:
        return ["compare", "rows"]
    asks_who = upload is not None and resolve_problem.asks_who(problem, upload)
    return ["offers"] * has_offers + ["name"] * asks_who + ["rows", "leave_out"]


def _ask(
    request: PageRequest,
    event: Event,
    problem: ImportProblem,
    upload: Upload | None,
    rows: Rows,
    form: ResolveProblemForm,
) -> HttpResponse:
    if form.is_bound:
        problem.refresh_from_db(fields=["state", "reason"])  # somebody may have been first
    heads = upload.heads if upload is not None else []
    named = zip(problem.lines, problem_places(problem), strict=False)
    places = {line: words_for_places([place]) for line, place in named}
    conflict = conflict_of(request, event, problem)
    offered = offers(problem) if upload is not None else []
    crumbs = (layout.imports_link(event), layout.import_link(problem.batch, event))
    context = {
        "conflict": conflict,
        "choices": _choices(problem, upload, has_offers=bool(offered), is_compared=bool(conflict)),
        "batch": problem.batch,
        "problem": problem,
        "form": form,
        "heads": heads,
        "offers": offered,
        "rows": [
            (line, places.get(line, line), zip(range(len(heads)), heads, cells, strict=True))
            for line, cells in typed_cells(request.POST, rows).items()
        ],
        "has_own_name": resolve_problem.has_own_name(problem),
        "may_add_members": clubs.may_do(event, "edit_players"),
        "people": names_of(event.club, free_for_problem(problem)),
        "following": imports.next_open(problem) if problem.state == ProblemState.OPEN else None,
    }
    return render_event(request, "imports/problem.html", event, context, form, crumbs=crumbs)
