"""The fields of an event's settings, each with its words and what may be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.event_settings import EVENT_SETTINGS, USUAL_PLAYOFF
from tournaments.selectors.events.settings_summary import DUELS, MANY, SECTIONS
from tournaments.views.http.service_form import text_field


@dataclass(frozen=True, slots=True)
class Card:
    """A choice as a card: its value, its name, and what it means in a sentence."""

    value: str
    label: str | Promise
    help: str | Promise


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
FINISHED: Final = (
    ("ask", _("ask a director before anything changes")),
    ("redo", _("replay it, and repeat the cut if no later round was played")),
    ("keep", _("keep the result")),
)
RULES: Final = "playoff_rules"
CHOSEN: Final = ("duel", "many", "finished")
"""Rules of play-offs that are chosen from a list."""


LINES: Final = {
    "title": _("Title"),
    "promotion": _("Promotion"),
    "cut": _("Qualification"),
    "prize": _("Prizes"),
}
"""The places that may matter, in words."""


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


def playoff_fields() -> dict[str, forms.Field]:
    return {
        f"{RULES}-min_hands": whole(
            _("First check after hand"),
            gettext("If empty: %(n)s.") % {"n": USUAL_PLAYOFF["min_hands"]},
        ),
        f"{RULES}-block": whole(_("Hands between checks"), _("If empty: 1, or 4 at a table.")),
        f"{RULES}-max_hands": whole(
            _("Maximum number of hands"),
            gettext("If empty: %(n)s.") % {"n": USUAL_PLAYOFF["max_hands"]},
        ),
        f"{RULES}-duel": choice(_("Play-off of two"), list(DUELS.items())),
        f"{RULES}-many": choice(_("Play-off of six to eleven"), list(MANY.items())),
        f"{RULES}-finished": choice(
            _("If a correction affects a finished play-off or cut"), FINISHED
        ),
    }


def simple_field(name: str) -> forms.Field:
    """Return the field of a setting that has one of its name."""
    setting = EVENT_SETTINGS[name]
    if setting.kind == "flag":
        return forms.BooleanField(label=setting.label, help_text=setting.help)  # type: ignore[arg-type]  # lazy text
    if setting.kind == "number":
        return whole(setting.label, setting.help)
    return choice(setting.label, list(setting.choices.items()))


def section_of(name: str) -> str:
    """Return the section that a field is in; empty for those outside all sections.

    >>> section_of("tie_breaks-2"), section_of("reason")
    ('ranking', '')
    """
    field = name.partition("-")[0]
    return next((key for key, names in SECTIONS.items() if field in names), "")
