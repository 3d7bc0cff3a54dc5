"""A field that chooses one of many people: a list for a few, else a search by how a name begins."""

from collections.abc import Mapping, Sequence
from typing import Final

from django import forms
from django.forms.renderers import BaseRenderer
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.forms.clubs.find_players import PICK
from tournaments.forms.http.service_form import ServiceForm
from tournaments.messages import sentence
from tournaments.services.clubs.find_players import NamedPeople, NamedPerson, label_of

MOST_LISTED: Final = 15
"""With more people the field is searched."""


class PersonField(forms.CharField):
    """A field whose value is a person's code; a search takes a name, its beginning or the code.

    `candidates` are the labels of those whom an unclear name may mean.
    """

    people: tuple[NamedPerson, ...] = ()
    candidates: tuple[str, ...] = ()
    is_search = False

    def offer(self, people: Sequence[tuple[str, str]], *, nobody: str | None = None) -> None:
        """Let one of `people` be chosen, each a code and what lists call them.

        Args:
            nobody: what a list says first, where nobody is chosen yet; None where the first is.
        """
        self.people = tuple(NamedPerson(code, _without(code, label)) for code, label in people)
        self.is_search = len(self.people) > MOST_LISTED
        first = [] if nobody is None else [("", nobody)]
        self.widget = (
            _Search([label_of(one) for one in self.people])
            if self.is_search
            else forms.Select(choices=[*first, *people])
        )

    @property
    def n_people(self) -> int:
        """How many can be chosen."""
        return len(self.people)

    def prepare_value(self, value: object) -> object:
        """Return the label of a code that the page offers, and what was typed as it is."""
        if not self.is_search:
            return value
        return next((label_of(one) for one in self.people if one.player_id == value), value)

    def clean(self, value: object) -> str:
        """Return the code of who is meant.

        Raises:
            ValidationError: nobody of that name, or several.
        """
        text: str = super().clean(value)
        if not self.is_search or not text:
            return text
        meant = NamedPeople(self.people).meant(text, ())
        if not isinstance(meant, Problem):
            return meant.player_id
        self.candidates = tuple(str(one.facts["name"]) for one in meant.suggestions)
        raise forms.ValidationError(sentence(meant))


def offered(
    field: forms.Field, people: Sequence[tuple[str, str]], *, nobody: str | None = None
) -> None:
    """Let one of `people` be chosen in a field of a form (`PersonField.offer`)."""
    if not isinstance(field, PersonField):
        raise TypeError("people are offered in a PersonField")
    field.offer(people, nobody=nobody)


class PeopleForm(ServiceForm):
    """A form with a `PersonField`: a pressed candidate is put into its field before it is read."""

    def __init__(self, data: Mapping[str, object] | None = None, **more: object) -> None:
        field, _mark, label = str(data.get(PICK, "") if data else "").partition("=")
        if data and label:
            data = {**_first_of_each(data), field: label}
        super().__init__(data, **more)


class _Search(forms.TextInput):
    """A text field with the people as suggestions, for whatever shows them."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__({"autocomplete": "off", "spellcheck": "false"})
        self.labels = labels

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, object] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """Return the field and its suggestions."""
        listed = f"people-{name}"
        typed = super().render(name, value, {**(attrs or {}), "list": listed}, renderer)
        options = format_html_join("", '<option value="{}">', ((label,) for label in self.labels))
        return format_html('{}<datalist id="{}">{}</datalist>', typed, listed, options)


def _first_of_each(data: Mapping[str, object]) -> JsonObject:
    return {name: data.get(name) for name in data}


def _without(code: str, label: str) -> str:
    """Return a label without the code at its end."""
    return label.removesuffix(f" ({code})")
