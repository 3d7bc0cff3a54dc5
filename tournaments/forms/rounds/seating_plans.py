"""What a director says before an evening is planned, and a constraint to add."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.seating_plans import ConstraintKind

ROUND_BY_ROUND: Final = ("swiss", "knockout")
"""Kinds of plans that have one round, whatever number is typed."""

MOVEMENTS: Final = (
    (
        "individual",
        _("Meet many players"),
        _("All rounds are planned now. Everybody meets as many different players as possible."),
    ),
    (
        "ladder",
        _("Ladder night"),
        _(
            "All rounds are planned now. Neighbours in the ladder, or in the standings, share a "
            "table. Players without a place come last."
        ),
    ),
    (
        "swiss",
        _("Swiss: next round"),
        _(
            "The next round is planned from the published standings: players with equal scores "
            "share a table, small tables go round, and nobody meets a third time where that can "
            "be avoided. Close each round before you plan the next one."
        ),
    ),
    (
        "knockout",
        _("Knock-out: next round"),
        _(
            "The best two of each table go on. The first round is dealt out by the standings, or "
            "by lot. Close each round before you plan the next one."
        ),
    ),
    (
        "open",
        _("Open night"),
        _(
            "Nothing is planned ahead. You form tables during the evening from the players who are "
            "free."
        ),
    ),
)
"""Kinds of plans with their labels, and what each of them does."""


WITH_BOARDS: Final = (
    "moving",
    _("Boards move"),
    _(
        "All rounds are planned now. Players move as the boards do: everybody plays each set of "
        "boards once at most, and nobody meets twice."
    ),
)
"""The kind of plan of a duplicate event whose boards move, in the order of `MOVEMENTS`."""

PARTNER_MOVEMENTS: Final = (
    (
        "whist",
        _("Whist: partners change"),
        _(
            "Every round each player has another partner. In the full set everybody is everybody's "
            "partner once and opponent twice. Each player has a place of their own."
        ),
    ),
    (
        "pairs:all_play_all",
        _("Pairs: all play all"),
        _("Fixed pairs. Every pair plays each other pair once in the full set."),
    ),
    (
        "pairs:mitchell",
        _("Pairs: two fields"),
        _("Half of the pairs stay at their tables, the others move on (Mitchell)."),
    ),
    (
        "pairs:swiss",
        _("Pairs: Swiss, next round"),
        _(
            "Fixed pairs with equal scores in the published standings play each other, and no "
            "pairs again where that can be avoided. Close each round before you plan the next one."
        ),
    ),
    (
        "teams:one_table",
        _("Team matches: one table"),
        _("Two of each team play at one table, on opposite sides."),
    ),
    (
        "teams:two_tables",
        _("Team matches: two tables"),
        _("Four of each team play at two tables, with the sides crossed."),
    ),
)
"""Kinds of plans with partners: movement and variation, label, and what each of them does."""


def usual_kind(movement: str, partners: Collection[str]) -> str:
    """Return the kind of plan that is proposed for a movement; the first of all for none.

    Args:
        partners: the movements with partners that can be planned.
    """
    kept = [one[0] for one in PARTNER_MOVEMENTS if one[0].partition(":")[0] in partners]
    kinds = (*(one[0] for one in MOVEMENTS), WITH_BOARDS[0], *kept)
    return next((kind for kind in kinds if kind.partition(":")[0] == movement), kinds[0])


class PlanForm(ServiceForm):
    """The kind of plan, its rounds and stage, the table sizes of this evening, and a seed."""

    movement = forms.ChoiceField(
        label=_("Kind of evening"),
        choices=[(key, label) for key, label, _text in MOVEMENTS],
        initial="individual",
        required=False,
        widget=forms.RadioSelect,
    )

    stage = forms.IntegerField(required=False, widget=forms.HiddenInput)
    rounds = forms.IntegerField(
        label=_("Number of rounds"),
        required=False,
        help_text=_("An open night has no fixed number."),
        widget=forms.NumberInput(attrs={"min": 1, "max": 60, "inputmode": "numeric"}),
    )
    sizes = forms.MultipleChoiceField(
        label=_("Players at a table"), required=False, widget=forms.CheckboxSelectMultiple
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        help_text=_("Empty: a new one is drawn. The same people and seed give the same plans."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(
        self,
        *given: Any,
        allowed: Sequence[int] = (),
        partners: Collection[str] = (),
        figures: Mapping[str, str] | None = None,
        is_moving: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(*given, **more)
        self.figures = figures or {}
        kept = [one for one in PARTNER_MOVEMENTS if one[0].partition(":")[0] in partners]
        self.movements = (*((WITH_BOARDS,) if is_moving else ()), *MOVEMENTS, *kept)
        kinds = [(key, label) for key, label, _text in self.movements]
        self.fields["movement"].choices = kinds  # type: ignore[attr-defined]  # of a choice field
        self.fields["sizes"].choices = [(str(size), str(size)) for size in allowed]  # type: ignore[attr-defined]  # of a choice field

    def kinds(self) -> Iterator[tuple[BoundWidget, str | Promise, str]]:
        """Yield the boxes of the kinds of plans, each with what it does and what it gives here."""
        for box, (key, _label, text) in zip(self["movement"], self.movements, strict=True):
            yield box, text, self.figures.get(key, "")

    def wanted(self) -> dict[str, Any]:
        """Return what `make_plans` takes."""
        typed = self.cleaned_data
        movement, _colon, variation = (typed["movement"] or "individual").partition(":")
        return {
            "movement": movement,
            "variation": variation,
            "rounds": 1 if {movement, variation} & set(ROUND_BY_ROUND) else typed["rounds"] or 0,
            "sizes": tuple(map(int, typed["sizes"])),
            "seed": typed["seed"],
            "stage": typed["stage"],
        }


class ConstraintForm(ServiceForm):
    """A constraint; `people` are the club's players by id."""

    kind = forms.ChoiceField(
        label=_("Constraint"),
        choices=(
            (ConstraintKind.APART.value, _("Never at one table")),
            (ConstraintKind.TOGETHER.value, _("Always at one table")),
            (ConstraintKind.FIXED_TABLE.value, _("Always at a fixed table")),
        ),
    )
    player = forms.CharField(label=_("Player"), required=False)
    other = forms.CharField(
        label=_("Other player"), required=False, help_text=_("Empty for a fixed table.")
    )
    table = forms.IntegerField(
        label=_("Table number"),
        required=False,
        help_text=_("For a fixed table only."),
        widget=forms.NumberInput(attrs={"min": 1, "inputmode": "numeric"}),
    )
    reason = forms.CharField(
        label=_("Reason (optional)"),
        required=False,
        help_text=_("Only directors and owners read it."),
    )

    def __init__(self, *given: Any, people: Sequence[tuple[str, str]] = (), **more: Any) -> None:
        super().__init__(*given, **more)
        for name in ("player", "other"):
            choices = [("", _("Choose a player")), *people]
            self.fields[name].widget = forms.Select(choices=choices)

    def wanted(self) -> dict[str, Any]:
        """Return what `add_constraint` takes."""
        return {name: self.cleaned_data[name] for name in self.fields}
