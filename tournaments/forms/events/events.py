"""An event as a copy of another one, its states, and the reason for an act."""

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.views.http.service_form import ServiceForm


class NextEventForm(ServiceForm):
    """What the next season's event is called, and whether the same people compete."""

    name = forms.CharField(label=_("Name of the event"), required=False)
    players = forms.BooleanField(
        label=_("Copy the entrants, except withdrawn ones"), required=False
    )


class ReasonForm(ServiceForm):
    """Why something is done; one sentence that stays in the club's record."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("One sentence. Shown in the change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; a missing reason is not one of a correction only."""
        if problem.code == "reason_required":
            return gettext("Enter a reason in one sentence.")
        return super().sentence_of(problem)


class EventStateForm(ReasonForm):
    """A change of state: where to, and why."""

    to = forms.CharField(required=False, widget=forms.HiddenInput)
