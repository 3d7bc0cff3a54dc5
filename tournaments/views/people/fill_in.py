"""The page of a request for one more player; its link is in mails and in the chat of a club."""

from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.errors import Forbidden, Missing
from tournaments.models.contacts import FillInRequest
from tournaments.policy import Actor
from tournaments.selectors.access.personal_links import find_personal_link, holder_of
from tournaments.selectors.attendance.fill_ins import (
    MOST_NAMES,
    find_fill_in,
    find_willing,
    takes_fill_ins,
)
from tournaments.selectors.clubs.clubs import actor_of, note_actor
from tournaments.selectors.clubs.members import find_own_player
from tournaments.services.attendance.fill_ins import answer_fill_in
from tournaments.services.operations import Operation
from tournaments.views.access.join import count_wrong_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import NO_INDEX, runs
from tournaments.views.http.layout import Layout
from tournaments.views.http.service_form import ServiceForm, posted, render_form

LONGEST_QUERY: Final = 80


class FillInForm(ServiceForm):
    player = forms.CharField(label=gettext_lazy("Your name"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@runs(answer_fill_in)
def fill_in(request: HttpRequest, token: str) -> HttpResponse:
    """Ask for one more player, and let the first who answers in.

    A person comes with their own link (`?me=`) or is signed in; from a chat, where nobody is known,
    they choose their name among those who are willing. Reading the page changes nothing.
    """
    fill_in, me = find_fill_in(token), request.GET.get("me", "")
    link = find_personal_link(me) if me else None
    if fill_in is None or (me and link is None):
        if seconds := count_wrong_link(request):
            return errors.too_many_links(request, seconds)
        context = {"layout": Layout(path=request.path, at_table=True)}
        return render(request, "people/no_personal_link.html", context, status=404)
    actor = actor_of(request.user)
    if link is not None and link.revoked_at is None and link.club == fill_in.club:
        actor = holder_of(link)
    note_actor(actor)
    player, now = find_own_player(actor, fill_in.club), timezone.now()
    form = FillInForm(posted(request))
    if form.is_valid():
        op = Operation(actor, now)
        with form.placing():
            try:
                by = op if player is not None else op.as_site("fill_in_link")
                answer_fill_in(by, fill_in, player=form.cleaned_data["player"])
                messages.success(request, _("Thank you. You are expected at this evening."))
                return redirect(request.get_full_path())
            except (Forbidden, Missing):
                messages.error(request, _("Choose your name in the list."))
    response = render_form(
        request, "people/fill_in.html", _context(request, fill_in, actor, form), form
    )
    response["X-Robots-Tag"] = NO_INDEX
    return response


def _context(
    request: HttpRequest, fill_in: FillInRequest, actor: Actor, form: FillInForm
) -> dict[str, object]:
    fill_in.refresh_from_db(fields=["filled_at", "filled_by", "ended_at"])  # somebody was first
    meeting, club, query = fill_in.meeting, fill_in.club, request.GET.get("q", "").strip()
    player = find_own_player(actor, club)
    is_open = fill_in.filled_at is None and fill_in.ended_at is None
    names = find_willing(meeting, query[:LONGEST_QUERY]) if player is None else []
    return {
        "layout": Layout(
            path=request.path, club_name=club.name, zone=club.time_zone, at_table=True
        ),
        "club": club,
        "meeting": meeting,
        "form": form,
        "is_found": fill_in.filled_at is not None,
        "is_open": is_open and takes_fill_ins(meeting, timezone.now()),
        "own": player,
        "is_in": player is not None and fill_in.filled_by == player,
        "names": names[:MOST_NAMES],
        "has_more": len(names) > MOST_NAMES,
        "query": query,
    }
