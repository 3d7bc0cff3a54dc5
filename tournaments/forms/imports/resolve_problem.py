"""The form by which one problem of an import is settled."""

from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.clubs.find_players import NamedField, NamedPlayersForm


class ResolveProblemForm(NamedPlayersForm):
    """Who sat there, somebody new, why a problem is dismissed, or why the file's hand counts; the
    button says which."""

    player = forms.CharField(
        label=_("Player"),
        help_text=_("Enter a player's id or name. The beginning of the name is enough."),
        required=False,
        widget=forms.TextInput(attrs={"list": "members", "autocomplete": "off"}),
    )
    name = forms.CharField(label=_("Name"), max_length=120, required=False)
    player_id = forms.CharField(
        label=_("Player id"),
        help_text=_("If empty, the player is a guest with the next free number."),
        max_length=40,
        required=False,
    )
    reason = forms.CharField(
        label=_("Reason for dismissing"),
        help_text=_("One sentence."),
        max_length=500,
        required=False,
    )
    why = forms.CharField(
        label=_("Reason for the correction"),
        help_text=_("Shown on the sheet and in the public change log."),
        max_length=500,
        required=False,
    )

    @property
    def named_player(self) -> NamedField:
        """The field for who sat there, with the players that its text may mean."""
        return self._named("player")

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; the reason of a correction has its own."""
        named = super().field_of(problem)
        return "why" if named == "reason" and self.data.get("do") == "use-file" else named


def typed_cells(posted: Mapping[str, str], rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Return the cells of mended lines as they were sent (`c-LINE-COLUMN`)."""
    return {
        line: [posted.get(f"c-{line}-{index}", cell) for index, cell in enumerate(cells)]
        for line, cells in rows.items()
    }
