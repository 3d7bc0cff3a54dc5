"""An evening that is planned, moved or cancelled."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm


class MeetingForm(ServiceForm):
    """Date, time and place of an evening, and why it is cancelled."""

    field_order = ("date", "time", "place", "reason")
    date = forms.DateField(
        label=_("Date"),
        error_messages={
            "required": _("Enter the date as 2026-11-20."),
            "invalid": _("Enter the date as 2026-11-20."),
        },
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    time = forms.TimeField(
        label=_("Time"),
        required=False,
        help_text=_("Optional. For example 19:30."),
        error_messages={"invalid": _("Enter the time as 19:30.")},
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("Shown on the club’s page and in the change log."),
        widget=forms.TextInput(attrs={"class": "wide"}),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        # Not an attribute of the class: `place` is a method of every form here.
        self.fields["place"] = forms.CharField(
            label=_("Place"),
            required=False,
            help_text=_("Optional. For example Riverside Hall."),
            widget=forms.TextInput(attrs={"class": "wide"}),
        )

    def planned(self) -> dict[str, Any]:
        """Return date, time and place as `plan_meeting` takes them."""
        data = self.cleaned_data
        return {"day": data["date"], "at": data["time"], "place": data["place"]}
