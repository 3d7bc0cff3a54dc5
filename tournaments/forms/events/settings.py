"""The settings of an event as fields, each with its words: a preset fills them, a trial shows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.criteria_catalog import CriterionText, primaries, tie_breaks
from tournaments.domain.event_settings import BOUNDARIES, USUAL_PLAYOFF, Settings
from tournaments.forms.events.events import PRESET_MEANINGS, PRESETS
from tournaments.forms.http.service_form import ServiceForm
from tournaments.forms.rules.variant_options import WHOLE

LENGTHS: Final = (
    ("variant", _("to the end of the game")),
    ("hands", _("fixed number of hands")),
    ("open", _("until the table is closed")),
)
BYES: Final = (
    ("none", _("nothing")),
    ("scheme_mean", _("the average of a table's points")),
    ("own_mean", _("the average of the entrant's own games")),
)
PLAYOFFS: Final = (
    ("share", _("Share the place")),
    ("criteria", _("Tie-breaks, including the lot")),
    ("extra_hands", _("Extra hands")),
    ("table", _("Play-off table")),
    ("sudden_death", _("Sudden death: the first hand that breaks the tie")),
)
DUELS: Final = (
    ("fillers", _("at a table of four with two neutral players")),
    ("two_hands", _("in a game for two")),
)
MANY: Final = (
    ("cancellation", _("at one large table with two packs")),
    ("heats", _("in heats at two tables")),
)
FINISHED: Final = (
    ("ask", _("ask a director before anything changes")),
    ("redo", _("replay it, and repeat the cut if no later round was played")),
    ("keep", _("keep the result")),
)
RULES: Final = "playoff_rules"
UNITS: Final = (
    ("", _("no further games dropped")),
    ("meeting", _("meetings")),
    ("game", _("games")),
)
LINES: Final[Mapping[str, str | Promise]] = {
    "title": _("title"),
    "promotion": _("promotion"),
    "cut": _("qualification"),
    "prize": _("prizes"),
}
"""The places that may matter, in words."""

CHAIN: Final = "tie_breaks"
_SIZE_LINE: Final = re.compile(r"\s*(\d+)\s*[:=]\s*(.*)")


def _whole(label: str | Promise, hint: str | Promise = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    return forms.CharField(label=label, required=False, help_text=hint, widget=widget)  # type: ignore[arg-type]


def _choice(
    label: str | Promise,
    choices: Sequence[tuple[str, object]],
    hint: str | Promise = "",
) -> forms.CharField:
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # lazy text
        required=False,
        help_text=hint,  # type: ignore[arg-type]  # lazy text
        widget=forms.Select(choices=choices),
    )


class SettingsForm(ServiceForm):
    """The settings of an event. The chain is a number for each criterion: 1 is asked first."""

    preset_meanings = PRESET_MEANINGS
    preset = _choice(_("Preset"), PRESETS)
    length = _choice(_("Length of a game"), LENGTHS)
    hands = _whole(_("Hands at each table"), _("Only for a fixed number of hands."))
    start_totals = _whole(_("Chips for each player"), _("Only in games for chips."))
    primary = _choice(_("Ranked by"), ())
    placement = forms.CharField(
        label=_("Points for each place"),
        required=False,
        help_text=_(
            "One line for each table size, best place first: 4: 5 3 2 1. Use 2 for two sides."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    mixed_raw = forms.BooleanField(
        label=_("Allow different games and table sizes when ranking by card points"),
        required=False,
    )
    drop_worst = _whole(_("Drop the worst games"), _("0 means that all games count."))
    best_unit = _choice(
        _("Drop more as the season grows"),
        UNITS,
        _("Use this instead of a fixed number."),
    )
    best_min = _whole(_("Always count"))
    best_per = _whole(_("Drop one more for every"))
    min_games = _whole(
        _("Games needed for a place"),
        _("Entrants with fewer games are listed below without a place."),
    )
    bye_award = _choice(_("Points for a bye"), BYES)
    playoff = _choice(_("Ties at a cut-off"), PLAYOFFS)
    playoff_before_criteria = forms.BooleanField(
        label=_("Break ties for the title by a play-off before the tie-breaks"),
        required=False,
    )
    correction_window_h = _whole(
        _("Hours for reporting problems"),
        _("Counted from the end of each round. The standings are provisional until then."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("One sentence. Shown in the event's change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    on = forms.CharField(label=_("Preview with"), required=False, widget=forms.Select())
    based_on = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: object = None,
        *,
        is_played: bool = False,
        asks_reason: bool = False,
        for_chips: bool = False,
        events: Sequence[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self.criteria: Sequence[CriterionText] = tie_breaks()
        self.fields["primary"].widget.choices = [(one.key, one.name) for one in primaries()]
        self.fields["on"].widget.choices = list(events)
        for one in self.criteria:
            self.fields[f"{CHAIN}-{one.key}"] = _whole(one.name)
        for line in BOUNDARIES:
            self.fields[f"boundaries-{line}"] = _whole(
                gettext("Places above the cut-off: %(line)s") % {"line": LINES[line]}
            )
        self.fields |= _playoff_fields()
        gone = [] if for_chips else ["start_totals"]
        gone += ["length", "hands", "start_totals"] if is_played else []
        gone += [] if asks_reason else ["reason"]
        gone += [] if events else ["on"]
        for name in {*gone}:
            del self.fields[name]

    @classmethod
    def filled(cls, settings: Settings, **more: Any) -> "SettingsForm":
        """Return the form with these settings in its fields, as one changes them."""
        return cls(initial={**fields_of(settings), **more.pop("initial", {})}, **more)

    @property
    def chain_fields(self) -> Sequence[tuple[CriterionText, forms.BoundField]]:
        """The criteria with their fields, those of the chain first, in its order."""
        rows = [(one, self[f"{CHAIN}-{one.key}"]) for one in self.criteria]
        return sorted(rows, key=lambda row: _rank(row[1].value()))

    @property
    def playoff_fields(self) -> Sequence[forms.BoundField]:
        """The fields of how a tie is played off."""
        return [self[name] for name in _playoff_fields()]

    @property
    def boundary_fields(self) -> Sequence[forms.BoundField]:
        """The fields of the places that matter."""
        return [self[f"boundaries-{line}"] for line in BOUNDARIES]

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; settings that have several fields name the first."""
        at = problem.at[1:] if problem.at[:1] == ("settings",) else problem.at
        key = str(at[0]) if at else ""
        if key == CHAIN:
            chain = self._chain()
            criterion = chain[int(at[1])] if len(at) > 1 else self.criteria[0].key
            return f"{CHAIN}-{criterion}"
        if key == "boundaries":
            return f"boundaries-{BOUNDARIES[0]}"
        if key == RULES:
            return f"{RULES}-{at[1]}" if f"{RULES}-{at[-1]}" in self.fields else "playoff"
        several = {"best_of": "best_min", "length": "hands"}
        name = several.get(key, key)
        return name if name in self.fields else None

    def entered(self) -> dict[str, object]:
        """Return the settings as they were typed; what cannot be read stays as it is written."""
        typed = self.cleaned_data
        wanted: dict[str, object] = {
            "primary": typed["primary"],
            "placement": _placement(typed["placement"]),
            "mixed_raw": typed["mixed_raw"],
            "drop_worst": _number(typed["drop_worst"]),
            "best_of": _best_of(typed),
            "min_games": _number(typed["min_games"]),
            "bye_award": typed["bye_award"],
            "playoff": typed["playoff"],
            "playoff_before_criteria": typed["playoff_before_criteria"],
            RULES: self._playoff_rules(),
            "correction_window_h": _number(typed["correction_window_h"]),
            "boundaries": self._boundaries(),
            CHAIN: self._chain(),
        }
        if "length" in typed:
            has_hands = typed["length"] == "hands"
            wanted["length"] = f"hands:{typed['hands']}" if has_hands else typed["length"]
        if "start_totals" in typed:
            wanted["start_totals"] = _number(typed["start_totals"])
        return wanted

    def clean(self) -> JsonDict:
        """Say where two criteria have one number, or where one has none that can be read."""
        typed = super().clean() or {}
        seen: dict[int, str] = {}
        for one in self.criteria:
            name = f"{CHAIN}-{one.key}"
            text = str(typed.get(name, "")).strip()
            if not text:
                continue
            if not (WHOLE.fullmatch(text) and 0 < int(text) < 1000):
                said = gettext(
                    "%(found)s is not a position. Enter 1, 2, 3 … or leave the field empty."
                )
                self.add_error(name, said % {"found": text})
            elif int(text) in seen:
                said = gettext("%(other)s already has the number %(found)s.")
                self.add_error(name, said % {"found": text, "other": seen[int(text)]})
            else:
                seen[int(text)] = one.name
        return typed

    def _chain(self) -> list[str]:
        typed = self.cleaned_data
        numbers = {one.key: str(typed.get(f"{CHAIN}-{one.key}", "")) for one in self.criteria}
        return sorted(
            (key for key in numbers if numbers[key].strip()), key=lambda k: int(numbers[k])
        )

    def _playoff_rules(self) -> dict[str, object]:
        """What differs from the usual rules of play-offs."""
        found: dict[str, object] = {}
        for name in _playoff_fields():
            rule, text = name.removeprefix(f"{RULES}-"), self.cleaned_data[name].strip()
            value = text if rule in CHOSEN else _number(text)
            if text and (rule == "block" or value != USUAL_PLAYOFF[rule]):
                found[rule] = value
        return found

    def _boundaries(self) -> dict[str, object]:
        typed = {line: self.cleaned_data[f"boundaries-{line}"].strip() for line in BOUNDARIES}
        return {line: _number(text) for line, text in typed.items() if text not in ("", "0")}


