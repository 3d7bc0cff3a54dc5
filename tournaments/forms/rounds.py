"""Rounds and tables: which number and evening, what is played, and who sits where."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.options import Option
from scoring.sheet import seat_names
from tournaments.forms.games import GameForm
from tournaments.forms.named_players import NamedPlayersForm


class RoundForm(GameForm):
    """A new round: its number, the local date of its evening, and its game.

    Args:
        otherwise: the event's own game, which it plays where none is written.
    """

    field_order = ("number", "on", "variant")
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

    def __init__(
        self, data: Any = None, *, options: Sequence[Option] = (), otherwise: str = "", **more: Any
    ) -> None:
        super().__init__(data, **more)
        if not self.is_bound:
            self.fields["number"].widget.attrs["autofocus"] = True
        self.fields["variant"].label = _("Game of this round")
        self.fields["variant"].help_text = _(
            "Left empty, the event’s own: %(game)s. A table may have another."
        ) % {"game": otherwise}
        self.ask_options(options)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that every round has."""
        return [self[name] for name in self.field_order]

    def wanted(self) -> dict[str, Any]:
        """Return what `make_round` takes, from the typed fields."""
        return {"number": self.cleaned_data["number"], "on": self.cleaned_data["on"], **self.game()}


class SeatingForm(NamedPlayersForm):
    """Who sits where at one table: one field a seat, `seat-1` clockwise."""

    def __init__(self, data: Any = None, *, seats: int, names: Sequence[str] = ()) -> None:
        initial = {f"seat-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        self.ask_players(_seat_labels(seats))

    def seated(self) -> tuple[str, ...]:
        """Return what was typed, clockwise from seat 1."""
        return self.players()


class TableForm(SeatingForm, GameForm):
    """Who sits where at one table, and what they play there.

    Args:
        otherwise: what they play where no game is written.
    """

    def __init__(
        self,
        data: Any = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        options: Sequence[Option] = (),
        otherwise: str,
    ) -> None:
        super().__init__(data, seats=seats, names=names)
        self.fields["variant"].label = _("Game at this table")
        self.fields["variant"].help_text = _("Left empty, %(game)s.") % {"game": otherwise}
        self.ask_options(options)
        self.order_fields(["variant", *(f"options-{one.name}" for one in options)])


def _seat_labels(seats: int) -> Iterable[str]:
    if seats <= 4:
        for number, name in enumerate(seat_names(seats), start=1):
            yield _("Seat %(number)s, %(name)s") % {"number": number, "name": name}
        return
    for number in range(1, seats + 1):
        yield _("Seat %(number)s") % {"number": number}
