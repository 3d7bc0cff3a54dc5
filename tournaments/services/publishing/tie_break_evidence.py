"""What tie-breaks look at beyond the totals: games, what stages carry."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final, Protocol, TypeVar, runtime_checkable

from django.db import connection
from django.db.models import QuerySet, Sum

from scoring.rules.rules import Rules
from scoring.standings.counting import CARRIES, CarryRule
from scoring.standings.rows import GameResult, Key, Worth
from tournaments.models.events import (
    Carry,
    Entrant,
    EntrantMember,
    Event,
    Snapshot,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.meetings import Round, Sitting
from tournaments.models.playoffs import StageEntrant
from tournaments.models.standings import Contribution
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.standings.counted_games import WORTH, worth_of


def carry_rules(event: Event) -> tuple[CarryRule, ...]:
    """Return the stages that have begun and do not count everything, in order.

    One query where every stage counts everything, else three.
    """
    stages = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF)
    begun = stages.exclude(plan=StagePlan.PLANNED).exclude(carry=Carry.ALL).order_by("number")
    found = list(begun.values_list("pk", "carry"))
    if not found:
        return ()
    own = [pk for pk, _ in found]
    rounds: dict[int, list[int]] = defaultdict(list)
    for stage, number in Round.objects.filter(stage__in=own).values_list("stage_id", "number"):
        rounds[stage].append(number)
    codes: dict[int, list[str]] = defaultdict(list)
    chosen = StageEntrant.objects.filter(stage__in=own)
    for stage, code in chosen.values_list("stage_id", "entrant__code"):
        codes[stage].append(code)
    return tuple(
        CarryRule(
            frozenset(rounds[pk]),
            CARRIES[carry],
            frozenset(codes[pk]) if pk in codes else None,
        )
        for pk, carry in found
    )


T = TypeVar("T")


MOST_AT_ONCE: Final = 500
"""Entrants or games of one question: SQLite takes no more than some thousand conditions."""


_COLUMNS: Final = (
    "game_id", "game__table__round__number", "game__table__number",
    "game__table__round__meeting__date", "game__snapshot_id", "entrant__code", *WORTH,
)  # fmt: skip


@runtime_checkable
class IndexEvidence(Protocol):
    """Evidence that totals the index of entrants without giving their games away."""

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        """Return the index over all games of each entrant; None where a game has none."""


class StoredGames:
    """The games of an event as they are stored; asked for the same entrant again, it has them."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._games: dict[Key, GameResult] = {}
        self._known: set[str] = set()

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game in which any of `codes` played, with all its chairs, by key."""
        wanted = frozenset(codes)
        for some in _some_of(sorted(wanted - self._known)):
            theirs = Contribution.objects.filter(entrant__event=self._event, entrant__code__in=some)
            chairs = Contribution.objects.filter(game__in=theirs.values("game_id"))
            game_results = games_in(self._event, chairs)
            self._games |= {game.key: game for game in game_results}
            self._known |= set(some)
        games = (self._games[key] for key in sorted(self._games))
        return [game for game in games if not wanted.isdisjoint(game.chairs)]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups in which some two of the first three never met.

        It looks each pair up by index, so that a large league whose members are mostly strangers
        need not read their games.
        """
        entrants = Entrant.objects.filter(event=self._event)
        ids = dict(entrants.values_list("code", "pk")) if groups else {}
        pairs = [
            (at, ids[one], ids[other])
            for at, group in enumerate(groups)
            for one, other in combinations(group[:_TRIED], 2)
        ]
        return {at for some in _some_of(pairs) for at in _never_met(some)}

    def index_of(
        self,
        codes: Collection[str],
        *,
        until_round: int | None = None,
        rounds: Collection[int] | None = None,
    ) -> dict[str, Fraction | None]:
        """Return the index of each entrant over all games, those up to a round, or those of
        `rounds`; None where a game has none."""
        found: dict[str, Fraction | None] = dict.fromkeys(codes, Fraction(0))
        for some in _some_of(sorted(codes)):
            rows = Contribution.objects.filter(entrant__event=self._event, entrant__code__in=some)
            if until_round is not None:
                rows = rows.filter(game__table__round__number__lte=until_round)
            if rounds is not None:
                rows = rows.filter(game__table__round__number__in=rounds)
            sums = rows.values_list("entrant__code", "index_den").annotate(Sum("index_num"))
            for code, den, num in sums.order_by():
                so_far = found[code]
                if so_far is not None:
                    found[code] = so_far + Fraction(100 * num, den) if den else None
        return found


