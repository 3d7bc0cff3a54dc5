"""The settings of an event in words: each section in a line, definitions, and what changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.json_types import JsonDict
from scoring.playoffs.progress import PLAYED
from scoring.standings.counting import Facts, number_counted
from tournaments.domain.event_settings import Settings, as_stored, fixed_count, playoff_rules_of
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import first_named, primary_named, tie_break_named
from tournaments.models.events import Event
from tournaments.selectors.events.preset_cards import best_text
from tournaments.selectors.events.settings_checks import tie_break_warnings, unusable_criteria

LATER: Final = 2
"""The example of a sliding rule has so many evenings more than the event."""


LINES: Final = {
    "title": gettext_lazy("The title"),
    "promotion": gettext_lazy("Promotion"),
    "cut": gettext_lazy("Qualification"),
    "prize": gettext_lazy("Prizes"),
}
"""The places that may matter, in words."""


PLAYOFFS: Final = {
    "share": gettext_lazy("a tie shares the place"),
    "criteria": gettext_lazy("tie-breaks decide"),
    "extra_hands": gettext_lazy("a tie is played off with extra hands"),
    "table": gettext_lazy("a tie is played off at a table"),
    "sudden_death": gettext_lazy("the first hand that breaks the tie decides"),
}


def summarize_settings(
    event: Event, settings: Settings, facts: Facts, *, n_evenings: int
) -> JsonDict:
    """Return an event's settings in words, as `events/settings.html` shows them.

    `chain` has each tie-break with why it has no effect here (or ""), `placement` the list for each
    size of table, `lines` pairs of a label and a sentence.
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
        "lines": _lines(settings, n_evenings),
        "has_lot": "lot" in settings.tie_breaks,
    }


def _lines(settings: Settings, n_evenings: int) -> list[tuple[str, str]]:
    minutes, hours = settings.round_minutes, settings.correction_window_h
    byes = {
        "none": "",
        "scheme_mean": _("the average of a table's points"),
        "own_mean": _("the average of their own games"),
    }
    clock = ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
    ranked = ngettext("after %(n)s game", "after %(n)s games", settings.min_games)
    needs = [ranked % {"n": settings.min_games}] if settings.min_games else []
    needs += [_("after a third of the games of the player with most")] if settings.min_third else []
    window = ngettext(
        "%(n)s hour after a round is closed", "%(n)s hours after a round is closed", hours
    )
    lines = [
        (_("Length of a game"), length_text(settings)),
        (_("Deals"), _("the same at every table") if settings.duplicate else ""),
        (_("Counted results"), _counting(settings, n_evenings)),
        (_("Clock of a round"), clock if minutes else ""),
        (_("Ranked"), "; ".join(needs)),
        (_("Games and sizes"), _("may differ between tables") if settings.mixed_raw else ""),
        (_("Points for a bye"), byes[settings.bye_award]),
        (_("Chips for each player"), str(settings.start_totals or "")),
    ]
    for key, places in settings.boundaries.items():
        text = ngettext("the first place", "the first %(n)s places", places) % {"n": places}
        lines.append((str(LINES[key]), text))
    if settings.boundaries:
        lines.append((_("Ties at a cut-off"), str(PLAYOFFS[settings.playoff])))
        lines.extend(_playing_off(settings))
    lines.extend((_("Knock-out"), text) for text in _knockout_lines(settings))
    lines.append((_("Time for reporting problems"), window % {"n": hours} if hours else ""))
    lines.append((_("Double entry"), _("required") if settings.double_entry else ""))
    return [(label, text) for label, text in lines if text]


DUELS: Final = {
    "fillers": gettext_lazy("at a table of four with two neutral players"),
    "two_hands": gettext_lazy("in a game for two"),
}
MANY: Final = {
    "cancellation": gettext_lazy("at one large table with two packs"),
    "heats": gettext_lazy("in heats at two tables"),
}
FINISHED: Final = {
    "ask": gettext_lazy("a director is asked before anything changes"),
    "redo": gettext_lazy("it is replayed"),
    "keep": gettext_lazy("the result is kept"),
}


