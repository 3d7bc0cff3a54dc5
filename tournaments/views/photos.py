"""Photos of a table's paper sheet: taken now, looked at while the numbers are typed."""

from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.db import DatabaseError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem, Refused
from tournaments.disk import is_disk_full
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.asking import AskForm, attempt
from tournaments.forms.photos import PHOTO, PhotoForm, RemovePhotoForm, chosen
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors import events, photos, tables
from tournaments.selectors.clubs import may_do
from tournaments.selectors.sheets import TableSheet
from tournaments.services.photos import add_photo, remove_photo
from tournaments.views import frames
from tournaments.views.frames import Frame, Link, PageRequest
from tournaments.views.pages import REFUSED, form_page, page

CONFLICT: Final = 409
FORBIDDEN: Final = 403
NO_ROOM: Final = 507


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the photos that came with a form; `status` is 200 where all are kept."""

    n_sent: int
    added: int
    problems: tuple[Problem, ...] = ()
    status: int = 200

    @property
    def is_done(self) -> bool:
        """Whether there were photos, and all of them are kept."""
        return bool(self.n_sent) and not self.problems

    @property
    def says(self) -> str:
        """What is wrong with the photos, in words; nothing where all are kept."""
        if not self.n_sent:
            return _("Choose a photo first.")
        return " ".join(map(sentence, self.problems))


@form_page("enter_hand", at_table=True)
def table_photos(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show the photos of a table's sheet, and take in more of them."""
    found = events.event_at(request.actor, club, event, code=code)
    sheet = tables.table_sheet(found, code)
    is_sent = request.method == "POST"
    form = PhotoForm(request.POST, request.FILES) if is_sent else PhotoForm()
    status = 200
    if is_sent:
        taken = take_photos(request, found, code)
        if taken.is_done:
            messages.success(request, said(taken))
            return redirect("tournaments:photos", club=club, event=event, code=code)
        status = show_refusal(request, form, taken)
    context = {
        "frame": _frame(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "photos": photos.photos_at(found, code),
        "form": form,
        "may_remove": may_do(found, "remove_photo"),
    }
    return render(request, "host/photos.html", context, status=status)


@page("enter_hand", at_table=True)
def photo(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Give a photo to whoever may enter at its table; anybody else is told nothing of it."""
    found = events.event_at(request.actor, club, event, code=code)
    if not may_do(found, "enter_hand"):
        raise Forbidden("enter_hand")
    tables.table_sheet(found, code)
    response = HttpResponse(photos.picture_at(found, code, number), content_type="image/jpeg")
    name = f"{found.slug}-{code}-photo-{number}.jpg"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


@form_page("remove_photo")
def remove(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Ask why a photo is taken away, and delete it."""
    found = events.event_at(request.actor, club, event)
    sheet = tables.table_sheet(found, code)
    photos.picture_at(found, code, number)
    form = RemovePhotoForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        gone = attempt(
            form,
            lambda: remove_photo(
                actor=request.actor,
                game=tables.game_at(found, code),
                number=number,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            ),
        )
        if gone is not None:
            messages.success(request, _("Photo %(number)s is deleted.") % {"number": number})
            return redirect("tournaments:photos", club=club, event=event, code=code)
    context = {
        "frame": _frame(request, found, sheet, frames.photos_link(found, code)),
        "event": found,
        "sheet": sheet,
        "number": number,
        "form": form,
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "director/remove_photo.html", context, status=status)


def take_photos(request: PageRequest, event: Event, code: str) -> Taken:
    """Keep the photos that came with a form, up to the first that is refused.

    Whatever becomes of them is told, not raised, so that numbers typed beside them are kept; a full
    disk as well.
    """
    files, added = chosen(request.FILES), 0
    if not files and request.POST.get(PHOTO):  # a browser without our script sent its name only
        messages.error(request, _("The photo was not sent. Choose it again and press Keep."))
    try:
        for file in files:
            added += _kept(request, event, code, file.read())
    except Refused as refused:
        return Taken(len(files), added, refused.problems, REFUSED)
    except Conflict as conflict:
        return Taken(len(files), added, (conflict.problem,), CONFLICT)
    except Forbidden as forbidden:
        return Taken(len(files), added, (forbidden.problem,), FORBIDDEN)
    except (DatabaseError, OSError) as fault:
        if not is_disk_full(fault):
            raise
        return Taken(len(files), added, (Problem("disk_full", ("photo",)),), NO_ROOM)
    return Taken(len(files), added)


def _kept(request: PageRequest, event: Event, code: str, content: bytes) -> bool:
    game, now = tables.game_at(event, code), timezone.now()
    _photo, is_new = add_photo(actor=request.actor, game=game, content=content, now=now)
    return is_new


def show_refusal(request: PageRequest, form: AskForm, taken: Taken) -> int:
    """Say in the form what is wrong with its photos; returns the status of the page."""
    form.is_valid()
    form.place(taken.problems)
    if not taken.n_sent:
        form.add_error("photo", _("Choose a photo first."))
    if taken.added:
        messages.success(request, said(taken))
    return taken.status if taken.problems else REFUSED


def said(taken: Taken) -> str:
    """Return what to say of photos that are kept."""
    if not taken.added:
        return _("This photo is there already.")
    return ngettext("%(n)s photo is kept.", "%(n)s photos are kept.", taken.added) % {
        "n": taken.added
    }


def _frame(request: PageRequest, event: Event, sheet: TableSheet, *more: Link) -> Frame:
    crumbs = (frames.event_link(event), frames.round_link(event, sheet.round_number))
    return frames.event_frame(
        request, event, (*crumbs, frames.table_link(event, sheet.code, sheet.number), *more)
    )
