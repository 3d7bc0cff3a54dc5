"""The form of who may read an event."""

from django import forms

from tournaments.views.http.service_form import ServiceForm


class VisibilityForm(ServiceForm):
    """Who may read an event; the service judges what it takes."""

    visibility = forms.CharField(required=False)
