"""The settings of an event: defaults, presets, allowed values (docs/event-settings.md)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.ladders.rules import LadderRules, ladder_rules
from scoring.playoffs.progress import PLAYED, PlayoffRules, playoff_rules
from scoring.standings.counting import BYE_AWARDS
from scoring.standings.metrics import PRIMARIES
from scoring.standings.tie_breaks import TIE_BREAKS, USUAL
from tournaments.domain.etags import mark_of_text
from tournaments.domain.setting_kinds import (
    EventSetting,
    check_best_of,
    check_length,
    check_placement,
    choice,
    flag,
    number,
    setting,
)
from tournaments.models.events import Event
from tournaments.models.hands import Game

PLAYOFFS: Final[Mapping[str, Promise]] = {
    "share": _("Shares the place"),
    "criteria": _("Is broken by the tie-breaks"),
    "extra_hands": _("Is played off in extra hands"),
    "table": _("Is played off at a play-off table"),
    "sudden_death": _("Is played off until the first hand that breaks it"),
}
USUAL_PLAYOFF: Final[Mapping[str, int | str]] = MappingProxyType(asdict(PlayoffRules()))
"""Rule of play-offs → its value where nothing else is set; `block` is the policy's."""
TABLE_TIES: Final[Mapping[str, Promise]] = {
    "playoff": _("Is played off, or drawn by lot by the director"),
    "standings": _("Is broken by the standings"),
}
KNOCKED_OUT: Final[Mapping[str, Promise]] = {
    "place": _("By place and points in the round in which they went out"),
    "share": _("They share the place"),
    "standings": _("By the ranking of the event"),
}
BYES: Final = dict(
    zip(
        BYE_AWARDS,
        (_("Nothing"), _("The average of a table's points"), _("The average of their own games")),
        strict=True,
    )
)
BOUNDARIES: Final = ("title", "promotion", "cut", "prize")
PLACEMENT: Final[Mapping[str, Sequence[int]]] = MappingProxyType(
    {"2": (2, 0), "3": (5, 3, 1), "4": (5, 3, 2, 1), "5": (5, 3, 2, 1, 0)}
)
"""Place points by the number of chairs at a table (2: the two sides), first place first."""


class BestOf(TypedDict):
    """How many of the best results count: `min`, and one of each `per` results."""

    unit: str
    min: int
    per: int


