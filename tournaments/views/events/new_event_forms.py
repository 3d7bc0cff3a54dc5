"""Create an event in three steps: its basics, its ranking, and its entrants.

The three are one form. A missing field has its default, so that a name is enough.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.domain.evening_series import MOST_EVENINGS, SERIES_INTERVALS
from tournaments.domain.event_settings import PRESETS, best_evenings, own_of_pages
from tournaments.domain.setting_kinds import Card
from tournaments.models.events import Event, EventKind, Visibility
from tournaments.selectors.events.settings_summary import PRESET_WORDS
from tournaments.services.events.events import NewEvent
from tournaments.views.events.settings_form import best_count_field, choice, whole
from tournaments.views.http.service_form import text_field
from tournaments.views.rules.variant_options import WHOLE, GameForm

WHAT, RANKED, WHO = 1, 2, 3
"""The steps."""
STEP_OF: Final = {
    "preset": RANKED,
    "best_count": RANKED,
    "minimum": RANKED,
    "length": RANKED,
    "hands": RANKED,
    "start_totals": RANKED,
    "who": WHO,
    "earlier": WHO,
    "visibility": WHO,
}
"""Field → the step that it is in; all others are in the first."""
CHIPS: Final = "start_totals"
BEST: Final = "best_count"
Words = str | Promise

KIND_CARDS: Final = (
    Card(EventKind.LEAGUE, _("League"), _("Several evenings, one table of standings.")),
    Card(
        EventKind.TOURNAMENT,
        _("Tournament"),
        _("An evening, day or weekend, with or without a final."),
    ),
    Card(EventKind.LADDER, _("Ladder"), _("Positions and ratings; members challenge each other.")),
)
LENGTH_CARDS: Final = (
    Card("", _("As usual"), _("The length that is usual for the ranking above.")),
    Card("variant", _("To the end of the game"), _("As the rules of the game say.")),
    Card("hands", _("Fixed number of hands"), _("The same number at every table.")),
    Card("open", _("Any number of hands"), _("Until the table is closed.")),
)
VISIBILITY_CARDS: Final = (
    Card(Visibility.PUBLIC, _("Public"), _("Everybody can read it, without signing in.")),
    Card(Visibility.MEMBERS, _("Members only"), _("Signed-in members of the club can read it.")),
    Card(Visibility.HELD, _("Directors only"), _("Only directors, until you release it.")),
)
COME, LIST, EARLIER = "come", "list", "same"
WHO_CARDS: Final = (
    Card(COME, _("Players as they come"), _("They are entered when they are first seated.")),
    Card(LIST, _("From a list"), _("Choose players or paste names right after creating it.")),
)
EARLIER_CARD: Final = Card(
    EARLIER, _("Same as an earlier event"), _("Its players, except withdrawn ones.")
)
THIRD: Final = "third"
MINIMUMS: Final = (
    (THIRD, _("A third of the games of the player with most, rounded up")),
    ("", _("No minimum")),
)
INTERVAL_WORDS: Final = {
    "week": _("Every week"),
    "two_weeks": _("Every two weeks"),
    "four_weeks": _("Every four weeks"),
    "day": _("Every day"),
    "month": _("Every month, on the same weekday"),
}


def with_defaults(query: QueryDict, **defaults: str) -> QueryDict:
    texts = query.copy()
    usual = {
        "kind": EventKind.LEAGUE,
        "interval": SERIES_INTERVALS[0],
        "length": "",
        "who": COME,
        "preset": next(iter(PRESET_WORDS)),
        "minimum": THIRD,
    }
    for name, value in {**usual, **defaults}.items():
        texts.setdefault(name, value)
    if texts["kind"] == EventKind.LADDER and not texts["length"]:
        texts["length"] = "open"
    return texts


EVENING_FIELDS: Final = ("starts_on", "ends_on", "n_evenings", "not_on", "evening_time")


class NewEventForm(GameForm):
    """A new event, with the options of its game, one field each (`options-target`)."""

    name = text_field(_("Name of the event"), autofocus=True)
    kind = text_field(_("Kind"))
    variant = text_field(_("Game"))
    starts_on = text_field(_("First evening"), type="date")
    ends_on = text_field(_("Last evening"), type="date")
    n_evenings = whole(_("Number of evenings"))
    not_on = text_field(
        _("No evening on"),
        _("Optional. For example 2026-12-24, or 2026-12-21 to 2027-01-04."),
    )
    evening_time = forms.TimeField(
        label=_("Time of the evenings"),
        help_text=_("Optional. For example 19:30. Excuses count until then."),
        error_messages={"invalid": _("Enter the time as 19:30.")},
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    interval = choice(_("How often"), [(key, INTERVAL_WORDS[key]) for key in SERIES_INTERVALS])
    preset = text_field(_("Ranking"))
    best_count = best_count_field(whole, _("If empty, the usual number for the ranking above."))
    minimum = choice(
        _("Games needed for a place"),
        MINIMUMS,
        _("Players with fewer games are listed below, without a place."),
    )
    length = text_field(_("Length of a game"))
    hands = whole(_("Hands at each table"), _("Only for a fixed number of hands."))
    who = text_field(_("Players"))
    visibility = text_field(_("Visibility"))

    def __init__(
        self,
        texts: QueryDict,
        *,
        games: Sequence[tuple[Words, Sequence[tuple[str, str]]]],
        earlier: Mapping[str, str],
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        for_chips: bool = False,
    ) -> None:
        super().__init__(texts)
        self.fields["variant"].widget = forms.Select(choices=games)
        if earlier:
            self.fields["earlier"] = choice(_("Earlier event"), list(earlier.items()))
        if for_chips:
            self.fields[CHIPS] = whole(
                _("Chips for each player"), _("Chips at the start of the game.")
            )
        self.left_out: Collection[str] = frozenset(texts.getlist("left_out"))
        self._typed = texts
        self.ask_options(options, rules)
        self.full_clean()

    def text(self, name: str) -> str:
        """Return what was typed in a field; empty where it cannot be read."""
        return str(self.cleaned_data.get(name) or "")

    @property
    def kind_now(self) -> str:
        return self.text("kind")

    @property
    def length_cards(self) -> tuple[Card, ...]:
        if self.kind_now != EventKind.LADDER:
            return LENGTH_CARDS
        return LENGTH_CARDS[1:]

    @property
    def who_cards(self) -> tuple[Card, ...]:
        if "earlier" not in self.fields:
            return WHO_CARDS
        return (EARLIER_CARD, *WHO_CARDS)

    @property
    def earlier_slug(self) -> str:
        if self.text("who") != EARLIER:
            return ""
        return self.text("earlier")

    @property
    def has_evenings_typed(self) -> bool:
        """Whether a field of the evenings has a value of its own, or a refusal."""
        return any(self.text(name) or name in self.errors for name in EVENING_FIELDS)

    @property
    def first_step_refused(self) -> int:
        steps = [STEP_OF.get(name, WHAT) for name in self.errors if name != NON_FIELD_ERRORS]
        return min(steps, default=WHO if self.errors else 0)

    def place_up_to(self, step: int, problems: Sequence[Problem]) -> None:
        self.place(
            problem
            for problem in problems
            if STEP_OF.get(self.field_of(problem) or "", WHAT) < step
        )

    def field_of(self, problem: Problem) -> str | None:
        if problem.at[:1] == ("settings",):
            fields = {
                "length": "hands",
                "best_of": BEST,
                CHIPS: CHIPS if CHIPS in self.fields else "preset",
            }
            return fields.get(str(problem.at[1:2][0]) if problem.at[1:2] else "", "preset")
        return super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        if problem.at == ("settings", "length"):
            text = gettext("%(found)s is not a valid number of hands. Enter 1 to 999.")
            return text % {"found": self.text("hands") or "–"}
        if problem.at == ("settings", "best_of"):
            text = gettext("%(found)s cannot be used. Enter a whole number from 1 to 999.")
            return text % {"found": self.text(BEST)}
        if problem.at == ("n_evenings",) and problem.code == "bad_setting":
            text = gettext("%(found)s cannot be used. Enter a whole number from 1 to %(most)s.")
            return text % {"found": self.text("n_evenings"), "most": MOST_EVENINGS}
        if problem.at == ("settings", CHIPS):
            return gettext("Enter the number of chips for each player, for example 20.")
        return super().sentence_of(problem)

    def new_event(self, evenings: Sequence[date], entrants_of: Event | None) -> NewEvent:
        unread = [name for name in self.fields if name not in self.cleaned_data]
        self.cleaned_data |= dict.fromkeys(unread, "")
        game = self.game()
        return {
            "name": self.text("name"),
            "variant": game["variant"],
            "options": game["options"],
            "kind": self.text("kind"),
            "preset": self.text("preset"),
            "settings": self._settings(),
            "visibility": self.text("visibility"),
            "evenings": [day for day in evenings if day.isoformat() not in self.left_out],
            "evening_time": self.cleaned_data["evening_time"] or None,
            "entrants_of": entrants_of,
        }

    def _settings(self) -> dict[str, object]:
        preset = PRESETS.get(self.text("preset"), {})
        settings: dict[str, object] = {**own_of_pages(preset.get("primary"))}
        length, hands = self.text("length"), self.text("hands")
        if length == "hands" or (hands and not length):
            settings["length"] = f"hands:{hands}"
        elif length:
            settings["length"] = length
        best = self.text(BEST).strip()
        if best and self.kind_now != EventKind.LADDER:
            settings["best_of"] = best_evenings(int(best) if WHOLE.fullmatch(best) else best)
        if self.kind_now == EventKind.LEAGUE and self.text("minimum") == THIRD:
            settings["min_third"] = True
        lines = preset.get("boundaries")
        is_ladder = self.kind_now == EventKind.LADDER
        if isinstance(lines, Mapping) and "title" not in lines and not is_ladder:
            settings["boundaries"] = {**lines, "title": 1}
        if chips := self.text(CHIPS):
            settings[CHIPS] = int(chips) if WHOLE.fullmatch(chips) else chips
        return settings
