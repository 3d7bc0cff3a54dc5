"""House rules as a form: what they begin with, what is chosen, and what they are called."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.forms.http.service_form import ServiceForm
from tournaments.forms.rules.variant_options import (
    OptionGroup,
    option_field,
    option_groupings,
    option_text,
    option_value,
)
from tournaments.services.rules.house_rules import MOST_BYTES


class HouseRulesForm(ServiceForm):
    """A variant with its options, one field each (`options-target`), and a name where it is new."""

    name = forms.CharField(
        label=_("Name of your rules"),
        required=False,
        help_text=_("For example Thursday rules."),
    )
    slug = forms.CharField(
        label=_("Address within the club"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    summary = forms.CharField(
        label=_("Summary"),
        required=False,
        help_text=_("One sentence. Shown in the list of games."),
    )
    base = forms.CharField(
        label=_("Start from"),
        required=False,
        help_text=_("Enter any name of the game."),
        widget=forms.TextInput(attrs={"list": "variants", "autocomplete": "off"}),
    )
    based_on = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: object = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        is_new: bool = True,
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        if is_new:
            del self.fields["based_on"]
        else:
            del self.fields["name"], self.fields["slug"], self.fields["base"]
        self._own = [name for name in ("name", "slug", "summary", "base") if name in self.fields]
        self._options, self._rules = {option.name: option for option in options}, rules
        for option in options:
            self.fields[f"options-{option.name}"] = option_field(option, rules)

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; a new version that changes nothing is about all of it."""
        return None if problem.at == ("options",) else super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; an empty first field is named as on the page."""
        if problem.code == "unknown_variant" and not self.data.get("base"):
            return gettext("“Start from” is empty. Enter the name of a variant.")
        return super().sentence_of(problem)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that all house rules have."""
        return [self[name] for name in self._own]

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The fields of the options."""
        return [self[f"options-{name}"] for name in self._options]

    @property
    def option_groups(self) -> list[OptionGroup]:
        """The fields of the options, by group."""
        return option_groupings(self, list(self._options.values()), self._rules)

    def chosen(self) -> dict[str, object]:
        """Return the options that were chosen, as the scorer takes them."""
        typed = self.cleaned_data
        return {
            name: option_value(option, typed[f"options-{name}"])
            for name, option in self._options.items()
            if typed.get(f"options-{name}")
        }


def typed_options(options: Mapping[str, object]) -> dict[str, str]:
    """Return chosen options as they stand in their fields."""
    return {f"options-{name}": option_text(value) for name, value in options.items()}


class RuleFileForm(ServiceForm):
    """A file of rules."""

    prefix = "upload"
    file = forms.FileField(
        label=_("Rules file"),
        help_text=_("A TOML file of house rules, up to %(most)s bytes.") % {"most": MOST_BYTES},
        max_length=255,
        allow_empty_file=True,  # the scorer says in a sentence what is wrong with it
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
    )


class VersionsForm(forms.Form):
    """Which two versions are compared."""

    left = forms.IntegerField(min_value=1)
    right = forms.IntegerField(min_value=1)
