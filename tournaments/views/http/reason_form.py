"""The form of a reason, for every act that asks for one."""

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.views.http.service_form import ServiceForm


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
