"""Fields that name players: a list, a search, and buttons for those a name may mean."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.forms.renderers import BaseRenderer
from django.http import QueryDict
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import (
    MOST_SUGGESTED,
    comma_parts,
    one_line,
    one_person,
    player_name_problems,
)
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.selectors.clubs.find_players import NamedPeople, NamedPerson, label_of, names_in
from tournaments.selectors.rounds.resolve_players import with_label
from tournaments.services.clubs.clubs import add_guest_once
from tournaments.services.events.entrants import add_event_guest
from tournaments.services.operations import Operation
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, operation_of

PICK: Final = "pick"
"""The button that chooses a player: its value is `field=name (id)`."""
GUEST: Final = "guest"
"""The button that adds a guest: its value is `field=name`."""
UNCLEAR: Final = frozenset({"nobody_of_that_name", "name_of_several", "side_of_several"})


@dataclass(frozen=True, slots=True)
class NamedField:
    """A field with the players that its text may mean, and the names of a guest to add."""

    field: forms.BoundField
    candidates: tuple[str, ...] = ()
    guests: tuple[str, ...] = ()


class NamedPlayersForm(ServiceForm):
    """A form with fields for players, `seat-1` or `side-1` on; a new page begins at the first."""

    def __init__(self, data: object = None, **more: object) -> None:
        super().__init__(data, **more)
        self._unclear: dict[str, Problem] = {}
        self._seats: list[str] = []

    def ask_players(self, labels: Iterable[str], kind: str = "seat") -> None:
        for number, label in enumerate(labels, start=1):
            name = f"{kind}-{number}"
            attrs: dict[str, Any] = {"list": "people", "autocomplete": "off"}
            if number == 1 and not self.is_bound:
                attrs["autofocus"] = True
            self._seats.append(name)
            self.fields[name] = forms.CharField(label=label, widget=forms.TextInput(attrs=attrs))

    def place(self, problems: Iterable[Problem]) -> None:
        problems = tuple(problems)
        super().place(problems)
        for problem in problems:
            name = self.field_of(problem)
            if name is not None and problem.code in UNCLEAR:
                self._unclear[name] = problem

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; the candidates are shown as buttons.

        An unknown name can be added as a guest; if not, the sentence gives the reason.
        """
        if problem.code == "nobody_of_that_name":
            reasons = player_name_problems(str(problem.facts["found"]))
            return sentence(reasons[0] if reasons else problem)
        if problem.code in UNCLEAR:
            return sentence(problem)
        return super().sentence_of(problem)

    @property
    def seat_fields(self) -> list[NamedField]:
        return [self._named(name) for name in self._seats]

    def players(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data[name] for name in self._seats)

    def _named(self, name: str) -> NamedField:
        problem = self._unclear.get(name)
        if problem is None:
            return NamedField(self[name])
        guests = guest_names(str(problem.facts["found"]))
        return NamedField(self[name], _suggested_names(problem), guests)


def _suggested_names(problem: Problem) -> tuple[str, ...]:
    return tuple(str(suggestion.facts["name"]) for suggestion in problem.suggestions)


def guest_names(text: str) -> tuple[str, ...]:
    """Return the names under which a typed text could be added; none if it names several people.

    >>> guest_names("Holm, Petra"), guest_names("Ida"), guest_names("Ada & Ben")
    (('Holm, Petra', 'Petra Holm'), ('Ida',), ())
    """
    names = [one_line(text)]
    if len(comma_parts(text)) == 2:
        names.append(one_person(text))
    is_several = not set(text).isdisjoint("&+/;")
    if is_several:
        return ()
    return tuple(name for name in names if not player_name_problems(name))


MOST_LISTED: Final = 15
"""With more people the field is searched."""


