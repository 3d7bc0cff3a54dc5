"""Criteria that order tied entrants: a registry with their labels.

Pure. A criterion looks at one group that is still tied, never at anybody else's rank, and gives
each member a merit, or has no effect. See docs/algorithms/tie-breaks.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from scoring.standings.metrics import METRICS, Metric
from scoring.standings.rows import PLACES, GameResult, Row, Sums, Worth, in_play_order

Value: TypeAlias = Fraction | str
Reads: TypeAlias = Literal["counted", "all"]
"""Whether a criterion looks at the games that count, or at all games, dropped ones too."""


class CriterionResult(NamedTuple):
    """The result of a criterion for one entrant: `order` (more is better) and `value`, as shown."""

    order: Any
    value: Value


@dataclass(frozen=True, slots=True)
class Field:
    """The facts that criteria may read besides the tied group itself.

    Args:
        primary: the event's primary value.
        played: what every entrant in the table has played here, by code.
        games_of: the games of a level entrant, by key.
        playoffs: what each play-off has made of its members, by code.
    """

    primary: Metric
    low_wins: bool
    played: Mapping[str, Sums]
    games_of: Callable[[str], Sequence[GameResult]]
    seed: str = ""
    playoffs: Sequence[Mapping[str, "PlayedOff"]] = ()


@dataclass(frozen=True, slots=True)
class PlayedOff:
    """What a member of a play-off made in it: the place within the group, from 1, and the totals
    each time one began from 0, `lot` or `gone` among them (`scoring.playoffs.progress`)."""

    place: int
    totals: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the result as published text.

        >>> PlayedOff(1, ("3", "5")).text, PlayedOff(2).text
        ('1 (3, 5)', '2')
        """
        if self.totals:
            return f"{self.place} ({', '.join(self.totals)})"
        return str(self.place)

    @classmethod
    def read(cls, text: str) -> "PlayedOff":
        """Parse the text of a result."""
        place, _, rest = text.partition(" (")
        return cls(int(place), tuple(rest.rstrip(")").split(", ")) if rest else ())


