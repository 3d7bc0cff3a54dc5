"""The form that deletes or restores a hand."""

from django import forms

from tournaments.forms.events.events import ReasonForm


class VoidForm(ReasonForm):
    """The reason to delete or restore a hand, and the revision of it that the page showed."""

    based_on = forms.IntegerField(required=False, widget=forms.HiddenInput)