class PersonField(forms.CharField):
    """A field whose value is a person's code; a search takes a name, its beginning or the code.

    `candidates` are the labels of the matches of an ambiguous name.
    """

    people: tuple[NamedPerson, ...] = ()
    candidates: tuple[str, ...] = ()
    is_search = False

    def offer(self, people: Sequence[tuple[str, str]], *, nobody: str | None = None) -> None:
        """Offer a choice of `people`, each a code and a label.

        Args:
            nobody: the empty choice, if no person is chosen initially; None selects the first.
        """
        self.people = tuple(
            NamedPerson(code, label.removesuffix(f" ({code})")) for code, label in people
        )
        self.is_search = len(self.people) > MOST_LISTED
        first = [] if nobody is None else [("", nobody)]
        names = names_in([label for _code, label in people])
        choices = zip([code for code, _label in people], names, strict=True)
        if self.is_search:
            self.widget = _Search(names)
        else:
            self.widget = forms.Select(choices=[*first, *choices])

    @property
    def n_people(self) -> int:
        return len(self.people)

    def prepare_value(self, value: object) -> object:
        """Return the label of a code that the page offers, and what was typed as it is."""
        if not self.is_search:
            return value
        return next(
            (label_of(person) for person in self.people if person.player_id == value), value
        )

    def clean(self, value: object) -> str:
        text: str = super().clean(value)
        if not self.is_search or not text:
            return text
        person = NamedPeople(self.people).meant(text, ())
        if not isinstance(person, Problem):
            return person.player_id
        self.candidates = _suggested_names(person)
        raise forms.ValidationError(sentence(person))


def offered(
    field: forms.Field, people: Sequence[tuple[str, str]], *, nobody: str | None = None
) -> None:
    if not isinstance(field, PersonField):
        raise TypeError("people are offered in a PersonField")
    field.offer(people, nobody=nobody)


class PeopleForm(ServiceForm):
    """A form with a `PersonField`: a pressed candidate is put into its field before it is read."""

    def __init__(self, data: Mapping[str, object] | None = None, **more: object) -> None:
        field, _mark, label = str(data.get(PICK, "") if data else "").partition("=")
        if data and label:
            data = {**{name: data.get(name) for name in data}, field: label}
        super().__init__(data, **more)


class _Search(forms.TextInput):
    """A text field with the people as suggestions."""

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
        list_id = f"people-{name}"
        field = super().render(name, value, {**(attrs or {}), "list": list_id}, renderer)
        options = format_html_join("", '<option value="{}">', ((label,) for label in self.labels))
        return format_html('{}<datalist id="{}">{}</datalist>', field, list_id, options)


def few_suggested() -> str:
    text = _("Similar names are suggested for the first %(n)s unknown names only.")
    return text % {"n": MOST_SUGGESTED}


MEANT: Final = "meant"
"""The field that keeps which button sent the form first, while names are asked about."""


def posted_at_table(request: PageRequest, event: Event) -> QueryDict | None:
    """Return what was sent as `posted_with_answer` does; who is added is a guest of the event."""

    def add(op: Operation, name: str) -> Player:
        return add_event_guest(op, event, name=name)

    return _posted_with_answer(request, add)


def posted_with_answer(request: PageRequest, club: Club) -> QueryDict | None:
    """Return what was sent, with the pressed answer in its field; None where nothing was sent."""

    def add(op: Operation, name: str) -> Player:
        return add_guest_once(op, club, name=name)

    return _posted_with_answer(request, add)


def _posted_with_answer(
    request: PageRequest, add: Callable[[Operation, str], Player]
) -> QueryDict | None:
    if request.method != "POST":
        return None
    field, _mark, label = request.POST.get(PICK, "").partition("=")
    if guest := request.POST.get(GUEST, ""):
        field, _mark, name = guest.partition("=")
        typed = request.POST.get(field, "")
        if guest_names(name or typed):
            added = add(operation_of(request), name or typed)
            label = with_label(typed, name, label_of(added))
            messages.success(
                request, _("%(who)s added to the club’s list.") % {"who": label_of(added)}
            )
    if not label:
        return request.POST
    posted = request.POST.copy()
    posted[field] = label
    return posted


def is_sent_by(request: PageRequest, button: str) -> bool:
    """Whether `button` sent the form, now or before names were asked about."""
    is_answer = PICK in request.POST or GUEST in request.POST
    return button in request.POST or (is_answer and request.POST.get(MEANT) == button)
