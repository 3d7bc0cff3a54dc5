"""Presets as cards: the name of each, what it does in a sentence, and how many evenings count."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict, JsonObject
from scoring.standings.counting import number_counted
from tournaments.domain.event_settings import Settings, as_stored, fixed_count, preset_settings
from tournaments.models.events import EventKind

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


def preset_cards(
    n_evenings: int = 0, *, preset: str = "", badge: str = "", kind: str = ""
) -> Mapping[str, Sequence[JsonDict]]:
    """Return the presets as `events/_preset_cards.html` shows them: `main`, and `more` folded."""
    cards = {
        key: {
            "key": key,
            "name": name,
            "meaning": meaning,
            "consequence": _consequence(key, n_evenings),
            "badge": badge if key == preset else "",
        }
        for key, (name, meaning) in PRESET_WORDS.items()
    }
    main = OF_TOURNAMENT if kind == EventKind.TOURNAMENT else MAIN
    in_sight = (*main[:-1], preset) if preset in cards and preset not in main else main
    return {
        "main": [cards[key] for key in in_sight],
        "more": [card for key, card in cards.items() if key not in in_sight],
    }


def preset_differences(key: str, settings: Settings, fit: Fit) -> int:
    """Return how many settings differ from those of a preset."""
    of_event, of_preset = as_stored(settings), as_stored(fit(preset_settings(key, settings)))
    return sum(of_preset[name] != of_event[name] for name in of_preset if name != "ladder")


def nearest_preset(settings: Settings, fit: Fit) -> str:
    """Return the preset that an event's settings are nearest to; empty where none is near."""
    differences = {key: preset_differences(key, settings, fit) for key in PRESET_WORDS}
    nearest = min(differences, key=lambda key: differences[key])
    return nearest if differences[nearest] <= MOST_DIFFERENCES else ""


def evenings_counted(rule: JsonObject, *numbers: int) -> str:
    """Return how many evenings a rule of the best results counts, for numbers of evenings.

    >>> evenings_counted({"unit": "meeting", "min": 5, "per": 2}, 9, 10)
    'Of 9 evenings 7 count, of 10 evenings 8 count.'
    """
    game = rule["unit"] == "game"
    parts = []
    for n in numbers:
        facts = {"n": n, "counted": number_counted(n, best_of=rule)}
        text = (
            ngettext("of %(n)s game %(counted)s counts", "of %(n)s games %(counted)s count", n)
            if game
            else ngettext(
                "of %(n)s evening %(counted)s counts", "of %(n)s evenings %(counted)s count", n
            )
        )
        parts.append(text % facts)
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


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
    counted = number_counted(n_evenings, best_of=rule)
    if is_evenings and counted < n_evenings:
        text = ngettext(
            "best %(counted)s of %(n)s evening", "best %(counted)s of %(n)s evenings", n_evenings
        )
        return text % {"counted": counted, "n": n_evenings}
    if n := fixed_count(rule):
        text = (
            ngettext("best evening", "best %(n)s evenings", n)
            if is_evenings
            else ngettext("best game", "best %(n)s games", n)
        )
        return text % {"n": n}
    n = rule["min"] + rule["per"]
    text = (
        ngettext(
            "worst evening dropped from %(n)s evening on",
            "worst evening dropped from %(n)s evenings on",
            n,
        )
        if is_evenings
        else ngettext(
            "worst game dropped from %(n)s game on", "worst game dropped from %(n)s games on", n
        )
    )
    return text % {"n": n}


def _consequence(key: str, n: int) -> str:
    rule = preset_settings(key).best_of
    if rule is not None:
        drops = number_counted(n, best_of=rule) < n
        return evenings_counted(rule, *((n,) if drops else (9, 15)))
    if n < 2:
        return gettext("Every evening counts.")
    return ngettext("%(n)s evening counts.", "All %(n)s evenings count.", n) % {"n": n}
