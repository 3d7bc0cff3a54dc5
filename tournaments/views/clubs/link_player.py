"""Link a player to a member's account, and "This is me", which a director confirms."""

import uuid
from collections.abc import Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.models.clubs import Club, Role
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import (
    account_of,
    find_own_pending_claim,
    find_user_of_member,
    get_claim,
    get_linked_member,
    list_pending_claims,
    unlinked_members,
)
from tournaments.selectors.events.players import player_for, player_shown
from tournaments.services.clubs.members import (
    claim_player,
    claim_right,
    confirm_claim,
    link_player,
    reject_claim,
    unlink_player,
    withdraw_claim,
)
from tournaments.services.permissions import require
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_club
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
)


class LinkPlayerForm(ServiceForm):
    member = forms.CharField(
        label=gettext_lazy("Member"),
        help_text=gettext_lazy("Members whose account is not linked to a player yet."),
    )

    def __init__(self, data: object, club: Club) -> None:
        super().__init__(data)
        self.club, self.members = club, unlinked_members(club)
        choices = [
            (str(member.id), f"{member.name} ({Role(member.role).label})")
            for member in self.members
        ]
        self.fields["member"].widget = forms.Select(choices=[("", _("Choose a member")), *choices])

    @gives("user")
    def get_arguments(self) -> Mapping[str, object]:
        return {"user": find_user_of_member(self.club, self.cleaned_data["member"])}

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; it asks for a missing choice."""
        if problem.code == "not_a_member" and not self.cleaned_data.get("member"):
            return _("Choose a member of the club.")
        return super().sentence_of(problem)


DECISIONS: Final = {
    "confirm": (confirm_claim, gettext_lazy("Claim confirmed: %(name)s is linked to the account.")),
    "reject": (reject_claim, gettext_lazy("Claim rejected: %(name)s stays without this account.")),
    "withdraw": (withdraw_claim, gettext_lazy("Claim of %(id)s withdrawn.")),
}
"""The buttons of a claim → what does it, and what is said then."""


@club_form_page((link_player, LinkPlayerForm))
def link(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = player_for(request.actor, club, player_id)
    if "unlink" in request.POST:
        unlink_player(operation_of(request), player)
        notice = _("%(name)s has no account now.") % {"name": player.name}
        return done(request, notice, "player", club, player_id=player_id)
    form = LinkPlayerForm(posted(request), club)
    if submit(request, form, link_player, player) is not None:
        notice = _("%(name)s is linked. The member now acts as this player.")
        return done(request, notice % {"name": player.name}, "player", club, player_id=player_id)
    claims = list_pending_claims(club)
    context = {
        "player": player,
        "member": get_linked_member(player),
        "has_members": bool(form.members),
        "claims": [claim for claim in claims if claim.player_id == player_id],
        "form": form,
    }
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/link_player.html", club, context, form, crumbs=crumbs)


@club_form_page((claim_player, ServiceForm), (link_player, ServiceForm, "user"))
def claim(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    """Claim a player; a reader who would confirm the claim is linked without one."""
    require(request.actor, club, claim_right())
    player = player_for(request.actor, club, player_id)
    form = ServiceForm(posted(request))
    if may_link := may_do(club, "link_players"):
        user = account_of(request.actor)
        is_done = submit(request, form, link_player, player, user=user) is not None
        notice = _("You are %(name)s now.") % {"name": player.name}
    else:
        is_done = submit(request, form, claim_player, player) is not None
        notice = _("A director has to confirm that you are this player.")
    if is_done:
        if request.POST.get("back") == "me":
            messages.success(request, notice)
            return redirect("tournaments:me")
        return done(request, notice, "player", club, player_id=player_id)
    shown_player = player_shown(request.actor, club, player)
    context = {
        "player": shown_player,
        "account": request.actor.name,
        "may_link": may_link,
        "form": form,
    }
    crumbs = layout.player_crumbs(shown_player, club)
    return render_club(request, "clubs/claim_player.html", club, context, form, crumbs=crumbs)


@club_form_page("own_account")
def claims(request: PageRequest, club: Club) -> HttpResponse:
    """Show the pending claims: to directors all, to anybody else their own."""
    context = {
        "own": find_own_pending_claim(request.actor, club),
        "claims": list_pending_claims(club),
        "may_link": may_do(club, "link_players"),
    }
    crumbs = (layout.players_link(club),)
    return render_club(request, "clubs/claims.html", club, context, crumbs=crumbs)


@club_form_page(withdraw_claim, confirm_claim, reject_claim)
def decide(request: PageRequest, club: Club, claim: uuid.UUID) -> HttpResponse:
    if request.POST.get("to") in DECISIONS:
        operation, notice = DECISIONS[request.POST["to"]]
        if operation is not withdraw_claim:
            require(request.actor, club, "link_players")
        with RefusalMessages(request):
            player = operation(operation_of(request), get_claim(club, claim)).player
            messages.success(request, notice % {"name": player.name, "id": player.player_id})
    back = request.POST.get("back", "")
    if back == "me":
        return redirect("tournaments:me")
    page = back if back in ("players", "members") else "claims"
    return redirect(f"tournaments:{page}", club.slug)
