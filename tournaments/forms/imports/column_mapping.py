"""The form that asks what the columns of a foreign file are, and what is given for all of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import Box
from scoring.json_types import JsonDict, JsonObject
from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.column_maps import (
    CHOICE,
    DATES,
    HANDS,
    IGNORE,
    MOST_PLAYERS,
    NAME_OF,
    NAMES,
    PLAYER,
    PLEDGE,
    SEATS,
    VALUE_OF,
)

PLACES: Final = (
    ("date", _("Date")),
    ("round", _("Round")),
    ("table", _("Table")),
    ("variant", _("Game (rules)")),
    ("hand", _("Hand number")),
)
BOARD: Final = ("board", _("Board"))
"""What a column may be too, in a duplicate event."""
WHO: Final = (
    ("seat", _("Seat")),
    ("player", _("Player name")),
    ("player_id", _("Player id")),
    ("side", _("Side (NS or EW)")),
    ("pair_id", _("Pair")),
)
COUNTED: Final[Mapping[str, Any]] = {
    "hearts": _("Hearts taken"),
    "cards": _("Cards taken"),
    "tricks": _("Tricks"),
    "charged": _("Charged cards"),
    "pledge": _("Pledge"),
    "unclaimed": _("Unclaimed cards"),
    "moon": _("Moon settlement (on the shooter's row)"),
    "first_trick": _("Won the first trick"),
    "passer": _("Passed to the shooter"),
    "clean": _("Took nothing"),
    "melds": _("Melds"),
    "trick_points": _("Trick points"),
    "last_trick": _("Won the last trick"),
    "declared_out": _("Declared out"),
    "points": _("Points"),
}
"""Kind of a box → what a column of it is called; cards are called by themselves."""

IN_CELLS: Final = (
    ("points", _("Points")),
    ("hearts", _("Hearts taken")),
    ("cards", _("Cards taken, as codes")),
)
USUAL_PLAYERS: Final = 4
SHOWN: Final = 4
"""So many different values of a column are shown."""

Choices = list[tuple[str, Any]]


def choices_of(rows: str, boxes: Sequence[Box], pairs: int = USUAL_PLAYERS) -> Choices:
    """Return what a column may be, in groups, by the boxes of a sheet.

    Args:
        pairs: so many names with numbers a row may have.
    """
    places = [*PLACES, BOARD] if any(box.kind == "board" for box in boxes) else list(PLACES)
    if rows == SEATS:
        counted = [(box.key, _name(box)) for box in boxes if box.kind == "card"]
        counted = [(b.kind, COUNTED[b.kind]) for b in boxes if b.kind in COUNTED] + counted
        return [
            (IGNORE, gettext("Ignore")),
            (gettext("Where and when"), places),
            (gettext("Entrant"), list(WHO)),
            (gettext("Counts"), counted),
        ]
    if rows == NAMES:
        players: Choices = [
            (gettext("Player %(n)s") % {"n": n}, list(_of_pair(n))) for n in range(1, pairs + 1)
        ]
    else:
        players = [(PLAYER, gettext("A player"))]
    return [
        (IGNORE, gettext("Ignore")),
        *players,
        (gettext("Where and when"), places),
        (gettext("Names a player of the row"), list(_naming(boxes))),
    ]


def column_meanings(rows: str, boxes: Sequence[Box], n_columns: int) -> Iterator[str]:
    """Yield the keys of what a column may be, in a file of so many columns."""
    for key, of_group in choices_of(rows, boxes, pairs_of(n_columns)):
        if isinstance(of_group, list):
            yield from (one for one, _title in of_group)
        else:
            yield key


def pairs_of(n_columns: int) -> int:
    """Return so many names with numbers a row of a file may have."""
    return min(max(n_columns // 2, USUAL_PLAYERS), MOST_PLAYERS)


def _of_pair(number: int) -> Iterator[tuple[str, str]]:
    yield f"{NAME_OF}{number}", gettext("Player %(n)s: name") % {"n": number}
    yield f"{VALUE_OF}{number}", gettext("Player %(n)s: points") % {"n": number}


def _naming(boxes: Sequence[Box]) -> Iterator[tuple[str, str]]:
    for box in boxes:
        if box.kind == "card":
            yield box.key, gettext("Taker of %(card)s") % {"card": box.label}
        elif box.kind == "moon":
            yield "moon", gettext("Moon shooter")
            yield CHOICE, gettext("Moon settlement")
        elif box.kind == "charged":
            yield "charged", gettext("Charged cards")
        elif box.kind == "pledge":
            for one in box.choices:
                yield f"{PLEDGE}{one}", gettext("Pledge of %(what)s") % {"what": one}


def _name(box: Box) -> str:
    return gettext("%(card)s taken") % {"card": box.label}


class ColumnsForm(ServiceForm):
    """One field a column (`column-0` …), one for whose it is (`player-0` …), and what is given.

    Args:
        labels: what the columns of the file are called, `sample` a few rows of it.
        plan: what the fields say before anything is typed, in the shape of a kept mapping.
    """

    rows = forms.CharField(widget=forms.HiddenInput, required=False)
    cells = forms.CharField(
        label=_("Contents of a player's column"),
        required=False,
        widget=forms.Select(choices=IN_CELLS),
    )
    round = forms.CharField(
        label=_("Round, if there is no column"),
        help_text=_("Round number for the whole file, or for its first date."),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    by_dates = forms.BooleanField(label=_("Start a new round for each new date"), required=False)
    table = forms.CharField(
        label=_("Table, if there is no column"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    day = forms.DateField(
        label=_("Date, if there is no column"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        labels: Sequence[str],
        sample: Sequence[Sequence[str]],
        plan: JsonObject,
        boxes: Sequence[Box],
        **more: Any,
    ) -> None:
        self.labels = labels
        self.plan_rows = str(plan["rows"])
        players = plan.get("players", {})
        said = {"rows": self.plan_rows, "cells": plan.get("cells", "")}
        super().__init__(data, initial={**said, **(more.pop("initial", None) or {})}, **more)
        if self.plan_rows == SEATS:
            del self.fields["cells"]
        else:
            there = {box.kind for box in boxes}
            choices_of_cells = [one for one in IN_CELLS if one[0] in there]
            self.fields["cells"].widget = forms.Select(choices=choices_of_cells)
        choices = choices_of(self.plan_rows, boxes, pairs_of(len(labels)))
        for index, label in enumerate(labels):
            means = plan["columns"].get(label, IGNORE)
            column = f"column-{index}"
            self.fields[column] = _column_field(index, label, means, sample, choices)
            typed = means if data is None else data.get(column)
            if self.plan_rows == HANDS and PLAYER in (means, typed):
                self.fields[f"player-{index}"] = _player_field(label, players.get(label, ""))

    @property
    def columns(self) -> list[list[forms.BoundField]]:
        """The fields of each column of the file."""
        names = (f"column-{index}" for index in range(len(self.labels)))
        return [
            [self[one] for one in (name, name.replace("column", "player")) if one in self.fields]
            for name in names
        ]

    @property
    def given_fields(self) -> list[forms.BoundField]:
        """The fields of what is given once for the file."""
        return [self[name] for name in ("cells", "round", "by_dates", "table", "day")
                if name in self.fields]  # fmt: skip

    def people(self) -> dict[str, str]:
        """Return who was typed for a column, by its label."""
        found = {}
        for index, label in enumerate(self.labels):
            text = self.cleaned_data.get(f"player-{index}", "").strip()
            if text and self.cleaned_data.get(f"column-{index}") == PLAYER:
                found[label] = text
        return found

    def plan(self, players: Mapping[str, str]) -> JsonDict:
        """Return the mapping that was typed, with the ids of its players' columns."""
        typed = self.cleaned_data
        columns = {
            label: typed[f"column-{index}"] or IGNORE for index, label in enumerate(self.labels)
        }
        given = {"round": DATES} if typed["by_dates"] else {}
        given["table"] = typed["table"].strip()
        found = {"rows": self.plan_rows, "columns": columns, "given": given}
        if self.plan_rows != SEATS:
            found["cells"] = typed.get("cells", "")
        return {**found, "players": dict(players)} if self.plan_rows == HANDS else found


def _column_field(
    index: int, label: str, means: str, sample: Sequence[Sequence[str]], choices: Choices
) -> forms.CharField:
    values = [row[index] for row in sample if index < len(row) and row[index].strip()]
    shown = " · ".join(list(dict.fromkeys(values))[:SHOWN])
    return forms.CharField(
        label=label,
        help_text=shown or gettext("empty in the first rows"),
        required=False,
        initial=means,
        widget=forms.Select(choices=choices),
    )


def _player_field(label: str, player_id: str) -> forms.CharField:
    return forms.CharField(
        label=gettext("Who is “%(head)s”?") % {"head": label},
        required=False,
        initial=player_id,
        widget=forms.TextInput(attrs={"list": "members", "autocomplete": "off"}),
    )


class MappingNameForm(ServiceForm):
    """The name of a kept mapping."""

    name = forms.CharField(label=_("Name of the mapping"), required=False)
