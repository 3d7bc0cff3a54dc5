"""The settings of an event in words: each section in a line, definitions, and what changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict, JsonObject
from scoring.playoffs.progress import PLAYED
from scoring.standings.counting import Facts
from scoring.standings.evenings import number_counted
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
    preset_on_pages,
    preset_settings,
)
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import first_named, primary_named, tie_break_named
from tournaments.models.events import Event, EventKind
from tournaments.selectors.events.settings_checks import tie_break_warnings, unusable_criteria

Fit: TypeAlias = Callable[[Settings], Settings]

MAIN: Final = ("sheets", "places", "season", "totals")
"""The presets that most clubs choose from; the others are folded."""

OF_TOURNAMENT: Final = ("sheets", "swiss", "cup", "pairs", "teams", "duplicate")
"""The presets that a tournament is chosen from, which has stages and movements."""

MOST_DIFFERENCES: Final = 4
"""An event with more settings of its own than that has no preset any more."""

PRESET_WORDS: Final = {
    "sheets": (_("Casual"), _("Any number of hands, average per hand.")),
    "places": (_("Place points"), _("5, 3, 2, 1 for the places at a table.")),
    "season": (_("Season (best results)"), _("Place points, worst evenings dropped.")),
    "evenings": (
        _("Evenings"),
        _("Points for the place of each evening, the best evenings count."),
    ),
    "periods": (
        _("Periods"),
        _("Points for the place of each evening, the best evenings of each period count."),
    ),
    "games": (_("Points per hand"), _("Games to their end, average per hand.")),
    "totals": (_("Total points"), _("Equal hands for all, ranked by the total.")),
    "wins": (_("Tables won"), _("Games to their end, ranked by the number of tables won.")),
    "beaten": (
        _("Opponents beaten"),
        _("Games to their end, ranked by the share of opponents beaten."),
    ),
    "par": (
        _("Mixed games (index)"),
        _("Games and tables of any kind, ranked by an index against par."),
    ),
    "pairs": (
        _("Pairs night"),
        _(
            "Fixed pairs, all play all, ranked by tables won. A game without partners is replaced "
            "by Partnership Hearts."
        ),
    ),
    "teams": (
        _("Teams"),
        _(
            "Team matches, 2 match points for a win and 1 for a tie, then point difference. A game "
            "without partners is replaced by Partnership Hearts."
        ),
    ),
    "swiss": (
        _("Swiss with final table"),
        _("Equal scores meet; the best four play a final. A play-off decides ties."),
    ),
    "cup": (
        _("Knock-out cup"),
        _("The best two of each table go on until the final. The first round is drawn by lot."),
    ),
    "duplicate": (_("Duplicate"), _("The same deals at every table, ranked by matchpoints.")),
}
"""Preset of `domain.event_settings` → its name, and a sentence of help."""

Words: TypeAlias = Callable[[Settings, int], Iterator[str]]
"""Words for a setting, given the event's number of evenings."""

LATER: Final = 2
"""Evenings in the example of a sliding rule beyond those of the event."""

NAMED: Final = 3
"""Tie-breaks that the line of a section names; the others are counted."""

EXAMPLES: Final = (9, 15)
"""Numbers of evenings for which a rule is explained where those of the event drop none."""


def preset_cards(
    n_evenings: int = 0, *, preset: str = "", badge: str = "", kind: str = ""
) -> Mapping[str, Sequence[JsonDict]]:
    """Return the presets as `events/_preset_cards.html` shows them: `main`, and `more` folded.

    `preset` is the one with the `badge`; if it is no main one, it takes the place of the last.
    """
    cards = {}
    for key, (name, meaning) in PRESET_WORDS.items():
        cards[key] = {
            "key": key,
            "name": name,
            "meaning": meaning,
            "consequence": _consequence(key, n_evenings),
            "badge": badge if key == preset else "",
        }
    main = OF_TOURNAMENT if kind == EventKind.TOURNAMENT else MAIN
    if preset in cards and preset not in main:
        main = (*main[:-1], preset)
    return {
        "main": [cards[key] for key in main],
        "more": [card for key, card in cards.items() if key not in main],
    }


