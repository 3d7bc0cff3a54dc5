"""Changing details of a player, for directors."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.clubs.edit_player import EditPlayerForm
from tournaments.forms.http.service_form import attempt
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import players
from tournaments.services.clubs.edit_player import edit_player, is_used
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("edit_players")
def edit(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Show the details of a player, and save what was changed."""
    found = clubs.club_at(request.actor, club)
    player = players.player_for(request.actor, found, player_id)
    is_fixed = is_used(player)
    form = EditPlayerForm(
        posted(request),
        player=player,
        is_used=is_fixed,
        has_account=player.user_id not in (None, request.actor.user_id),
    )
    if request.method == "POST" and form.is_valid():
        known: dict[str, Any] = {"actor": request.actor, "club": found, "player": player}
        changed = attempt(
            form,
            lambda: edit_player(
                **known,
                changes=form.changes,
                based_on=form.cleaned_data["seen"],
                now=timezone.now(),
            ),
        )
        if changed is not None:
            messages.success(request, _("%(name)s saved.") % {"name": changed.name})
            return redirect("tournaments:player", club, changed.player_id)
    above = (layout.club_link(found), layout.players_link(found), layout.player_link(player, found))
    context = {
        "layout": layout.club_layout(request, found, above),
        "club": found,
        "player": player,
        "is_used": is_fixed,
        "form": form,
    }
    return render_form(request, "clubs/edit_player.html", context, form)
