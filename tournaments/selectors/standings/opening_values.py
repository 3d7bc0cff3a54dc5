"""Opening values of an event: what entrants brought from before its first hand here."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Prefetch

from scoring.json_types import JsonDict
from scoring.standings.counting import Played, opening_worth
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import Worth
from tournaments.domain.event_settings import settings_of
from tournaments.errors import first_or_missing
from tournaments.models.events import Event
from tournaments.models.numbers import UNIT, as_json, exact
from tournaments.models.standings import OpeningValue
from tournaments.selectors.clubs.names import name_column, texts_for
from tournaments.selectors.events.entrants import MEMBERS, entrant_names


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """An opening value that counts; `value` and `penalty` are in units of the primary value."""

    number: int
    date: str
    value: Fraction
    penalty: Fraction
    games: int | None
    wins: int | None
    hands: int | None
    worth: Worth
    has_points: bool
    """Whether the value is card points, so that an average covers its hands."""


def opening_lines(
    event: Event, entrants: Collection[int] | None = None
) -> dict[int, list[OpeningLine]]:
    """Return the opening values that count by entrant, the earliest first; one query."""
    primary = settings_of(event).primary
    opening = PRIMARIES[primary].opening
    rows = OpeningValue.objects.filter(event=event, withdrawn_at=None).order_by("date", "number")
    if entrants is not None:
        rows = rows.filter(entrant__in=entrants)
    lines: dict[int, list[OpeningLine]] = defaultdict(list)
    for row in rows:
        value = exact(row.value)
        worth = opening_worth(primary, value, games=row.games, wins=row.wins, hands=row.hands)
        lines[row.entrant_id].append(
            OpeningLine(
                row.number,
                row.date.isoformat(),
                Fraction(value),
                Fraction(row.penalty, UNIT),
                row.games,
                row.wins,
                row.hands,
                worth,
                has_points=opening is not None and opening.field == "points",
            )
        )
    return dict(lines)


def as_played(lines: Sequence[OpeningLine]) -> list[Played]:
    """Return opening values as what was played before round 1, each with a key of its own."""
    return [((0, at), line.date, line.worth) for at, line in enumerate(lines, 1)]


def opening_rows(event: Event, entrant_id: str = "") -> Sequence[JsonDict]:
    """Return the opening values of an event by number, those of one entrant where its code is
    given, withdrawn ones included."""
    rows = OpeningValue.objects.filter(event=event).select_related("entrant")
    rows = rows.prefetch_related(Prefetch("entrant__members", MEMBERS)).order_by("number")
    lines = list(rows.filter(entrant__code=entrant_id) if entrant_id else rows)
    names = entrant_names((line.entrant for line in lines), name_column(event))
    say = texts_for(event)
    return tuple(
        {
            "number": line.number,
            "entrant_id": line.entrant.code,
            "name": names[line.entrant_id],
            "date": line.date,
            **figures_of(line),
            "reason": say(line.reason),
            "by": line.by_as,
            "at": line.at,
            "added_with": line.first,
            "state": "withdrawn" if line.withdrawn_at else "active",
            "withdrawn_at": line.withdrawn_at,
            "withdrawn_reason": say(line.withdrawn_reason),
            "withdrawn_by": line.withdrawn_as,
        }
        for line in lines
    )


def figures_of(row: OpeningValue) -> Mapping[str, object]:
    return {
        "value": as_json(row.value),
        "games": row.games,
        "wins": row.wins,
        "hands": row.hands,
        "penalty": as_json(row.penalty),
    }


def get_opening_value(event: Event, number: int) -> OpeningValue:
    rows = OpeningValue.objects.filter(event=event, number=number).select_related("entrant")
    row = first_or_missing(rows, "opening_value", number=number)
    row.event, row.club = event, event.club
    return row
