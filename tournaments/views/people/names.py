"""How one's own name is shown to the public, in each club that the account is a player of."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.forms.clubs.edit_player import OwnNameForm
from tournaments.forms.http.service_form import attempt
from tournaments.selectors.clubs.linked_accounts import players_of_account
from tournaments.services.clubs.edit_player import edit_own_player
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest


@form_page("own_account")
def own_names(request: PageRequest) -> HttpResponse:
    """Show how each linked player is shown to the public, and save another choice."""
    players = players_of_account(request.actor)
    chosen = request.POST.get("player", "")
    forms = [
        OwnNameForm(request.POST if str(one.pk) == chosen else None, club=one.club, player=one)
        for one in players
    ]
    if request.method == "POST":
        form = next((one for one in forms if one.is_bound), None)
        if form is None:
            raise Missing("player", {"player": chosen[:40]})
        if form.is_valid() and _is_saved(request, form):
            return redirect("tournaments:own-names")
    context = {"layout": layout.site_layout(request), "forms": forms}
    return render_form(request, "people/names.html", context, *forms)


def _is_saved(request: PageRequest, form: OwnNameForm) -> bool:
    changed = attempt(
        form,
        lambda: edit_own_player(
            actor=request.actor,
            club=form.club,
            player=form.player,
            shown_as=form.cleaned_data["shown_as"],
            nickname=form.cleaned_data["nickname"],
            now=timezone.now(),
        ),
    )
    if changed is None:
        return False
    says = _("Saved. Public pages of %(club)s show you as %(name)s.")
    facts = {"club": form.club.name, "name": changed.public_name}
    messages.success(request, says % facts)
    return True
