"""Making an event: its name, the rules it is played under with their options, and its settings."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.forms.http.service_form import ServiceForm
from tournaments.forms.rules.variant_options import WHOLE
from tournaments.forms.rules.variant_picker import GameForm
from tournaments.models.events import EventKind, Visibility

PRESETS: Final = (
    (
        "sheets",
        _("Whatever the sheets hold: any number of hands, ranked by points a hand; games may mix"),
    ),
    (
        "places",
        _("Games played to their end, ranked by points for the place at each table (5-3-2-1)"),
    ),
    (
        "season",
        _(
            "A season: any number of hands, points for the place at each table, the worst evenings "
            "dropped as it grows, results open to questions for two days"
        ),
    ),
    ("games", _("Games played to their end, ranked by points a hand")),
    ("totals", _("Games played to their end, ranked by all points together")),
    ("wins", _("Games played to their end, ranked by tables won")),
    ("beaten", _("Games played to their end, ranked by how many at the table were beaten")),
    (
        "par",
        _("Any number of hands, games and tables of any kind, ranked by the index against par"),
    ),
    (
        "pairs",
        _("Partners: ranked by tables won, then by the difference to the opponents' points"),
    ),
)
"""The presets of `domain.event_settings` in words."""

VISIBILITIES: Final = (
    (Visibility.PUBLIC, _("Everybody")),
    (Visibility.MEMBERS, _("Members of the club")),
    (Visibility.HELD, _("Directors only, until you say otherwise")),
)
KINDS: Final = (
    (EventKind.LEAGUE, _("League")),
    (EventKind.TOURNAMENT, _("Tournament")),
    (EventKind.LADDER, _("Ladder: members challenge each other, games move them")),
)
CHIPS: Final = "start_totals"


class EventForm(GameForm):
    """An event with the options of its variant, one field each (`options-target`)."""

    field_order = ("name", "slug", "kind", "variant")
    name = forms.CharField(label=_("Name of the event"), required=False)
    slug = forms.CharField(
        label=_("Its address within the club"),
        required=False,
        help_text=_(
            "Small letters a to z, digits and hyphens. Left empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    kind = forms.CharField(
        label=_("Kind"), required=False, initial="league", widget=forms.Select(choices=KINDS)
    )
    preset = forms.CharField(
        label=_("How it is played and ranked"),
        required=False,
        initial="sheets",
        widget=forms.Select(choices=PRESETS),
    )
    hands = forms.CharField(
        label=_("Hands at each table"),
        required=False,
        help_text=_("A number, where every table plays the same number of hands; else empty."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    visibility = forms.CharField(
        label=_("Who reads its results"),
        required=False,
        initial="public",
        widget=forms.Select(choices=VISIBILITIES),
    )

    double_entry = forms.BooleanField(
        label=_("Sheets may be typed twice, by two people, and compared"), required=False
    )

    def __init__(
        self,
        data: Any = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        for_chips: bool = False,
        **more: Any,
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

    def said(self, problem: Problem) -> str:
        """Return the sentence of a problem; a bad number of hands as it was typed."""
        if problem.at == ("settings", "length"):
            found = gettext("%(found)s is no number of hands; write 1 to 999, or leave it empty.")
            return found % {"found": self.cleaned_data.get("hands", "")}
        if problem.at == ("settings", "start_totals"):
            return gettext("Write how many chips each player begins with, for example 20.")
        return super().said(problem)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields that every event has, and the chips of a game that is played for them."""
        return [self[name] for name in self._own]

    def wanted(self) -> dict[str, Any]:
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
        label=_("Its address within the club"),
        required=False,
        help_text=_(
            "Small letters a to z, digits and hyphens. Left empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    players = forms.BooleanField(
        label=_("The same players and pairs compete, without those who withdrew"), required=False
    )


def _chips_field() -> forms.CharField:
    return forms.CharField(
        label=_("Chips for each player"),
        required=False,
        help_text=_("How many each begins with; the game ends by them."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )


class ReasonForm(ServiceForm):
    """Why something is done; one sentence that stays in the club's record."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("One sentence. It stays in the club's record."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def said(self, problem: Problem) -> str:
        """Return the sentence of a problem; a missing reason is not one of a correction only."""
        if problem.code == "reason_required":
            return gettext("This needs a reason, one sentence.")
        return super().said(problem)


class VoidForm(ReasonForm):
    """Why a hand is voided or restored, and which revision of it was looked at."""

    based_on = forms.IntegerField(required=False, widget=forms.HiddenInput)


class EventStateForm(ReasonForm):
    """A change of state: where to, and why."""

    to = forms.CharField(required=False, widget=forms.HiddenInput)
