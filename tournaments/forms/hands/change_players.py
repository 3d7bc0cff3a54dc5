"""Who is to have played in a seat of a table, and what becomes of the hands that were played."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.forms.clubs.find_players import NamedPlayersForm

PLAYER: Final = "seat-1"
"""The field of the player: the fields that names are resolved for are called so."""
ACTS: Final = (
    ("swap", gettext_lazy("Swap within this round")),
    ("replace", gettext_lazy("Replace")),
    ("substitute", gettext_lazy("Substitute from a hand on")),
)
SIDE: Final = "side-"
"""The value of a side among the seats begins so, and ends with one of its seats."""
HANDS: Final = (
    ("keep", gettext_lazy("Keep: scores stay with the seats")),
    ("remap", gettext_lazy("Move: scores follow the players")),
    ("void", gettext_lazy("Delete: hands do not count")),
)


class PlayerChangeForm(NamedPlayersForm):
    """Which seat, who is to have played there, from which hand on, and what of played hands.

    Args:
        seats: number and words of each seat, as in ("1", "North: Anna").
        sides: the same of each side, as in ("side-1", "North and South: Ada & Ben").
    """

    act = forms.ChoiceField(label=gettext_lazy("What to do"), choices=ACTS)
    seat = forms.ChoiceField(label=gettext_lazy("Seat"))
    from_hand = forms.IntegerField(
        label=gettext_lazy("From hand"),
        required=False,
        min_value=1,
        max_value=999,
        help_text=gettext_lazy("Enter 1 to change the whole game."),
        error_messages={"invalid": gettext_lazy("Enter the number of a hand, for example 3.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    hands = forms.ChoiceField(
        label=gettext_lazy("Hands that were played"), choices=HANDS, initial="keep"
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        seats: Sequence[tuple[str, str]],
        sides: Sequence[tuple[str, str]] = (),
        initial: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial={"from_hand": 1, **(initial or {})})
        chosen: Any = self.fields["seat"]
        chosen.choices = [*sides, *seats]
        if sides:
            chosen.label = _("Side or seat")
        self.ask_players([_("New pair or player") if sides else _("New player")])
        self.fields[PLAYER].widget.attrs.pop("autofocus", None)
        self.fields[PLAYER].help_text = _("You can enter the beginning of a name if it is unique.")
        self.order_fields(["act", "seat", PLAYER, "from_hand", "hands"])

    def field_of(self, problem: Problem) -> str | None:
        """Return the name of the field that a problem is about."""
        is_player = problem.at[:1] == ("player",) or problem.at == ("side",)
        return PLAYER if is_player else super().field_of(problem)

    @property
    def named(self) -> str:
        """What was typed for the player or the side."""
        return str(self.cleaned_data[PLAYER]).strip()

    @property
    def is_side(self) -> bool:
        """Whether a whole side changes."""
        return str(self.cleaned_data.get("seat", "")).startswith(SIDE)

    @property
    def seat_number(self) -> int:
        """The seat, or one of its side."""
        return int(self.cleaned_data["seat"].removeprefix(SIDE))
