"""The worked league of docs/algorithms/standings.md, and making results out of totals."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from scoring.standings.counting import Played, dropped, kept
from scoring.standings.rank import Standing
from scoring.standings.rows import GameResult, Key, Row, Worth, finishes, share_of
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

WORKED: Mapping[Key, Mapping[str, int]] = {
    (1, 1): {"A": 18, "B": 27, "C": 40, "D": 45},
    (1, 2): {"E": 22, "F": 30, "G": 30, "H": 48},
    (2, 1): {"E": 20, "F": 34, "A": 35, "B": 41},
    (2, 2): {"C": 12, "G": 37, "D": 38, "H": 43},
    (3, 1): {"A": 31, "C": 31, "G": 32, "E": 36},
    (3, 2): {"B": 15, "D": 29, "H": 34, "F": 52},
}
HANDS = 5


def shares(totals: Sequence[int], scheme: Sequence[int]) -> tuple[Fraction, ...]:
    """The place points of each seat."""
    return tuple(share_of(end.place, end.shared, scheme) for end in finishes(totals))


def result(key: Key, totals: Mapping[str, int]) -> GameResult:
    """A game of five hands, of which each has 26 points; nobody shot."""
    points = list(totals.values())
    scheme = DEFAULT_SCHEMES.get(len(points), range(len(points) - 1, -1, -1))
    mean = Fraction(sum(points), len(points))
    chairs = {
        code: Worth(
            end.place, end.shared, total, HANDS, place, end.beaten, end.win_share,
            100 * (mean - total) / (HANDS * 26), 0, 0,
        )
        for (code, total), end, place in zip(
            totals.items(), finishes(points), shares(points, scheme), strict=True
        )
    }  # fmt: skip
    return GameResult(key, None, chairs)


def results(league: Mapping[Key, Mapping[str, int]]) -> list[GameResult]:
    return [result(key, totals) for key, totals in league.items()]


def played_by(code: str, games: Sequence[GameResult]) -> list[Played]:
    return [(game.key, game.meeting, game.chairs[code]) for game in games if code in game.chairs]


def rows_of(
    games: Sequence[GameResult], *, primary: str = "wins", drop_worst: int = 0
) -> list[Row]:
    rows = []
    for code in sorted({code for game in games for code in game.chairs}):
        played = played_by(code, games)
        without = dropped(played, primary=primary, drop_worst=drop_worst)
        counted = kept(code, played, without) if without else None
        rows.append(Row(kept(code, played), counted))
    return rows


def order(table: Sequence[Standing]) -> str:
    """`1 A, 1 C, 3 B`."""
    return ", ".join(f"{row.rank or '-'} {row.sums.code}" for row in table)


def rounded(value: Fraction | None, places: int = 4) -> str:
    assert value is not None
    return f"{float(value):.{places}f}"
