"""Opening values of an event: what entrants brought from before its first hand here."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

from scoring.errors import Problem, listed
from scoring.json_types import JsonDict
from scoring.standings.counting import Played, opening_worth
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import Worth
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.errors import first_or_missing
from tournaments.models.columns import UNIT, as_json, exact
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Hand, HandState
from tournaments.models.rounds import RoundState, SitOut, SitOutReason
from tournaments.models.standings import Aggregate, OpeningValue
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_names, list_lines

NAMED: Final = 8
"""Number of entrants that a warning names; the others are counted."""
BEFORE: Final = 0
"""In place of a round: the values from before, which come before round 1."""


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


def number_needed(settings: Settings) -> str:
    """Return the number that a value from before has to come with: `games`, `hands` or ""."""
    opening = PRIMARIES[settings.primary].opening
    return opening.needs if opening is not None else ""


def opening_lines(
    event: Event, entrants: Collection[int] | None = None
) -> dict[int, list[OpeningLine]]:
    """Return the opening values that count by entrant, the earliest first; one query."""
    primary = settings_of(event).primary
    rows = OpeningValue.objects.filter(event=event, withdrawn_at=None).order_by("date", "number")
    if entrants is not None:
        rows = rows.filter(entrant__in=entrants)
    lines: dict[int, list[OpeningLine]] = defaultdict(list)
    for row in rows:
        value = exact(row.value)
        counts = (row.games, row.wins, row.hands)
        worth = opening_worth(primary, value, *counts)
        penalty = Fraction(row.penalty, UNIT)
        day = row.date.isoformat()
        line = OpeningLine(row.number, day, Fraction(value), penalty, *counts, worth)
        lines[row.entrant_id].append(line)
    return dict(lines)


def as_played(lines: Sequence[OpeningLine]) -> list[Played]:
    """Return opening values as what was played before round 1, each with a key of its own."""
    return [((BEFORE, at), line.date, line.worth) for at, line in enumerate(lines, 1)]


def opening_rows(event: Event, entrant_id: str = "") -> Sequence[JsonDict]:
    """Return the opening values of an event by number, those of one entrant where its code is
    given, withdrawn ones included."""
    rows = OpeningValue.objects.filter(event=event)
    return list_lines(event, rows, entrant_id, lambda row: {**figures_of(row), "first": row.first})


def figures_of(row: OpeningValue) -> JsonDict:
    return {
        "date": row.date,
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


def has_opening_values(event: Event) -> bool:
    return OpeningValue.objects.filter(event=event, withdrawn_at=None).exists()


def byes_without_mean(
    event: Event, settings: Settings, entrants: Collection[int] | None = None
) -> list[int]:
    """Return those entrants, or those of some, whose byes ask for a number of games.

    A bye counts as the mean of their own games, and only values from before say how many these are,
    or would say it; three queries at most.
    """
    if settings.bye_award != "own_mean" or PRIMARIES[settings.primary].is_mean:
        return []
    sat_out = SitOut.objects.filter(event=event, reason=SitOutReason.BYE)
    sat_out = sat_out.exclude(round__state=RoundState.DRAFT)
    values = OpeningValue.objects.filter(event=event, withdrawn_at=None)
    if entrants is None:
        sat_out = sat_out.filter(entrant__in=values.values("entrant"))
    else:
        sat_out = sat_out.filter(entrant__in=list(entrants))
    waiting = set(sat_out.values_list("entrant_id", flat=True))
    if not waiting:
        return []
    counted = Aggregate.objects.filter(event=event, entrant__in=waiting, games__gt=0)
    waiting -= set(counted.values_list("entrant_id", flat=True))
    numbered = values.filter(entrant__in=waiting, games__gt=0)
    return sorted(waiting - set(numbered.values_list("entrant_id", flat=True)))


def bye_warnings(event: Event) -> list[Problem]:
    """Return the warning that byes count nothing until a number of games is entered."""
    waiting = byes_without_mean(event, settings_of(event))
    if not waiting:
        return []
    entrants = Entrant.objects.filter(pk__in=waiting).order_by("code")
    named = entrants.prefetch_related(WITH_PLAYERS)[:NAMED]
    names = list(entrant_names(named, name_column(event)).values())
    if len(waiting) > NAMED:
        names.append(f"{len(waiting) - NAMED} more")
    facts = {"names": listed(names)}
    return [Problem("bye_needs_games", ("bye_award",), facts)]


def list_played_days(event: Event, days: Collection[date]) -> Sequence[date]:
    """Return those of some days on which the event has accepted hands."""
    hands = Hand.objects.filter(game__event=event, state=HandState.ACCEPTED)
    played = hands.filter(game__table__round__meeting__date__in=days)
    found_days = played.values_list("game__table__round__meeting__date", flat=True)
    return sorted(found_days.order_by().distinct())


def list_opening_days(event: Event, days: Collection[str]) -> Sequence[date]:
    """Return those of some days (ISO) of which the event has opening values."""
    values = OpeningValue.objects.filter(event=event, withdrawn_at=None, date__in=days)
    return sorted(values.values_list("date", flat=True).order_by().distinct())
