"""Which table of the past is wanted: as of a round, or of a date."""

import datetime

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.views.http.service_form import ServiceForm

MOST_ROUNDS = 10**8


class AsOfForm(ServiceForm):
    """A round or a date; where both are given, the round."""

    round = forms.IntegerField(
        label=_("As of round"),
        required=False,
        min_value=1,
        max_value=MOST_ROUNDS,
        error_messages={"invalid": _("Enter the number of a round.")},
    )
    date = forms.DateField(
        label=_("or as of a day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
        error_messages={"invalid": _("Enter a date as 2025-10-30.")},
    )

    def entered(self) -> tuple[int | None, datetime.date | None]:
        """Return the round and the day that are asked for; both None where neither is."""
        found = getattr(self, "cleaned_data", {})
        return found.get("round"), found.get("date")