_TRIED: Final = 3
"""Of so many of a group each pair is looked up: who are more have hardly ever all met."""


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
    """Return all games of an event, or those up to a round, by key.

    It reads the whole event: for tables that are not the one that is kept, never for that.
    """
    rows = Contribution.objects.filter(event=event)
    if until_round is not None:
        rows = rows.filter(game__table__round__number__lte=until_round)
    return games_in(event, rows)


def games_in(event: Event, rows: QuerySet[Contribution]) -> list[GameResult]:
    """Return the games that these contributions are made of, by key."""
    games: dict[int, dict[str, Worth]] = defaultdict(dict)
    about: dict[int, tuple[Key, str | None, int]] = {}
    for game_id, round_number, table, date, snapshot, code, *own in rows.values_list(*_COLUMNS):
        key = (round_number, table)
        about[game_id] = (key, date.isoformat() if date else None, snapshot)
        games[game_id][code] = worth_of(own)
    kept = {one.pk: rules_of(one) for one in Snapshot.objects.filter(event=event)}
    sides = _sides(event, kept, {game_id: snapshot for game_id, (*_, snapshot) in about.items()})
    found = []
    for game_id, chairs in games.items():
        key, meeting, snapshot = about[game_id]
        partners = sides.get(game_id, {})
        seated = {code: _beside(chairs[code], partners.get(code)) for code in sorted(chairs)}
        has_points = kept[snapshot].keys.number == "real"
        found.append(GameResult(key, meeting, seated, has_points))
    return sorted(found, key=lambda game: game.key)


def _beside(worth: Worth, side: int | None) -> Worth:
    return worth if side is None else replace(worth, side=side)


def _sides(
    event: Event, kept: Mapping[int, Rules], snapshots: Mapping[int, int]
) -> Mapping[int, Mapping[str, int]]:
    """Who sat on which side, where the rules have sides: game → entrant's code → side.

    The last seat that an entrant had in a game says it.
    """
    shapes = {pk: _side_of(rules) for pk, rules in kept.items()}
    with_sides = sorted(game for game, snapshot in snapshots.items() if shapes.get(snapshot))
    if not with_sides:
        return {}
    members = EntrantMember.objects.filter(event=event)
    entrant_of = dict(members.values_list("player_id", "entrant__code"))
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for games in _some_of(with_sides):
        sittings = Sitting.objects.filter(seat__table__game__in=games)
        for game, seat, player in sittings.values_list(
            "seat__table__game", "seat__number", "player_id"
        ).order_by("from_hand", "seat__number"):
            side = shapes[snapshots[game]].get(seat)
            if side is not None and player in entrant_of:
                found[game][entrant_of[player]] = side
    return found


def _side_of(rules: Rules) -> dict[int, int]:
    """Number of a seat → its side, from the rules; empty where everybody plays alone."""
    if rules.keys.teams.mode == "none":
        return {}
    return dict(_seats(rules))


def _seats(rules: Rules) -> Iterator[tuple[int, int]]:
    for side, seats in enumerate(rules.keys.teams.shape):
        for seat in seats:
            yield seat + 1, side


def _some_of(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), MOST_AT_ONCE):
        yield values[start : start + MOST_AT_ONCE]