def _knockout_lines(settings: Settings) -> list[str]:
    lines = []
    if settings.table_ties == "standings":
        lines.append(_("ties at a table are broken by the standings"))
    if settings.knocked_out == "share":
        lines.append(_("those out in the same round share the place"))
    elif settings.knocked_out == "standings":
        lines.append(_("those out in the same round are ranked by all their games"))
    return lines


def _playing_off(settings: Settings) -> Sequence[tuple[str, str]]:
    if settings.playoff not in PLAYED:
        return ()
    rules = playoff_rules_of(settings)
    looks = ngettext("after each hand", "after every %(n)s hands", rules.block) % {"n": rules.block}
    if rules.min_hands > 1:
        least = ngettext("from hand %(n)s on", "from hand %(n)s on", rules.min_hands)
        looks = f"{looks}, {least % {'n': rules.min_hands}}"
    most = ngettext(
        "%(n)s hand; then a director allows more hands or draws lots",
        "%(n)s hands; then a director allows more hands or draws lots",
        rules.max_hands,
    )
    lines = [
        (_("Play-off checked"), looks),
        (_("Maximum play-off length"), most % {"n": rules.max_hands}),
        (_("Play-off of two"), str(DUELS[rules.duel])),
        (_("Play-off of six to eleven"), str(MANY[rules.many])),
        (_("Correction affecting a play-off"), str(FINISHED[rules.finished])),
    ]
    if settings.playoff_before_criteria:
        lines.append((_("Ties for the title"), _("play-off before the tie-breaks")))
    return lines


def length_text(settings: Settings) -> str:
    if settings.hands:
        return ngettext("%(n)s hand", "%(n)s hands", settings.hands) % {"n": settings.hands}
    if settings.is_open_ended:
        return _("any number of hands")
    return _("to the end of the game")


def _counting(settings: Settings, n_evenings: int) -> str:
    if settings.drop_worst:
        text = ngettext("all but the worst %(n)s", "all but the %(n)s worst", settings.drop_worst)
        return text % {"n": settings.drop_worst}
    if settings.best_of:
        rule, later = settings.best_of, n_evenings + LATER
        text = best_text(rule, n_evenings)
        if not n_evenings or fixed_count(rule) or rule["unit"] != "meeting":
            return text
        facts = {"rule": text, "n": later, "counted": number_counted(later, best_of=rule)}
        return _("%(rule)s; with %(n)s evenings, %(counted)s") % facts
    return _("all")


NAMED: Final = 3
"""Tie-breaks that the line of a section names; the others are counted."""


TITLES: Final = {
    "game": gettext_lazy("Game and length"),
    "ranking": gettext_lazy("Ranking and tie-breaks"),
    "counted": gettext_lazy("Counted results"),
    "cut_offs": gettext_lazy("Cut-offs and play-offs"),
    "entry": gettext_lazy("Entry and corrections"),
}
SECTIONS: Final = {
    "game": ("length", "hands", "duplicate", "round_minutes", "start_totals"),
    "ranking": ("primary", "placement", "mixed_raw", "tie_breaks"),
    "counted": (
        *("counting", "drop_worst", "best_of", "best_count", "best_min", "best_per"),
        *("min_games", "min_third", "bye_award"),
    ),
    "cut_offs": (
        *("boundaries", "playoff", "playoff_before_criteria", "playoff_rules"),
        *("table_ties", "knocked_out"),
    ),
    "entry": ("double_entry", "correction_window_h"),
}
"""Section of the page → its settings and fields (docs/event-settings.md); `ladder` has a page of
its own. Several fields of one name begin with it and a hyphen."""


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
    for key, title in TITLES.items():
        was = _sentence(_WORDS[key](now, games, n_evenings))
        is_refused = key in refused
        is_changed = not is_refused and any(
            before[name] != after[name] for name in SECTIONS[key] if name in before
        )
        sections[key] = {
            "key": key,
            "title": title,
            "value": was if is_refused else _sentence(_WORDS[key](settings, games, n_evenings)),
            "was": was,
            "is_refused": is_refused,
            "is_changed": is_changed,
        }
    return sections


def n_changes(now: Settings, settings: Settings) -> int:
    before, after = as_stored(now), as_stored(settings)
    return sum(before[key] != after[key] for key in before)


def _sentence(parts: Iterator[str]) -> str:
    text = " · ".join(parts)
    return f"{text[:1].upper()}{text[1:]}"


