"""Tokens for programs: an account's own, and those made for a club."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.forms.access.tokens import TokenForm
from tournaments.forms.http.service_form import attempt
from tournaments.selectors.access.tokens import tokens_of, tokens_of_club
from tournaments.selectors.clubs.clubs import club_at, clubs_of_account
from tournaments.services.access.own_tokens import (
    create_own_token,
    revoke_club_token,
    revoke_own_token,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("own_account")
def tokens(request: PageRequest) -> HttpResponse:
    """List the account's tokens, create one, which is shown once, or revoke one."""
    now = timezone.now()
    if "revoke" in request.POST:
        revoke_own_token(actor=request.actor, public_id=_id(request), now=now)
        messages.success(request, _("Token revoked. It no longer works."))
        return redirect("tournaments:tokens")
    clubs = clubs_of_account(request.actor)
    form = TokenForm(posted(request), clubs=clubs, initial={"days": 90})
    created = None
    if request.method == "POST" and form.is_valid():
        created = attempt(
            form,
            lambda: create_own_token(
                actor=request.actor,
                name=form.cleaned_data["name"],
                club=form.club_chosen,
                scope=form.cleaned_data["scope"],
                lasts=form.lasts,
                now=now,
            ),
        )
    context = {
        "layout": layout.site_layout(request),
        "form": TokenForm(clubs=clubs, initial={"days": 90}) if created else form,
        "created": created,
        "tokens": tokens_of(request.actor, now),
    }
    return render_form(request, "access/tokens.html", context, form)


@form_page("manage_club_tokens")
def club_tokens(request: PageRequest, club: str) -> HttpResponse:
    """List the tokens made for a club, and revoke one."""
    found, now = club_at(request.actor, club), timezone.now()
    if "revoke" in request.POST:
        revoke_club_token(actor=request.actor, club=found, public_id=_id(request), now=now)
        messages.success(request, _("Token revoked. It no longer works."))
        return redirect("tournaments:club-tokens", club=club)
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "tokens": tokens_of_club(found, now),
    }
    return render(request, "access/club_tokens.html", context)


def _id(request: PageRequest) -> UUID:
    try:
        return UUID(request.POST["revoke"])
    except ValueError as odd:
        raise Missing("token") from odd
