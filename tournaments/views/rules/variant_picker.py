"""What every form shares that asks for a game: any of its names, its options, the game shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _

from scoring.errors import Refused
from scoring.json_types import JsonDict
from scoring.rules.catalogue import Variant
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.selectors.rules.rule_sets import VariantChoices
from tournaments.views.http.service_form import ServiceForm, attempt
from tournaments.views.rules.variant_options import option_field, option_groupings, option_value

GroupedGames: TypeAlias = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Ids and names of games, in groups with a heading."""


class GameForm(ServiceForm):
    """A form with a `variant`, by any of its names, and a field for each option of it that was
    looked at (`options-target`)."""

    variant = forms.CharField(required=False)

    def choose_from(self, games: GroupedGames, otherwise: str) -> None:
        """Show a list of `games`, in groups; its first line is what is played `otherwise`."""
        chosen = self["variant"].value()
        listed = {key for _group, choices in games for key, _name in choices}
        unlisted = [(str(chosen), str(chosen))] if chosen and chosen not in listed else []
        choices = [("", otherwise), *unlisted, *games]
        self.fields["variant"].widget = forms.Select(choices=choices)

    def ask_options(self, options: Sequence[Option], rules: Rules | None = None) -> None:
        """Add the fields of a game's options; each says what the game's rules are without it."""
        self._options, self._rules = list(options), rules
        for option in self._options:
            self.fields[f"options-{option.name}"] = option_field(option, rules)

    @property
    def option_groups(self) -> list[dict[str, object]]:
        return option_groupings(self, self._options, self._rules)

    @property
    def option_fields(self) -> list[forms.BoundField]:
        return [self[f"options-{option.name}"] for option in self._options]

    @property
    def has_options_set(self) -> bool:
        """Whether an option was chosen, so that the list of them stands open."""
        return self.is_bound and any(field.value() for field in self.option_fields)

    def game(self) -> JsonDict:
        typed = self.cleaned_data
        options = {
            option.name: option_value(option, typed[f"options-{option.name}"])
            for option in self._options
            if typed[f"options-{option.name}"]
        }
        return {"variant": typed["variant"], "options": options}


@dataclass(frozen=True, slots=True)
class VariantSelection:
    """A game as it was typed: what is said of it, its rules and its options, if it is `offered`."""

    typed: str
    offered: VariantChoices
    chosen: Variant | None = None
    rules: Rules | None = None
    options: Sequence[Option] = ()


def selected_game(typed: str, offered: VariantChoices) -> VariantSelection:
    """Return the game that `typed` (id, name or alias) means among those that are offered."""
    try:
        chosen, rules = offered.variant(typed), offered.rules(typed)
    except Refused:
        return VariantSelection(typed, offered)
    return VariantSelection(typed, offered, chosen, rules, offered.options_for(typed))


def grouped_games(offered: VariantChoices) -> GroupedGames:
    house = [(version.code, version.title) for version in offered.house]
    others = [(key, offered.site.variant(key).name) for key in offered.site.ids]
    games = (_("Games"), sorted(others, key=lambda choice: choice[1]))
    return [(_("House rules"), house), games] if house else [games]


def asks_to_preview(request: HttpRequest, form: ServiceForm, game: VariantSelection) -> bool:
    """Whether the form only asks to be shown a game; says so where there is none of that name."""
    if "look" not in request.POST:
        return False
    attempt(form, lambda: game.offered.find(game.typed))
    return True
