"""What came in from files and what waits for a person; read-only, for hosts and directors."""

from django.http import HttpResponse
from django.shortcuts import render

from tournaments.selectors import events, imports
from tournaments.views import frames
from tournaments.views.frames import PageRequest
from tournaments.views.pages import page


@page(imports.ACT)
def batches(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the imports of an event."""
    found = events.event_at(request.actor, club, event)
    context = {
        "batches": tuple(imports.batches_of(found)),
        "frame": frames.event_frame(request, found, (frames.event_link(found),), current="imports"),
        "event": found,
    }
    return render(request, "public/imports.html", context)


@page(imports.ACT)
def batch(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print one import with its problems, those that wait first."""
    found = events.event_at(request.actor, club, event)
    shown = imports.batch_at(found, number)
    context = {
        "batch": shown,
        "problems": imports.problems_of(shown),
        "frame": frames.event_frame(
            request, found, (frames.event_link(found), frames.imports_link(found))
        ),
        "event": found,
    }
    return render(request, "public/import.html", context)
