"""Fields that name players: a name that is refused gets buttons with those it may mean.

A pressed button sends the form again with `pick` or `guest`; `views.http.find_players.answered`
puts the answer into the field before the form is read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django import forms

from scoring.errors import Problem
from tournaments.domain.imports.name_matching import comma_parts, one_line, one_person
from tournaments.forms.http.service_form import ServiceForm
from tournaments.messages import sentence
from tournaments.services.clubs.clubs import name_problems

PICK: Final = "pick"
"""The button that chooses a player: its value is `field=name (id)`."""
GUEST: Final = "guest"
"""The button that adds a guest: its value is `field=name`."""
BETWEEN_NAMES: Final = frozenset("&+/;")
"""Characters between the names of several people."""
UNCLEAR: Final = frozenset({"nobody_of_that_name", "name_of_several", "side_of_several"})


@dataclass(frozen=True, slots=True)
class NamedField:
    """A field with the players that its text may mean, and the names of a guest to add."""

    field: forms.BoundField
    candidates: tuple[str, ...] = ()
    guests: tuple[str, ...] = ()


class NamedPlayersForm(ServiceForm):
    """A form with fields for players, `seat-1` on; the first one has the focus of a new page."""

    def __init__(self, data: object = None, **more: object) -> None:
        super().__init__(data, **more)
        self._unclear: dict[str, Problem] = {}
        self._seats: list[str] = []

    def ask_players(self, labels: Iterable[str]) -> None:
        """Add a field for each label."""
        for number, label in enumerate(labels, start=1):
            name = f"seat-{number}"
            attrs: dict[str, Any] = {"list": "people", "autocomplete": "off"}
            if number == 1 and not self.is_bound:
                attrs["autofocus"] = True
            self._seats.append(name)
            self.fields[name] = forms.CharField(
                label=label, required=False, widget=forms.TextInput(attrs=attrs)
            )

    def place(self, problems: Iterable[Problem]) -> None:
        """Put each problem beside its field, and keep whom an unclear name may mean."""
        known = tuple(problems)
        super().place(known)
        for problem in known:
            name = self.field_of(problem)
            if name is not None and problem.code in UNCLEAR:
                self._unclear[name] = problem

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; whom it may mean stands on buttons.

        A name that nobody has could be added as a guest; if it cannot, the sentence says why.
        """
        if problem.code == "nobody_of_that_name":
            reasons = name_problems(str(problem.facts["found"]))
            return sentence(reasons[0] if reasons else problem)
        return sentence(problem) if problem.code in UNCLEAR else super().sentence_of(problem)

    @property
    def seat_fields(self) -> list[NamedField]:
        """The fields for players, each with whom an unclear name may mean."""
        return [self._named(name) for name in self._seats]

    def players(self) -> tuple[str, ...]:
        """Return what was typed for the players, in order."""
        return tuple(self.cleaned_data[name] for name in self._seats)

    def _named(self, name: str) -> NamedField:
        problem = self._unclear.get(name)
        if problem is None:
            return NamedField(self[name])
        closest = tuple(str(one.facts["name"]) for one in problem.suggestions)
        return NamedField(self[name], closest, guest_names(str(problem.facts["found"])))


def guest_names(text: str) -> tuple[str, ...]:
    """Return the names under which a typed text could be added; none if it names several people.

    >>> guest_names("Holm, Petra"), guest_names("Ida"), guest_names("Ada & Ben")
    (('Holm, Petra', 'Petra Holm'), ('Ida',), ())
    """
    names = [one_line(text)]
    if len(comma_parts(text)) == 2:
        names.append(one_person(text))
    return tuple(name for name in names if not name_problems(name) and not BETWEEN_NAMES & {*text})
