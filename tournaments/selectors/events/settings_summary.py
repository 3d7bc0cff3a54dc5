"""The settings of an event in words: each section in a line, definitions, and what changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.json_types import JsonDict
from scoring.playoffs.progress import PLAYED
from scoring.standings.counting import Facts, number_counted
from tournaments.domain.event_settings import (
    CUT_OFFS,
    EVENT_SETTINGS,
    PLAYOFF_RULES,
    SECTIONS,
    Settings,
    as_stored,
    fixed_count,
    names_in,
    playoff_rules_of,
)
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import first_named, primary_named, tie_break_named
from tournaments.models.events import Event
from tournaments.selectors.events.preset_cards import best_text
from tournaments.selectors.events.settings_checks import tie_break_warnings, unusable_criteria

Words: TypeAlias = Callable[[Settings, int], Iterator[str]]
"""Words for a setting, given the event's number of evenings."""

LATER: Final = 2
"""Evenings in the example of a sliding rule beyond those of the event."""


def summarize_settings(
    event: Event, settings: Settings, facts: Facts, *, n_evenings: int
) -> JsonDict:
    """Return an event's settings in words, as `events/settings.html` shows them.

    `chain` has each tie-break with why it has no effect here (or ""), `placement` the list for each
    size of table, `lines` the sentences of each section below its title; ranking is not repeated.
    """
    idle = unusable_criteria(settings, facts, seed=event.seed)
    return {
        "primary": primary_named(settings.primary),
        "chain": [
            (tie_break_named(key), sentence(idle[key]) if key in idle else "")
            for key in settings.tie_breaks
        ],
        "warnings": [
            sentence(problem) for problem in tie_break_warnings(settings) if settings.tie_breaks
        ],
        "placement": [
            (int(size), " ".join(map(str, settings.placement[size])))
            for size in sorted(settings.placement, key=int)
            if settings.primary == "placement_points"
        ],
        "lines": [
            (SECTIONS[key], texts)
            for key in SECTIONS
            if (texts := list(_section(key, settings, n_evenings, _WORDS_TO_READ)))
        ],
        "has_lot": "lot" in settings.tie_breaks,
    }


def length_text(settings: Settings) -> str:
    if settings.hands:
        return ngettext("%(n)s hand", "%(n)s hands", settings.hands) % {"n": settings.hands}
    if settings.is_open_ended:
        return _("any number of hands")
    return _("to the end of the game")


NAMED: Final = 3
"""Tie-breaks that the line of a section names; the others are counted."""


def settings_sections(
    now: Settings,
    settings: Settings,
    *,
    games: Sequence[str],
    n_evenings: int,
    refused: frozenset[str],
) -> Mapping[str, JsonDict]:
    """Return the sections by key: `value` is the value to save, `was` the current one."""
    before, after = as_stored(now), as_stored(settings)
    sections = {}
    for key, title in SECTIONS.items():
        of_game = ["; ".join(games)] if key == "game" and games else []
        was, value = (
            " · ".join([*of_game, *_section(key, of, n_evenings, _WORDS)]) for of in (now, settings)
        )
        is_refused = key in refused
        sections[key] = {
            "key": key,
            "title": title,
            "value": was if is_refused else value,
            "was": was,
            "is_refused": is_refused,
            "is_changed": not is_refused
            and any(before[name] != after[name] for name in names_in(key)),
        }
    return sections


def n_changes(now: Settings, settings: Settings) -> int:
    before, after = as_stored(now), as_stored(settings)
    return sum(before[key] != after[key] for key in before)


def _section(
    section: str, settings: Settings, n_evenings: int, words: Mapping[str, Words]
) -> Iterator[str]:
    for key in names_in(section):
        if key in words:
            yield from words[key](settings, n_evenings)
        elif text := EVENT_SETTINGS[key].summary_of(getattr(settings, key)):
            yield text


def _length(settings: Settings, _evenings: int) -> Iterator[str]:
    yield capfirst(length_text(settings))


def _primary(settings: Settings, _evenings: int) -> Iterator[str]:
    primary = primary_named(settings.primary)
    points = settings.placement.get("4") or next(iter(settings.placement.values()), ())
    if settings.primary == "placement_points":
        yield f"{primary.name} {'-'.join(map(str, points))}"
    else:
        yield primary.name


def _tie_breaks(settings: Settings, _evenings: int) -> Iterator[str]:
    names, more = first_named(settings.tie_breaks, NAMED)
    facts = {"names": ", ".join(names), "n": more}
    if not names:
        yield _("No tie-breaks, a tie shares the place")
    elif more:
        yield _("Tie-breaks: %(names)s and %(n)s more") % facts
    else:
        yield _("Tie-breaks: %(names)s") % facts


def _best_of(settings: Settings, n_evenings: int) -> Iterator[str]:
    rule = settings.best_of
    if not rule:
        yield from () if settings.drop_worst else (_("Every result counts"),)
        return
    text = capfirst(best_text(rule, n_evenings))
    if n_evenings and not fixed_count(rule) and rule["unit"] == "meeting":
        later = n_evenings + LATER
        facts = {"rule": text, "n": later, "counted": number_counted(later, best_of=rule)}
        text = _("%(rule)s; with %(n)s evenings, %(counted)s") % facts
    yield text


def _boundaries(settings: Settings, _evenings: int) -> Iterator[str]:
    for key, n in settings.boundaries.items():
        text = ngettext("%(name)s: first place", "%(name)s: first %(n)s places", n)
        yield text % {"name": CUT_OFFS[key], "n": n}
    if not settings.boundaries:
        yield _("No cut-offs")


def _playoff(settings: Settings, _evenings: int) -> Iterator[str]:
    yield EVENT_SETTINGS["playoff"].line(settings.playoff)


def _playing_off(settings: Settings, _evenings: int) -> Iterator[str]:
    if settings.boundaries and settings.playoff in PLAYED:
        rules = playoff_rules_of(settings)
        for key, rule in PLAYOFF_RULES.items():
            yield rule.line(getattr(rules, key))


def _own_playoff_rules(settings: Settings, _evenings: int) -> Iterator[str]:
    for key, value in settings.playoff_rules.items():
        yield PLAYOFF_RULES[key].line(value)


def _nothing(_settings: Settings, _evenings: int) -> Iterator[str]:
    return iter(())


_WORDS: Final[Mapping[str, Words]] = {
    "length": _length,
    "primary": _primary,
    "tie_breaks": _tie_breaks,
    "best_of": _best_of,
    "boundaries": _boundaries,
    "playoff": _playoff,
    "playoff_rules": _own_playoff_rules,
}
"""Settings that say more than their declaration, or are said with another one."""
_WORDS_TO_READ: Final[Mapping[str, Words]] = {
    **_WORDS,
    "primary": _nothing,
    "tie_breaks": _nothing,
    "playoff_rules": _playing_off,
}
"""Those of the page that shows the ranking in full, and lists all rules of a play-off."""
