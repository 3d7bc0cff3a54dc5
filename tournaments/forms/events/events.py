"""Making an event: its name, the rules it is played under with their options, and its settings."""

from collections.abc import Sequence
from typing import Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.forms.http.service_form import ServiceForm
from tournaments.forms.rules.variant_options import WHOLE
from tournaments.forms.rules.variant_picker import GameForm
from tournaments.models.events import EventKind, Visibility

PRESETS: Final = (
    (
        "sheets",
        _("Casual"),
    ),
    (
        "places",
        _("Place points"),
    ),
    (
        "season",
        _("Season (best results)"),
    ),
    ("games", _("Points per hand")),
    ("totals", _("Total points")),
    ("wins", _("Tables won")),
    ("beaten", _("Opponents beaten")),
    (
        "par",
        _("Mixed games (index)"),
    ),
    (
        "pairs",
        _("Partners"),
    ),
)
"""The presets of `domain.event_settings` in words."""

PRESET_MEANINGS: Final = (
    (_("Casual"), _("Any number of hands and different games, ranked by points per hand.")),
    (_("Place points"), _("Complete games, ranked by points for places at the table (5-3-2-1).")),
    (
        _("Season (best results)"),
        _("Place points with the worst meetings dropped and 48 hours for reporting problems."),
    ),
    (_("Points per hand"), _("Complete games, ranked by points per hand.")),
    (_("Total points"), _("Complete games, ranked by the total of all points.")),
    (_("Tables won"), _("Complete games, ranked by the number of tables won.")),
    (_("Opponents beaten"), _("Complete games, ranked by the share of opponents beaten.")),
    (_("Mixed games (index)"), _("Games and tables of any kind, ranked by an index against par.")),
    (_("Partners"), _("Pairs or teams, ranked by tables won, then by point difference.")),
)
"""A sentence of help for each preset, in the order of `PRESETS`."""

VISIBILITIES: Final = (
    (Visibility.PUBLIC, _("Public")),
    (Visibility.MEMBERS, _("Members of the club")),
    (Visibility.HELD, _("Directors only")),
)
KINDS: Final = (
    (EventKind.LEAGUE, _("League")),
    (EventKind.TOURNAMENT, _("Tournament")),
    (EventKind.LADDER, _("Ladder")),
)
CHIPS: Final = "start_totals"


class EventForm(GameForm):
    """An event with the options of its variant, one field each (`options-target`)."""

    field_order = ("name", "slug", "kind", "variant")
    preset_meanings = PRESET_MEANINGS
    name = forms.CharField(label=_("Name of the event"), required=False)
    slug = forms.CharField(
        label=_("Address within the club"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    kind = forms.CharField(
        label=_("Kind"), required=False, initial="league", widget=forms.Select(choices=KINDS)
    )
    preset = forms.CharField(
        label=_("Preset"),
        required=False,
        initial="sheets",
        widget=forms.Select(choices=PRESETS),
    )
    hands = forms.CharField(
        label=_("Hands at each table"),
        required=False,
        help_text=_("Leave empty unless every table plays the same number of hands."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    visibility = forms.CharField(
        label=_("Visibility"),
        required=False,
        initial="public",
        widget=forms.Select(choices=VISIBILITIES),
    )

    double_entry = forms.BooleanField(
        label=_("Require double entry: two people enter each sheet"), required=False
    )

    def __init__(
        self,
        data: object = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        for_chips: bool = False,
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self._own = list(self.fields)
        if for_chips:
            self.fields[CHIPS] = _chips_field()
            self._own.insert(self._own.index("hands") + 1, CHIPS)
        self.ask_options(options, rules)

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; a bad number of hands is a setting called `length`."""
        if problem.at == ("settings", "length"):
            return "hands"
        if problem.at == ("settings", "start_totals"):
            return CHIPS
        return super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; a bad number of hands as it was typed."""
        if problem.at == ("settings", "length"):
            found = gettext(
                "%(found)s is not a valid number of hands. Enter 1 to 999, or leave "
                "the field empty."
            )
            return found % {"found": self.cleaned_data.get("hands", "")}
        if problem.at == ("settings", "start_totals"):
            return gettext("Enter the number of chips for each player, for example 20.")
        return super().sentence_of(problem)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that every event has, and the chips of a game that is played for them."""
        return [self[name] for name in self._own]

    def entered(self) -> JsonDict:
        """Return what `create_event` takes, from the typed fields."""
        typed = self.cleaned_data
        plain = {key: typed[key] for key in ("name", "slug", "preset")}
        settings: dict[str, object] = {}
        if typed["hands"]:
            settings["length"] = f"hands:{typed['hands']}"
        if chips := typed.get(CHIPS):
            settings["start_totals"] = int(chips) if WHOLE.fullmatch(chips) else chips
        if typed["double_entry"]:
            settings["double_entry"] = True
        return plain | {
            "kind": typed["kind"],
            "visibility": typed["visibility"],
            "settings": settings,
            **self.game(),
        }


class NextEventForm(ServiceForm):
    """What the next season's event is called, and whether the same people compete."""

    name = forms.CharField(label=_("Name of the event"), required=False)
    slug = forms.CharField(
        label=_("Address within the club"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    players = forms.BooleanField(
        label=_("Copy the entrants, except withdrawn ones"), required=False
    )


def _chips_field() -> forms.CharField:
    return forms.CharField(
        label=_("Chips for each player"),
        required=False,
        help_text=_("Chips at the start of the game."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )


class ReasonForm(ServiceForm):
    """Why something is done; one sentence that stays in the club's record."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("One sentence. Shown in the change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; a missing reason is not one of a correction only."""
        if problem.code == "reason_required":
            return gettext("Enter a reason in one sentence.")
        return super().sentence_of(problem)


class EventStateForm(ReasonForm):
    """A change of state: where to, and why."""

    to = forms.CharField(required=False, widget=forms.HiddenInput)
