"""Settling one problem of an import: take what is offered, say who it is, mend, or dismiss."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.clubs.find_players import PICK
from tournaments.forms.http.service_form import attempt
from tournaments.forms.imports.resolve_problem import ResolveProblemForm, typed_cells
from tournaments.importers import resolutions
from tournaments.importers.process_upload import ROWS, process_upload
from tournaments.importers.resolutions import Resolution, ResolvedLines
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem, Upload
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.imports import imports
from tournaments.services.imports.dismiss import dismiss_problem
from tournaments.services.imports.uploads import confirm_upload
from tournaments.views.hands.enter_hand import natural_number
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.find_players import posted_with_answer
from tournaments.views.http.layout import PageRequest
from tournaments.views.imports.resolve_conflict import (
    conflict_of,
    keep_stored,
    likely_reason,
    use_files,
)


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
    rows = resolutions.rows_of(one, upload) if upload is not None else {}
    asked = ProblemPage(found, one, upload, rows if len(rows) <= resolutions.MOST_LINES else {})
    if request.method != "POST":
        written = resolutions.written_person(one, upload) if upload is not None else {}
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
        messages.success(request, _("Problem dismissed. Its rows are not imported."))
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
            None, _("This file is not stored here. Correct the file and import it again.")
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
    messages.success(request, _("The file was checked again with your change."))
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
        "asks_who": asked.upload is not None and resolutions.asks_who(one, asked.upload),
        "may_add_members": clubs.may_do(event, "edit_players"),
        "members": tuple(clubs.players_of(event.club).values_list("player_id", "name")),
    }
    return render(request, "imports/problem.html", context, status=422 if form.errors else 200)
