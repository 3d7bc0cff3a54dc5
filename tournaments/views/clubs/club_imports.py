"""Import a club on pages: upload its archive, read what is in it, import it, follow the job."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.domain.archives.format import ArchiveFound
from tournaments.domain.messages import sentence
from tournaments.errors import Forbidden
from tournaments.models.imports import ClubImport
from tournaments.selectors.clubs.clubs import (
    WORKED_ON,
    get_club_import,
    get_club_import_progress,
    list_own_club_imports,
)
from tournaments.selectors.jobs.queue import is_worker_heard
from tournaments.services.archives.club_imports import (
    LARGEST_UPLOAD,
    confirm_club_import,
    discard_club_import,
    retry_club_import,
    store_club_import,
)
from tournaments.services.archives.import_club import LARGEST_UNPACKED, receive_archive
from tournaments.services.operations import may_make_club
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_site
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    operation_of,
    posted,
    submit,
    text_field,
)


class ClubArchiveForm(ServiceForm):
    required_fields = ("archive",)
    archive = forms.FileField(
        label=_("Archive"),
        help_text=_(
            "The ZIP file of Export in the club settings, up to %(most)s MB, and %(unpacked)s GB "
            "unpacked. The administrator of the site can import a larger one by command."
        )
        % {
            "most": LARGEST_UPLOAD // 1024 // 1024,
            "unpacked": LARGEST_UNPACKED // 1024 // 1024 // 1024,
        },
        max_length=255,
        error_messages={"required": _("Choose the archive of a club first.")},
        allow_empty_file=True,  # the service says in a sentence what is wrong with it
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def field_of(self, problem: Problem) -> str:
        return "archive"


class ClubAddressForm(ServiceForm):
    slug = text_field(
        _("Address on this site"),
        _("Lowercase letters a to z, digits and hyphens."),
        autocapitalize="none",
        spellcheck="false",
    )


@form_page(store_club_import)
def import_club(request: PageRequest) -> HttpResponse:
    if not may_make_club(request.actor):
        raise Forbidden("make_club")
    form = ClubArchiveForm(posted(request), request.FILES or None)
    if form.is_valid():
        op = operation_of(request)
        file = form.cleaned_data["archive"]
        with form.placing():
            record = receive_archive(op, file=file, name=file.name or "")
            return redirect("tournaments:club-import", number=record.number)
    context = {"form": form, "imports": list_own_club_imports(request.actor)}
    return render_site(request, "clubs/import_club.html", context, form)


@form_page((confirm_club_import, ClubAddressForm, "club_import"))
def club_import(request: PageRequest, number: int) -> HttpResponse:
    record = get_club_import(request.actor, number)
    if request.htmx and request.method == "GET":
        response = render(request, "clubs/_club_import_progress.html", _context(record))
        if record.state not in WORKED_ON:
            response["HX-Refresh"] = "true"
        return response
    form = ClubAddressForm(
        request.POST if "import" in request.POST else None,
        initial={"slug": ArchiveFound(**record.found).free_slug if record.found else ""},
    )
    if form.is_valid():
        if submit(request, form, confirm_club_import, club_import=record) is not None:
            return redirect("tournaments:club-import", number=number)
    elif request.method == "POST":
        with RefusalMessages(request):
            if "discard" in request.POST:
                discard_club_import(operation_of(request), record)
                notice = gettext("%(file)s was discarded.") % {"file": record.file_name}
                messages.success(request, notice)
                return redirect("tournaments:import-club")
            if "again" in request.POST:
                retry_club_import(operation_of(request), record)
        return redirect("tournaments:club-import", number=record.number)
    context = _context(record) | {"form": form}
    return render_site(request, "clubs/club_import.html", context, form)


def _context(record: ClubImport) -> dict[str, object]:
    done, of, fault = get_club_import_progress(record)
    is_worked_on = record.state in WORKED_ON
    return {
        "is_worked_on": is_worked_on,
        "done": done,
        "of": of,
        "fault": fault,
        "record": record,
        "found": ArchiveFound(**record.found) if record.found else None,
        "problems": [
            sentence(Problem(problem["code"], (), problem["facts"])) for problem in record.problems
        ],
        "has_worker": not is_worked_on or is_worker_heard(timezone.now()),
    }
