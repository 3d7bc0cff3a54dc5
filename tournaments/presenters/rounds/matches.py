"""The matches of teams in a round, with their results."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from scoring.numbers import ScoreJson
from scoring.standings.matches import SIDES, match_points, team_place_points
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.matches import Match, MatchTable
from tournaments.models.meetings import Round
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.rounds.round_progress import OVER

FORFEIT: Final = (2, 0)


@dataclass(frozen=True, slots=True)
class MatchTeam:
    """A team of a match; points are None before all its tables are over."""

    entrant_id: str
    name: str
    place_points: ScoreJson | None
    match_points: int | None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match of a round; `forfeited_by` is the code of a team that was short of people."""

    number: int
    tables: tuple[str, ...]
    teams: tuple[MatchTeam, MatchTeam]
    forfeited_by: str | None

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self.teams[0].match_points is not None


def match_rows(event: Event, round_: Round) -> Sequence[MatchRow]:
    """Return the matches of a round by number; one query where it has none, else six at most."""
    found = Match.objects.filter(round=round_).order_by("number")
    return _rows(event, list(found.select_related("first", "second", "forfeited_by")))


def match_points_by_round(event: Event) -> Sequence[tuple[int, str, int]]:
    """Return (round, code of a team, match points) of each match that has a result, in order."""
    found = Match.objects.filter(event=event).order_by("round__number", "number")
    matches = list(found.select_related("first", "second", "forfeited_by", "round"))
    return [
        (match.round.number, team.entrant_id, team.match_points)
        for match, row in zip(matches, _rows(event, matches), strict=True)
        for team in row.teams
        if team.match_points is not None
    ]


def _rows(event: Event, matches: Sequence[Match]) -> list[MatchRow]:
    if not matches:
        return []
    tables: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    rows = MatchTable.objects.filter(match__in=matches).order_by("table__number")
    for match, table, code, state in rows.values_list(
        "match_id", "table_id", "table__code", "table__game__state"
    ):
        tables[match].append((table, code, state in OVER))
    finishes = _finishes([table for own in tables.values() for table, _code, _over in own])
    scheme = settings_of(event).placement.get("2", SIDES)
    names = names_in(event)
    return [_row(one, tables[one.pk], finishes, tuple(scheme), names) for one in matches]


def _is_over(tables: Sequence[tuple[int, str, bool]]) -> bool:
    return bool(tables) and all(over for _table, _code, over in tables)


def _as_json(points: Fraction | None) -> ScoreJson | None:
    if points is None:
        return None
    return points.numerator if points.denominator == 1 else str(points)


def _finishes(tables: Sequence[int]) -> Mapping[tuple[int, int], tuple[int, int]]:
    """Return (table, entrant) → place of its side, and how many share it; one query."""
    rows = Contribution.objects.filter(game__table__in=tables)
    return {
        (table, entrant): (place, shared)
        for table, entrant, place, shared in rows.values_list(
            "game__table_id", "entrant_id", "place", "shared"
        )
    }


def _row(
    match: Match,
    tables: Sequence[tuple[int, str, bool]],
    finishes: Mapping[tuple[int, int], tuple[int, int]],
    scheme: tuple[int, ...],
    names: Mapping[str, str],
) -> MatchRow:
    sides = (match.first, match.second)
    earned: tuple[Fraction | None, ...] = (None, None)
    points: tuple[int | None, ...] = (None, None)
    played = [
        [finishes[table, side.pk] for table, _code, _over in tables if (table, side.pk) in finishes]
        for side in sides
    ]
    if match.forfeited_by is not None:
        points = FORFEIT if match.forfeited_by_id == match.second_id else FORFEIT[::-1]
    elif _is_over(tables) and len(played[0]) == len(played[1]) == len(tables):
        first, second = (team_place_points(own, scheme) for own in played)
        earned, points = (first, second), match_points(first, second)
    first_team, second_team = (
        MatchTeam(side.code, names.get(side.code, side.code), _as_json(earned[at]), points[at])
        for at, side in enumerate(sides)
    )
    return MatchRow(
        match.number,
        tuple(code for _table, code, _over in tables),
        (first_team, second_team),
        match.forfeited_by.code if match.forfeited_by is not None else None,
    )
