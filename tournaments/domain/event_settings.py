"""The settings of an event: defaults, presets, allowed values (docs/event-settings.md)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.ladders.rules import LadderRules, ladder_rules
from scoring.playoffs.progress import MOST_HANDS, PLAYED, PlayoffRules, playoff_rules
from scoring.standings.evenings import ExcuseRule
from scoring.standings.metrics import EVENING_POINTS, PRIMARIES
from scoring.standings.tie_breaks import TIE_BREAKS, USUAL
from tournaments.domain.etags import mark_of_text
from tournaments.domain.setting_kinds import (
    MOST_PLACE_POINTS,
    Card,
    Setting,
    Text,
    check_best_of,
    check_evening_points,
    check_length,
    check_placement,
    choice,
    flag,
    number,
    other,
)
from tournaments.models.events import Event
from tournaments.models.hands import Game

SECTIONS: Final = {
    "game": _("Game and length"),
    "evenings": _("Evenings"),
    "ranking": _("Ranking and tie-breaks"),
    "counted": _("Counted results"),
    "cut_offs": _("Cut-offs and play-offs"),
    "entry": _("Entry and corrections"),
}
"""Section of the page → its title. The rules of a ladder have a page of their own."""
CUT_OFFS: Final = {
    "title": _("Title"),
    "promotion": _("Promotion"),
    "cut": _("Qualification"),
    "prize": _("Prizes"),
}
PLACEMENT: Final[Mapping[str, Sequence[int]]] = MappingProxyType(
    {"2": (2, 0), "3": (5, 3, 1), "4": (5, 3, 2, 1), "5": (5, 3, 2, 1, 0)}
)
"""Place points by the number of chairs at a table (2: the two sides), first place first."""
OF_PLACES: Final = frozenset({"placement_points", "beaten_mean", "wins"})
"""Primary values that are made of the places at the tables, and not of the hands of each person."""
BYE_SENTENCES: Final[Mapping[str, Promise]] = {
    "none": _("A bye counts as nothing."),
    "scheme_mean": _("A bye counts as the average of a table's points."),
    "own_mean": _("A bye counts as the average of their own games."),
}
SHARED_SEATS: Final = {
    "all": _("Two who shared a seat both have its place, and each the points of their own hands."),
    "regular": _(
        "Where a substitute took over, the seat’s place goes to the player who was there first. "
        "Each has the points of their own hands."
    ),
    "by_hands": _(
        "Where a substitute took over, the two share the seat’s place by the hands they played. "
        "Each has the points of their own hands."
    ),
}
"""Who gets the place at a table → what is said below a table whose seat two shared."""


class BestOf(TypedDict):
    """How many of the best results count: `min`, and one of each `per` results."""

    unit: str
    min: int
    per: int


def _boundaries(value: object) -> str:
    expected = f"a number of places from 1 to 999 for each of {', '.join(CUT_OFFS)}"
    if not isinstance(value, Mapping):
        return expected
    good = all(
        key in CUT_OFFS and type(places) is int and 1 <= places <= 999
        for key, places in value.items()
    )
    return "" if good else expected


def _playoff_rule(key: str, label: Promise, *choices: Card, help_text: Text = "") -> Setting:
    return Setting(
        *(key, "choice" if choices else "number", label, help_text),
        choices=choices,
        default=getattr(PlayoffRules(), key),
        least=1,
        most=MOST_HANDS,
    )


_PLAYOFF_RULES: Final = (
    _playoff_rule("min_hands", _("First check after hand"), help_text=_("If empty: 1.")),
    _playoff_rule("block", _("Hands between checks"), help_text=_("If empty: 1, or 4 at a table.")),
    _playoff_rule(
        "max_hands",
        _("Maximum number of hands"),
        help_text=_("If empty: 8. After them a director allows more hands or draws lots."),
    ),
    _playoff_rule(
        "duel",
        _("Play-off of two"),
        Card("fillers", _("at a table of four with two neutral players")),
        Card("two_hands", _("in a game for two")),
    ),
    _playoff_rule(
        "many",
        _("Play-off of six to eleven"),
        Card("cancellation", _("at one large table with two packs")),
        Card("heats", _("in heats at two tables")),
    ),
    _playoff_rule(
        "finished",
        _("If a correction affects a finished play-off or cut"),
        Card("ask", _("ask a director before anything changes")),
        Card("redo", _("replay it, and repeat the cut if no later round was played")),
        Card("keep", _("keep the result")),
    ),
)
PLAYOFF_RULES: Final[Mapping[str, Setting]] = {rule.key: rule for rule in _PLAYOFF_RULES}
"""The rules of play-offs by name; the default of `block` is the policy's."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an event that are in force (docs/event-settings.md), with their defaults.

    `length` is `variant`, `hands:N` or `open`; `placement` has a list for each table size,
    `boundaries` cut-offs (`{"title": 1, "cut": 8}`: how many are above the cut-off);
    `best_of` is empty or `{"unit": "meeting", "min": 5, "per": 2}`; `seed` is a column of the
    event. `playoff_rules` and `ladder` hold deviations from the default rules of play-offs and
    ladders (`playoff_rules_of`, `ladder_rules_of`).
    """

    length: str = other(lambda: "variant", "game", check_length)
    round_minutes: int = number(
        "game",
        _("Minutes for each round"),
        most=600,
        help=_("The clock starts when the round is posted. 0: no clock."),
    )
    capacity: int = number(
        "evenings",
        _("Places at each evening"),
        most=999,
        help=_(
            "Later answers go on a waiting list, and move up. In an event of pairs or teams a "
            "place is for a pair or a team. 0: everybody can come."
        ),
        sentence=ngettext_lazy("%(n)s place at each evening", "%(n)s places at each evening", "n"),
    )
    withdraw_hours: int = number(
        "evenings",
        _("Hours before an evening until which players may withdraw"),
        most=168,
        help=_(
            "Later answers are shown as late, and do not excuse. Only for evenings with a time. "
            "0: until the evening begins."
        ),
        sentence=ngettext_lazy(
            "Players may withdraw until %(n)s hour before an evening",
            "Players may withdraw until %(n)s hours before an evening",
            "n",
        ),
    )
    members_first: bool = flag(
        "evenings",
        _("Members get a place before guests"),
        help=_(
            "On the waiting list, members who answered while they could withdraw are before "
            "guests. Nobody loses a place."
        ),
        sentence=_("Members get a place before guests"),
    )
    primary: str = choice("ranking", _("Ranked by"), *(Card(key, "") for key in PRIMARIES))
    placement: Mapping[str, Sequence[int]] = other(lambda: PLACEMENT, "ranking", check_placement)
    evening_ranking: str = choice(
        "ranking",
        _("Each evening is ranked by"),
        *(Card(key, "") for key in PRIMARIES if key != EVENING_POINTS),
        help=_("Only with evening points. The tie-breaks are applied in the evening, too."),
    )
    evening_points: tuple[int, ...] = other(tuple, "ranking", check_evening_points)
    mixed_raw: bool = flag(
        "ranking",
        _("Compare tables of different games and sizes by card points"),
        sentence=_("Games and sizes may differ between tables"),
    )
    tie_breaks: tuple[str, ...] = other(lambda: USUAL, "ranking")
    substitutes: str = choice(
        "ranking",
        _("If a substitute takes over at a table, its place goes to"),
        Card("all", _("Both, in full")),
        Card("regular", _("The player who was there first")),
        Card("by_hands", _("Both, shared by the hands they played")),
        help=_(
            "Place points, tables won and opponents beaten. Card points are always each player's "
            "own."
        ),
    )
    guests: str = choice(
        "counted",
        _("Guests who are added on an evening"),
        Card("compete", _("Compete in the season")),
        Card("evening", _("Are ranked in the evening only")),
        help=_(
            "Only in a league. A guest can become a member later: then all results so far count."
        ),
    )
    excused: str = choice(
        "counted",
        _("An excused evening gives"),
        Card("nothing", _("Nothing")),
        Card("lowest", _("The lowest points of that evening")),
        Card("mean", _("The average of the player's own evenings")),
        Card("fixed", _("A fixed number of points")),
        help=_(
            "Only with evening points. Players are excused if they answered before the evening "
            "that they are absent."
        ),
    )
    excused_points: int = number(
        "counted",
        _("Points of an excused evening"),
        most=MOST_PLACE_POINTS,
        help=_("Only for a fixed number of points."),
    )
    drop_worst: int = number(
        "counted",
        _("Worst games to drop"),
        least=1,
        most=99,
        sentence=ngettext_lazy(
            "The worst game is dropped", "The %(n)s worst games are dropped", "n"
        ),
    )
    best_of: Annotated[Mapping[str, Any], BestOf] | None = other(
        lambda: None, "counted", check_best_of
    )
    period_evenings: int = number(
        "counted",
        _("Evenings in a period"),
        least=2,
        most=99,
        help=_(
            "Only with evening points. The best evenings are then counted in each period. "
            "0: no periods."
        ),
        sentence=ngettext_lazy(
            "Periods of %(n)s evening", "Periods of %(n)s evenings in order of date", "n"
        ),
    )
    best_periods: int = number(
        "counted",
        _("Best periods that count"),
        least=1,
        most=99,
        help=_("0: all periods are added."),
        sentence=ngettext_lazy("The best period counts", "The best %(n)s periods count", "n"),
    )
    min_games: int = number(
        "counted",
        _("Games needed for a place"),
        most=999,
        help=_("Players with fewer games are listed below, without a place."),
    )
    min_unit: str = choice(
        "counted",
        _("Unit of the minimum"),
        Card("game", _("Games")),
        Card("meeting", _("Evenings")),
        help=_("Evenings only with evening points."),
    )
    min_third: bool = flag(
        "counted",
        _("Also a third of the games of the player with most, for a place"),
        help=_("Rounded up, and computed with each publication."),
        sentence=_("A place needs a third of the games of the player with most"),
    )
    bye_award: str = choice(
        "counted",
        _("A bye counts as"),
        Card("none", _("Nothing"), _("Those who sat out less have an advantage.")),
        Card("scheme_mean", _("The average of a table's points")),
        Card("own_mean", _("The average of their own games"), _("It ranks by game played.")),
    )
    boundaries: Mapping[str, int] = other(dict, "cut_offs", _boundaries)
    playoff: str = choice(
        "cut_offs",
        _("Ties at a cut-off"),
        Card("share", _("Share the place")),
        Card("criteria", _("Broken by the tie-breaks")),
        Card("extra_hands", _("Played off in extra hands")),
        Card("table", _("Played off at a play-off table")),
        Card("sudden_death", _("Played off until the first hand that breaks the tie")),
    )
    playoff_rules: Annotated[Mapping[str, Any], PlayoffRules] = other(dict, "cut_offs")
    playoff_before_criteria: bool = flag(
        "cut_offs",
        _("Break ties for the title by a play-off before the tie-breaks"),
        is_rare=True,
    )
    table_ties: str = choice(
        "cut_offs",
        _("Ties for who goes on from a table of a knock-out"),
        Card("playoff", _("Played off, or drawn by lot by the director")),
        Card("standings", _("Broken by the standings")),
        is_rare=True,
    )
    knocked_out: str = choice(
        "cut_offs",
        _("Players who leave a knock-out in the same round"),
        Card("place", _("By place and points in the round in which they went out")),
        Card("share", _("They share the place")),
        Card("standings", _("By the ranking of the event")),
        is_rare=True,
    )
    ladder: Annotated[Mapping[str, Any], LadderRules] = other(dict, "")
    correction_window_h: int = number(
        "entry",
        _("Correction window, in hours"),
        most=24 * 365,
        help=_("Counted from the end of each round. The standings are provisional until then."),
        sentence=ngettext_lazy(
            "Corrections until %(n)s hour after a round closes",
            "Corrections until %(n)s hours after a round closes",
            "n",
        ),
        unset=_("Problems can be reported until the results are final"),
    )
    start_totals: int = number(
        "game",
        _("Chips for each player"),
        least=1,
        most=1_000_000,
        help=_("Only in games for chips."),
    )
    double_entry: bool = flag(
        "entry",
        _("Require double entry: two people enter each sheet"),
        help=_("It ends with 2027. Once it is off, this page does not offer it again."),
        sentence=_("Double entry"),
    )
    duplicate: bool = flag(
        "game",
        _("Duplicate: every table plays the same deals"),
        help=_("Each hand then names its board. Needs a fixed number of hands or open tables."),
    )

    @property
    def is_open_ended(self) -> bool:
        return self.length != "variant"

    @property
    def hands(self) -> int | None:
        if not self.length.startswith("hands:"):
            return None
        return int(self.length[6:])

    @property
    def counts_evenings(self) -> bool:
        return self.primary == EVENING_POINTS

    @property
    def ranks_evenings(self) -> bool:
        """Whether the event needs the places of its evenings, for points or for a tie-break."""
        return self.counts_evenings or "evenings" in self.tie_breaks

    @property
    def plays_ties_off(self) -> bool:
        return self.playoff in PLAYED

    @property
    def counts_excuses(self) -> bool:
        return self.counts_evenings and self.excused != "nothing"

    @property
    def excuse_rule(self) -> ExcuseRule:
        if not self.counts_excuses:
            return ExcuseRule()
        return ExcuseRule(self.excused, self.excused_points)

    @property
    def games_ranked_by(self) -> str:
        """The value that orders by games: of the event, or of each evening."""
        if self.counts_evenings:
            return self.evening_ranking
        return self.primary

    @property
    def needs_hands(self) -> bool:
        """Whether entrants have no place in a ranking while a game has no number of hands."""
        rankings = {self.primary, self.games_ranked_by}
        return any(PRIMARIES[key].needs_hands for key in rankings)

    @property
    def drops(self) -> bool:
        return bool(self.drop_worst or self.best_of or self.best_periods)

    @property
    def drops_games(self) -> bool:
        """Whether what is dropped follows from the games of one entrant alone."""
        return self.drops and not self.counts_evenings

    @property
    def table_owners(self) -> str:
        """Who gets the place at a table where a substitute took over.

        Values of hands are everybody's own: the setting has no effect on them.
        """
        if self.games_ranked_by not in OF_PLACES:
            return "all"
        return self.substitutes

    @property
    def keeps(self) -> bool:
        if self.drops_games or self.primary == "index_per_game":
            return True
        return self.table_owners == "by_hands"

    @property
    def correction_window(self) -> timedelta:
        """How long results are provisional after a round, or the event, was closed."""
        return timedelta(hours=self.correction_window_h)


EVENT_SETTINGS: Final[Mapping[str, Setting]] = {
    column.name: replace(column.metadata["setting"], key=column.name) for column in fields(Settings)
}


def names_in(section: str) -> list[str]:
    return [key for key, setting in EVENT_SETTINGS.items() if setting.section == section]


def _without(key: str) -> tuple[str, ...]:
    return tuple(criterion for criterion in USUAL if criterion != key)


_WITHOUT_HANDS: Final = ("h2h", "wins", "countback", "sos", "last_game")
"""Tie-breaks that sheets with totals only support."""

FINAL_TABLE: Final = 4
"""Number of players of a Swiss stage at the final table."""

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
    "evenings": {
        "length": "open",
        "primary": "evening_points",
        "best_of": {"unit": "meeting", "min": 10, "per": 1},
        "min_unit": "meeting",
        "tie_breaks": ("evenings", *USUAL),
    },
    "periods": {
        "length": "open",
        "primary": "evening_points",
        "best_of": {"unit": "meeting", "min": 4, "per": 1},
        "period_evenings": 6,
        "best_periods": 5,
        "min_unit": "meeting",
        "tie_breaks": ("evenings", *USUAL),
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

OF_ATTENDANCE: Final = ("capacity", "withdraw_hours", "members_first")
"""Settings of who comes to an evening, which no preset changes."""

PRESET_KEYS: Final = tuple(PRESETS)


def settings_of(event: Event) -> Settings:
    return read_settings(event.settings)


def settings_of_evening(settings: Settings) -> Settings:
    """Return what ranks one evening: the event's ranking of what was played, all of it.

    Where the event is ranked by evening points, the evening is by a value of its own.

    No game is dropped, nobody needs a number of games, and no place is a cut-off or is played off.
    """
    return replace(
        settings,
        primary=settings.games_ranked_by,
        evening_points=(),
        drop_worst=0,
        best_of=None,
        period_evenings=0,
        best_periods=0,
        min_unit="game",
        min_games=0,
        min_third=False,
        excused="nothing",
        excused_points=0,
        boundaries={},
        playoff="share",
        playoff_before_criteria=False,
        knocked_out="standings",
    )


def settings_at(game: Game) -> Settings:
    """Return the settings of a game: those of its event in memory.

    Games that do not count have no fixed end: a play-off is played until it is decided.
    """
    settings = settings_of(game.event)
    if game.counts:
        return settings
    return replace(settings, length="open")


def read_settings(stored: JsonObject) -> Settings:
    """Return the settings of a row with defaults filled in; unknown keys are ignored.

    Rows from before `table_ties` and `knocked_out` are read as they were ranked then.
    Members of objects are in our own order: databases change it, and published documents must
    not.
    """
    values: JsonDict = {"table_ties": "standings", "knocked_out": "standings"}
    values |= {key: value for key, value in stored.items() if key in EVENT_SETTINGS}
    for name in ("tie_breaks", "evening_points"):
        if name in values:
            values[name] = tuple(values[name])
    for name, order in _MEMBERS.items():
        if values.get(name):
            members = values[name]
            values[name] = {key: members[key] for key in sorted(members, key=order)}
    return Settings(**values)


def _after(*names: str) -> Callable[[str], tuple[int, str]]:
    return lambda key: (names.index(key) if key in names else len(names), key)


_MEMBERS: Final[Mapping[str, Callable[[str], tuple[int, str]]]] = {
    "best_of": _after("unit", "min", "per"),
    "boundaries": _after(*CUT_OFFS),
    "placement": lambda size: (len(size), size),
    "playoff_rules": lambda key: (0, key),
    "ladder": lambda key: (0, key),
}
"""Settings that have members → what orders these."""


def stored_settings(values: Mapping[str, object]) -> JsonDict:
    """Return all settings for storage: the defaults with `values` over them."""
    settings = as_stored(Settings()) | dict(values)
    lists = {key: list(settings[key]) for key in ("tie_breaks", "evening_points")}
    return settings | lists


def as_stored(settings: Settings) -> JsonDict:
    values = {key: getattr(settings, key) for key in EVENT_SETTINGS}
    values["placement"] = {size: list(points) for size, points in settings.placement.items()}
    values["tie_breaks"] = list(settings.tie_breaks)
    values["evening_points"] = list(settings.evening_points)
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
    of_event = ("double_entry", "start_totals", "round_minutes", *OF_ATTENDANCE, "min_third")
    return replace(settings, **{key: getattr(over, key) for key in of_event})


def preset_on_pages(preset: str, over: Settings | None = None) -> Settings:
    """Return the settings of a preset as pages fill them in: a substitute plays for the regular."""
    settings = preset_settings(preset, over)
    return replace(settings, **own_of_pages(settings.games_ranked_by))


def own_of_pages(primary: object) -> dict[str, Any]:
    """Return what pages add to a preset that is ranked by `primary`.

    The presets of evening points rank their evenings by place points.
    """
    if primary not in (*OF_PLACES, EVENING_POINTS):
        return {}
    return {"substitutes": "regular"}


def without_lot(settings: Settings) -> Settings:
    return replace(settings, tie_breaks=tuple(key for key in settings.tie_breaks if key != "lot"))


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
    if rule and rule["per"] == 1:
        return int(rule["min"])
    return 0


def tag_of(settings: Settings) -> str:
    """Return a hash of these settings, which a later change names as its base.

    >>> tag_of(Settings()) == tag_of(read_settings(stored_settings({}))), len(tag_of(Settings()))
    (True, 12)
    """
    text = json.dumps(as_stored(settings), sort_keys=True, separators=(",", ":"))
    return mark_of_text(text)


def counts_matches(settings: Settings) -> bool:
    return "matches" in PRIMARIES[settings.primary].needs


def setting_problems(values: Mapping[str, object]) -> list[Problem]:
    """Return the problems of each setting by itself; `refusals` checks the event's data."""
    problems = [
        bad_setting(key, value, "one of " + ", ".join(sorted(EVENT_SETTINGS)))
        for key, value in values.items()
        if key not in EVENT_SETTINGS
    ]
    for key, setting in EVENT_SETTINGS.items():
        if key in values:
            problems.extend(setting.problems(values[key], "settings"))
    problems.extend(_chain_problems(values.get("tie_breaks", ())))
    problems.extend(_inner_problems(values))
    if values.get("duplicate") is True and values.get("length", "variant") == "variant":
        expected = "open or hands:N in a duplicate event, which has a fixed number of boards"
        problems.append(bad_setting("length", "variant", expected))
    is_shared = values.get("substitutes") == "by_hands"
    if is_shared and values.get("primary") == "beaten_mean":
        expected = "all or regular, because the beaten share is a mean over games"
        problems.append(bad_setting("substitutes", "by_hands", expected))
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
