"""Bringing a file in on a page: choose it, look at what is in it, confirm it or throw it away."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Conflict
from tournaments.forms.http.service_form import attempt
from tournaments.forms.imports.uploads import UploadForm
from tournaments.importers.process_upload import FEW, ROWS, is_small, process_upload
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, Holds, ImportBatch
from tournaments.selectors.events import events
from tournaments.selectors.imports import imports
from tournaments.services.imports import uploads
from tournaments.services.imports.undo import request_undo
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest


@form_page(imports.ACT)
def upload(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for a file; keep the one that came and show what is in it."""
    found = events.event_at(request.actor, club, event)
    if request.method != "POST" or imports.why_no_import(found):
        return _ask(request, found, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _ask(request, found, form)
    file = form.cleaned_data["file"]
    content = file.read()
    batch = attempt(
        form,
        lambda: uploads.store_upload(
            actor=request.actor,
            event=found,
            name=file.name,
            content=content,
            holds=form.cleaned_data["holds"] or Holds.HANDS,
            variant=form.cleaned_data["variant"],
            day=form.cleaned_data["day"],
            now=timezone.now(),
        ),
    )
    if batch is None:
        return _ask(request, found, form)
    if is_small(content):
        process_upload(batch.pk, now=timezone.now())
        batch.refresh_from_db(fields=["state"])
        if batch.state == BatchState.MAPPING:
            return redirect(
                "tournaments:column-mapping", club=club, event=event, number=batch.number
            )
        if fault := imports.fault_of(batch):
            uploads.discard_upload(actor=request.actor, batch=batch)
            form.add_error("file", fault)
            return _ask(request, found, form)
    return _to(found, batch.number)


@form_page(imports.ACT)
def confirm(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Bring the hands of a file into its event."""

    def act(batch: ImportBatch) -> None:
        uploads.confirm_upload(actor=request.actor, batch=batch, now=timezone.now())
        if batch.rows <= ROWS:
            process_upload(batch.pk, now=timezone.now())

    return _sent(request, club, event, number, act)


@form_page(imports.ACT)
def discard(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Throw a file away of which nothing is in the event."""
    found = events.event_at(request.actor, club, event)
    batch = imports.batch_at(found, number)
    if request.method == "POST":
        try:
            uploads.discard_upload(actor=request.actor, batch=batch)
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
        else:
            say = _("%(file)s was discarded. None of its hands were in the event.")
            messages.success(request, say % {"file": batch.file_name})
            return redirect("tournaments:imports", club=club, event=event)
    return _to(found, number)


@form_page(imports.ACT)
def undo(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Say what undoing an import changes, and undo it."""
    found = events.event_at(request.actor, club, event)
    shown = imports.import_at(found, number)
    batch, brought = shown.batch, imports.brought_by(shown.batch)
    if found.state != "open" or (request.method != "POST" and not shown.may_be_undone):
        return _to(found, number)  # its page says what keeps it
    if request.method != "POST":
        crumbs = (layout.event_link(found), layout.imports_link(found))
        page_layout = layout.event_layout(request, found, crumbs)
        context = {"batch": batch, "brought": brought, "event": found, "layout": page_layout}
        return render(request, "imports/import_undo.html", context)

    def act(batch: ImportBatch) -> None:
        request_undo(actor=request.actor, batch=batch, now=timezone.now())
        if brought.hands <= FEW:
            process_upload(batch.pk, now=timezone.now())

    return _sent(request, club, event, number, act)


@form_page(imports.ACT)
def restart_import(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Put a file before the workers again."""

    def act(batch: ImportBatch) -> None:
        uploads.retry_upload(actor=request.actor, batch=batch, now=timezone.now())

    return _sent(request, club, event, number, act)


def _sent(
    request: PageRequest,
    club: str,
    event: str,
    number: int,
    act: Callable[[ImportBatch], None],
) -> HttpResponse:
    """Do what a button of the import's page asks for, and show the page again."""
    found = events.event_at(request.actor, club, event)
    batch = imports.batch_at(found, number)
    if request.method == "POST":
        try:
            act(batch)
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
    return _to(found, number)


def _ask(request: PageRequest, event: Event, form: UploadForm) -> HttpResponse:
    context = {
        "form": form,
        "event": event,
        "why_not": imports.why_no_import(event),
        "layout": layout.event_layout(
            request, event, (layout.event_link(event), layout.imports_link(event))
        ),
    }
    is_refused = bool(form.errors) or (request.method == "POST" and bool(context["why_not"]))
    return render(request, "imports/upload.html", context, status=REFUSED if is_refused else 200)


def _to(event: Event, number: int) -> HttpResponse:
    return redirect("tournaments:import", club=event.club.slug, event=event.slug, number=number)
