"""Inviting people into a club: a list of names, then their links to hand out and cards to print."""

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.code_words import OF_A_ROLE
from tournaments.errors import Missing
from tournaments.forms.clubs.members import InviteForm, read_people
from tournaments.forms.http.service_form import attempt
from tournaments.mail.files import unsent_note
from tournaments.models.clubs import Club, Player, Role
from tournaments.models.invitations import Invitation
from tournaments.printing.invitation_cards import invitation_cards, sheets_of
from tournaments.selectors.access.invitations import invitation_at, invitations_of, made_with
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.player_paste import added_players
from tournaments.services.clubs.invitations import MOST_A_MINUTE
from tournaments.services.clubs.invite_list import (
    InvitePlan,
    invite_list,
    names_of,
    plan_invites,
    uninvited_players,
)
from tournaments.services.clubs.pending_invitations import VALID_FOR
from tournaments.views.access.table_links import OWN_MACHINE
from tournaments.views.clubs.club_members import members_layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest


@form_page("manage_members")
def invite(request: PageRequest, club: str) -> HttpResponse:
    """Ask for names and a role, ask about the names that are nobody's, and invite them."""
    found = clubs.club_at(request.actor, club)
    now = timezone.now()
    sent = request.POST.copy() if request.method == "POST" else None
    if sent is not None and "fill" in sent:
        sent["names"] = _filled(found, str(sent.get("names", "")))
    names = _proposed(found, request.GET)
    form = InviteForm(
        sent,
        initial={"names": names, "role": Role.PLAYER} if names else None,
        sends_mail=not unsent_note(),
    )
    if sent is not None and form.is_valid() and "create" in sent:
        made = attempt(
            form,
            lambda: invite_list(
                actor=request.actor,
                club=found,
                role=form.cleaned_data["role"],
                asked=read_people(form.cleaned_data["names"]),
                choices=form.choices_sent(),
                now=now,
            ),
        )
        if made is not None:
            to = redirect("tournaments:invitations", club=club)
            to["Location"] += f"?of={made[0].public_id}"
            return to
    context = {
        "layout": members_layout(request, found),
        "club": found,
        "form": form,
        "plan": _plan(found, form),
        "roles": [(role, Role(role).label, _(OF_A_ROLE[role][-1])) for role in OF_A_ROLE],
        "chosen_role": form["role"].value() or Role.PLAYER,
        "valid_until": now + VALID_FOR,
        "n_uninvited": len(uninvited_players(found)),
    }
    return render_form(request, "clubs/invite.html", context, form)


@form_page("manage_members")
def invitations(request: PageRequest, club: str) -> HttpResponse:
    """Show the links of invitations that were made just now, of one, or of all that are pending."""
    found = clubs.club_at(request.actor, club)
    shown = _asked_for(request, found)
    cards = invitation_cards(shown, entrance=_entrance(request))
    context = {
        "layout": members_layout(request, found),
        "club": found,
        "cards": cards,
        "query": request.GET.urlencode(),
        "n_mailed": sum(bool(card.invitation.email) for card in cards),
        "n_cards": sum(not card.invitation.email for card in cards),
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }
    return render(request, "clubs/invitations.html", context)


@form_page("manage_members")
def invitation_cards_page(request: PageRequest, club: str) -> HttpResponse:
    """Show cards to print and cut: of those without an e-mail address, or of all."""
    found = clubs.club_at(request.actor, club)
    shown = _asked_for(request, found)
    without_mail = [one for one in shown if not one.email]
    printed = shown if "all" in request.GET or not without_mail else without_mail
    cards = [one for one in invitation_cards(printed, entrance=_entrance(request)) if one.qr]
    context = {
        "layout": members_layout(request, found),
        "club": found,
        "cards": cards,
        "sheets": sheets_of(cards),
        "query": request.GET.urlencode(),
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }
    return render(request, "clubs/invitation_cards.html", context)


def _asked_for(request: PageRequest, club: Club) -> Sequence[Invitation]:
    """Return the pending invitations of a club, those made with the one named `of`, or `one`."""
    if "one" in request.GET:
        return [invitation_at(club, _id(request.GET["one"]))]
    if "of" in request.GET:
        return list(made_with(club, _id(request.GET["of"]), timezone.now()))
    return list(invitations_of(club).filter(expires_at__gt=timezone.now()))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as mistyped:
        raise Missing("invitation") from mistyped


def _proposed(club: Club, query: QueryDict) -> str:
    """Return the list that the page begins with: the uninvited players (`fill`), or those of
    them who came with one pasted list (`added`)."""
    if "fill" in query:
        return _filled(club, "")
    if (number := query.get("added", "")).isdecimal():
        added = {one.pk for one in added_players(club, int(number)).players}
        return _filled(club, "", [one for one in uninvited_players(club) if one.pk in added])
    return ""


def _filled(club: Club, text: str, players: Sequence[Player] | None = None) -> str:
    """Return a list with players behind it who are not in it yet: by default all uninvited."""
    there = {line.strip() for line in text.splitlines()}
    added = uninvited_players(club) if players is None else players
    names = [one for one in names_of(club, added) if one not in there]
    return "\n".join(
        [*(line for line in text.splitlines() if line.strip()), *names][:MOST_A_MINUTE]
    )


def _plan(club: Club, form: InviteForm) -> InvitePlan | None:
    """Return what the list of a form would do; its problems stand in the form."""
    asked = read_people(str(form["names"].value() or ""))
    if not asked:
        return None
    try:
        plan = plan_invites(club, asked, form.choices_sent() if form.is_bound else {})
    except Refused as refused:
        if form.is_bound and not form.placed:
            form.place(refused.problems)
        return None
    if form.is_bound and not form.placed:
        form.place(plan.problems)
    return plan


def _entrance(request: PageRequest) -> str:
    address = reverse("tournaments:open-invitation", args=["-"])
    return request.build_absolute_uri(address.removesuffix("-"))
