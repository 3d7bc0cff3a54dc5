"""The form of a sheet with totals only: a number for each row, and how many hands they were."""

from collections.abc import Sequence
from typing import Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import points_text
from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.forms.hands.hand_form_fields import LONGEST, EntryFields, entry_of, number_in
from tournaments.forms.hands.hand_form_widgets import RowPlayer
from tournaments.forms.http.service_form import ServiceForm

LONGEST_REASON: Final = 500


class TotalsForm(ServiceForm):
    """The totals of a whole game; `reason` is asked where there are totals already."""

    hands = forms.CharField(
        label=_("Number of hands played"),
        help_text=_(
            "If unknown, leave it empty. The totals then do not count for averages per hand."
        ),
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Reason for the correction"),
        help_text=_("One sentence. Shown on the sheet."),
        required=False,
        max_length=LONGEST_REASON,
    )

    def __init__(
        self,
        data: object,
        *,
        sheet: EntryFields,
        people: Sequence[RowPlayer],
        is_new: bool,
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self.sheet, self._people = sheet, people
        if is_new:
            del self.fields["reason"]
        for person in people:
            self.fields[f"points-{person.number}"] = forms.CharField(
                label=person.name,
                required=False,
                max_length=LONGEST,
                widget=forms.TextInput(
                    attrs={"class": "lone", "inputmode": "text", "autocomplete": "off"}
                ),
            )

    @property
    def rows(self) -> list[forms.BoundField]:
        """The field of each row, in the order of the sheet."""
        return [self[f"points-{person.number}"] for person in self._people]

    def clean(self) -> JsonDict:
        """Ask for every total: an empty one is not a nought."""
        typed = super().clean() or self.cleaned_data
        for person in self._people:
            name = f"points-{person.number}"
            if not typed.get(name) and name not in self.errors:
                said = gettext("Enter the total of %(name)s, even if it is 0.")
                self.add_error(name, said % {"name": person.name})
        hands = typed.get("hands")
        if hands and number_in(hands) is None:
            said = gettext(
                "%(found)s is not a valid number of hands. Enter 1 to 999, or leave "
                "the field empty."
            )
            self.add_error("hands", said % {"found": hands})
        return typed

    def entry(self) -> JsonDict:
        """Return the entry that the fields make."""
        typed = self.cleaned_data
        fields = {name: [value] for name, value in typed.items() if name.startswith("points-")}
        return entry_of(self.sheet, "points", fields)

    @property
    def played(self) -> int | None:
        """How many hands were played, where that was typed."""
        return number_in(self.cleaned_data["hands"])

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; one of `points` is about a row, counted from 0."""
        if len(problem.at) == 2 and problem.at[0] == "points" and isinstance(problem.at[1], int):
            row = problem.at[1]
            if row < len(self._people):
                return f"points-{self._people[row].number}"
        return super().field_of(problem)


def as_typed(sheet: EntryFields, entry: JsonObject, hands: int | None) -> dict[str, str]:
    """Return what the form shows of totals that are there."""
    rows = zip(sheet.rows, entry.get("points") or [], strict=False)
    shown = {f"points-{row}": points_text(value) for row, value in rows}
    return {**shown, "hands": str(hands) if hands else ""}
