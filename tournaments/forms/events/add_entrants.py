"""Entering several players of the club at once: chosen from its list, or pasted by name."""

from collections.abc import Iterable, Iterator

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.http.service_form import ServiceForm


class AddEntrantsForm(ServiceForm):
    """Who competes: check boxes for the players of the club, and a field for a list of names."""

    players = forms.MultipleChoiceField(
        label=_("Players of the club"), required=False, widget=forms.CheckboxSelectMultiple
    )
    names = forms.CharField(
        label=_("Names"),
        required=False,
        help_text=_("One player of the club a line, by name or number."),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, data: object = None, *, offered: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["players"].choices = list(offered)  # type: ignore[attr-defined]

    def typed(self) -> Iterator[str]:
        """Yield what names each player: the numbers that were checked, then the lines."""
        yield from self.cleaned_data["players"]
        yield from filter(None, (line.strip() for line in self.cleaned_data["names"].splitlines()))

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; nobody chosen is said as what to do."""
        if problem.code == "members_count":
            return gettext("Choose players, or enter a name.")
        return super().sentence_of(problem)
