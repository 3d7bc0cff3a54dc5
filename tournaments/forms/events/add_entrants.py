"""Entering several players, pairs and teams at once: chosen from the club's list, or pasted."""

from collections.abc import Iterable, Iterator

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.views.http.service_form import ServiceForm


class AddEntrantsForm(ServiceForm):
    """Who competes: check boxes for the players of the club, and a field for a list of names."""

    players = forms.MultipleChoiceField(
        label=_("Players of the club"), required=False, widget=forms.CheckboxSelectMultiple
    )
    names = forms.CharField(
        label=_("Names"),
        required=False,
        help_text=_(
            "One entrant a line: a player by name or number, a pair as “Ada & Ben”, a team as "
            "“Spades: Ada, Ben, Cy, Dee”."
        ),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, data: object = None, *, offered: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["players"].choices = list(offered)  # type: ignore[attr-defined]

    def typed(self) -> Iterator[str]:
        """Yield what names each entrant: the numbers that were checked, then the lines."""
        yield from self.cleaned_data["players"]
        yield from filter(None, (line.strip() for line in self.cleaned_data["names"].splitlines()))

    def ask_about(self, unknown: Iterable[Problem]) -> None:
        """Ask whether names that are not on the club's list are those of new players."""
        text = gettext("Not on the club's list of players: %(names)s.")
        self.add_error("names", text % {"names": self.names_in(unknown)})

    def names_in(self, unknown: Iterable[Problem]) -> str:
        """Return the names that nobody has, each with the players of similar names."""
        names = []
        for problem in unknown:
            name = str(problem.facts["found"])
            near = " / ".join(str(player.facts["name"]) for player in problem.suggestions)
            names.append(f"{name} ({near}?)" if near else name)
        return " · ".join(names)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; nobody chosen is said as what to do."""
        if problem.code == "nobody_of_that_name":  # without a comma, `ask_about` asks
            text = gettext(
                "“%(found)s” has a comma and is not on the club's list of players. Add the player "
                "first, or enter the name without a comma."
            )
            return text % problem.facts
        if problem.code == "members_count":
            return gettext("Choose players, or enter a name.")
        return super().sentence_of(problem)
