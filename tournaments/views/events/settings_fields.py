"""The fields of settings of clubs and events, made from their declarations."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.event_settings import SECTIONS, names_in
from tournaments.domain.setting_kinds import Card, Setting
from tournaments.views.http.service_form import text_field

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


def whole(label: str | Promise, hint: str | Promise = "") -> forms.CharField:
    return text_field(label, hint, inputmode="numeric", autocomplete="off")


def best_count_field(hint: str | Promise = "") -> forms.CharField:
    field = whole(_("Best evenings that count"), hint)
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


def setting_field(setting: Setting) -> forms.Field:
    """Return the field of a setting that has one of its name; a choice may be drawn as cards."""
    facts: dict[str, Any] = {"label": setting.label or None, "help_text": setting.help}
    match setting.kind:
        case "flag":
            return forms.BooleanField(**facts)
        case "number":
            return whole(setting.label, setting.help)
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
