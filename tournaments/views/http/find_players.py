"""Buttons beside a field that names a player: choosing who is meant, adding a guest in place."""

from typing import Final

from django.contrib import messages
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.clubs.find_players import GUEST, PICK, guest_names
from tournaments.models.clubs import Club
from tournaments.presenters.rounds.resolve_sides import with_label
from tournaments.services.clubs.clubs import add_guest_once
from tournaments.services.clubs.find_players import label_of
from tournaments.views.http.layout import PageRequest

MEANT: Final = "meant"
"""The field that keeps which button sent the form first, while names are asked about."""


def posted_with_answer(request: PageRequest, club: Club) -> QueryDict | None:
    """Return what was sent, with the pressed answer in its field; None where nothing was sent."""
    if request.method != "POST":
        return None
    field, _mark, label = request.POST.get(PICK, "").partition("=")
    if guest := request.POST.get(GUEST, ""):
        field, _mark, name = guest.partition("=")
        typed = request.POST.get(field, "")
        if guest_names(name or typed):
            now = timezone.now()
            added = add_guest_once(actor=request.actor, club=club, name=name or typed, now=now)
            label = with_label(typed, name, label_of(added))
            messages.success(
                request, _("%(who)s added to the club’s list.") % {"who": label_of(added)}
            )
    if not label:
        return request.POST
    sent = request.POST.copy()
    sent[field] = label
    return sent


def is_sent_by(request: PageRequest, button: str) -> bool:
    """Whether `button` sent the form, now or before names were asked about."""
    is_answer = PICK in request.POST or GUEST in request.POST
    return button in request.POST or (is_answer and request.POST.get(MEANT) == button)
