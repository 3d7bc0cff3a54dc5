"""Disputes: what is said of a hand, and what a director says to it."""

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.forms.events.events import ReasonForm
from tournaments.forms.http.service_form import ServiceForm


class DisputeForm(ServiceForm):
    """Which hand of a table is wrong, and what about it.

    Args:
        hands: numbers of the table's hands, each with its name.
    """

    hand = forms.IntegerField(
        label=gettext_lazy("Hand"),
        required=False,
        error_messages={"invalid": gettext_lazy("Choose a hand of this table.")},
    )
    words = forms.CharField(
        label=gettext_lazy("Problem"),
        required=False,
        max_length=500,
        help_text=gettext_lazy(
            "One sentence. Only your table, and the hosts and directors of the club, read it."
        ),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self, data: object = None, *, hands: Iterable[tuple[int | str, str]] = (), **more: object
    ) -> None:
        super().__init__(data, **more)
        hands = list(hands)
        if len(hands) > 1:
            hands.insert(0, ("", _("Choose a hand")))
        self.fields["hand"].widget = forms.Select(choices=hands)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; what is missing here are words."""
        if problem.code == "reason_required":
            return _("Describe the problem in one sentence.")
        if problem.code == "unknown_hand":
            return _("Choose a hand of this table.")
        return super().sentence_of(problem)


class RulingForm(ReasonForm):
    """Whether a dispute is right, and why."""

    to = forms.CharField(required=False, widget=forms.HiddenInput)
