"""How score sheets are printed: what, on which paper, in which layout."""

from typing import Any, Final, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.domain.sheets.sheet_fields import (
    CARDS,
    LAYOUTS,
    LIST,
    PAPERS,
    PARTS,
    SHEETS,
    PrintOptions,
)
from tournaments.views.http.service_form import ServiceForm

EVERYTHING: Final = "all"
WHAT: Final = (
    (EVERYTHING, _("Everything, in one file")),
    (LIST, _("Seating list by name and by table")),
    (CARDS, _("Table cards with links")),
    (SHEETS, _("Score sheets")),
)
_CHOOSE: Final = {"invalid_choice": _("“%(value)s” is not in the list. Choose one of the list.")}


class SheetPrintForm(ServiceForm):
    paper = forms.ChoiceField(
        label=_("Paper"), choices=PAPERS, initial="a4", error_messages=_CHOOSE
    )
    layout = forms.ChoiceField(
        label=_("Score sheets"), choices=LAYOUTS, initial="boxes", error_messages=_CHOOSE
    )

    @property
    def options(self) -> PrintOptions:
        options = self.cleaned_data
        return PrintOptions(options.get("paper") or "a4", options.get("layout") or "boxes")


class RoundPrintForm(SheetPrintForm):
    """What to print for a round; cards with links only for users who manage links."""

    required_fields = ("what",)
    what = forms.ChoiceField(label=_("Print"), initial=EVERYTHING, error_messages=_CHOOSE)
    field_order = ("what", "paper", "layout")

    def __init__(self, *args: Any, prints_links: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        self._parts = tuple(part for part in PARTS if part != CARDS or prints_links)
        what = cast(forms.ChoiceField, self.fields["what"])
        what.choices = [choice for choice in WHAT if choice[0] in (EVERYTHING, *self._parts)]

    @property
    def parts(self) -> tuple[str, ...]:
        part = self.cleaned_data["what"]
        return self._parts if part == EVERYTHING else (part,)


class BlankSheetForm(SheetPrintForm):
    """A sheet without an event: for how many players."""

    required_fields = ("seats",)
    seats = forms.TypedChoiceField(label=_("Players"), coerce=int, error_messages=_CHOOSE)
    field_order = ("seats", "paper", "layout")

    def __init__(self, *args: Any, least: int, most: int, **more: Any) -> None:
        super().__init__(*args, **more)
        seats = cast(forms.TypedChoiceField, self.fields["seats"])
        seats.choices = [(str(number), str(number)) for number in range(least, most + 1)]
