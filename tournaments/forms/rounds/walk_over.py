"""Who does not come to a table of a knock-out, and why."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.events.events import ReasonForm
from tournaments.selectors.rounds.walk_overs import WalkOverRow


class WalkOverForm(ReasonForm):
    """An entrant of a table, and the reason.

    Args:
        entrants: who may be chosen.
    """

    field_order = ("player_id", "reason")

    player_id = forms.CharField(label=_("Does not play"), required=False, widget=forms.Select)

    def __init__(self, *given: Any, entrants: Iterable[WalkOverRow] = (), **more: Any) -> None:
        super().__init__(*given, auto_id="walk-over-%s", **more)
        choices = [("", "–"), *((one.entrant_id, one.name) for one in entrants)]
        self.fields["player_id"].widget.choices = choices