def fields_of(settings: Settings) -> dict[str, object]:
    """Return settings as the texts of the form's fields.

    >>> fields_of(Settings(best_of={"unit": "game", "min": 5, "per": 2}))["best_min"]
    5
    """
    best = settings.best_of or {}
    chain = {f"{CHAIN}-{key}": number for number, key in enumerate(settings.tie_breaks, start=1)}
    lines = {f"boundaries-{line}": places for line, places in settings.boundaries.items()}
    return {
        "length": "hands" if settings.hands else settings.length,
        "hands": settings.hands or "",
        "start_totals": settings.start_totals or "",
        "primary": settings.primary,
        "placement": "\n".join(
            f"{size}: {' '.join(map(str, points))}" for size, points in settings.placement.items()
        ),
        "mixed_raw": settings.mixed_raw,
        "drop_worst": settings.drop_worst,
        "best_unit": best.get("unit", ""),
        "best_min": best.get("min", ""),
        "best_per": best.get("per", ""),
        "min_games": settings.min_games,
        "bye_award": settings.bye_award,
        "playoff": settings.playoff,
        "playoff_before_criteria": settings.playoff_before_criteria,
        **{f"{RULES}-{rule}": value for rule, value in settings.playoff_rules.items()},
        "correction_window_h": settings.correction_window_h,
        **chain,
        **lines,
    }


