"""An event that is about to be created, in words: each step in one line, and all that is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Refused
from tournaments.domain.event_settings import (
    PRESETS,
    Settings,
    preset_settings,
    read_settings,
)
from tournaments.domain.standings.criteria_catalog import first_named, primary_named
from tournaments.models.events import EventKind, Visibility
from tournaments.presenters.events.preset_cards import PRESET_WORDS, best_text
from tournaments.presenters.events.settings_summary import length_text
from tournaments.selectors.rules.rule_sets import VariantChoices
from tournaments.services.events.events import new_event_settings
from tournaments.services.events.lifecycle.set_up_event import NewEvent

FIRST: Final = 3
"""As many tie-breaks are named in one line."""
KINDS: Final[Mapping[str, str | Promise]] = {
    EventKind.LEAGUE: gettext_lazy("League"),
    EventKind.TOURNAMENT: gettext_lazy("Tournament"),
    EventKind.LADDER: gettext_lazy("Ladder"),
}
READERS: Final[Mapping[str, str | Promise]] = {
    Visibility.PUBLIC: gettext_lazy("public"),
    Visibility.MEMBERS: gettext_lazy("members only"),
    Visibility.HELD: gettext_lazy("directors only"),
}


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event before it exists. `what`, `ranked` and `who` are its steps in one line each.

    `lines` are pairs of a label and a value, `rules` those that are decided by the preset.
    """

    name: str
    kind: str
    is_ladder: bool
    what: str
    ranked: str
    who: str
    lines: tuple[tuple[str, str], ...]
    rules: tuple[tuple[str, str], ...]


def describe_draft(
    wanted: NewEvent, offered: VariantChoices, *, game: str, entrants: str, address: str
) -> EventDraft:
    """Return a wanted event in words.

    Args:
        game: the name of its game.
        entrants: who competes, in words.
        address: what its address will be.
    """
    settings = draft_settings(wanted, offered)
    is_ladder = wanted.kind == EventKind.LADDER
    n = len(wanted.evenings)
    kind = str(KINDS.get(wanted.kind, wanted.kind))
    evenings = _("none") if is_ladder else evenings_text(wanted.evenings)
    ranked = _ladder_text() if is_ladder else _ranked_text(settings, n)
    preset = PRESET_WORDS.get(wanted.preset, ("", ""))[0]
    named = wanted.name.strip()
    title = _("%(kind)s “%(name)s”") % {"kind": kind, "name": named} if named else kind
    readers = str(READERS.get(wanted.visibility, ""))
    lines = [(_("Game"), game), (_("Length"), length_text(settings))]
    if not is_ladder:
        lines.append((_("Evenings"), evenings))
    lines.append((_("Ranked by"), ranked))
    if not is_ladder:
        lines.append((_("Ties"), _ties_text(settings, is_short=True)))
    lines += [(_("Entrants"), entrants), (_("Visibility"), readers), (_("Address"), address)]
    return EventDraft(
        name=named or _("No name yet"),
        kind=kind,
        is_ladder=is_ladder,
        what=" · ".join(filter(None, (title, game, "" if is_ladder or not n else evenings))),
        ranked=" · ".join(
            filter(None, ("" if is_ladder else str(preset), ranked, length_text(settings)))
        ),
        who=" · ".join(filter(None, (entrants, readers))),
        lines=tuple(lines),
        rules=tuple(_rules(settings)),
    )


def draft_settings(wanted: NewEvent, offered: VariantChoices) -> Settings:
    """Return the settings that the event would have; those of its preset where it is refused."""
    try:
        stored = new_event_settings(
            offered,
            name="draft",
            slug="draft",
            variant=wanted.variant,
            kind=wanted.kind,
            options=wanted.options,
            preset=wanted.preset,
            settings=wanted.settings,
            visibility=wanted.visibility,
        )
    except Refused:
        return preset_settings(wanted.preset) if wanted.preset in PRESETS else read_settings({})
    return read_settings(stored)


def evenings_text(days: Sequence[date]) -> str:
    """Return how many evenings there are, and from when to when."""
    if not days:
        return _("no dates yet")
    first, last = (date_format(day, "D j M Y") for day in (days[0], days[-1]))
    text = ngettext("%(n)s evening, %(first)s", "%(n)s evenings, %(first)s to %(last)s", len(days))
    return text % {"n": len(days), "first": first, "last": last}


def _ranked_text(settings: Settings, n_evenings: int) -> str:
    """What ranks, and how many evenings of it count."""
    value = primary_named(settings.primary).name.lower()
    if settings.best_of:
        return f"{value}, {best_text(settings.best_of, n_evenings)}"
    return value


def _ladder_text() -> str:
    return _("position after challenges, with a rating beside it")


def _ties_text(settings: Settings, *, is_short: bool = False) -> str:
    chain = settings.tie_breaks
    names, more = first_named(chain, FIRST if is_short else len(chain))
    listed = ", ".join(names).lower()
    if more:
        return _("%(names)s and %(n)s more") % {"names": listed, "n": more}
    return listed or _("tied entrants share the place")


def _rules(settings: Settings) -> Sequence[tuple[str, str]]:
    hours = settings.correction_window_h
    text = ngettext(
        "%(n)s hour after a round is closed", "%(n)s hours after a round is closed", hours
    )
    window = text % {"n": hours} if hours else _("until a round is closed")
    return [
        (_("Tie-break order"), _ties_text(settings)),
        (_("Cut-offs"), _("none")),
        (_("Time for reporting problems"), window),
    ]