def preset_differences(key: str, settings: Settings, fit: Fit) -> int:
    """Return how many settings of an event are not those of a preset; `fit` adapts the preset."""
    of_event = as_stored(settings)
    of_preset = as_stored(fit(preset_on_pages(key, settings)))
    return sum(of_preset[name] != of_event[name] for name in of_preset if name != "ladder")


def nearest_preset(settings: Settings, fit: Fit) -> str:
    """Return the preset that an event's settings are nearest to; empty where none is near."""
    differences = {key: preset_differences(key, settings, fit) for key in PRESET_WORDS}
    nearest = min(differences, key=lambda key: differences[key])
    if differences[nearest] > MOST_DIFFERENCES:
        return ""
    return nearest


def evenings_counted(rule: JsonObject, *numbers: int) -> str:
    """Return how many evenings a rule of the best results counts, for numbers of evenings.

    >>> evenings_counted({"unit": "meeting", "min": 5, "per": 2}, 9, 10)
    'Of 9 evenings 7 count, of 10 evenings 8 count.'
    """
    parts = []
    for n in numbers:
        if rule["unit"] == "game":
            text = ngettext(
                "of %(n)s game %(counted)s counts", "of %(n)s games %(counted)s count", n
            )
        else:
            text = ngettext(
                "of %(n)s evening %(counted)s counts", "of %(n)s evenings %(counted)s count", n
            )
        parts.append(text % {"n": n, "counted": number_counted(n, best_of=rule)})
    sentences = ", ".join(parts)
    return f"{sentences[:1].upper()}{sentences[1:]}."


def best_text(rule: JsonObject, n_evenings: int = 0) -> str:
    """Return a rule of the best results in a few words, the same on every page.

    Args:
        n_evenings: how many evenings the event has or plans; 0 = not known.

    >>> sliding = {"unit": "meeting", "min": 5, "per": 2}
    >>> best_text(sliding, 10), best_text({"unit": "meeting", "min": 8, "per": 1})
    ('best 8 of 10 evenings', 'best 8 evenings')
    >>> best_text(sliding)
    'worst evening dropped from 7 evenings on'
    """
    is_evenings = rule["unit"] == "meeting"
    n_counted = number_counted(n_evenings, best_of=rule)
    if is_evenings and n_counted < n_evenings:
        text = ngettext(
            "best %(counted)s of %(n)s evening", "best %(counted)s of %(n)s evenings", n_evenings
        )
        return text % {"counted": n_counted, "n": n_evenings}

    n_fixed = fixed_count(rule)
    if n_fixed:
        if is_evenings:
            text = ngettext("best evening", "best %(n)s evenings", n_fixed)
        else:
            text = ngettext("best game", "best %(n)s games", n_fixed)
        return text % {"n": n_fixed}

    drops_from = rule["min"] + rule["per"]
    if is_evenings:
        text = ngettext(
            "worst evening dropped from %(n)s evening on",
            "worst evening dropped from %(n)s evenings on",
            drops_from,
        )
    else:
        text = ngettext(
            "worst game dropped from %(n)s game on",
            "worst game dropped from %(n)s games on",
            drops_from,
        )
    return text % {"n": drops_from}


def counted_text(settings: Settings, n_evenings: int = 0) -> str:
    """Return which results count in a few words; "" if all do.

    >>> rule = {"unit": "meeting", "min": 4, "per": 1}
    >>> counted_text(Settings(best_of=rule, period_evenings=6))
    'best 4 of 6 evenings in each period'
    """
    if not settings.best_of:
        return ""
    if not settings.period_evenings:
        return best_text(settings.best_of, n_evenings)
    rule = best_text(settings.best_of, settings.period_evenings)
    return gettext("%(rule)s in each period") % {"rule": rule}


