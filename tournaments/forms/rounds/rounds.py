"""Rounds and tables: which number and evening, what is played, and who sits where."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.forms.clubs.find_players import NamedField, NamedPlayersForm
from tournaments.forms.rules.variant_picker import GameForm, GroupedGames


class RoundForm(GameForm):
    """A new round: its number, the local date of its evening, and its game.

    Args:
        otherwise: the event's own game, which it plays where none is chosen.
        games: what may be played, grouped as a select shows it.
    """

    field_order = ("number", "on", "variant")
    number = forms.IntegerField(
        label=gettext_lazy("Round number"),
        required=False,
        help_text=gettext_lazy("Rounds are numbered through the whole event."),
        error_messages={"invalid": gettext_lazy("Enter a number from 1.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    on = forms.DateField(
        label=gettext_lazy("Date of the meeting"),
        required=False,
        help_text=gettext_lazy("Optional. For example 2026-11-20."),
        error_messages={"invalid": gettext_lazy("Enter the date as 2026-11-20.")},
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(
        self,
        data: object = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        otherwise: str = "",
        games: GroupedGames = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        if not self.is_bound:
            self.fields["number"].widget.attrs["autofocus"] = True
        self.fields["variant"].label = _("Game of this round")
        self.fields["variant"].help_text = _("You can choose another game for each table.")
        self.choose_from(games, otherwise)
        self.ask_options(options, rules)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that every round has."""
        return [self[name] for name in self.field_order]

    def entered(self) -> JsonDict:
        """Return what `make_round` takes, from the typed fields."""
        return {"number": self.cleaned_data["number"], "on": self.cleaned_data["on"], **self.game()}


class SeatingForm(NamedPlayersForm):
    """Who sits where at one table: one field a seat, `seat-1` clockwise.

    Where `shape` has the seats of sides it is one field a side, `side-1` first.
    """

    def __init__(
        self,
        data: object = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        shape: Sequence[Sequence[int]] = (),
    ) -> None:
        kind = "side" if shape else "seat"
        initial = {f"{kind}-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        self.shape = shape
        self.ask_players(() if shape else _seat_labels(seats))
        for number, label in enumerate(side_labels(shape), start=1):
            attrs: dict[str, Any] = {"list": "people", "autocomplete": "off"}
            if number == 1 and not self.is_bound:
                attrs["autofocus"] = True
            self.fields[f"side-{number}"] = forms.CharField(
                label=label, required=False, widget=forms.TextInput(attrs=attrs)
            )

    @property
    def side_fields(self) -> list[NamedField]:
        """The fields of the sides, each with whom an unclear text may mean."""
        return [self._named(f"side-{at}") for at in range(1, len(self.shape) + 1)]

    def sides(self) -> tuple[str, ...]:
        """Return what was typed for each side."""
        return tuple(self.cleaned_data[f"side-{at}"] for at in range(1, len(self.shape) + 1))

    def seated(self) -> tuple[str, ...]:
        """Return what was typed, clockwise from seat 1."""
        return self.players()


class TableForm(SeatingForm, GameForm):
    """Who sits where at one table, and what they play there.

    Args:
        games: what may be played, grouped as a select shows it.
        otherwise: what they play where no game is chosen.
    """

    def __init__(
        self,
        data: object = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        games: GroupedGames,
        otherwise: str,
        shape: Sequence[Sequence[int]] = (),
    ) -> None:
        super().__init__(data, seats=seats, names=names, shape=shape)
        self.fields["variant"].label = _("Game at this table")
        self.choose_from(games, otherwise)
        self.ask_options(options, rules)
        self.order_fields(["variant", *(f"options-{one.name}" for one in options)])


def _seat_labels(seats: int) -> Iterable[str]:
    if seats <= 4:
        for number, name in enumerate(seat_names(seats), start=1):
            yield _("Seat %(number)s, %(name)s") % {"number": number, "name": name}
        return
    for number in range(1, seats + 1):
        yield _("Seat %(number)s") % {"number": number}


def side_labels(shape: Sequence[Sequence[int]]) -> Iterable[str]:
    """Name each side by its seats: North and South, or seats 1, 3 and 5."""
    names = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
    n_seats = sum(map(len, shape))
    for side in shape:
        if n_seats == 4 and len(side) == 2:
            letters = seat_names(n_seats)
            first, second = (names[letters[seat]] for seat in side)
            yield _("%(first)s and %(second)s") % {"first": first, "second": second}
        else:
            seats = ", ".join(str(seat + 1) for seat in side)
            yield _("Seats %(numbers)s") % {"numbers": seats}
