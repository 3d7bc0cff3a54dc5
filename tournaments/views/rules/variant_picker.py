"""What a form that asks for a game shows beside it: the one looked at."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from scoring.errors import Refused
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from scoring.rules.variant_files import Variant
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.forms.rules.variant_picker import GroupedGames
from tournaments.services.rules.rule_sets import VariantChoices


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
    """Return what may be played as a select shows it, id and name: house rules, then the others."""
    house = [(one.code, one.title) for one in offered.house]
    others = [(one, offered.site.variant(one).name) for one in offered.site.ids]
    return [
        *([(_("House rules"), house)] if house else []),
        (_("Games"), sorted(others, key=lambda one: one[1])),
    ]


def asks_to_preview(request: HttpRequest, form: ServiceForm, game: VariantSelection) -> bool:
    """Whether the form only asks to be shown a game; says so where there is none of that name."""
    if "look" not in request.POST:
        return False
    attempt(form, lambda: game.offered.find(game.typed))
    return True
