"""The form that archives an event."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.views.http.service_form import ServiceForm


class ArchiveForm(ServiceForm):
    """Why an event is archived."""

    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("One sentence, kept in the club’s audit trail."),
        max_length=500,
        required=False,
    )
