"""A new token: what it is for, where it works and how long."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.clubs import Club

DAYS: Final = (
    (30, _("30 days")),
    (90, _("90 days")),
    (366, _("1 year")),
)
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
        field.choices = [("", _("All your clubs")), *((one.slug, one.name) for one in clubs)]

    @property
    def club_chosen(self) -> Club | None:
        """The club where the token works; None for every club of the account."""
        return self._clubs.get(self.cleaned_data["club"])

    @property
    def lasts(self) -> timedelta:
        """How long the token works."""
        return timedelta(days=self.cleaned_data["days"])
