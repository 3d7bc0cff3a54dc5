"""The worked league of docs/algorithms/standings.md, and making results out of totals."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from scoring.numbers import Real
from scoring.standings.counting import Played, dropped, kept
from scoring.standings.rank import Standing
from scoring.standings.rows import GameResult, Key, Row, Worth, finishes, place_points
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

WORKED: Mapping[Key, Mapping[str, int]] = {
    (1, 1): {"A": 18, "B": 27, "C": 40, "D": 45},
    (1, 2): {"E": 22, "F": 30, "G": 30, "H": 48},
    (2, 1): {"E": 20, "F": 34, "A": 35, "B": 41},
    (2, 2): {"C": 12, "G": 37, "D": 38, "H": 43},
    (3, 1): {"A": 31, "C": 31, "G": 32, "E": 36},
    (3, 2): {"B": 15, "D": 29, "H": 34, "F": 52},
}


def par_index(
    totals: Sequence[int | Fraction],
    hands: int | None,
    penalty: Real | None,
    *,
    low_wins: bool = True,
) -> tuple[Fraction | None, ...]:
    """The index of each seat: 100 × (mean of the table − own total) ÷ (hands × penalty).

    Exact, in seat order, more is better; None for every seat where hands or penalty are unknown.
    See docs/algorithms/par.md.
    """
    if not hands or not penalty:
        return (None,) * len(totals)
    mean = Fraction(sum(totals)) / len(totals)
    unit = Fraction(100 if low_wins else -100) / (hands * penalty)
    return tuple((mean - total) * unit for total in totals)


def result(
    key: Key,
    totals: Mapping[str, int],
    *,
    meeting: str | None = None,
    hands: int = 5,
    penalty: int = 26,
    low_wins: bool = True,
    moons: Mapping[str, int] | None = None,
) -> GameResult:
    points = list(totals.values())
    shot = moons or {}
    ends = finishes(points, low_wins=low_wins)
    scheme = DEFAULT_SCHEMES.get(len(points), range(len(points) - 1, -1, -1))
    placed = place_points(points, scheme, low_wins=low_wins)
    indices = par_index(points, hands, penalty, low_wins=low_wins)
    chairs = {
        code: Worth(
            end.place, end.shared, total, hands, place, end.beaten, end.win_share, par,
            shot.get(code, 0), sum(shot.values()) - shot.get(code, 0),
        )
        for (code, total), end, place, par in zip(
            totals.items(), ends, placed, indices, strict=True
        )
    }  # fmt: skip
    return GameResult(key, meeting, chairs)


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
