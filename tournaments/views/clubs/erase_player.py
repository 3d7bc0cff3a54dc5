"""Erase a person, ask for it, and give out what is stored about one."""

import re
from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import players
from tournaments.selectors.people.merges import find_audit_lines_naming, find_pending_erasure
from tournaments.selectors.people.personal_data import (
    get_account_data,
    get_all_personal_data,
    get_personal_data,
)
from tournaments.services.people.erase_player import (
    ask_erasure,
    decline_erasure,
    erase_player,
    withdraw_erasure,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_club


class EraseForm(ServiceForm):
    """The player's number once more, and why the person is erased."""

    player_id = forms.CharField(
        label=gettext_lazy("Player's number"), max_length=40, required=False
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("For the audit trail, such as: asked by letter on 3 May."),
    )


REQUESTS: Final[dict[str, Callable[..., Any]]] = {
    "ask": ask_erasure,
    "withdraw": withdraw_erasure,
    "decline": decline_erasure,
}
"""What the buttons of a request send, and what does it."""


@form_page("erase_player")
def erase(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    player = players.player_for(request.actor, current_club, player_id)
    form = EraseForm(posted(request))
    if form.is_valid():
        erasure = attempt(
            form,
            lambda: erase_player(
                actor=request.actor,
                club=current_club,
                player=player,
                confirmed=form.cleaned_data["player_id"],
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            ),
        )
        if erasure is not None:
            notice = _("Erased. The person is %(name)s now.") % {"name": erasure[0].name}
            messages.success(request, notice)
            return redirect("tournaments:player", club, player_id)
    context = {
        "player": player,
        "pending": find_pending_erasure(player),
        "in_audit": len(find_audit_lines_naming(current_club, player)),
        "form": form,
    }
    crumbs = layout.player_crumbs(player, current_club)
    return render_club(
        request, "clubs/erase_player.html", current_club, context, form, crumbs=crumbs
    )


@form_page("own_account")
def erasure_request(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    player = players.player_for(request.actor, current_club, player_id)
    act = REQUESTS.get(request.POST.get("to", ""))
    if act is not None:
        try:
            act(actor=request.actor, club=current_club, player=player, now=timezone.now())
        except (Conflict, Missing) as refused:
            messages.error(request, sentence(refused.problem))
        return redirect("tournaments:player", club, player_id)
    if request.actor.user_id != player.user_id:
        raise Forbidden("edit_own_player")
    context = {"player": player, "pending": find_pending_erasure(player)}
    crumbs = layout.player_crumbs(player, current_club)
    return render_club(request, "clubs/ask_erasure.html", current_club, context, crumbs=crumbs)


@form_page("own_account")
def player_data(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    player = players.player_for(request.actor, current_club, player_id)
    return _file(get_personal_data(request.actor, current_club, player), f"{club}-{player_id}")


@form_page("own_account")
def account_data(request: PageRequest) -> HttpResponse:
    document = {
        "account": get_account_data(request.actor),
        "clubs": get_all_personal_data(request.actor),
    }
    return _file(document, "my-data")


def _file(document: object, name: str) -> HttpResponse:
    file_name = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    return JsonResponse(
        document,
        safe=False,
        json_dumps_params={"indent": 1, "ensure_ascii": False},
        headers={"Content-Disposition": f'attachment; filename="{file_name}.json"'},
    )