CHOSEN: Final = ("duel", "many", "finished")
"""Rules of play-offs that are chosen from a list."""


def _playoff_fields() -> dict[str, forms.Field]:
    """The fields of the rules of play-offs, fresh ones."""
    return {
        f"{RULES}-min_hands": _whole(
            _("Play-off hands before the first check"),
            gettext("If empty: %(n)s.") % {"n": USUAL_PLAYOFF["min_hands"]},
        ),
        f"{RULES}-block": _whole(
            _("Play-off hands between checks"),
            _("If empty: 1, or 4 at a play-off table."),
        ),
        f"{RULES}-max_hands": _whole(
            _("Maximum number of play-off hands"),
            gettext("If empty: %(n)s.") % {"n": USUAL_PLAYOFF["max_hands"]},
        ),
        f"{RULES}-duel": _choice(_("Play-off of two"), DUELS),
        f"{RULES}-many": _choice(_("Play-off of six to eleven"), MANY),
        f"{RULES}-finished": _choice(
            _("If a correction affects a finished play-off or cut"), FINISHED
        ),
    }


def _number(text: str) -> object:
    """A whole number, 0 for nothing, or the text itself for the service to refuse."""
    text = text.strip()
    if not text:
        return 0
    return int(text) if WHOLE.fullmatch(text) else text


def _placement(text: str) -> object:
    """Lists by size, or what is no list as it was typed."""
    found: dict[str, object] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        read = _SIZE_LINE.fullmatch(line)
        if read is None or read[1] in found:
            return line.strip()
        found[read[1]] = [_number(one) for one in re.split(r"[\s,;-]+", read[2].strip()) if one]
    return found


def _best_of(typed: Mapping[str, str]) -> object:
    if not typed["best_unit"]:
        return None
    numbers = {"min": _number(typed["best_min"]), "per": _number(typed["best_per"])}
    return {"unit": typed["best_unit"], **numbers}


def _rank(value: object) -> tuple[bool, int]:
    text = str(value if value is not None else "").strip()
    is_number = text.isascii() and text.isdecimal()
    return not is_number, int(text[:4]) if is_number else 0
