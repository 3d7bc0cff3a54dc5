"""Forms of the page of attendance: when a player comes and leaves, and guests."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm

MOST_OFFERED: Final = 12
"""The last round that the page offers; REST takes any."""


class AttendanceForm(ServiceForm):
    """The rounds of a player, or nothing but the refusal of an act."""

    from_round = forms.IntegerField(
        label=_("Comes"), required=False, error_messages={"invalid": _("Choose a round.")}
    )
    leaves_after_round = forms.IntegerField(
        label=_("Leaves"), required=False, error_messages={"invalid": _("Choose a round.")}
    )

    def rounds(self) -> dict[str, Any]:
        """Return the two numbers; None where the player comes on time, and stays until the end."""
        return {name: self.cleaned_data[name] for name in ("from_round", "leaves_after_round")}


class GuestForm(ServiceForm):
    """The name of a guest."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        widget=forms.TextInput(attrs={"class": "wide", "autocomplete": "off"}),
    )
