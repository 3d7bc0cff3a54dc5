"""Photos of a table's paper sheet: taken now, looked at while the numbers are typed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Forbidden
from tournaments.forms.http.service_form import attempt
from tournaments.forms.rounds.photos import PhotoForm, RemovePhotoForm
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds import photos
from tournaments.services.rounds.photos import remove_photo
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.uploaded_photos import saved_message, show_refusal, take_photos


@form_page("enter_hand", at_table=True)
def table_photos(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show the photos of a table's sheet, and take in more of them."""
    found = events.event_at(request.actor, club, event, code=code)
    sheet = score_sheet.table_sheet(found, code)
    is_sent = request.method == "POST"
    form = PhotoForm(request.POST, request.FILES) if is_sent else PhotoForm()
    status = 200
    if is_sent:
        taken = take_photos(request, found, code)
        if taken.is_done:
            messages.success(request, saved_message(taken))
            return redirect("tournaments:photos", club=club, event=event, code=code)
        status = show_refusal(request, form, taken)
    context = {
        "layout": layout.table_layout(request, found, sheet),
        "event": found,
        "sheet": sheet,
        "photos": photos.photos_at(found, code),
        "form": form,
        "may_remove": may_do(found, "remove_photo"),
    }
    return render(request, "rounds/photos.html", context, status=status)


@page("enter_hand", at_table=True)
def photo(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Give a photo to whoever may enter at its table; anybody else is told nothing of it."""
    found = events.event_at(request.actor, club, event, code=code)
    if not may_do(found, "enter_hand"):
        raise Forbidden("enter_hand")
    score_sheet.table_sheet(found, code)
    response = HttpResponse(photos.picture_at(found, code, number), content_type="image/jpeg")
    name = f"{found.slug}-{code}-photo-{number}.jpg"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


@form_page("remove_photo")
def remove(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Ask why a photo is taken away, and delete it."""
    found = events.event_at(request.actor, club, event)
    sheet = score_sheet.table_sheet(found, code)
    photos.picture_at(found, code, number)
    form = RemovePhotoForm(posted(request))
    if request.method == "POST" and form.is_valid():
        gone = attempt(
            form,
            lambda: remove_photo(
                actor=request.actor,
                game=score_sheet.game_at(found, code),
                number=number,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            ),
        )
        if gone is not None:
            messages.success(request, _("Photo %(number)s deleted.") % {"number": number})
            return redirect("tournaments:photos", club=club, event=event, code=code)
    context = {
        "layout": layout.table_layout(request, found, sheet, layout.photos_link(found, code)),
        "event": found,
        "sheet": sheet,
        "number": number,
        "form": form,
    }
    return render_form(request, "rounds/remove_photo.html", context, form)
