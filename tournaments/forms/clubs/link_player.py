"""Choosing the member whose account a player is linked to."""

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.forms.http.service_form import ServiceForm


class LinkPlayerForm(ServiceForm):
    """The member who is a player.

    Args:
        members: id and label of the members without a player.
    """

    member = forms.CharField(
        label=gettext_lazy("Member"),
        required=False,
        help_text=gettext_lazy("Members whose account is not linked to a player yet."),
    )

    def __init__(
        self, data: object = None, *, members: Iterable[tuple[str, str]] = (), **more: object
    ) -> None:
        super().__init__(data, **more)
        choices = [("", _("Choose a member")), *members]
        self.fields["member"].widget = forms.Select(choices=choices)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; what was not chosen is asked for."""
        if problem.code == "not_a_member" and not self.cleaned_data.get("member"):
            return _("Choose a member of the club.")
        return super().sentence_of(problem)
