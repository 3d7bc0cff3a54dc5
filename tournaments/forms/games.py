"""What every form shares that asks for a game: any of its names, and its options, a field each."""

import re
from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.options import Option
from tournaments.forms.asking import AskForm

ON_A_PAGE: Final = frozenset({"choice", "flag", "number", "amount", "whole", "selector"})
"""What an option may take to be chosen on a page; other shapes are written in a variant file."""

WHOLE: Final = re.compile(r"[-+]?[0-9]{1,9}")


class GameForm(AskForm):
    """A form with a `variant`, by any of its names, and a field for each option of it that was
    looked at (`options-target`)."""

    variant = forms.CharField(
        label=_("Game"),
        required=False,
        help_text=_("Any of its names is understood, in any spelling."),
        widget=forms.TextInput(attrs={"list": "variants", "autocomplete": "off"}),
    )

    def ask_options(self, options: Sequence[Option]) -> None:
        """Add the fields of a game's options, as far as a page can ask for them."""
        self._options = [option for option in options if option.takes in ON_A_PAGE]
        for option in self._options:
            self.fields[f"options-{option.name}"] = _field(option)

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The fields of the variant's options."""
        return [self[f"options-{option.name}"] for option in self._options]

    @property
    def has_options_set(self) -> bool:
        """Whether an option was chosen, so that the list of them stands open."""
        return self.is_bound and any(field.value() for field in self.option_fields)

    def game(self) -> dict[str, Any]:
        """Return the variant that was typed with its options, as the services take them."""
        typed = self.cleaned_data
        options = {
            option.name: _value(option, typed[f"options-{option.name}"])
            for option in self._options
            if typed[f"options-{option.name}"]
        }
        return {"variant": typed["variant"], "options": options}


def _field(option: Option) -> forms.CharField:
    words = {"true": _("yes"), "false": _("no")}
    values = ("true", "false") if option.takes == "flag" else option.choices
    widget: forms.Widget = forms.TextInput(attrs={"autocomplete": "off"})
    if values:
        shown = [(value, words.get(value, value.replace("-", " "))) for value in values]
        widget = forms.Select(choices=[("", _("as the rules say")), *shown])
    return forms.CharField(
        label=option.name.replace("_", " ").capitalize(),
        required=False,
        help_text=option.says,
        widget=widget,
    )


def _value(option: Option, text: str) -> object:
    """Return a typed option as the scorer takes it; what is no number stays as it was typed."""
    plain = text.replace("−", "-")
    if option.takes == "flag":
        return text == "true"
    if option.takes in ("number", "amount", "whole") and WHOLE.fullmatch(plain):
        return int(plain)
    return text if option.takes == "choice" else plain
