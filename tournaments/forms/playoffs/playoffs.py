"""What a director does with a play-off: one small form for each act."""

from collections.abc import Iterable, Mapping
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.events.events import ReasonForm
from tournaments.views.rules.variant_options import WHOLE

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "answer": ("answer", "reason"),
    "scheduled": (),
    "neutral": ("neutral",),
    "gone": ("player_id", "why"),
    "extend": ("hands",),
    "by_lot": (),
    "waive": ("reason",),
    "void": ("reason",),
}
"""Act → the fields of its form."""

WHY: Final = (("no_show", _("does not appear")), ("withdrawn", _("gives up")))


class PlayoffForm(ReasonForm):
    """One act at a play-off, with the fields that it asks for.

    Args:
        act: a key of `FIELDS`; it makes the ids of the fields, for a page has several of these.
        members: ids of those who still play, each with its name.
        chairs: the chairs of neutral players, each with its label and who is written there.
    """

    answer = forms.CharField(required=False, widget=forms.HiddenInput)
    player_id = forms.CharField(label=_("Entrant"), required=False, widget=forms.Select)
    why = forms.CharField(
        label=_("Reason"), required=False, initial="no_show", widget=forms.Select(choices=WHY)
    )
    hands = forms.CharField(
        label=_("Number of additional hands"),
        required=False,
        initial="4",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def __init__(
        self,
        act: str,
        data: object = None,
        *,
        members: Iterable[tuple[str, str]] = (),
        chairs: Iterable[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, auto_id=f"id_{act}_%s", **more)
        self.act = act
        self.fields["player_id"].widget.choices = list(members)
        for name in set(self.fields) - set(FIELDS[act]):
            del self.fields[name]
        if "neutral" in FIELDS[act]:
            for at, (label, named) in enumerate(chairs):
                self.fields[f"neutral-{at}"] = forms.CharField(
                    label=label,
                    required=False,
                    initial=named,
                    widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
                )

    @property
    def neutral(self) -> list[str]:
        """What was typed for the chairs of neutral players, clockwise."""
        names = [name for name in self.fields if name.startswith("neutral-")]
        return [str(self.cleaned_data.get(name) or "") for name in names]

    @property
    def asked(self) -> list[forms.BoundField]:
        """The fields that are typed or chosen."""
        return [self[name] for name in self.fields if name != "answer"]

    def clean_hands(self) -> int:
        """Return the number that was typed; what is none is 0, which the service refuses."""
        text = str(self.cleaned_data["hands"]).strip()
        return int(text) if WHOLE.fullmatch(text) and len(text) < 5 else 0

    def field_of(self, problem: Problem) -> str | None:
        """Return the field that a problem is about; what cannot be placed is about who it is."""
        if problem.at[:1] == ("players",) and len(problem.at) == 2:
            name = f"neutral-{problem.at[1]}"
            return name if name in self.fields else None
        found = super().field_of(problem)
        if found is None and problem.code in ("playoff_placed", "playoff_stranger"):
            return "player_id" if "player_id" in self.fields else None
        return found
