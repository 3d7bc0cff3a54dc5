"""Rounds and tables: which number and evening, and who sits where."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.sheet import seat_names
from tournaments.forms.asking import AskForm


class RoundForm(AskForm):
    """A new round: its number, and the local date of its evening."""

    number = forms.IntegerField(
        label=gettext_lazy("Number of the round"),
        required=False,
        help_text=gettext_lazy("Rounds are numbered through the whole event."),
        error_messages={"invalid": gettext_lazy("Write a number from 1.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    on = forms.DateField(
        label=gettext_lazy("Date of the evening"),
        required=False,
        help_text=gettext_lazy("As in 2026-11-20; may stay empty."),
        error_messages={"invalid": gettext_lazy("Write the date like 2026-11-20.")},
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class SeatingForm(AskForm):
    """Who sits where at one table: one field a seat, `seat-1` clockwise."""

    def __init__(self, data: Any = None, *, seats: int, names: Sequence[str] = ()) -> None:
        initial = {f"seat-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        for number, label in enumerate(_seat_labels(seats), start=1):
            self.fields[f"seat-{number}"] = forms.CharField(
                label=label,
                required=False,
                widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
            )

    def seated(self) -> tuple[str, ...]:
        """Return what was typed, clockwise from seat 1."""
        return tuple(self.cleaned_data[name] for name in self.fields)


def _seat_labels(seats: int) -> Iterable[str]:
    if seats <= 4:
        for number, name in enumerate(seat_names(seats), start=1):
            yield _("Seat %(number)s, %(name)s") % {"number": number, "name": name}
        return
    for number in range(1, seats + 1):
        yield _("Seat %(number)s") % {"number": number}