def _boundaries(value: object) -> str:
    expected = f"a number of places from 1 to 999 for each of {', '.join(BOUNDARIES)}"
    if not isinstance(value, Mapping):
        return expected
    good = all(
        key in BOUNDARIES and type(places) is int and 1 <= places <= 999
        for key, places in value.items()
    )
    return "" if good else expected


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an event that are in force (docs/event-settings.md), with their defaults.

    `length` is `variant`, `hands:N` or `open`; `placement` has a list for each table size,
    `boundaries` cut-offs (`{"title": 1, "cut": 8}`: how many are above the cut-off);
    `best_of` is empty or `{"unit": "meeting", "min": 5, "per": 2}`; `start_totals` is how many
    chips each seat begins with where rules play for chips, `double_entry` whether sheets are
    entered twice, `duplicate` whether all tables play the same deals; `seed` is a column of the
    event. `playoff_rules` and `ladder` hold deviations from the default rules of play-offs and
    ladders (`playoff_rules_of`, `ladder_rules_of`);
    `round_minutes` is how long the clock of a round runs, 0 without a clock;
    `playoff_before_criteria`: a tie at a title is played off at once, before any criterion;
    `table_ties` decides who goes on if two share the last place at a table, `knocked_out`
    orders those who came equally far in a knock-out.
    """

    length: str = setting(lambda: "variant", check_length)
    round_minutes: int = number(
        600,
        _("Minutes for each round"),
        _("The clock starts when the round is posted. 0: no clock."),
    )
    primary: str = choice(dict.fromkeys(PRIMARIES, ""), _("Ranked by"))
    placement: Mapping[str, Sequence[int]] = setting(lambda: PLACEMENT, check_placement)
    mixed_raw: bool = flag(_("Compare tables of different games and sizes by card points"))
    tie_breaks: tuple[str, ...] = USUAL
    drop_worst: int = number(99, _("Worst games to drop"))
    best_of: Annotated[Mapping[str, Any], BestOf] | None = setting(lambda: None, check_best_of)
    min_games: int = number(
        999,
        _("Games needed for a place"),
        _("Players with fewer games are listed below, without a place."),
    )
    min_third: bool = flag(
        _("Also a third of the games of the player with most, for a place"),
        _("Rounded up, and computed with each publication."),
    )
    bye_award: str = choice(BYES, _("A bye counts as"))
    boundaries: Mapping[str, int] = setting(dict, _boundaries)
    playoff: str = choice(PLAYOFFS, _("A tie at a cut-off"))
    playoff_rules: Annotated[Mapping[str, Any], PlayoffRules] = field(default_factory=dict)
    playoff_before_criteria: bool = flag(
        _("Break ties for the title by a play-off before the tie-breaks")
    )
    table_ties: str = choice(TABLE_TIES, _("A tie for who goes on from a table of a knock-out"))
    knocked_out: str = choice(KNOCKED_OUT, _("Players who leave a knock-out in the same round"))
    ladder: Annotated[Mapping[str, Any], LadderRules] = field(default_factory=dict)
    correction_window_h: int = number(
        24 * 365,
        _("Correction window, in hours"),
        _("Counted from the end of each round. The standings are provisional until then."),
    )
    start_totals: int = number(1_000_000, _("Chips for each player"), _("Only in games for chips."))
    double_entry: bool = flag(
        _("Require double entry (ends with 2027): two people enter each sheet")
    )
    duplicate: bool = flag(
        _("Duplicate: every table plays the same deals"),
        _("Each hand then names its board. Needs a fixed number of hands or open tables."),
    )

    @property
    def is_open_ended(self) -> bool:
        return self.length != "variant"

    @property
    def hands(self) -> int | None:
        return int(self.length[6:]) if self.length.startswith("hands:") else None

    @property
    def drops(self) -> bool:
        return bool(self.drop_worst or self.best_of)

    @property
    def keeps(self) -> bool:
        return self.drops or self.primary == "index_per_game"


EVENT_SETTINGS: Final[Mapping[str, EventSetting]] = {
    column.name: column.metadata.get("setting", EventSetting(None)) for column in fields(Settings)
}


def _without(key: str) -> tuple[str, ...]:
    return tuple(criterion for criterion in USUAL if criterion != key)


_WITHOUT_HANDS: Final = ("h2h", "wins", "countback", "sos", "last_game")
"""What sheets with totals only can tell as well."""

FINAL_TABLE: Final = 4
"""How many of a Swiss stage play at the final table."""

PRESETS: Final[Mapping[str, Mapping[str, object]]] = {
    "sheets": {
        "length": "open",
        "primary": "raw_per_hand",
        "mixed_raw": True,
        "tie_breaks": (),
        "playoff": "share",
    },
    "places": {"length": "variant", "primary": "placement_points"},
    "season": {
        "length": "open",
        "primary": "placement_points",
        "best_of": {"unit": "meeting", "min": 5, "per": 2},
        "correction_window_h": 48,
    },
    "games": {"length": "variant", "primary": "raw_per_hand"},
    "totals": {"length": "variant", "primary": "raw_total", "tie_breaks": _WITHOUT_HANDS},
    "wins": {"length": "variant", "primary": "wins", "tie_breaks": _without("wins")},
    "beaten": {"length": "variant", "primary": "beaten_mean"},
    "par": {"length": "open", "primary": "index_per_game", "tie_breaks": _without("index")},
    "pairs": {
        "length": "variant",
        "primary": "wins",
        "tie_breaks": ("h2h", "difference", "countback"),
        "bye_award": "own_mean",
    },
    "teams": {
        "length": "variant",
        "primary": "match_points",
        "tie_breaks": ("difference", "h2h", "countback"),
    },
    "swiss": {
        "length": "variant",
        "primary": "placement_points",
        "tie_breaks": ("sos", "wins", "h2h", "countback"),
        "boundaries": {"cut": FINAL_TABLE},
        "playoff": "extra_hands",
    },
    "cup": {
        "length": "variant",
        "primary": "placement_points",
        "boundaries": {"title": 1},
        "playoff": "extra_hands",
    },
    "duplicate": {"length": "open", "primary": "matchpoints", "duplicate": True, "tie_breaks": ()},
}
"""Names for several settings at once, each whole by itself: what is not named here is the default.
`sheets` is what `import_sheets --create` makes."""

PRESET_KEYS: Final = tuple(PRESETS)
"""The presets by name."""


def settings_of(event: Event) -> Settings:
    return read_settings(event.settings)


def settings_at(game: Game) -> Settings:
    """Return the settings of a game: those of its event in memory.

    Games that do not count have no fixed end: a play-off is played until it is decided.
    """
    settings = settings_of(game.event)
    return settings if game.counts else replace(settings, length="open")


def read_settings(stored: JsonObject) -> Settings:
    """Return the settings of a row with defaults filled in; unknown keys are ignored.

    Rows from before `table_ties` and `knocked_out` are read as they were ranked then.
    Members of objects are in our own order: databases change it, and published documents must
    not.
    """
    values: JsonDict = {"table_ties": "standings", "knocked_out": "standings"}
    values |= {key: value for key, value in stored.items() if key in EVENT_SETTINGS}
    if "tie_breaks" in values:
        values["tie_breaks"] = tuple(values["tie_breaks"])
    for name, order in _MEMBERS.items():
        if values.get(name):
            members = values[name]
            values[name] = {key: members[key] for key in sorted(members, key=order)}
    return Settings(**values)


def _after(*names: str) -> Callable[[str], tuple[int, str]]:
    return lambda key: (names.index(key) if key in names else len(names), key)


_MEMBERS: Final[Mapping[str, Callable[[str], tuple[int, str]]]] = {
    "best_of": _after("unit", "min", "per"),
    "boundaries": _after(*BOUNDARIES),
    "placement": lambda size: (len(size), size),
    "playoff_rules": lambda key: (0, key),
    "ladder": lambda key: (0, key),
}
"""Settings that have members → what orders these."""


def stored_settings(values: Mapping[str, object]) -> JsonDict:
    """Return all settings for storage: the defaults with `values` over them."""
    settings = as_stored(Settings()) | dict(values)
    return settings | {"tie_breaks": list(settings["tie_breaks"])}


def as_stored(settings: Settings) -> JsonDict:
    values = {key: getattr(settings, key) for key in EVENT_SETTINGS}
    values["placement"] = {size: list(points) for size, points in settings.placement.items()}
    values["tie_breaks"] = list(settings.tie_breaks)
    values["boundaries"] = dict(settings.boundaries)
    values["best_of"] = dict(settings.best_of) if settings.best_of else None
    values["playoff_rules"] = dict(settings.playoff_rules)
    values["ladder"] = dict(settings.ladder)
    return values


def preset_settings(preset: str, over: Settings | None = None) -> Settings:
    """Return the settings of a preset; double entry, chips, clock and a third of the most stay."""
    settings = read_settings(stored_settings(PRESETS[preset]))
    if over is None:
        return settings
    of_event = ("double_entry", "start_totals", "round_minutes", "min_third")
    return replace(settings, **{key: getattr(over, key) for key in of_event})


def without_lot(settings: Settings) -> Settings:
    chain = tuple(key for key in settings.tie_breaks if key != "lot")
    return replace(settings, tie_breaks=chain)


def best_evenings(n: object) -> JsonDict:
    """Return the `best_of` by which the best n evenings count, however many are played.

    >>> best_evenings(8)
    {'unit': 'meeting', 'min': 8, 'per': 1}
    """
    return {"unit": "meeting", "min": n, "per": 1}


def fixed_count(rule: JsonObject | None) -> int:
    """Return how many results a `best_of` counts at most; 0 if it grows with their number.

    >>> fixed_count(best_evenings(8)), fixed_count({"unit": "meeting", "min": 5, "per": 2})
    (8, 0)
    """
    return int(rule["min"]) if rule and rule["per"] == 1 else 0


def tag_of(settings: Settings) -> str:
    """Return a hash of these settings, which a later change names as its base.

    >>> tag_of(Settings()) == tag_of(read_settings(stored_settings({}))), len(tag_of(Settings()))
    (True, 12)
    """
    text = json.dumps(as_stored(settings), sort_keys=True, separators=(",", ":"))
    return mark_of_text(text)


def counts_matches(settings: Settings) -> bool:
    return "matches" in PRIMARIES[settings.primary].needs


def needs_hands(event: Event) -> bool:
    """Whether the event ranks by a value per hand, so that games need their number of hands."""
    return PRIMARIES[settings_of(event).primary].needs_hands


def setting_problems(values: Mapping[str, object]) -> list[Problem]:
    """Return the problems of each setting by itself; `refusals` checks the event's data."""
    problems = [
        bad_setting(key, value, "one of " + ", ".join(sorted(EVENT_SETTINGS)))
        for key, value in values.items()
        if key not in EVENT_SETTINGS
    ]
    for key, rule in EVENT_SETTINGS.items():
        if key in values and rule.check and (expected := rule.check(values[key])):
            problems.append(bad_setting(key, values[key], expected))
    problems.extend(_chain_problems(values.get("tie_breaks", ())))
    problems.extend(_inner_problems(values))
    if values.get("duplicate") is True and values.get("length", "variant") == "variant":
        expected = "open or hands:N in a duplicate event, which has a fixed number of boards"
        problems.append(bad_setting("length", "variant", expected))
    if values.get("drop_worst") and values.get("best_of"):
        problems.append(bad_setting("best_of", values["best_of"], "empty where drop_worst is set"))
    return problems


