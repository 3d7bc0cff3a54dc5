"""Tokens for programs: an account's own, and those made for a club."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.selectors.access.tokens import list_tokens_of, list_tokens_of_club
from tournaments.selectors.clubs.clubs import get_club, list_clubs_of_account
from tournaments.services.access.tokens import create_own_token, revoke_club_token, revoke_own_token
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_club
from tournaments.views.http.service_form import ServiceForm, posted, render_form, submit

DAYS: Final = ((30, _("30 days")), (90, _("90 days")), (366, _("1 year")))
SCOPES: Final = (
    ("read", _("Read: standings, sheets and players that you may read")),
    ("enter", _("Enter: also hands, results and challenges, as your role allows")),
    ("manage", _("Manage: everything that your role allows")),
)


class TokenForm(ServiceForm):
    """A token to create; `clubs` are those of the account."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        help_text=_("The purpose of the token, for example “Club website”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=_("Scope"),
        choices=SCOPES,
        error_messages={"invalid_choice": _("Choose one of the scopes in the list.")},
    )
    club = forms.ChoiceField(
        label=_("Club"),
        required=False,
        error_messages={"invalid_choice": _("Choose one of your clubs.")},
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=DAYS,
        coerce=int,
        initial=90,
        error_messages={"invalid_choice": _("Choose one of the times in the list.")},
    )

    def __init__(self, *args: Any, clubs: Sequence[Club], **more: Any) -> None:
        super().__init__(*args, **more)
        self._clubs = {club.slug: club for club in clubs}
        field = self.fields["club"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = [("", _("All your clubs")), *((club.slug, club.name) for club in clubs)]

    @property
    def arguments(self) -> dict[str, object]:
        """Name and scope, how long, and the club; None for every club of the account."""
        typed = dict(self.cleaned_data)
        club, lasts = self._clubs.get(typed.pop("club")), timedelta(days=typed.pop("days"))
        return {**typed, "club": club, "lasts": lasts}


@form_page("own_account")
def tokens(request: PageRequest) -> HttpResponse:
    now = timezone.now()
    if "revoke" in request.POST:
        revoke_own_token(actor=request.actor, public_id=_id(request), now=now)
        messages.success(request, gettext("Token revoked. It no longer works."))
        return redirect("tournaments:tokens")
    clubs = list_clubs_of_account(request.actor)
    form = TokenForm(posted(request), clubs=clubs, initial={"days": 90})
    created = submit(request, form, create_own_token, now=now)
    context = {
        "layout": layout.site_layout(request),
        "form": TokenForm(clubs=clubs, initial={"days": 90}) if created else form,
        "created": created[0] if created else None,
        "plain": created[1] if created else "",
        "tokens": list_tokens_of(request.actor, now),
    }
    return render_form(request, "access/tokens.html", context, form)


@form_page("manage_club_tokens")
def club_tokens(request: PageRequest, club: str) -> HttpResponse:
    current_club, now = get_club(request.actor, club), timezone.now()
    if "revoke" in request.POST:
        revoke_club_token(actor=request.actor, club=current_club, public_id=_id(request), now=now)
        messages.success(request, gettext("Token revoked. It no longer works."))
        return redirect("tournaments:club-tokens", club=club)
    context = {"tokens": list_tokens_of_club(current_club, now)}
    return render_club(request, "access/club_tokens.html", current_club, context)


def _id(request: PageRequest) -> UUID:
    try:
        return UUID(request.POST["revoke"])
    except ValueError as odd:
        raise Missing("token") from odd
