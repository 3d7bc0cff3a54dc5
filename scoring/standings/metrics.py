"""Every value that standings publish, and those of them that an event can be ordered by.

Pure: a registry of values with their words. See docs/algorithms/standings.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from scoring.standings.rows import Sums, Worth

Direction: TypeAlias = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Opening:
    """How a primary value takes totals from before the first game (opening values).

    Args:
        field: the field of `Worth` that the total is.
        needs: what else must be known for the value: `games` or `hands`.
    """

    field: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """One value of an entrant, with its words.

    Args:
        direction: `asc` where less is better, as it is where low totals win.
        example: a worked sum, for the documentation and the page of settings.
        value: of all games together; None where it is not known.
        needs: what the sheets must tell: `hands` (how many), `scores` (real ones), `moons` (hand
            by hand), `placement` (a list for every size of table), `one_game` (one variant and
            size, unless mixed), `equal_hands`, `sides`,
            `boards` (a duplicate event), `matches` (teams that play matches), `evenings` (an event
            that ranks by evening points).
        is_raw: made of card points, which compare within one variant and table size only.
        turns: whether the direction turns where the highest total wins.
        is_mean: whether `value` is already one a game or a hand, and not a total.
        parts: the field of `Sums` that counts what a total is of: `games`, `matches` or
            `evenings`.
        worth: of one game; None where it is not known.
        opening: how it takes totals from before; None where it takes none.
        alike: of a primary value, what two have who are equal on it; `{other}` is one of them.
        unit: of a total, what the distance of two is counted in: one, and several.
        better: of a mean, what the better one of two had; a distance of means tells nobody much.
    """

    key: str
    name: str
    short: str
    direction: Direction
    definition: str
    example: str
    value: Callable[[Sums], Fraction | None]
    worth: Callable[[Worth], Fraction | None]
    needs: frozenset[str] = frozenset()
    is_raw: bool = False
    turns: bool = False
    is_mean: bool = False
    parts: str = "games"
    opening: Opening | None = None
    alike: str = ""
    unit: tuple[str, str] = ("", "")
    better: str = ""

    @property
    def ascending(self) -> bool:
        """Whether less is better where the lowest total wins."""
        return self.direction == "asc"

    @property
    def needs_hands(self) -> bool:
        """Whether it is undefined for entrants with a game of unknown length."""
        return "hands" in self.needs

    def is_ascending(self, *, low_wins: bool) -> bool:
        """Return whether less is better.

        >>> [PRIMARIES[key].is_ascending(low_wins=False) for key in ("raw_total", "beaten_mean")]
        [False, False]
        """
        return self.ascending == (low_wins or not self.turns)

    def mean(self, value: Fraction, sums: Sums) -> Fraction | None:
        """Return a value of `sums` as one a game, or a match; None if no number of them is known.

        What comes from games of unknown number is left out.

        >>> sums = Sums("a", 2, 8, 26, (1,), 0, Fraction(1), Fraction(1), 0, 0, without_games=13)
        >>> PRIMARIES["placement_points"].mean(Fraction(21), sums)
        Fraction(4, 1)
        """
        if self.is_mean:
            return value
        number = getattr(sums, self.parts)
        return (value - sums.without_games) / number if number else None


def _exact(name: str) -> Callable[[Sums | Worth], Fraction | None]:
    return lambda row: Fraction(getattr(row, name))


def _places(place: int) -> Callable[[Sums], Fraction | None]:
    return lambda sums: Fraction(sums.places[place - 1] if len(sums.places) >= place else 0)


def _in_place(place: int) -> Callable[[Worth], Fraction | None]:
    return lambda worth: Fraction(int(worth.place == place))


def _points_a_hand(row: Sums | Worth) -> Fraction | None:
    if row.uncounted or not row.hands:
        return None
    return Fraction(row.points) / row.hands


def _index(sums: Sums) -> Fraction | None:
    return None if sums.uncounted else sums.index


def _index_per_game(sums: Sums) -> Fraction | None:
    total = _index(sums)
    if total is not None and sums.games:
        return total / sums.games
    return None


def _of_no_game(_worth: Worth) -> Fraction | None:
    """Values that compare tables do not exist for one game alone."""
    return None


EVENING_POINTS: Final = "evening_points"
"""The primary value that is made of places of evenings, and of no games."""

_RAW: Final = frozenset({"one_game", "scores"})

_PRIMARIES: Final = (
    Metric(
        "placement_points", "Placement points", "PP", "desc",
        "total of the points for the place at each table; tied players share the points of "
        "their places",
        "5-3-2-1: first, second and third make 5 + 3 + 2 = 10",
        _exact("place_points"), attrgetter("place_points"), frozenset({"placement"}),
        opening=Opening("place_points"),
        alike="as many place points as {other}", unit=("place point", "place points"),
    ),
    Metric(
        "beaten_mean", "Beaten share a game", "BS", "desc",
        "of the others at the table, the share that was beaten, ties half; the mean over the games",
        "second of four, then first of three: (2/3 + 1) ÷ 2 = 5/6",
        lambda sums: sums.beaten / sums.games if sums.games else None, _exact("beaten"),
        is_mean=True, opening=Opening("beaten", "games"),
        alike="as many opponents beaten as {other}",
        better="beat more opponents than {other}",
    ),
    Metric(
        "raw_per_hand", "Points a hand", "Avg", "asc",
        "card points ÷ hands, over all games together",
        "84 points in 15 hands: 84 ÷ 15 = 5.6000",
        _points_a_hand, _points_a_hand, _RAW | {"hands"}, is_raw=True, turns=True,
        is_mean=True, opening=Opening("points", "hands"),
        alike="the same average as {other}", better="had a better average than {other}",
    ),
    Metric(
        "raw_total", "Points", "Pts", "asc",
        "total card points; all entrants must have played the same number of hands",
        "18 + 35 + 31 = 84",
        _exact("points"), _exact("points"), _RAW | {"equal_hands"}, is_raw=True, turns=True,
        opening=Opening("points", "hands"),
        alike="as many points as {other}", unit=("point", "points"),
    ),
    Metric(
        "index_per_game", "Index a game", "Idx", "desc",
        "100 × (mean of the table − own points) ÷ (hands × penalty points of a deal), the mean "
        "over the games",
        "18 points at a table of 130 in 5 hands of 26: 100 × (32.5 − 18) ÷ 130 = 11.1538",
        _index_per_game, attrgetter("index"), frozenset({"hands", "scores"}), is_mean=True,
        opening=Opening("index", "games"),
        alike="the same index as {other}",
        better="did better than {other} against the others at the table",
    ),
    Metric(
        "wins", "Tables won", "W", "desc",
        "1 for each table won, split evenly among those who share the first place",
        "one win alone and one shared by two: 1 + 1/2 = 3/2",
        _exact("win_share"), _exact("win_share"), opening=Opening("win_share"),
        alike="as many tables won as {other}", unit=("table won", "tables won"),
    ),
    Metric(
        "evening_points", "Evening points", "EP", "desc",
        "total of the points for the place of each evening; tied players share the points of "
        "their places",
        "10-8-6-5: first of one evening and second of another make 10 + 8 = 18",
        _exact("evening_points"), _of_no_game, parts="evenings",
        opening=Opening("evening"),
        alike="as many evening points as {other}", unit=("evening point", "evening points"),
    ),
    Metric(
        "match_points", "Match points", "MP", "desc",
        "2 for each match won and 1 for each tied one; a match is won by the team with more place "
        "points over its tables",
        "one match won, one tied and one lost: 2 + 1 + 0 = 3",
        attrgetter("match_points"), _of_no_game, frozenset({"matches", "sides"}), parts="matches",
        alike="as many match points as {other}", unit=("match point", "match points"),
    ),
    Metric(
        "matchpoints", "Matchpoints in percent", "MP%", "desc",
        "of the other tables with the same board and line, the share with a worse score, equal "
        "ones half; the mean over the boards, in percent",
        "0, 2, 26 and 2 points in one seat: 100 %, 50 %, 0 % and 50 %",
        attrgetter("matchpoints"), _of_no_game, frozenset({"boards", "scores"}), is_mean=True,
        alike="as many matchpoints as {other}",
        better="did better than {other} on the same boards",
    ),
    Metric(
        "datum", "Datum a board", "Dat", "desc",
        "mean of the other tables with the same board and line less the own score; the mean over "
        "the boards",
        "0, 2, 26 and 2 points in one seat: 30 ÷ 3 − 0 = 10 for the first",
        attrgetter("datum"), _of_no_game, frozenset({"boards", "scores"}), is_mean=True,
        alike="the same datum as {other}",
        better="did better than {other} on the same boards",
    ),
)  # fmt: skip

_OTHERS: Final = (
    Metric(
        "index", "Index", "Idx+", "desc",
        "total of the index of each game",
        "11.1538 − 1.9231 + 1.1538 = 10.3846",
        _index, attrgetter("index"), frozenset({"hands", "scores"}),
    ),
    Metric(
        "beaten", "Beaten share", "B", "desc",
        "total of the beaten share of each game",
        "1 + 1/3 + 5/6 = 13/6",
        _exact("beaten"), _exact("beaten"),
    ),
    Metric(
        "first", "First places", "1st", "desc",
        "tables won, shared ones included; published as `wins`",
        "one alone and one shared: 2",
        _places(1), _in_place(1),
    ),
    Metric(
        "shared_wins", "Shared wins", "1=", "desc",
        "first places that were shared",
        "one alone and one shared: 1",
        _exact("shared_wins"), lambda worth: Fraction(int(worth.place == 1 and worth.shared > 1)),
    ),
    Metric(
        "second", "Second places", "2nd", "desc",
        "second places, shared ones included",
        "20, 33, 33, 44: two second places and no third",
        _places(2), _in_place(2),
    ),
    Metric(
        "third", "Third places", "3rd", "desc",
        "third places, shared ones included",
        "20, 20, 33, 44: one third place and no second",
        _places(3), _in_place(3),
    ),
    Metric(
        "fourth", "Fourth places", "4th", "asc",
        "fourth places, shared ones included",
        "20, 33, 33, 44: one fourth place",
        _places(4), _in_place(4),
    ),
    Metric(
        "moons", "Moons", "M", "desc",
        "moons and suns shot",
        "one moon in fifteen hands: 1",
        _exact("moons"), _exact("moons"), frozenset({"moons"}),
    ),
    Metric(
        "moons_against", "Moons against", "MA", "asc",
        "moons and suns that others shot at the tables played",
        "two moons of others: 2",
        _exact("moons_against"), _exact("moons_against"), frozenset({"moons"}),
    ),
    Metric(
        "difference", "Difference", "±", "asc",
        "own points less those of the opponents, for pairs and teams",
        "605 against 747: 605 − 747 = −142",
        _exact("difference"), _exact("difference"), frozenset({"scores", "sides"}), turns=True,
    ),
    Metric(
        "tables", "Tables", "T", "desc",
        "games played; byes are none",
        "three rounds and a bye: 3",
        _exact("games"), lambda _worth: Fraction(1),
    ),
    Metric(
        "hands", "Hands", "H", "desc",
        "hands played, as far as their number is known",
        "three games of five hands: 15",
        _exact("hands"), _exact("hands"),
    ),
)  # fmt: skip

PRIMARIES: Final[Mapping[str, Metric]] = {metric.key: metric for metric in _PRIMARIES}
"""Primary values of an event, which stores one of these keys (docs/event-settings.md)."""

FROM_GAMES: Final = tuple(
    key
    for key, metric in PRIMARIES.items()
    if key != EVENING_POINTS and metric.needs.isdisjoint({"boards", "matches"})
)
"""Primary values that come from an entrant's own games; the others compare boards over tables, are
of matches, or of places of evenings."""

METRICS: Final[Mapping[str, Metric]] = {metric.key: metric for metric in (*_PRIMARIES, *_OTHERS)}
"""Every value that is published, by key."""
