"""The settings of a club: one page, each value in sight, changed by its owners."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.exporters.archives.write_archive import archive_chunks
from tournaments.forms.clubs.settings import (
    COLOURS,
    CREATORS,
    NAMES,
    OWN,
    PREFERRED,
    READERS,
    STANDARD,
    ChoiceCard,
    ClubSettingsForm,
    DeleteClubForm,
    LogoForm,
)
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.export_contents import export_contents
from tournaments.selectors.events import events
from tournaments.services.clubs.deletion import (
    EXPORT_COUNTS,
    GRACE,
    delete_club,
    is_export_recent,
    note_export,
    undo_deletion,
)
from tournaments.services.clubs.logos import remove_logo, set_logo
from tournaments.services.events.change_club import change_club, club_settings, club_tag
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest

UNSET_COLOUR = "#0a5167"
"""What the field of a colour begins with; it cannot be empty."""


@form_page("manage_club")
def club_settings_page(request: PageRequest, club: str) -> HttpResponse:
    """Show the settings of a club, and change them."""
    found = clubs.club_at(request.actor, club)
    form = _settings_form(request, found, club_settings(found), posted(request))
    if request.method == "POST" and form.is_valid():
        changed = attempt(
            form,
            lambda: change_club(
                actor=request.actor,
                club=found,
                wanted=form.entered(),
                based_on=form.cleaned_data["based_on"],
                now=timezone.now(),
            ),
        )
        if changed is not None:
            messages.success(request, _("Club settings saved."))
            return redirect("tournaments:club-settings", club=changed.slug)
    return _page(request, found, form=form)


@form_page("manage_club")
def logo(request: PageRequest, club: str) -> HttpResponse:
    """Take in a logo, or take the one away that there is."""
    found = clubs.club_at(request.actor, club)
    form = LogoForm(posted(request), request.FILES)
    if request.method != "POST":
        return redirect("tournaments:club-settings", club=club)
    if "remove" in request.POST:
        remove_logo(actor=request.actor, club=found, now=timezone.now())
        messages.success(request, _("Logo removed."))
        return redirect("tournaments:club-settings", club=club)
    form.is_valid()
    file = request.FILES.get("logo")
    if file is None:
        form.add_error("logo", _("Choose a picture first."))
        return _page(request, found, logo_form=form)
    content = file.read()
    changed = attempt(
        form,
        lambda: set_logo(actor=request.actor, club=found, content=content, now=timezone.now()),
    )
    if changed is None:
        return _page(request, found, logo_form=form)
    messages.success(request, _("Logo saved."))
    return redirect("tournaments:club-settings", club=club)


@form_page("export_club")
def export(request: PageRequest, club: str) -> HttpResponse:
    """Give the data of a club as a ZIP; that is noted, as a club is deleted after it only."""
    found = clubs.club_at(request.actor, club)
    # A page is typed as an answer with a content; nothing on its way looks at that of this one.
    return cast(HttpResponse, exported(request.actor, found))


def exported(actor: Actor, club: Club) -> StreamingHttpResponse:
    """Return the archive of a club as a file to download, made while it is sent."""
    now = timezone.now()
    answer = StreamingHttpResponse(_chunks(actor, club, now), content_type="application/zip")
    name = f"{club.slug}-{now:%Y-%m-%d}.zip"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _chunks(actor: Actor, club: Club, now: datetime) -> Iterator[bytes]:
    """Yield the archive, and note the export once all of it was taken."""
    yield from archive_chunks(club, now=now)
    note_export(actor=actor, club=club, now=now)


@form_page("delete_club")
def delete(request: PageRequest, club: str) -> HttpResponse:
    """Have the club deleted in 14 days, or keep it after all."""
    found = clubs.club_at(request.actor, club)
    if request.method != "POST":
        return redirect("tournaments:club-settings", club=club)
    now = timezone.now()
    if "undo" in request.POST:
        form = ServiceForm({})
        if attempt(form, lambda: undo_deletion(actor=request.actor, club=found, now=now)) is None:
            return _page(request, found, delete_form=form)
        messages.success(request, _("The club is not deleted."))
        return redirect("tournaments:club-settings", club=club)
    form = DeleteClubForm(request.POST)
    form.is_valid()
    confirm = form.cleaned_data["confirm"]
    done = attempt(
        form, lambda: delete_club(actor=request.actor, club=found, confirm=confirm, now=now)
    )
    if done is None:
        return _page(request, found, delete_form=form)
    return redirect("tournaments:club-settings", club=club)


def _page(
    request: PageRequest,
    club: Club,
    *,
    form: ClubSettingsForm | None = None,
    logo_form: LogoForm | None = None,
    delete_form: ServiceForm | None = None,
) -> HttpResponse:
    now = club_settings(club)
    form = form or _settings_form(request, club, now)
    refused = next((one for one in (logo_form, delete_form) if one is not None), form)
    context: dict[str, Any] = {
        "layout": layout.club_layout(request, club, (layout.club_link(club),)),
        "club": club,
        "form": refused,
        "settings": form,
        "logo_form": logo_form or LogoForm(),
        "delete_form": delete_form if delete_form is not None else DeleteClubForm(),
        "front": now,
        "readers": READERS,
        "readers_now": _label(READERS, now["visibility"]),
        "names": NAMES,
        "names_now": _label(NAMES, now["names_policy"]),
        "creators": CREATORS,
        "creators_now": _label(CREATORS, now["event_creators"]),
        "preferred": PREFERRED,
        "preferred_now": _label(PREFERRED, now["seating"]["prefer"]),
        "colours": COLOURS,
        "contents": export_contents(club),
        "n_events": Event.objects.filter(club=club).count(),
        "archived": events.events_of(request.actor, club).filter(archived_at__isnull=False),
        "is_exported": is_export_recent(club, timezone.now()),
        "export_days": EXPORT_COUNTS.days,
        "grace_days": GRACE.days,
    }
    return render_form(request, "clubs/settings.html", context, refused)


def _settings_form(
    request: PageRequest, club: Club, now: JsonDict, typed: QueryDict | None = None
) -> ClubSettingsForm:
    """Return the form, filled with the settings of now where nothing was entered yet."""
    begin = {
        **now,
        **now["seating"],
        "based_on": club_tag(now),
        "accent": OWN if now["colour"] else STANDARD,
        "colour": now["colour"] or UNSET_COLOUR,
        "how_to_join": "\n".join(now["how_to_join"]),
    }
    listed = events.events_of(request.actor, club)
    shown = listed.filter(Q(archived_at__isnull=True) | Q(slug=now["front_event"]))
    return ClubSettingsForm(typed, initial=begin, events=list(shown))


def _label(cards: Sequence[ChoiceCard], value: str) -> str:
    return str(next(card.label for card in cards if card.value == value))
