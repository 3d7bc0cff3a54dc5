"""What came in from files and what waits for a person, for hosts and directors."""

from collections.abc import Iterable

from django.http import HttpResponse
from django.shortcuts import render

from tournaments.domain.imports.import_report import READ_WITHOUT_DOUBT
from tournaments.errors import Missing
from tournaments.exporters.sheets import sheet_lines, sheets_book, undone_lines
from tournaments.exporters.spreadsheets import MEDIA_TYPE
from tournaments.presenters.imports.lost_criteria import lost_criteria_text
from tournaments.presenters.imports.outline_text import outline_text
from tournaments.selectors.events import events
from tournaments.selectors.imports import imports
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest


@page(imports.ACT)
def batches(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the imports of an event."""
    found = events.event_at(request.actor, club, event)
    context = {
        "batches": tuple(imports.batches_of(found)),
        "layout": layout.event_layout(
            request, found, (layout.event_link(found),), current="imports"
        ),
        "event": found,
        "why_not": imports.why_no_import(found),
    }
    return render(request, "imports/imports.html", context)


@page(imports.ACT)
def sheets_csv(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with every hand that counts, in the columns that an import reads."""
    found = events.event_at(request.actor, club, event)
    if not imports.may_import(found):
        raise Missing("import")
    return _csv(sheet_lines(found), f"{found.club.slug}-{found.slug}-sheets.csv")


@page(imports.ACT)
def sheets_xlsx(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Answer with the same rows as a spreadsheet."""
    found = events.event_at(request.actor, club, event)
    if not imports.may_import(found):
        raise Missing("import")
    response = HttpResponse(sheets_book(found), content_type=MEDIA_TYPE)
    name = f"{found.club.slug}-{found.slug}-sheets.xlsx"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@page(imports.ACT)
def undone_csv(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Answer with the hands that went when an import was undone, in the columns of an import."""
    found = events.event_at(request.actor, club, event)
    undone = imports.batch_at(found, number)
    return _csv(undone_lines(undone), f"{club}-{event}-import-{number}-undone.csv")


def _csv(lines: Iterable[str], name: str) -> HttpResponse:
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@page(imports.ACT)
def batch(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print one import with its problems, those that wait first; or how far it is.

    A page that asks again while it was worked on is told to load anew when it is done.
    """
    found = events.event_at(request.actor, club, event)
    shown = imports.import_at(found, number)
    context = {
        "view": shown,
        "batch": shown.batch,
        "outline": outline_text(shown.outline) if shown.outline else "",
        "lost_criteria": lost_criteria_text(found, shown.outline) if shown.outline else "",
        "problems": [one for one in shown.problems if one.code not in READ_WITHOUT_DOUBT],
        "readings": [one for one in shown.problems if one.code in READ_WITHOUT_DOUBT],
        "layout": layout.event_layout(
            request, found, (layout.event_link(found), layout.imports_link(found))
        ),
        "event": found,
    }
    if request.htmx and shown.is_worked_on:
        return render(request, "imports/_import_progress.html", context)
    response = render(request, "imports/import.html", context)
    if request.htmx:
        response["HX-Refresh"] = "true"
    return response
