"""The values of one entrant in the unit of the standings: which count, and which are left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from scoring.standings.counting import Played, dropped, kept
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import Worth
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.models.columns import UNIT, exact
from tournaments.models.events import Entrant, Event
from tournaments.models.standings import Contribution
from tournaments.selectors.rules.rule_sets import low_wins, rules_of_event
from tournaments.selectors.standings.evening_places import list_evening_values
from tournaments.selectors.standings.opening_values import (
    OpeningLine,
    as_played,
    opening_lines,
)
from tournaments.selectors.standings.sorting import decimal, decimals_of

WORTH: Final = (
    "place",
    "shared",
    "points",
    "hands",
    "place_points",
    "beaten_halves",
    "win_share",
    "index_num",
    "index_den",
    "moons",
    "moons_against",
    "difference",
    "uncounted",
    "of_hands",
)
"""The columns of a contribution that `worth_of` takes, in order."""


@dataclass(frozen=True, slots=True)
class CountedValue:
    """What one table, one evening, or one value from before is worth to an entrant.

    `key` names it in a note: `table:r1t1`, `evening:2026-01-08` or `value:3`. `value` is in the
    unit of the standings, with the decimals of the other values; None where it is unknown. `table`
    is the code of a table, `opening_number` that of a value from before; an evening has neither.
    `total` is what was entered as a value from before, where the unit of the standings is a mean.
    `is_excused` says that the value is what an evening gives of which the player was excused.
    """

    key: str
    day: date | None
    value: int | str | None
    counts: bool
    table: str = ""
    table_number: int = 0
    round_number: int = 0
    opening_number: int = 0
    total: int | str | None = None
    is_excused: bool = False

    @property
    def is_evening(self) -> bool:
        return not self.table and not self.opening_number


@dataclass(frozen=True, slots=True)
class _Source:
    key: str
    played: Played
    table: str = ""
    opening_number: int = 0
    total: Fraction | None = None


def worth_of(row: Sequence[int]) -> Worth:
    """Return what a game is worth, exact, from the columns `WORTH` of its contribution."""
    place, shared, points, hands, place_points, halves, wins, num, den, *more = row
    moons, moons_against, difference, uncounted, of_hands = more
    worth = Worth(
        place=place,
        shared=shared,
        points=exact(points),
        hands=hands,
        place_points=Fraction(place_points, UNIT),
        beaten=Fraction(halves, 2 * UNIT),
        win_share=Fraction(wins, UNIT),
        index=Fraction(100 * num, den) if den else None,
        moons=moons,
        moons_against=moons_against,
        difference=exact(difference),
        uncounted=uncounted,
    )
    if not of_hands:
        return worth
    share = Fraction(hands, of_hands)
    return replace(
        worth,
        share=share,
        place_points=share * Fraction(place_points, UNIT),
        beaten=share * worth.beaten,
        win_share=share * worth.win_share,
    )


def list_counted_values(event: Event, entrant: Entrant) -> Sequence[CountedValue]:
    """Return the values of an entrant, the newest first; at most four queries.

    Those that best n of m or the dropped worst leave out are there and do not count.
    """
    settings = settings_of(event)
    if settings.counts_evenings:
        return _list_evenings(event, entrant, settings)
    sources = [*_openings(event, entrant), *_tables(event, entrant)]
    left_out = _dropped(event, settings, [source.played for source in sources])
    return _values_of(sources, settings.primary, left_out)


def list_table_values(event: Event, entrant: Entrant) -> Sequence[CountedValue]:
    """Return what the tables of an entrant are worth, the newest first.

    With evening points they are in the unit of the evening, and count with their evening.
    """
    settings = settings_of(event)
    if not settings.counts_evenings:
        return [value for value in list_counted_values(event, entrant) if value.table]
    sources = _tables(event, entrant)
    _evenings, days = list_evening_values(event, entrant, settings)
    played = [source.played for source in sources]
    left_out = frozenset[object](key for key, day, _worth in played if day in days)
    return _values_of(sources, settings.evening_ranking, left_out)


def _values_of(
    sources: Sequence[_Source], primary: str, left_out: frozenset[object]
) -> Sequence[CountedValue]:
    metric = PRIMARIES[primary]
    exact_values = [_as_json(metric.value(kept("", [source.played]))) for source in sources]
    decimals = decimals_of(exact_values)
    values = [
        CountedValue(
            key=source.key,
            day=date.fromisoformat(day) if day is not None else None,
            value=decimal(value, decimals),
            counts=key not in left_out,
            table=source.table,
            table_number=key[1] if source.table else 0,
            round_number=key[0] if source.table else 0,
            opening_number=source.opening_number,
            total=_total(source) if metric.is_mean else None,
        )
        for source, value in zip(sources, exact_values, strict=True)
        for key, day, _worth in (source.played,)
    ]
    return sorted(values, key=_play_order, reverse=True)


def _list_evenings(event: Event, entrant: Entrant, settings: Settings) -> Sequence[CountedValue]:
    evenings, left_out = list_evening_values(event, entrant, settings)
    openings = opening_lines(event, [entrant.pk]).get(entrant.pk, ())
    exact_values = [_as_json(evening.points) for evening in evenings]
    exact_values += [_as_json(line.value) for line in openings]
    decimals = decimals_of(exact_values)
    values = [
        CountedValue(
            key=f"evening:{evening.day.isoformat()}",
            day=evening.day,
            value=decimal(_as_json(evening.points), decimals),
            counts=evening.counts,
            is_excused=evening.is_excused,
        )
        for evening in evenings
    ]
    for line in openings:
        values.append(
            CountedValue(
                key=f"value:{line.number}",
                day=date.fromisoformat(line.date),
                value=decimal(_as_json(line.value), decimals),
                counts=line.date not in left_out,
                opening_number=line.number,
            )
        )
    return sorted(values, key=_play_order, reverse=True)


def _play_order(value: CountedValue) -> tuple[bool, date, int, int]:
    is_played = not value.opening_number
    return is_played, value.day or date.min, value.round_number, value.table_number


def _openings(event: Event, entrant: Entrant) -> Sequence[_Source]:
    lines: Sequence[OpeningLine] = opening_lines(event, [entrant.pk]).get(entrant.pk, ())
    return [
        _Source(f"value:{line.number}", played, opening_number=line.number, total=line.value)
        for line, played in zip(lines, as_played(lines), strict=True)
    ]


def _tables(event: Event, entrant: Entrant) -> Sequence[_Source]:
    rows = Contribution.objects.filter(event=event, entrant=entrant).values_list(
        "game__table__code",
        "game__table__round__number",
        "game__table__number",
        "game__table__round__meeting__date",
        *WORTH,
    )
    sources = []
    for code, round_number, table_number, day, *worth in rows:
        meeting = day.isoformat() if day is not None else None
        played = (round_number, table_number), meeting, worth_of(worth)
        sources.append(_Source(f"table:{code}", played, table=code))
    return sources


def _dropped(event: Event, settings: Settings, games: Sequence[Played]) -> frozenset[object]:
    if not settings.drops:
        return frozenset()
    # Only a primary value that turns asks for the rules.
    is_low_best = True
    if PRIMARIES[settings.primary].turns:
        is_low_best = low_wins(rules_of_event(event))
    return frozenset(
        dropped(
            games,
            primary=settings.primary,
            low_wins=is_low_best,
            drop_worst=settings.drop_worst,
            best_of=settings.best_of,
        )
    )


def _total(source: _Source) -> int | str | None:
    total = _as_json(source.total)
    shown: int | str | None = decimal(total, decimals_of([total]))
    return shown


def _as_json(value: Fraction | None) -> int | str | None:
    if value is None:
        return None
    if value.denominator == 1:
        return value.numerator
    return str(value)
