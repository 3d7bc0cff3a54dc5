"""Link a player to a member's account, and "This is me", which a director confirms."""

import uuid
from collections.abc import Iterable
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem, Refused
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict
from tournaments.models.access import PlayerClaim
from tournaments.models.clubs import Club, Player, Role
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs import members as linked_accounts
from tournaments.selectors.events import players
from tournaments.services.clubs.members import (
    claim_act,
    claim_player,
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
from tournaments.views.http.pages import go_to, render_club
from tournaments.views.http.service_form import ServiceForm, attempt, posted


class LinkPlayerForm(ServiceForm):
    """The member who is a player.

    Args:
        members: id and label of the members without a player.
    """

    member = forms.CharField(
        label=gettext_lazy("Member"),
        required=False,
        help_text=gettext_lazy("Members whose account is not linked to a player yet."),
    )

    def __init__(
        self, data: object = None, *, members: Iterable[tuple[str, str]] = (), **more: object
    ) -> None:
        super().__init__(data, **more)
        choices = [("", _("Choose a member")), *members]
        self.fields["member"].widget = forms.Select(choices=choices)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; it asks for a missing choice."""
        if problem.code == "not_a_member" and not self.cleaned_data.get("member"):
            return _("Choose a member of the club.")
        return super().sentence_of(problem)


DECISIONS: Final = {"confirm": confirm_claim, "reject": reject_claim, "withdraw": withdraw_claim}
"""What the buttons of a claim send, and what does it."""
PAGES: Final = frozenset({"players", "members"})
"""Pages of a club that list its claims besides their own."""


@club_form_page("link_players")
def link(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    members = linked_accounts.unlinked_members(club)
    labels = [(str(member.id), f"{member.name} ({Role(member.role).label})") for member in members]
    form = LinkPlayerForm(posted(request), members=labels)
    if "unlink" in request.POST:
        unlink_player(actor=request.actor, club=club, player=player, now=timezone.now())
        messages.success(request, _("%(name)s has no account now.") % {"name": player.name})
        return go_to("player", club, player_id=player_id)
    if form.is_valid():
        linked = attempt(form, lambda: _link(request, club, player, form))
        if linked is not None:
            notice = _("%(name)s is linked. The member now acts as this player.")
            messages.success(request, notice % {"name": player.name})
            return go_to("player", club, player_id=player_id)
    claims = linked_accounts.list_pending_claims(club)
    context = {
        "player": player,
        "member": linked_accounts.get_linked_member(player),
        "has_members": bool(members),
        "claims": [claim for claim in claims if claim.player_id == player_id],
        "form": form,
    }
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/link_player.html", club, context, form, crumbs=crumbs)


@club_form_page("own_account")
def claim(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    require(request.actor, club, claim_act())
    player = players.player_for(request.actor, club, player_id)
    shown_player = players.player_shown(request.actor, club, player)
    may_link = clubs.may_do(club, "link_players")
    form = ServiceForm(posted(request))
    if form.is_valid():
        act = _link_self if may_link else _claim
        if attempt(form, lambda: act(request, club, player)) is not None:
            notice = _("A director has to confirm that you are this player.")
            if may_link:
                notice = _("You are %(name)s now.") % {"name": player.name}
            messages.success(request, notice)
            if request.POST.get("back") == "me":
                return redirect("tournaments:me")
            return go_to("player", club, player_id=player_id)
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
        "own": linked_accounts.find_own_pending_claim(request.actor, club),
        "claims": linked_accounts.list_pending_claims(club),
        "may_link": clubs.may_do(club, "link_players"),
    }
    crumbs = (layout.players_link(club),)
    return render_club(request, "clubs/claims.html", club, context, crumbs=crumbs)


@club_form_page("own_account")
def decide(request: PageRequest, club: Club, claim: uuid.UUID) -> HttpResponse:
    act = DECISIONS.get(request.POST.get("to", ""))
    if request.method == "POST" and act is not None:
        try:
            decided = act(actor=request.actor, club=club, claim_id=claim, now=timezone.now())
            messages.success(request, _decided_message(decided))
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
    back = request.POST.get("back", "")
    if back == "me":
        return redirect("tournaments:me")
    return redirect(f"tournaments:{back if back in PAGES else 'claims'}", club.slug)


def _link(request: PageRequest, club: Club, player: Player, form: LinkPlayerForm) -> Player:
    user = linked_accounts.find_user_of_member(club, form.cleaned_data["member"])
    if user is None:
        raise Refused(Problem("not_a_member", ("member",)))
    return link_player(actor=request.actor, club=club, player=player, user=user, now=timezone.now())


def _link_self(request: PageRequest, club: Club, player: Player) -> Player:
    """Link the reader, who would confirm the claim, without one."""
    user = linked_accounts.account_of(request.actor)
    return link_player(actor=request.actor, club=club, player=player, user=user, now=timezone.now())


def _claim(request: PageRequest, club: Club, player: Player) -> PlayerClaim:
    return claim_player(actor=request.actor, club=club, player=player, now=timezone.now())


def _decided_message(claim: PlayerClaim) -> str:
    says = {
        "confirmed": _("Claim confirmed: %(name)s is linked to the account."),
        "rejected": _("Claim rejected: %(name)s stays without this account."),
        "withdrawn": _("Claim of %(id)s withdrawn."),
    }
    return says[claim.state] % {"name": claim.player.name, "id": claim.player.player_id}