Merits: TypeAlias = Mapping[str, CriterionResult] | None
"""By code; None = no effect on this group."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """One criterion, with its words; `needs` as in `metrics.Metric`, and `games`, `seed`.

    `reads` is None where it looks at no games. `better` says without a figure what the better one
    of two did; it stands behind "you" or a name, and `{other}` is the other one.
    """

    key: str
    name: str
    short: str
    definition: str
    example: str
    merits: Callable[[Sequence[Row], Field], Merits]
    reads: Reads | None
    needs: frozenset[str] = frozenset()
    all_met: bool = False
    """Whether it has no effect unless every two of a group have played one game."""
    _: KW_ONLY
    better: str


USUAL: Final = (
    "h2h",
    "wins",
    "countback",
    "index",
    "moons_shot",
    "moons_against",
    "sos",
    "last_game",
)
"""The tie-break order of an event that sets none (docs/algorithms/tie-breaks.md). Entrants that
are equal share the place: a lot is drawn only where a director chose it."""


def head_to_head(group: Sequence[Row], field: Field) -> Merits:
    """Return the share of the games among the group in which each was ahead, a tie half.

    No effect unless every two of the group have met as opponents.
    """
    codes = {row.code for row in group}
    won = dict.fromkeys(codes, Fraction(0))
    met = dict.fromkeys(codes, 0)
    pairs: set[tuple[str, str]] = set()
    games = {game.key: game for code in codes for game in field.games_of(code)}
    for _key, game in sorted(games.items()):
        here = sorted(codes.intersection(game.chairs))
        for first, second in combinations(here, 2):
            points, their = game.chairs[first], game.chairs[second]
            if not _are_opponents(points, their):
                continue
            pairs.add((first, second))
            score = Fraction((points.place <= their.place) + (points.place < their.place), 2)
            won[first] += score
            won[second] += 1 - score
            met[first] += 1
            met[second] += 1
    if len(pairs) < len(codes) * (len(codes) - 1) // 2:
        return None
    return {
        code: CriterionResult(won[code] / met[code], f"{_short(won[code])}/{met[code]}")
        for code in codes
    }


def _are_opponents(worth: Worth, their: Worth) -> bool:
    return worth.side is None or worth.side != their.side


def _short(halves: Fraction) -> str:
    if halves.denominator == 1:
        return str(halves)
    return f"{halves.numerator // 2}.5"


def _by_metric(key: str) -> Callable[[Sequence[Row], Field], Merits]:
    """Return a criterion that orders by a value of the games that count; unknown: no effect."""
    metric = METRICS[key]

    def merits(group: Sequence[Row], field: Field) -> Merits:
        sign = -1 if metric.is_ascending(low_wins=field.low_wins) else 1
        results = {}
        for row in group:
            value = metric.value(row.shown)
            if value is None:
                return None
            results[row.code] = CriterionResult(sign * value, value)
        return results

    return merits


def countback(group: Sequence[Row], field: Field) -> Merits:
    """Compare the numbers of first places, then of second ones, and so on."""
    results = {}
    for row in group:
        counts = (*row.shown.places, *(0,) * (PLACES - len(row.shown.places)))
        # Places up to the fourth, and to the last that there is: `2-0-1-0`.
        last = max((at for at, count in enumerate(counts, 1) if count), default=0)
        text = "-".join(map(str, counts[: max(last, 4)]))
        results[row.code] = CriterionResult(counts, text)
    return results


def evenings(group: Sequence[Row], field: Field) -> Merits:
    """Compare the numbers of evenings won, then of second places in evenings."""
    results = {}
    for row in group:
        counts = (row.shown.evenings_won, row.shown.evenings_second)
        results[row.code] = CriterionResult(counts, "-".join(map(str, counts)))
    return results


def opponents(group: Sequence[Row], field: Field) -> Merits:
    """Return the mean, over all meetings, of each opponent's mean primary value a game.

    Values from before are of no games here, and count for no opponent.
    """
    sign = -1 if field.primary.is_ascending(low_wins=field.low_wins) else 1
    results = {}
    for row in group:
        values = [
            _mean_value(field, code)
            for game in field.games_of(row.code)
            for code, worth in game.chairs.items()
            if code != row.code and _are_opponents(game.chairs[row.code], worth)
        ]
        numbers = [value for value in values if value is not None]
        if not numbers:
            return None
        mean = sum(numbers, Fraction(0)) / len(numbers)
        results[row.code] = CriterionResult(sign * mean, mean)
    return results


def _mean_value(field: Field, code: str) -> Fraction | None:
    sums = field.played.get(code)
    if sums is None:
        return None
    value = field.primary.value(sums) if sums.games else None
    if value is None:
        return None
    return field.primary.mean(value, sums)


def last_game(group: Sequence[Row], field: Field) -> Merits:
    """Compare the primary value of the last game, then of the one before; no game is the worst.

    The last game is that of the latest evening.
    """
    sign = -1 if field.primary.is_ascending(low_wins=field.low_wins) else 1
    results = {}
    for row in group:
        games = in_play_order(field.games_of(row.code), lambda game: (game.key, game.meeting))
        values = [field.primary.worth(game.chairs[row.code]) for game in reversed(games)]
        numbers = [value for value in values if value is not None]
        if not values or len(numbers) < len(values):
            return None
        order = tuple(sign * number for number in numbers)
        results[row.code] = CriterionResult(order, " ".join(map(str, numbers)))
    return results


def lot(group: Sequence[Row], field: Field) -> Merits:
    """Order by a hash of the event's seed and the entrant's id: a lot that everybody can check."""
    lots = {row.code: drawn(field.seed, row.code) for row in group}
    return {code: CriterionResult(-int(text, 16), text) for code, text in lots.items()}


def drawn(seed: str, code: str) -> str:
    """Return the lot of `code`: the smallest is first.

    >>> [drawn("7f3c", code)[:12] for code in ("101", "102", "103")]
    ['1eae8de1db6d', '9af0b9525486', '9547e9af46a6']
    """
    return sha256(f"blacklady-lot:{seed}:{code}".encode()).hexdigest()


def playoff(group: Sequence[Row], field: Field) -> Merits:
    """Order as their play-off has ended; no effect if they were not all in one."""
    for played in field.playoffs:
        if all(row.code in played for row in group):
            return {
                row.code: CriterionResult(-played[row.code].place, played[row.code].text)
                for row in group
            }
    return None


_GAMES: Final = frozenset({"games"})

TIE_BREAKS: Final[Mapping[str, TieBreak]] = {
    criterion.key: criterion
    for criterion in (
        TieBreak(
            "h2h", "Head to head", "H2H",
            "in each game that two of them played, 1 for who was ahead and 1/2 each for a tie; the "
            "sum ÷ the comparisons. Only where every two of them have met",
            "A met C three times and E once, was ahead twice and tied once: 2.5/4",
            head_to_head, "all", _GAMES, all_met=True,
            better="did better than {other} in the games against each other",
        ),
        TieBreak(
            "wins", "Tables won", "W",
            "1 for each table won, split evenly among those who share the first place",
            "one win alone and one shared by two: 3/2",
            _by_metric("wins"), "counted",
            better="won more tables than {other}",
        ),
        TieBreak(
            "countback", "Countback", "CB",
            "more first places; if equal, more second places, and so on. A shared place counts",
            "2-0-1-0 is better than 2-0-0-1",
            countback, "counted",
            better="had better places than {other}",
        ),
        TieBreak(
            "index", "Index", "Idx",
            "total of the index of each game",
            "+15.0000 is better than +11.1538",
            _by_metric("index"), "counted", frozenset({"hands", "scores"}),
            better="did better than {other} against the others at the table",
        ),
        TieBreak(
            "moons_shot", "Moons shot", "M",
            "more moons shot",
            "2 is better than 1",
            _by_metric("moons"), "counted", frozenset({"moons"}),
            better="shot more moons than {other}",
        ),
        TieBreak(
            "moons_against", "Moons against", "MA",
            "fewer moons of others at the tables played",
            "1 is better than 2",
            _by_metric("moons_against"), "counted", frozenset({"moons"}),
            better="met fewer moons of others than {other}",
        ),
        TieBreak(
            "sos", "Strength of opponents", "SoS",
            "the mean, over all opponents met (each time), of their own mean a game of the value "
            "that ranks",
            "opponents with 9, 11 and 7.5 points in 3 games each: (3 + 11/3 + 2.5) ÷ 3 = 3.0556",
            opponents, "all", _GAMES,
            better="met stronger opponents than {other}",
        ),
        TieBreak(
            "last_game", "Last game", "Last",
            "the better value that ranks in the last game; if equal, in the one before, and so on",
            "4 points in the last game are better than 2",
            last_game, "all", _GAMES,
            better="did better than {other} in the last games",
        ),
        TieBreak(
            "difference", "Difference", "±",
            "own points less those of the opponents, for pairs and teams",
            "605 − 747 = −142 is better than 725 − 757 = −32",
            _by_metric("difference"), "counted", frozenset({"scores", "sides"}),
            better="had a better difference of points than {other}",
        ),
        TieBreak(
            "evenings", "Evenings won", "EW",
            "more evenings won; if equal, more second places in evenings. A shared place counts",
            "2-1 is better than 2-0",
            evenings, "counted", frozenset({"evenings"}),
            better="had better places in evenings than {other}",
        ),
        TieBreak(
            "lot", "Lot", "Lot",
            "the smallest SHA-256 of `blacklady-lot:SEED:ID`; the seed is published",
            "seed 7f3c: 101 has 1eae8de1db6d…, 102 has 9af0b9525486…, so 101 is first",
            lot, None, frozenset({"seed"}),
            better="came before {other} by lot",
        ),
    )
}  # fmt: skip
"""An event's tie-breaks: it stores a list of these keys. Order is data, meaning is code."""

PLAYOFF: Final = TieBreak(
    "playoff",
    "Play-off",
    "PO",
    "the place in a play-off that all of them were in",
    "who won the extra hands is first",
    playoff,
    None,
    better="finished ahead of {other} in the play-off",
)
"""Applied after the tie-break order and before a lot; it is played, never chosen."""

CRITERIA: Final[Mapping[str, TieBreak]] = {**TIE_BREAKS, PLAYOFF.key: PLAYOFF}
"""Every key that `decided_by` can hold besides the primary value."""