def _game(settings: Settings, games: Sequence[str], _evenings: int) -> Iterator[str]:
    if games:
        first, *more = games
        all_games = _("%(first)s, also %(others)s") % {"first": first, "others": ", ".join(more)}
        yield all_games if more else first
    if settings.hands:
        text = ngettext("%(n)s hand at each table", "%(n)s hands at each table", settings.hands)
        yield text % {"n": settings.hands}
    elif settings.is_open_ended:
        yield _("any number of hands, until the table is closed")
    else:
        yield _("to the end of the rules")
    if settings.duplicate:
        yield _("the same deals at every table")
    if settings.round_minutes:
        text = ngettext("%(n)s minute a round", "%(n)s minutes a round", settings.round_minutes)
        yield text % {"n": settings.round_minutes}
    if settings.start_totals:
        yield _("%(n)s chips for each player") % {"n": settings.start_totals}


def _ranking(settings: Settings, _games: Sequence[str], _evenings: int) -> Iterator[str]:
    primary = primary_named(settings.primary)
    points = settings.placement.get("4") or next(iter(settings.placement.values()), ())
    if settings.primary == "placement_points":
        yield f"{primary.name} {'-'.join(map(str, points))}"
    else:
        yield primary.name
    names, more = first_named(settings.tie_breaks, NAMED)
    if not names:
        yield _("no tie-breaks, a tie shares the place")
        return
    text = ", ".join(names)
    if more:
        yield _("tie-breaks: %(names)s and %(n)s more") % {"names": text, "n": more}
    else:
        yield _("tie-breaks: %(names)s") % {"names": text}


def _counted(settings: Settings, _games: Sequence[str], n_evenings: int) -> Iterator[str]:
    if settings.drop_worst:
        text = ngettext(
            "the worst game is dropped", "the %(n)s worst games are dropped", settings.drop_worst
        )
        yield text % {"n": settings.drop_worst}
    elif settings.best_of:
        yield best_text(settings.best_of, n_evenings)
    else:
        yield _("every result counts")
    if settings.min_games:
        text = ngettext(
            "a place from %(n)s game on", "a place from %(n)s games on", settings.min_games
        )
        yield text % {"n": settings.min_games}
    if settings.min_third:
        yield _("a place from a third of the most games on")
    if settings.bye_award != "none":
        yield str(_BYES[settings.bye_award])


_BYES: Final = {
    "scheme_mean": gettext_lazy("a bye counts as the average of a table's points"),
    "own_mean": gettext_lazy("a bye counts as the average of their games"),
}
_LINES: Final = {
    "title": gettext_lazy("title"),
    "promotion": gettext_lazy("promotion"),
    "cut": gettext_lazy("qualification"),
    "prize": gettext_lazy("prizes"),
}


def _cut_offs(settings: Settings, _games: Sequence[str], _evenings: int) -> Iterator[str]:
    for key, n in settings.boundaries.items():
        text = ngettext("%(line)s: the first", "%(line)s: the first %(n)s", n)
        yield text % {"line": _LINES[key], "n": n}
    if not settings.boundaries:
        yield _("no cut-offs")
    if settings.playoff == "share":
        yield _("ties at a cut-off share the place")
    elif settings.playoff in PLAYED:
        yield _("ties at a cut-off are played off")
    else:
        yield _("ties at a cut-off are broken by the tie-breaks")
    yield from _knockout_lines(settings)


def _entry(settings: Settings, _games: Sequence[str], _evenings: int) -> Iterator[str]:
    if settings.double_entry:
        yield _("double entry")
    hours = settings.correction_window_h
    if not hours:
        yield _("results are final once their round is closed")
    elif hours % 24 == 0:
        text = ngettext(
            "corrections until %(n)s day after a round closes",
            "corrections until %(n)s days after a round closes",
            hours // 24,
        )
        yield text % {"n": hours // 24}
    else:
        text = ngettext(
            "corrections until %(n)s hour after a round closes",
            "corrections until %(n)s hours after a round closes",
            hours,
        )
        yield text % {"n": hours}


_WORDS: Final[Mapping[str, Callable[[Settings, Sequence[str], int], Iterator[str]]]] = {
    "game": _game,
    "ranking": _ranking,
    "counted": _counted,
    "cut_offs": _cut_offs,
    "entry": _entry,
}
