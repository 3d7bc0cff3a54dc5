"""Tokens for programs: an account's own, and those made for a club."""

from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.selectors.access.tokens import (
    get_club_token,
    get_own_token,
    list_tokens_of,
    list_working_tokens,
)
from tournaments.selectors.clubs.clubs import list_clubs_for, list_clubs_of_account, may_do
from tournaments.services.access.tokens import create_token, revoke_club_token, revoke_token
from tournaments.views.http.decorators import club_form_page, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_club, render_site
from tournaments.views.http.service_form import (
    ServiceForm,
    operation_of,
    posted,
    submit,
    text_field,
)

DAYS: Final = ((30, _("30 days")), (90, _("90 days")), (366, _("1 year")))
SCOPES: Final = (
    ("read", _("Read: standings, sheets and players that you may read")),
    ("enter", _("Enter: also hands, results and challenges, as your role allows")),
    ("manage", _("Manage: everything that your role allows")),
)


class TokenForm(ServiceForm):
    required_fields = ("scope", "days")
    name = text_field(
        _("Name"), _("The purpose of the token, for example “Club website”."), autocomplete="off"
    )
    scope = forms.ChoiceField(
        label=_("Scope"),
        choices=SCOPES,
        error_messages={"invalid_choice": _("Choose one of the scopes in the list.")},
    )
    club = forms.ModelChoiceField(
        label=_("Club"),
        queryset=Club.objects.none(),
        to_field_name="slug",
        empty_label=_("All your clubs"),
        error_messages={"invalid_choice": _("Choose one of your clubs.")},
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=DAYS,
        coerce=int,
        initial=90,
        error_messages={"invalid_choice": _("Choose one of the times in the list.")},
    )

    def __init__(self, *args: Any, clubs: QuerySet[Club], **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["club"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - declared above
        field.queryset = clubs


@form_page((create_token, TokenForm))
def tokens(request: PageRequest) -> HttpResponse:
    op = operation_of(request)
    if "revoke" in request.POST:
        revoke_token(op, token=get_own_token(op.actor, _id(request)))
        messages.success(request, gettext("Token revoked. It no longer works."))
        return redirect("tournaments:tokens")
    clubs = list_clubs_of_account(op.actor)
    form = TokenForm(posted(request), clubs=clubs)
    created = submit(request, form, create_token)
    context = {
        "form": TokenForm(clubs=clubs) if created else form,
        "created": created,
        "tokens": list_tokens_of(op.actor, op.now),
    }
    return render_site(request, "access/tokens.html", context, form)


@form_page("own_account")
def programs(request: PageRequest) -> HttpResponse:
    """Show what administrators and programs need, of the account and of the clubs it manages."""
    clubs = [
        (club, may_do(club, "manage_club"))
        for club in list_clubs_for(request.actor)
        if may_do(club, "import_sheets")
    ]
    return render_site(request, "access/programs.html", {"clubs": clubs})


@club_form_page(revoke_club_token)
def club_tokens(request: PageRequest, club: Club) -> HttpResponse:
    op = operation_of(request)
    if "revoke" in request.POST:
        revoke_club_token(op, get_club_token(club, _id(request)))
        return done(request, gettext("Token revoked. It no longer works."), "club-tokens", club)
    context = {"tokens": list_working_tokens(op.now).filter(club=club)}
    return render_club(request, "access/club_tokens.html", club, context)


def _id(request: PageRequest) -> UUID:
    try:
        return UUID(request.POST["revoke"])
    except ValueError as odd:
        raise Missing("token") from odd
