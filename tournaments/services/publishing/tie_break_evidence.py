"""Evidence for tie-breaks beyond the totals: games, and the results that stages carry over."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final, Protocol, runtime_checkable

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum

from scoring.rules.rules import Rules
from scoring.standings.counting import CARRIES, CarryRule
from scoring.standings.rows import GameResult, Key, Sums, Worth
from tournaments.models.columns import exact
from tournaments.models.events import Carry, Entrant, EntrantMember, Event, Snapshot, StagePlan
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import PLACES, Contribution
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.stages import stages_of
from tournaments.selectors.standings.counted_values import WORTH, worth_of
from tournaments.services.db.bulk import in_parts

MOST_AT_ONCE: Final = 500
"""Entrants or games of one query: SQLite takes no more than some thousand conditions."""

_COLUMNS: Final = (
    "game_id",
    "game__table__round__number",
    "game__table__number",
    "game__table__round__meeting__date",
    "game__snapshot_id",
    "entrant__code",
    *WORTH,
)


@runtime_checkable
class IndexEvidence(Protocol):
    """Evidence that totals the index of entrants without reading their games."""

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        """Return the index over all games of each entrant; None where a game has none."""


_TRIED: Final = 3
"""Number of first members whose pairs are looked up: larger groups have hardly ever all met."""


def carry_rules(event: Event) -> tuple[CarryRule, ...]:
    """Return the stages that have begun and do not count everything, in order."""
    begun = stages_of(event).exclude(plan=StagePlan.PLANNED).exclude(carry=Carry.ALL)
    carries = dict(begun.values_list("pk", "carry"))
    if not carries:
        return ()
    rounds: dict[int, list[int]] = defaultdict(list)
    numbers = Round.objects.filter(stage__in=carries)
    for stage, number in numbers.values_list("stage_id", "number"):
        rounds[stage].append(number)
    codes: dict[int, list[str]] = defaultdict(list)
    entrants = StageEntrant.objects.filter(stage__in=carries)
    for stage, code in entrants.values_list("stage_id", "entrant__code"):
        codes[stage].append(code)
    return tuple(
        CarryRule(
            frozenset(rounds[pk]), CARRIES[carry], frozenset(codes[pk]) if pk in codes else None
        )
        for pk, carry in carries.items()
    )


class StoredGames:
    """The games of an event as they are stored; those of an entrant are read once."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._games: dict[Key, GameResult] = {}
        self._read: set[str] = set()

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game in which any of `codes` played, with all its chairs, by key."""
        entrants = frozenset(codes)
        for some in in_parts(sorted(entrants - self._read), MOST_AT_ONCE):
            played = Contribution.objects.filter(entrant__event=self._event, entrant__code__in=some)
            chairs = Contribution.objects.filter(game__in=played.values("game_id"))
            self._games |= {game.key: game for game in games_in(self._event, chairs)}
            self._read |= set(some)
        games = (self._games[key] for key in sorted(self._games))
        return [game for game in games if not entrants.isdisjoint(game.chairs)]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups in which some two of the first three never met.

        Each pair is looked up by index, so that the games of a large league, whose members mostly
        never met, are not read.
        """
        entrants = Entrant.objects.filter(event=self._event)
        ids = dict(entrants.values_list("code", "pk")) if groups else {}
        pairs = [
            (at, ids[code], ids[other])
            for at, group in enumerate(groups)
            for code, other in combinations(group[:_TRIED], 2)
        ]
        return {at for some in in_parts(pairs, MOST_AT_ONCE) for at in _never_met(some)}

    def with_counted(self, sums: Mapping[str, Sums]) -> Mapping[str, Sums]:
        """Return the sums over the games that count, by code, with what only tie-breaks need."""
        places = {f"in_{at}": Count("pk", filter=Q(place=at)) for at in range(1, PLACES + 1)}
        added = [Sum(name) for name in ("moons", "moons_against", "difference")]
        counted = dict(sums)
        for some in in_parts(sorted(sums), MOST_AT_ONCE):
            rows = Contribution.objects.filter(entrant__event=self._event, entrant__code__in=some)
            by_code = rows.filter(is_dropped=False).order_by().values_list("entrant__code")
            for code, moons, against, difference, *at_places in by_code.annotate(*added, **places):
                counted[code] = replace(
                    sums[code],
                    places=tuple(at_places),
                    moons=moons,
                    moons_against=against,
                    difference=exact(difference),
                )
        return counted

    def index_of(
        self, codes: Collection[str], *, rounds: Collection[int] | None = None
    ) -> dict[str, Fraction | None]:
        """Return the index of each entrant over these rounds; None where a game has none."""
        totals: dict[str, Fraction | None] = dict.fromkeys(codes, Fraction(0))
        for some in in_parts(sorted(codes), MOST_AT_ONCE):
            rows = Contribution.objects.filter(entrant__event=self._event, entrant__code__in=some)
            if rounds is not None:
                rows = rows.filter(game__table__round__number__in=rounds)
            sums = rows.values_list("entrant__code", "index_den").annotate(Sum("index_num"))
            for code, den, num in sums.order_by():
                total = totals[code]
                if total is not None:
                    totals[code] = total + Fraction(100 * num, den) if den else None
        return totals


