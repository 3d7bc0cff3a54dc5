"""The columns of an event's table: fixed ones first, then those of its scheme.

Words, order and direction of a figure come from the registry of metrics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from scoring.standings.explain import four_places
from scoring.standings.metrics import EVENING_POINTS, METRICS, PRIMARIES
from scoring.standings.rank import Standing
from tournaments.domain.event_settings import Settings
from tournaments.domain.figures import exact_json
from tournaments.models.columns import UNIT
from tournaments.models.standings import PLACES

PLACE_KEYS: Final = (
    "wins",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
)
ALWAYS: Final = 4
"""Places up to the fourth are columns of every table; further ones where somebody has them."""
FIXED: Final = {
    "rank": ("#", "Place"),
    "player_id": ("Id", "Player id"),
    "player": ("Player", "Player"),
    "tables": ("T", "Tables"),
    "hands": ("H", "Hands"),
    "points": ("Pts", "Points"),
    "average_per_hand": ("Avg", "Average a hand"),
    "wins": ("1st", "Tables won, shared ones included"),
    "shared_wins": ("1=", "Wins that were shared"),
    "second": ("2nd", "Second places"),
    "third": ("3rd", "Third places"),
    "fourth": ("4th", "Fourth places"),
    "moons": ("M", "Moons shot"),
}
"""Key → short head, title: the first columns of every CSV, in this order (docs/api.md)."""
RAW: Final = ("points", "average_per_hand")
"""Fixed columns that are missing where scores are complex numbers."""
OWN_KEY: Final = {"wins": "win_share"}
"""Metric → key of its column, where the key itself is a count of places already."""
SAME_AS: Final = {"raw_per_hand": "average_per_hand", "raw_total": "points"}
"""Primary value → the fixed column that shows it, where nothing is added to it or left out."""
BOARD_KEYS: Final = ("matchpoints", "datum")
"""Values that compare boards across tables."""
OF_CRITERIA: Final = {
    "difference": "difference",
    "wins": "wins",
    "moons_against": "moons_against",
    "index": "index",
}
"""Criterion of a tie-break order → the metric of its column, where every row has it: an index is
computed for tied rows only, unless the event ranks by it."""


PERIOD_COLUMNS: Final = range(1, 21)
"""The periods that have a column; the member `periods` of a row has all of them."""


@dataclass(frozen=True, slots=True)
class ExtraColumnSpec:
    key: str
    short: str
    title: str
    figure: Callable[[Standing], int | str | None]


_OF_ROWS: Final = {
    "evenings": "Evenings with a place",
    "evenings_won": "Evenings won, shared ones included",
    "dropped": "Games that do not count",
    "byes": "Rounds without a table",
    "from_before": "Total from before the first hand here, as far as it counts",
    "adjustment": "Penalties and bonuses",
    "progress": "Winner, through, in the final, undecided, out, or in the consolation",
}
"""Key → title of what is counted beside the games."""

EVENINGS_WON: Final = ExtraColumnSpec(
    "evenings_won", "EW", _OF_ROWS["evenings_won"], lambda row: int(row.sums.evenings_won)
)


def further_columns(
    rows: Sequence[Standing], settings: Settings, *, ascending: bool
) -> tuple[ExtraColumnSpec, ...]:
    metrics = [OF_CRITERIA[key] for key in settings.tie_breaks if key in OF_CRITERIA]
    metrics += BOARD_KEYS if settings.duplicate else ()
    others = [_metric_column(key) for key in metrics if key != settings.primary]
    columns = [*_primary_columns(rows, settings), *_place_columns(rows)]
    columns += [column for column in others if all(column.figure(row) is not None for row in rows)]
    if settings.counts_evenings:
        columns += _evening_columns(rows)
    elif settings.ranks_evenings:
        columns.append(EVENINGS_WON)
    if settings.drops:
        columns.append(ExtraColumnSpec("dropped", "Drop", _OF_ROWS["dropped"], dropped_games))
    if any(row.sums.byes for row in rows):
        columns.append(ExtraColumnSpec("byes", "Bye", _OF_ROWS["byes"], lambda row: row.sums.byes))
    if any(row.row.from_before is not None for row in rows):
        columns.append(ExtraColumnSpec("from_before", "Bef", _OF_ROWS["from_before"], from_before))
    if any(row.row.ledger for row in rows):
        columns.append(
            ExtraColumnSpec(
                "adjustment",
                "Adj",
                _OF_ROWS["adjustment"],
                lambda row: exact_json(effect(row.row.ledger, ascending=ascending)),
            )
        )
    if any(row.progress for row in rows):
        columns.append(
            ExtraColumnSpec("progress", "On", _OF_ROWS["progress"], lambda row: row.progress)
        )
    return tuple(
        column
        for column in columns
        if not rows or any(column.figure(row) is not None for row in rows)
    )


def season_points_column(points: Mapping[str, Fraction]) -> ExtraColumnSpec:
    """Return the column of what the places of an evening give in the season; nobody else has it."""
    metric = METRICS[EVENING_POINTS]
    return ExtraColumnSpec(
        metric.key,
        metric.short,
        metric.name,
        lambda row: figure(EVENING_POINTS, points.get(row.sums.code)),
    )


def further_titles() -> Mapping[str, str]:
    """Return every further column that a table can have: key → title."""
    keys = (*PRIMARIES, *OF_CRITERIA.values(), *BOARD_KEYS)
    metrics = {OWN_KEY.get(key, key): METRICS[key].name for key in keys}
    places = {key: f"{key.capitalize()} places" for key in PLACE_KEYS[ALWAYS:PLACES]}
    periods = {
        f"period_{number}": f"Evening points of period {number}" for number in PERIOD_COLUMNS
    }
    return metrics | places | _OF_ROWS | periods


def _evening_columns(rows: Sequence[Standing]) -> list[ExtraColumnSpec]:
    """Return the columns of an event with evening points: each period, and evenings played."""
    numbers = {period.number for row in rows for period in row.row.periods}
    periods = [
        ExtraColumnSpec(
            f"period_{number}",
            f"P{number}",
            f"Evening points of period {number}",
            partial(_of_period, number=number),
        )
        for number in sorted(numbers.intersection(PERIOD_COLUMNS))
    ]
    return [
        *periods,
        ExtraColumnSpec("evenings", "Ev", _OF_ROWS["evenings"], lambda row: int(row.sums.evenings)),
        EVENINGS_WON,
    ]


def _of_period(row: Standing, *, number: int) -> int | str | None:
    values = [period.value for period in row.row.periods if period.number == number]
    if not values:
        return None
    return figure(EVENING_POINTS, values[0])


def dropped_games(row: Standing) -> int:
    return row.sums.games - row.row.shown.games


def from_before(row: Standing) -> int | str | None:
    value = row.row.from_before
    if value is None:
        return None
    return exact_json(value)


def effect(worsens_by: Fraction, *, ascending: bool) -> Fraction:
    """Return the change of the primary value that makes a row so much worse.

    >>> effect(Fraction(2), ascending=False)
    Fraction(-2, 1)
    """
    return worsens_by if ascending else -worsens_by


def figure(key: str, value: Fraction | None) -> int | str | None:
    """Return a metric's value as rows show it: means to four places, totals exact."""
    if value is None:
        return None
    is_exact = not METRICS[key].is_mean and UNIT % value.denominator == 0
    if is_exact:
        return exact_json(value)
    return four_places(value)


