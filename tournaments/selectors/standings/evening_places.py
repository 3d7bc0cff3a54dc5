"""The places of evenings as they are kept, where these give points, and what they give."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from scoring.standings.evenings import (
    PlacedEvening,
    Tiers,
    count_evenings,
    evening_result,
    periods_of,
)
from scoring.standings.rows import GameResult
from tournaments.domain.event_settings import Settings
from tournaments.models.events import Entrant, Event
from tournaments.models.standings import EVENING_PLACES, StoredHistory
from tournaments.selectors.standings.opening_values import opening_lines


@dataclass(frozen=True, slots=True)
class RankedEvening:
    """The places of one evening, the numbers of its rounds, and how many games each had."""

    day: str
    rounds: tuple[int, ...]
    tiers: Tiers
    games: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoredEvening:
    """The places of an evening as they are kept, under the fingerprint of all they depend on."""

    mark: str
    evening: RankedEvening


StoredEvenings: TypeAlias = Mapping[str, StoredEvening]
"""By day."""


@dataclass(frozen=True, slots=True)
class EveningValue:
    """The points of one evening for an entrant, and whether it counts."""

    day: date
    points: Fraction
    counts: bool


def get_stored_evenings(event: Event) -> dict[str, StoredEvening]:
    """Return the places of evenings as they are kept; one query."""
    rows = StoredHistory.objects.filter(event=event, kind=EVENING_PLACES)
    body = rows.values_list("body", flat=True).first()
    if body is None:
        return {}
    return {
        day: StoredEvening(
            mark=row["mark"],
            evening=RankedEvening(day, tuple(row["rounds"]), row["tiers"], row["games"]),
        )
        for day, row in json.loads(bytes(body)).items()
    }


def result_of(
    evening: RankedEvening, points: Sequence[int], *, guests: Collection[str] = ()
) -> GameResult:
    """Return an evening as a result without a game; `guests` get no points of it."""
    placed = PlacedEvening(evening.day, max(evening.rounds), evening.tiers)
    return evening_result(placed, points, guests=guests)


def list_evening_values(
    event: Event, entrant: Entrant, settings: Settings
) -> tuple[list[EveningValue], frozenset[str]]:
    """Return the evenings of an entrant by day, and all days that do not count; two queries.

    They are those of the newest publication.
    """
    stored = get_stored_evenings(event)
    guests = set(Entrant.objects.filter(event=event, guest=True).values_list("code", flat=True))
    points: dict[str, Fraction] = {}
    for day, row in stored.items():
        worth = result_of(row.evening, settings.evening_points, guests=guests).chairs.get(
            entrant.code
        )
        if worth is not None and worth.evening is not None:
            points[day] = worth.evening.points

    openings = opening_lines(event)
    values = dict(points)
    for line in openings.get(entrant.pk, ()):
        values[line.date] = values.get(line.date, Fraction(0)) + line.value
    days = set(stored)
    for lines in openings.values():
        days.update(line.date for line in lines)
    periods = periods_of(days, settings.period_evenings) if settings.period_evenings else ()
    left_out = count_evenings(
        values, best_of=settings.best_of, periods=periods, best_periods=settings.best_periods
    ).left_out
    evenings = [
        EveningValue(date.fromisoformat(day), value, counts=day not in left_out)
        for day, value in sorted(points.items())
    ]
    return evenings, left_out
