"""The settings of an event as a form: its fields, a preset that fills it, a preview."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.event_settings import (
    CUT_OFFS,
    EVENT_SETTINGS,
    PLAYOFF_RULES,
    SECTIONS,
    Settings,
    best_evenings,
    fixed_count,
    names_in,
)
from tournaments.domain.setting_kinds import Card, Setting
from tournaments.domain.standings.criteria import CriterionText, primaries, tie_breaks
from tournaments.models.events import EntrantKind
from tournaments.selectors.attendance.places import PLACES
from tournaments.views.http.service_form import ServiceForm, gives, hidden_field, text_field
from tournaments.views.rules.variant_options import WHOLE

LENGTHS: Final = (
    Card("variant", _("To the end of the rules"), _("Until the rules of the game end it.")),
    Card("hands", _("Fixed number of hands"), _("Every table plays the same number.")),
    Card("open", _("Any number of hands"), _("Until the table is closed.")),
)
COUNTINGS: Final = (
    Card("all", _("Every result"), _("Nothing is dropped.")),
    Card("drop", _("Drop a fixed number"), _("The same number for everybody.")),
    Card("best", _("Best evenings"), _("A fixed number for everybody.")),
    Card("meeting", _("Best evenings, sliding"), _("More count if more are played.")),
    Card("game", _("Best games, sliding"), _("More count if more are played.")),
)
RULES: Final = "playoff_rules"
SEVERAL: Final[Mapping[str, Sequence[str]]] = {
    "length": ("length", "hands"),
    "drop_worst": ("counting", "drop_worst"),
    "best_of": ("best_count", "best_min", "best_per"),
}
"""Setting → its fields, where it has others than one of its name, or of one that begins with its
name and a hyphen."""
FIELDS: Final = {
    field: section
    for section in SECTIONS
    for key in names_in(section)
    for field in SEVERAL.get(key, (key,))
}
"""Field → the section that it is in."""

CHAIN: Final = "tie_breaks"
_SIZE_LINE: Final = re.compile(r"\s*(\d+)\s*[:=]\s*(.*)")


def whole(label: str | Promise, hint: str | Promise = "") -> forms.CharField:
    return text_field(label, hint, inputmode="numeric", autocomplete="off")


class NumberField(forms.CharField):
    """A whole number; `if_empty` without one, and other text as it is, for the service to refuse.

    `least` and `most` are what a refusal names.
    """

    def __init__(
        self,
        label: str | Promise,
        hint: str | Promise = "",
        *,
        least: int = 1,
        most: int = 999,
        if_empty: int | str = 0,
    ) -> None:
        super().__init__(
            label=label,  # type: ignore[arg-type]  # lazy text
            help_text=hint,  # type: ignore[arg-type]  # lazy text
            widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        )
        self.least = least
        self.most = most
        self.if_empty = if_empty

    def clean(self, value: object) -> object:
        text = super().clean(value)
        return _number(text) if text else self.if_empty


class DeclaredSettingsForm(ServiceForm):
    """A form with fields of declared settings; the refusal of a number names its bounds."""

    def sentence_of(self, problem: Problem) -> str:
        name = self.field_of(problem) or ""
        field = self.fields.get(name)
        if problem.code != "bad_setting" or not isinstance(field, NumberField):
            return super().sentence_of(problem)
        found = str(self[name].value() or "").strip()
        text = gettext("Enter a whole number from %(least)s to %(most)s.")
        if found:
            text = gettext(
                "%(found)s cannot be used. Enter a whole number from %(least)s to %(most)s."
            )
        return text % {"found": found, "least": field.least, "most": field.most}


def best_count_field(
    kind: Callable[..., forms.CharField], hint: str | Promise = ""
) -> forms.CharField:
    field = kind(_("Best evenings that count"), hint)
    field.widget.attrs["aria-labelledby"] = "best-count-label best-count-unit"
    return field


def choice(
    label: str | Promise, choices: Sequence[tuple[str, object]], hint: str | Promise = ""
) -> forms.CharField:
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # lazy text
        help_text=hint,  # type: ignore[arg-type]  # lazy text
        widget=forms.Select(choices=choices),
    )


def setting_field(setting: Setting, *, if_empty: int | str = 0) -> forms.Field:
    """Return the field of a setting that has one of its name; a choice may be drawn as cards.

    `if_empty` is the value of a number without one.
    """
    facts: dict[str, Any] = {"label": setting.label or None, "help_text": setting.help}
    match setting.kind:
        case "flag":
            return forms.BooleanField(**facts)
        case "number":
            return NumberField(
                setting.label,
                setting.help,
                least=setting.least,
                most=setting.most,
                if_empty=if_empty,
            )
        case "choice":
            return choice(setting.label, [*setting.labels.items()], setting.help)
        case "days":
            return forms.TypedChoiceField(
                **facts, coerce=int, empty_value=None, choices=_day_choices(setting.most)
            )
        case "paragraphs":
            return forms.CharField(**facts, strip=False, widget=forms.Textarea(attrs={"rows": 5}))
    return forms.CharField(**facts)


def _day_choices(most: int) -> list[tuple[str, str]]:
    days = range(1, most + 1)
    return [
        ("", gettext("No reminders")),
        *((str(n), ngettext("%(n)s day before", "%(n)s days before", n) % {"n": n}) for n in days),
    ]


USUAL_BEST: Final = {"unit": "meeting", "min": 5, "per": 2}
USUAL_COUNT: Final = 8
"""Values in the fields of the best results before somebody chooses them."""

SIMPLE: Final = {key: setting for key, setting in EVENT_SETTINGS.items() if setting.kind != "other"}
"""Settings with one field of their name."""
PLACED: Final = (
    *("primary", "evening_ranking", "drop_worst", "period_evenings", "best_periods", "min_unit"),
    *("excused", "excused_points"),
    *("playoff", "playoff_before_criteria"),
)
"""Those that the page draws among other fields; it draws the rest in the order of declaration."""


class SettingsForm(DeclaredSettingsForm):
    field_order = ("preset", "applied", *FIELDS, "reason", "on")
    lengths = LENGTHS
    countings = COUNTINGS
    preset = text_field(_("Preset"))
    applied = hidden_field()
    length = text_field(_("Length of a game"))
    hands = NumberField(_("Hands at each table"))
    placement = forms.CharField(
        label=_("Points for each place"),
        help_text=_(
            "One line for each table size, best place first: 4: 5 3 2 1. Use 2 for two sides."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    evening_points = text_field(
        _("Points for the places of an evening"),
        _(
            "Best place first: 10 8 6 5 4 3 2 1. Later places get 0. If empty, a place gives the "
            "number of ranked players, less the place, plus one."
        ),
        autocomplete="off",
    )
    counting = text_field(_("Which results count"))
    best_count = best_count_field(NumberField)
    best_min = NumberField(_("Always count"))
    best_per = NumberField(_("Drop one more for every"))
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("One sentence, shown in the event's change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    on = choice(_("Preview with"), ())
    based_on = hidden_field()

    def __init__(
        self,
        data: object = None,
        *,
        is_played: bool = False,
        asks_reason: bool = False,
        for_chips: bool = False,
        has_double_entry: bool = False,
        has_evenings: bool = True,
        places: EntrantKind = EntrantKind.PLAYER,
        events: Sequence[tuple[str, str]] = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        self.fields |= {name: setting_field(setting) for name, setting in SIMPLE.items()}
        if places != EntrantKind.PLAYER:
            self.fields["capacity"].label = PLACES[places]
        self.order_fields(self.field_order)
        self.criteria: Sequence[CriterionText] = [
            text for text in tie_breaks() if has_evenings or "evenings" not in text.needs
        ]
        self.fields["primary"].widget.choices = [(text.key, text.name) for text in primaries()]
        of_evenings = EVENT_SETTINGS["evening_ranking"].labels
        self.fields["evening_ranking"].widget.choices = [
            (text.key, text.name) for text in primaries() if text.key in of_evenings
        ]
        self.fields["on"].widget.choices = [("", gettext("this event")), *events]
        options = [("", gettext("None")), *((text.key, text.name) for text in self.criteria)]
        for level in range(1, len(self.criteria) + 1):
            label = gettext("Tie-break %(level)s") % {"level": level}
            self.fields[f"{CHAIN}-{level}"] = choice(label, options)
            self.fields[f"{CHAIN}-{level}"].widget.attrs["aria-label"] = label
        self.fields |= {
            f"boundaries-{line}": NumberField(label) for line, label in CUT_OFFS.items()
        }
        self.fields |= {
            f"{RULES}-{key}": setting_field(rule, if_empty="")
            for key, rule in PLAYOFF_RULES.items()
        }
        unused = [] if for_chips else ["start_totals"]
        unused += [] if has_double_entry else ["double_entry"]
        unused += ["length", "hands", "duplicate", "start_totals"] if is_played else []
        unused += [] if asks_reason else ["reason"]
        unused += [] if events else ["on"]
        for name in {*unused}:
            del self.fields[name]

    @classmethod
    def filled(cls, settings: Settings, **more: Any) -> "SettingsForm":
        return cls(initial={**fields_of(settings), **more.pop("initial", {})}, **more)

    @property
    def levels(self) -> Sequence[forms.BoundField]:
        return [self[f"{CHAIN}-{level}"] for level in range(1, len(self.criteria) + 1)]

    @property
    def playoff_fields(self) -> Sequence[forms.BoundField]:
        return [self[f"{RULES}-{rule}"] for rule in PLAYOFF_RULES]

    @property
    def boundary_fields(self) -> Sequence[forms.BoundField]:
        return [self[f"boundaries-{line}"] for line in CUT_OFFS]

    def fields_in(self, section: str, *, is_rare: bool = False) -> Sequence[forms.BoundField]:
        return [
            self[name]
            for name in names_in(section)
            if name in self.fields
            and name in SIMPLE
            and name not in PLACED
            and SIMPLE[name].is_rare == is_rare
        ]

    def has_rare_rules(self, section: str, settings: Settings) -> bool:
        """Whether a rare rule of the section is not its default, or is refused."""
        for name in names_in(section):
            setting = EVENT_SETTINGS[name]
            if setting.is_rare and getattr(settings, name) != setting.default:
                return True
            if setting.is_rare and name in self.errors:
                return True
        if section != EVENT_SETTINGS[RULES].section:
            return False
        is_refused = any(field.errors for field in self.playoff_fields)
        return bool(settings.playoff_rules) or is_refused

    @property
    def refused_sections(self) -> frozenset[str]:
        return frozenset(
            filter(None, (FIELDS.get(str(name).partition("-")[0], "") for name in self.errors))
        )

    def field_of(self, problem: Problem) -> str | None:
        at = problem.at[1:] if problem.at[:1] == ("settings",) else problem.at
        key = str(at[0]) if at else ""
        if key == CHAIN:
            levels = [level for level, _key in self._chosen()]
            number = int(at[1]) if len(at) > 1 else 0
            return f"{CHAIN}-{levels[number] if number < len(levels) else 1}"
        if key == "boundaries":
            places = self._boundaries()
            is_place = {line: isinstance(n, int) and 0 < n < 1000 for line, n in places.items()}
            wrong = [line for line in places if not is_place[line]]
            return f"boundaries-{(wrong or list(places) or list(CUT_OFFS))[0]}"
        if key == RULES:
            if f"{RULES}-{at[-1]}" not in self.fields:
                return "playoff"
            return f"{RULES}-{at[1]}"
        if key == "best_of" and self.cleaned_data["counting"] == "best":
            return "best_count"
        if key == "best_of" and self.cleaned_data["best_min"] in range(1, 1000):
            return "best_per"
        several = {"best_of": "best_min", "length": "hands"}
        name = several.get(key, key)
        return name if name in self.fields else None

    @gives("values", "reason", "based_on")
    def get_arguments(self) -> dict[str, object]:
        reason = self.cleaned_data.get("reason", "")
        based_on = self.cleaned_data["based_on"]
        return {"values": self.entered(), "reason": reason, "based_on": based_on}

    def entered(self) -> dict[str, object]:
        typed = self.cleaned_data
        settings: dict[str, object] = {
            **{name: typed[name] for name in SIMPLE if name in typed},
            "placement": _placement(typed["placement"]),
            "evening_points": _evening_points(typed["evening_points"]),
            **({} if typed["counting"] == "drop" else {"drop_worst": 0}),
            "best_of": _best_of(typed),
            RULES: self._playoff_rules(),
            "boundaries": self._boundaries(),
            CHAIN: [key for _level, key in self._chosen()],
        }
        if "length" in typed:
            has_hands = typed["length"] == "hands"
            settings["length"] = f"hands:{typed['hands']}" if has_hands else typed["length"]
        return settings

    def clean(self) -> JsonDict:
        typed = super().clean() or {}
        names = {criterion.key: criterion.name for criterion in self.criteria}
        levels: dict[str, int] = {}
        for level, key in self._chosen():
            if key in levels:
                text = gettext("%(name)s is tie-break %(level)s already. Choose another or None.")
                facts = {"name": names.get(key, key), "level": levels[key]}
                self.add_error(f"{CHAIN}-{level}", text % facts)
            else:
                levels[key] = level
        if typed.get("counting") == "drop" and typed["drop_worst"] == 0:
            text = gettext("Enter how many of the worst games are dropped, from 1 on.")
            self.add_error("drop_worst", text)
        return typed

    def _chosen(self) -> list[tuple[int, str]]:
        levels = range(1, len(self.criteria) + 1)
        keys = [(at, str(self.cleaned_data.get(f"{CHAIN}-{at}", "")).strip()) for at in levels]
        return [(at, key) for at, key in keys if key]

    def _playoff_rules(self) -> dict[str, object]:
        rules: dict[str, object] = {}
        for key, rule in PLAYOFF_RULES.items():
            value = self.cleaned_data[f"{RULES}-{key}"]
            if value != "" and (key == "block" or value != rule.default):
                rules[key] = value
        return rules

    def _boundaries(self) -> dict[str, object]:
        places = {line: self.cleaned_data[f"boundaries-{line}"] for line in CUT_OFFS}
        return {line: n for line, n in places.items() if n}


def fields_of(settings: Settings) -> dict[str, object]:
    """Return settings as the texts of the form's fields.

    >>> fields_of(Settings(best_of={"unit": "game", "min": 5, "per": 2}))["best_min"]
    5
    """
    best = settings.best_of or USUAL_BEST
    counting = "all"
    n_best_evenings = 0
    if settings.best_of:
        counting = settings.best_of["unit"]
    if counting == "meeting":
        n_best_evenings = fixed_count(settings.best_of)
    if settings.drop_worst:
        counting = "drop"
    elif n_best_evenings:
        counting = "best"
    return {
        **{name: getattr(settings, name) for name in SIMPLE},
        "length": "hands" if settings.hands else settings.length,
        "hands": settings.hands or "",
        "start_totals": settings.start_totals or "",
        "placement": "\n".join(
            f"{size}: {' '.join(map(str, points))}" for size, points in settings.placement.items()
        ),
        "evening_points": " ".join(map(str, settings.evening_points)),
        "counting": counting,
        "drop_worst": settings.drop_worst or 1,
        "best_count": n_best_evenings or USUAL_COUNT,
        "best_min": best["min"],
        "best_per": best["per"],
        **{f"{RULES}-{rule}": value for rule, value in settings.playoff_rules.items()},
        **{f"{CHAIN}-{level}": key for level, key in enumerate(settings.tie_breaks, start=1)},
        **{f"boundaries-{line}": places for line, places in settings.boundaries.items()},
    }


def _number(text: str) -> object:
    """A whole number, 0 for nothing, or the text itself for the service to refuse."""
    text = text.strip()
    if not text:
        return 0
    if not WHOLE.fullmatch(text):
        return text
    return int(text)


def _placement(text: str) -> object:
    lists: dict[str, object] = {}
    for line in filter(str.strip, text.splitlines()):
        match = _SIZE_LINE.fullmatch(line)
        if match is None or match[1] in lists:
            return line.strip()
        lists[match[1]] = _numbers(match[2])
    return lists


def _evening_points(text: str) -> object:
    """The list, or the text itself for the service to refuse."""
    points = _numbers(text)
    if all(isinstance(number, int) for number in points):
        return points
    return text.strip()


def _numbers(text: str) -> list[object]:
    return [_number(part) for part in re.split(r"[\s,;-]+", text.strip()) if part]


def _best_of(typed: JsonObject) -> object:
    if typed["counting"] == "best":
        return best_evenings(typed["best_count"])
    if typed["counting"] not in ("meeting", "game"):
        return None
    return {"unit": typed["counting"], "min": typed["best_min"], "per": typed["best_per"]}