_NEVER_MET: Final = """
    WITH pair(at, one, other) AS (VALUES {rows})
    SELECT pair.at FROM pair WHERE NOT EXISTS (
        SELECT 1 FROM tournaments_contribution a
        JOIN tournaments_contribution b ON b.game_id = a.game_id AND b.entrant_id = pair.other
        WHERE a.entrant_id = pair.one
    )
"""


def _never_met(pairs: Sequence[tuple[int, int, int]]) -> list[int]:
    row = "(CAST(%s AS bigint), CAST(%s AS bigint), CAST(%s AS bigint))"
    statement = _NEVER_MET.format(rows=", ".join([row] * len(pairs)))
    with connection.cursor() as cursor:
        cursor.execute(statement, [value for pair in pairs for value in pair])
        return [at for (at,) in cursor.fetchall()]


def every_game(event: Event, *, until_round: int | None = None) -> list[GameResult]:
    """Return all games of an event, or those up to a round, by key; it reads the whole event."""
    rows = Contribution.objects.filter(event=event)
    if until_round is not None:
        rows = rows.filter(game__table__round__number__lte=until_round)
    return games_in(event, rows)


def games_in(event: Event, rows: QuerySet[Contribution]) -> list[GameResult]:
    chairs: dict[int, dict[str, Worth]] = defaultdict(dict)
    games: dict[int, tuple[Key, str | None, int]] = {}
    for game_id, number, table, date, snapshot, code, *worth in rows.values_list(*_COLUMNS):
        games[game_id] = ((number, table), date.isoformat() if date else None, snapshot)
        chairs[game_id][code] = worth_of(worth)
    rules = {row.pk: rules_of(row) for row in Snapshot.objects.filter(event=event)}
    sides = _get_sides(event, rules, {pk: snapshot for pk, (*_, snapshot) in games.items()})
    results = []
    for game_id, (key, meeting, snapshot) in games.items():
        side_of = sides.get(game_id, {})
        seated = {
            code: replace(worth, side=side_of[code]) if code in side_of else worth
            for code, worth in sorted(chairs[game_id].items())
        }
        has_points = rules[snapshot].keys.number == "real"
        results.append(GameResult(key, meeting, seated, has_points))
    return sorted(results, key=lambda game: game.key)


def _get_sides(
    event: Event, rules: Mapping[int, Rules], snapshots: Mapping[int, int]
) -> Mapping[int, Mapping[str, int]]:
    shapes = {
        pk: {seat + 1: side for side, seats in enumerate(each.keys.teams.shape) for seat in seats}
        for pk, each in rules.items()
        if each.keys.teams.mode != "none"
    }
    with_sides = sorted(game for game, snapshot in snapshots.items() if shapes.get(snapshot))
    if not with_sides:
        return {}
    members = EntrantMember.objects.filter(event=event)
    entrant_of = dict(members.values_list("player_id", "entrant__code"))
    sides: dict[int, dict[str, int]] = defaultdict(dict)
    for games in in_parts(with_sides, MOST_AT_ONCE):
        sittings = Sitting.objects.filter(seat__table__game__in=games)
        for game, seat, player in sittings.values_list(
            "seat__table__game", "seat__number", "player_id"
        ).order_by("from_hand", "seat__number"):
            side = shapes[snapshots[game]].get(seat)
            if side is not None and player in entrant_of:
                sides[game][entrant_of[player]] = side
    return sides