def _consequence(key: str, n_evenings: int) -> str:
    """Return a sentence on how many evenings count under a preset."""
    settings = preset_settings(key)
    rule = settings.best_of
    if rule is not None and settings.period_evenings:
        text = gettext("In each period: %(rule)s")
        return text % {"rule": evenings_counted(rule, settings.period_evenings)}
    if rule is not None:
        if number_counted(n_evenings, best_of=rule) < n_evenings:
            return evenings_counted(rule, n_evenings)
        return evenings_counted(rule, *EXAMPLES)
    if n_evenings < 2:
        return gettext("Every evening counts.")
    text = ngettext("%(n)s evening counts.", "All %(n)s evenings count.", n_evenings)
    return text % {"n": n_evenings}


def summarize_settings(
    event: Event, settings: Settings, facts: Facts, *, n_evenings: int
) -> JsonDict:
    """Return an event's settings in words, as `events/settings.html` shows them.

    `chain` has each tie-break with why it has no effect here (or ""), `placement` the list for each
    size of table, `lines` the sentences of each section below its title; ranking is not repeated.
    """
    chain = []
    unusable = unusable_criteria(settings, facts, seed=event.seed)
    for key in settings.tie_breaks:
        reason = sentence(unusable[key]) if key in unusable else ""
        chain.append((tie_break_named(key), reason))

    warnings = []
    if settings.tie_breaks:
        warnings = [sentence(problem) for problem in tie_break_warnings(settings)]

    placement = []
    if settings.games_ranked_by == "placement_points":
        for size in sorted(settings.placement, key=int):
            placement.append((int(size), " ".join(map(str, settings.placement[size]))))

    lines = []
    for section, title in SECTIONS.items():
        texts = list(_section(section, settings, n_evenings, _WORDS_TO_READ))
        if texts:
            lines.append((title, texts))

    return {
        "primary": primary_named(settings.primary),
        "evening": evening_text(settings),
        "chain": chain,
        "warnings": warnings,
        "placement": placement,
        "lines": lines,
        "has_lot": "lot" in settings.tie_breaks,
    }


def evening_text(settings: Settings) -> str:
    """Return how an evening is ranked and what its places give; "" without evening points.

    >>> evening_text(Settings(primary="evening_points", evening_points=(10, 8, 6)))
    'Each evening is ranked by place points; its places give 10-8-6'
    """
    if not settings.counts_evenings:
        return ""
    facts = {
        "value": primary_named(settings.evening_ranking).name.lower(),
        "points": "-".join(map(str, settings.evening_points)),
    }
    if settings.evening_points:
        text = gettext("Each evening is ranked by %(value)s; its places give %(points)s")
        return text % facts
    text = gettext(
        "Each evening is ranked by %(value)s; a place gives the number of ranked players, less the "
        "place, plus one"
    )
    return text % facts


def length_text(settings: Settings) -> str:
    if settings.hands:
        return ngettext("%(n)s hand", "%(n)s hands", settings.hands) % {"n": settings.hands}
    if settings.is_open_ended:
        return gettext("any number of hands")
    return gettext("to the end of the game")


def settings_sections(
    now: Settings,
    settings: Settings,
    *,
    games: Sequence[str],
    n_evenings: int,
    refused: frozenset[str],
) -> Mapping[str, JsonDict]:
    """Return the sections by key: `value` is the value to save, `was` the current one."""
    stored_now = as_stored(now)
    stored = as_stored(settings)
    sections = {}
    for key, title in SECTIONS.items():
        of_game = []
        if key == "game" and games:
            of_game = ["; ".join(games)]
        was = " · ".join([*of_game, *_section(key, now, n_evenings, _WORDS)])
        value = " · ".join([*of_game, *_section(key, settings, n_evenings, _WORDS)])
        is_refused = key in refused
        differs = any(stored_now[name] != stored[name] for name in names_in(key))
        sections[key] = {
            "key": key,
            "title": title,
            "value": was if is_refused else value,
            "was": was,
            "is_refused": is_refused,
            "is_changed": differs and not is_refused,
        }
    return sections