def ladder_rules_of(event: Event) -> LadderRules:
    return ladder_rules(settings_of(event).ladder)


def playoff_rules_of(settings: Settings) -> PlayoffRules:
    return playoff_rules(played_policy(settings), settings.playoff_rules)


def played_policy(settings: Settings) -> str:
    """Return how ties are played; those at a table are played even if no cut-off is."""
    return settings.playoff if settings.playoff in PLAYED else "extra_hands"


def _inner_problems(values: Mapping[str, object]) -> list[Problem]:
    policy = str(values.get("playoff", "share"))
    readers: Mapping[str, Callable[[Mapping[str, object]], object]] = {
        "playoff_rules": partial(playoff_rules, policy if policy in PLAYED else "extra_hands"),
        "ladder": ladder_rules,
    }
    problems = []
    for key, read in readers.items():
        rules = values.get(key, {})
        if not isinstance(rules, Mapping):
            problems.append(bad_setting(key, rules, "rules by name, as in {}"))
            continue
        try:
            read(rules)
        except Refused as refused:
            problems.extend(
                replace(problem, at=("settings", key, *problem.at)) for problem in refused.problems
            )
    return problems


def _chain_problems(chain: object) -> list[Problem]:
    """Return what is wrong with a tie-break order; an empty order leaves ties unbroken."""
    expected = "a list of these, each once: " + ", ".join(TIE_BREAKS)
    if not isinstance(chain, list | tuple) or len(set(map(str, chain))) < len(chain):
        return [bad_setting("tie_breaks", chain, expected)]
    criteria = tuple(TIE_BREAKS)  # what is typed may be anything, a list in the list too
    return [bad_setting("tie_breaks", key, expected) for key in chain if key not in criteria]


def bad_setting(key: str, value: object, expected: str) -> Problem:
    return Problem(
        "bad_setting", ("settings", key), {"key": key, "found": shown(value), "expected": expected}
    )
