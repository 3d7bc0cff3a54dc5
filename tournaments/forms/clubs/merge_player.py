"""Choosing the player whom another one is merged into, and confirming an erasure."""

from django import forms
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.clubs import Club, Player
from tournaments.services.clubs.find_players import named_players


class MergeTargetForm(ServiceForm):
    """The player who takes the records, by name or number."""

    into = forms.CharField(
        label=gettext_lazy("Merge into"),
        max_length=160,
        required=False,
        help_text=gettext_lazy("Name or number of the player who keeps everything."),
    )

    def player(self, club: Club) -> Player | None:
        """Return the player that is meant; None with the problem in the form."""
        text = self.cleaned_data.get("into", "").strip()
        found = named_players(club).meant(text, ("into",))
        if isinstance(found, Problem):
            self.place([found])
            return None
        return found


class EraseForm(ServiceForm):
    """The player's number once more, and why the person is erased."""

    player_id = forms.CharField(
        label=gettext_lazy("Player's number"), max_length=40, required=False
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("For the audit trail, such as: asked by letter on 3 May."),
    )