def _primary_columns(rows: Sequence[Standing], settings: Settings) -> list[ExtraColumnSpec]:
    """Return the primary value's column, unless a fixed one says the same of every row."""
    metric = PRIMARIES[settings.primary]
    is_plain = not settings.drops and not any(row.row.ledger or row.sums.byes for row in rows)
    if metric.key in SAME_AS and is_plain:
        return []
    return [
        ExtraColumnSpec(
            OWN_KEY.get(metric.key, metric.key),
            metric.short,
            metric.name,
            lambda row: figure(metric.key, row.value),
        )
    ]


def _place_columns(rows: Sequence[Standing]) -> list[ExtraColumnSpec]:
    return [
        ExtraColumnSpec(
            PLACE_KEYS[at],
            f"{at + 1}th",
            f"{PLACE_KEYS[at].capitalize()} places",
            partial(_count, at=at),
        )
        for at in range(ALWAYS, PLACES)
        if any(_count(row, at=at) for row in rows)
    ]


def _count(row: Standing, *, at: int) -> int:
    if at < len(row.sums.places):
        return row.sums.places[at]
    return 0


def _metric_column(key: str) -> ExtraColumnSpec:
    metric = METRICS[key]
    return ExtraColumnSpec(
        OWN_KEY.get(key, key),
        metric.short,
        metric.name,
        lambda row: figure(key, metric.value(row.sums)),
    )
