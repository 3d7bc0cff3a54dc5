"""Looking for a game in the catalogue."""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.presenters.rules.rules_cards import VariantQuery

LEAST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 13
SIDES: Final = (("", _("Any")), ("true", _("With partners")), ("false", _("Individual")))
PACKS: Final = (("", _("Any")), ("1", _("One")), ("2", _("Two")), ("3", _("Three")))


class CatalogueForm(ServiceForm):
    """What to look for in the catalogue; what is left empty asks for nothing."""

    q = forms.CharField(label=_("Name"), required=False, max_length=100)
    players = forms.IntegerField(
        label=_("Players"),
        required=False,
        min_value=LEAST_PLAYERS,
        max_value=MOST_PLAYERS,
        error_messages={"invalid": _("Enter a number of players from 2 to 13.")},
    )
    partnership = forms.ChoiceField(label=_("Sides"), required=False, choices=SIDES)
    packs = forms.ChoiceField(label=_("Packs"), required=False, choices=PACKS)

    def entered(self) -> VariantQuery:
        """Return what is looked for, as far as it could be read."""
        found = getattr(self, "cleaned_data", {})
        sides, packs = found.get("partnership"), found.get("packs")
        return VariantQuery(
            text=found.get("q") or "",
            players=found.get("players"),
            partnership=sides == "true" if sides else None,
            packs=int(packs) if packs else None,
        )
