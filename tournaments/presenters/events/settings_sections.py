"""The sections of an event's settings: the value of each in one line, and what changed in it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.playoffs.rules import PLAYED
from tournaments.domain.event_settings import Settings, as_stored
from tournaments.domain.standings.criteria_catalog import first_named, primary_named
from tournaments.presenters.events.preset_cards import best_text
from tournaments.presenters.events.settings_summary import knockout_lines

NAMED: Final = 3
"""Tie-breaks that the line of a section names; the others are counted."""

TITLES: Final[Mapping[str, str | Promise]] = {
    "game": gettext_lazy("Game and length"),
    "ranking": gettext_lazy("Ranking and tie-breaks"),
    "counted": gettext_lazy("Counted results"),
    "cut_offs": gettext_lazy("Cut-offs and play-offs"),
    "entry": gettext_lazy("Entry and corrections"),
}
KEYS: Final[Mapping[str, Sequence[str]]] = {
    "game": ("length", "duplicate", "round_minutes", "start_totals"),
    "ranking": ("primary", "placement", "mixed_raw", "tie_breaks"),
    "counted": ("drop_worst", "best_of", "min_games", "bye_award"),
    "cut_offs": (
        "boundaries",
        "playoff",
        "playoff_rules",
        "playoff_before_criteria",
        "table_ties",
        "knocked_out",
    ),
    "entry": ("double_entry", "correction_window_h"),
}
"""Section → the settings in it (docs/event-settings.md); `ladder` has a page of its own."""


@dataclass(frozen=True, slots=True)
class SettingsSection:
    """A section in one line: `value` is what is wanted, `was` what is in force if that differs."""

    key: str
    title: str
    value: str
    was: str = ""
    is_refused: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether something else is wanted than is in force."""
        return bool(self.was)


def settings_sections(
    now: Settings,
    wanted: Settings,
    *,
    games: Sequence[str] = (),
    n_evenings: int = 0,
    refused: frozenset[str] = frozenset(),
) -> tuple[SettingsSection, ...]:
    """Return the sections with their values.

    Args:
        now: the settings in force.
        wanted: what somebody is about to save; `now` where nothing is changed.
        games: names of the games of the event's tables, the default first.
        refused: sections with a value that cannot be.
    """
    before, after = as_stored(now), as_stored(wanted)
    found = []
    for key, title in TITLES.items():
        words = _WORDS[key]
        value = _sentence(words(wanted, games, n_evenings))
        was = _sentence(words(now, games, n_evenings))
        is_changed = any(before[one] != after[one] for one in KEYS[key])
        if key in refused:
            found.append(SettingsSection(key, str(title), was, is_refused=True))
        else:
            found.append(SettingsSection(key, str(title), value, was if is_changed else ""))
    return tuple(found)


def n_changes(now: Settings, wanted: Settings) -> int:
    """Return how many settings differ."""
    before, after = as_stored(now), as_stored(wanted)
    return sum(1 for key in before if before[key] != after[key])


def _sentence(parts: Iterator[str]) -> str:
    text = " · ".join(parts)
    return f"{text[:1].upper()}{text[1:]}"


def _game(settings: Settings, games: Sequence[str], _evenings: int) -> Iterator[str]:
    if games:
        first, *more = games
        others = _("%(first)s, also %(others)s") % {"first": first, "others": ", ".join(more)}
        yield others if more else first
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
        yield _("no tie-breaks, tied entrants share a place")
        return
    listed = ", ".join(names)
    if more:
        yield _("tie-breaks: %(names)s and %(n)s more") % {"names": listed, "n": more}
    else:
        yield _("tie-breaks: %(names)s") % {"names": listed}


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
    if settings.bye_award != "none":
        yield str(_BYES[settings.bye_award])


_BYES: Final[Mapping[str, str | Promise]] = {
    "scheme_mean": gettext_lazy("a bye counts as the average of a table's points"),
    "own_mean": gettext_lazy("a bye counts as the average of the entrant's games"),
}
_LINES: Final[Mapping[str, str | Promise]] = {
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
    yield from knockout_lines(settings)


def _entry(settings: Settings, _games: Sequence[str], _evenings: int) -> Iterator[str]:
    yield _("double entry") if settings.double_entry else _("entered once")
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
