"""The form of an event's name and address."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.views.http.service_form import ServiceForm


class RenameEventForm(ServiceForm):
    """The name and the address of an event; the service judges what it takes."""

    based_on = forms.CharField(required=False, widget=forms.HiddenInput())
    name = forms.CharField(label=_("Name of the event"), required=False)
    slug = forms.CharField(
        label=_("Address of the event"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. Links and printed codes with the former "
            "address go on working, and no other event of the club gets it."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