def n_changes(now: Settings, settings: Settings) -> int:
    stored_now = as_stored(now)
    stored = as_stored(settings)
    return sum(stored_now[key] != stored[key] for key in stored_now)


def _section(
    section: str, settings: Settings, n_evenings: int, words: Mapping[str, Words]
) -> Iterator[str]:
    """Yield the texts of a section: those of `words`, else what each setting says of itself."""
    for key in names_in(section):
        if key in words:
            yield from words[key](settings, n_evenings)
            continue
        text = EVENT_SETTINGS[key].summary_of(getattr(settings, key))
        if text:
            yield text


def _length(settings: Settings, _evenings: int) -> Iterator[str]:
    yield capfirst(length_text(settings))


def _capacity(settings: Settings, _evenings: int) -> Iterator[str]:
    text = EVENT_SETTINGS["capacity"].summary_of(settings.capacity)
    yield text or gettext("Everybody can come")


def _primary(settings: Settings, _evenings: int) -> Iterator[str]:
    primary = primary_named(settings.primary)
    if settings.counts_evenings:
        yield primary.name
        yield evening_text(settings)
    if settings.games_ranked_by != "placement_points":
        if not settings.counts_evenings:
            yield primary.name
        return
    # The list for four players stands for the lists of all sizes of table.
    points = settings.placement.get("4") or next(iter(settings.placement.values()), ())
    by_games = primary_named(settings.games_ranked_by)
    yield f"{by_games.name} {'-'.join(map(str, points))}"


def _tie_breaks(settings: Settings, _evenings: int) -> Iterator[str]:
    names, n_more = first_named(settings.tie_breaks, NAMED)
    facts = {"names": ", ".join(names), "n": n_more}
    if not names:
        yield gettext("No tie-breaks, a tie shares the place")
    elif n_more:
        yield gettext("Tie-breaks: %(names)s and %(n)s more") % facts
    else:
        yield gettext("Tie-breaks: %(names)s") % facts


def _best_of(settings: Settings, n_evenings: int) -> Iterator[str]:
    rule = settings.best_of
    if not rule:
        if not settings.drop_worst:
            yield gettext("Every result counts")
        return
    text = capfirst(counted_text(settings, n_evenings))
    if (
        n_evenings
        and not settings.period_evenings
        and not fixed_count(rule)
        and rule["unit"] == "meeting"
    ):
        n_later = n_evenings + LATER
        n_counted = number_counted(n_later, best_of=rule)
        facts = {"rule": text, "n": n_later, "counted": n_counted}
        text = gettext("%(rule)s; with %(n)s evenings, %(counted)s") % facts
    yield text


def _excused_points(settings: Settings, _evenings: int) -> Iterator[str]:
    if settings.counts_excuses and settings.excused == "fixed":
        yield EVENT_SETTINGS["excused_points"].line(settings.excused_points)


def _min_unit(settings: Settings, _evenings: int) -> Iterator[str]:
    if settings.min_games > 1 or settings.min_third:
        text = EVENT_SETTINGS["min_unit"].summary_of(settings.min_unit)
        if text:
            yield text


def _boundaries(settings: Settings, _evenings: int) -> Iterator[str]:
    yield from cut_off_texts(settings)


def cut_off_texts(settings: Settings) -> Iterator[str]:
    for key, n in settings.boundaries.items():
        text = ngettext("%(name)s: first place", "%(name)s: first %(n)s places", n)
        yield text % {"name": CUT_OFFS[key], "n": n}
    if not settings.boundaries:
        yield gettext("No cut-offs")


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
    "capacity": _capacity,
    "primary": _primary,
    "evening_ranking": _nothing,
    "evening_points": _nothing,
    "excused_points": _excused_points,
    "min_unit": _min_unit,
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
