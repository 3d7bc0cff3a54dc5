"""What a director types about cuts: how many go on, and why one is taken back or answered."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.asking import AskForm
from tournaments.forms.events import ReasonForm


class CutForm(AskForm):
    """A cut to make."""

    cut = forms.CharField(
        label=_("How many go on"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    name = forms.CharField(
        label=_("What the stage is called"),
        required=False,
        help_text=_("As in Final. Left empty, it is “the final of 8”."),
    )


class AnswerCutForm(ReasonForm):
    """What becomes of a cut: `act` is `undo`, or the answer to what a correction has asked."""

    act = forms.CharField(required=False, widget=forms.HiddenInput)
