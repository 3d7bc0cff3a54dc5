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
    evening_results,
    periods_of,
)
from scoring.standings.rows import EveningWorth, GameResult
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.figures import exact_json
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import EVENING_PLACES, StoredHistory
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_name
from tournaments.selectors.standings.opening_values import opening_lines
from tournaments.selectors.standings.sorting import decimal, decimals_of


@dataclass(frozen=True, slots=True)
class RankedEvening:
    """The places of one evening, the numbers of its rounds, and how many games each had.

    `excused` are the codes of those who were excused and did not play, guests among them.
    """

    day: str
    rounds: tuple[int, ...]
    tiers: Tiers
    games: Mapping[str, int]
    excused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredEvening:
    """The places of an evening as they are kept, under the fingerprint of all they depend on."""

    mark: str
    evening: RankedEvening


@dataclass(frozen=True, slots=True)
class ExcusedEntrant:
    """An entrant who was excused of an evening, and the points for it.

    `points` are exact, a whole number or a fraction as text; `shown_points` have decimals.
    """

    code: str
    name: str
    points: int | str
    shown_points: int | str


StoredEvenings: TypeAlias = Mapping[str, StoredEvening]
"""By day."""


@dataclass(frozen=True, slots=True)
class EveningValue:
    """The points of one evening for an entrant, and whether it counts.

    `is_excused` says that they are for an evening without them.
    """

    day: date
    points: Fraction
    counts: bool
    is_excused: bool = False


def get_stored_evenings(event: Event) -> dict[str, StoredEvening]:
    """Return the places of evenings as they are kept; one query."""
    rows = StoredHistory.objects.filter(event=event, kind=EVENING_PLACES)
    body = rows.values_list("body", flat=True).first()
    if body is None:
        return {}
    return {
        day: StoredEvening(
            mark=row["mark"],
            evening=RankedEvening(
                day,
                rounds=tuple(row["rounds"]),
                tiers=row["tiers"],
                games=row["games"],
                # 0.6.0 kept none.
                excused=tuple(row.get("excused", ())),
            ),
        )
        for day, row in json.loads(bytes(body)).items()
    }


def results_of(
    evenings: Sequence[RankedEvening], settings: Settings, *, guests: Collection[str] = ()
) -> list[GameResult]:
    """Return evenings as results without a game; `guests` get 0 points of them.

    They are all evenings that count, for what an excused one gives may depend on the others. Where
    places only break ties, they give no points.
    """
    points: Sequence[int] = (0,)
    if settings.counts_evenings:
        points = settings.evening_points
    placed = [
        PlacedEvening(evening.day, max(evening.rounds), evening.tiers, excused=evening.excused)
        for evening in evenings
    ]
    return evening_results(placed, points, guests=guests, excuse=settings.excuse_rule)


def list_excused_of(event: Event, meeting: Meeting) -> Sequence[ExcusedEntrant]:
    """Return who is excused of an evening and gets points for it, by name; three queries.

    They are those of the newest publication, by the public names.
    """
    settings = settings_of(event)
    if not settings.counts_excuses:
        return ()
    stored = get_stored_evenings(event)
    day = meeting.date.isoformat()
    if day not in stored:
        return ()
    guests = set(Entrant.objects.filter(event=event, guest=True).values_list("code", flat=True))
    results = results_of([row.evening for row in stored.values()], settings, guests=guests)
    points: dict[str, int | str] = {}
    all_points: list[int | str] = []
    for result in results:
        for code, worth in result.chairs.items():
            if result.meeting != day or worth.evening is None:
                continue
            all_points.append(exact_json(worth.evening.points))
            if worth.evening.is_excused:
                points[code] = exact_json(worth.evening.points)
    column = name_column(event)
    # As many as the table of the evening has, which the page shows above.
    decimals = decimals_of(all_points)
    entrants = Entrant.objects.filter(event=event, code__in=points).prefetch_related(WITH_PLAYERS)
    excused = [
        ExcusedEntrant(
            entrant.code,
            entrant_name(entrant, column),
            points=points[entrant.code],
            shown_points=decimal(points[entrant.code], decimals),
        )
        for entrant in entrants
    ]
    return sorted(excused, key=lambda entrant: (entrant.name, entrant.code))


def list_evening_values(
    event: Event, entrant: Entrant, settings: Settings
) -> tuple[list[EveningValue], frozenset[str]]:
    """Return the evenings of an entrant by day, and all days that do not count; two queries.

    They are those of the newest publication.
    """
    stored = get_stored_evenings(event)
    guests = set(Entrant.objects.filter(event=event, guest=True).values_list("code", flat=True))
    own: dict[str, EveningWorth] = {}
    results = results_of([row.evening for row in stored.values()], settings, guests=guests)
    for day, result in zip(stored, results, strict=True):
        worth = result.chairs.get(entrant.code)
        if worth is not None and worth.evening is not None:
            own[day] = worth.evening

    openings = opening_lines(event)
    values = {day: worth.points for day, worth in own.items()}
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
        EveningValue(
            date.fromisoformat(day),
            worth.points,
            counts=day not in left_out,
            is_excused=worth.is_excused,
        )
        for day, worth in sorted(own.items())
    ]
    return evenings, left_out
