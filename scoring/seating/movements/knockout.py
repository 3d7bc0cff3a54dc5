"""The next round of a knock-out: seeds dealt out, or those who go on paired crosswise.

Players of equal rank change places so that the fewest pairs meet again.

Pure: no clock, no database. See docs/algorithms/seating.md, "Knock-out".
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, count, product
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused
from scoring.seating.brackets import bracket_of, crossed, drawn, is_crossed, wild_cards_in
from scoring.seating.constraints import require_possible
from scoring.seating.cost import meetings, pairs_of, plan_of
from scoring.seating.plan_seats import by_standing
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest, Table
from scoring.seating.seat_order import seats_after
from scoring.seating.splitmix import stream_of

MOST_LOOKS: Final = 400_000
"""Maximum number of comparisons of a player with a seat, about half a second."""


@dataclass(slots=True)
class FewestRepeats:
    """The search for the order of players with the fewest repeats, of these the first one.

    Players are numbered by rank from 0, seats by the rank of the player who has them so far. Only
    players with the same place in the round before change seats. Orders are compared from the first
    seat on: the better rank comes first. After `order`, `least` is a number below which no order
    is, and the order has so many, unless the search ended at `MOST_LOOKS` (`is_exact`): then the
    seats that are left go to the player with the fewest repeats, one after the other.

    Args:
        tables: the table of each seat.
        places: the place of each player in the round before, in ascending order.
        met: the players whom each player met.
    """

    tables: Sequence[int]
    places: Sequence[int]
    met: Sequence[set[int]]
    least: int = 0
    looks: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether no order is better."""
        return self.looks <= MOST_LOOKS

    def order(self) -> list[int]:
        """The player of each seat."""
        meetings = sum(map(pairs_of, Counter(self.tables).values()))
        strangers = pairs_of(len(self.met)) - sum(map(len, self.met)) // 2
        for self.least in count(max(0, meetings - strangers)):
            order = self._order(range(len(self.tables)), defaultdict(list), self.least)
            if order:
                break
        return order

    def _order(self, free: Sequence[int], seated: dict[int, list[int]], rest: int) -> list[int]:
        """The players of the last seats, of those who are `free`; empty where there is no way."""
        seat = len(self.tables) - len(free)
        table = seated[self.tables[seat]]
        players = [player for player in free if self.places[player] == self.places[seat]]
        again = {player: len(self.met[player].intersection(table)) for player in players}
        if not self.is_exact:
            players = [min(players, key=again.__getitem__)]
        for player in players:
            is_other_order = bool(table) and player < table[-1]
            if self.is_exact and (again[player] > rest or is_other_order):
                continue
            others = [other for other in free if other != player]
            if not others:
                return [player]
            table.append(player)
            if self._forced(others, seated) <= rest - again[player] or not self.is_exact:
                order = self._order(others, seated, rest - again[player])
                if order:
                    return [player, *order]
            table.pop()
        return []

    def _forced(self, free: Sequence[int], seated: Mapping[int, Sequence[int]]) -> int:
        """At least so many pairs meet again between those who are free and those at tables."""
        open_seats = range(len(self.tables) - len(free), len(self.tables))
        self.looks += len(free) ** 2
        again: dict[int, dict[int, int]] = {player: {} for player in free}
        for player, seat in product(free, open_seats):
            if self.places[player] == self.places[seat]:
                table = seated.get(self.tables[seat], ())
                again[player][seat] = len(self.met[player].intersection(table))
        by_seat = (
            min(seats[seat] for seats in again.values() if seat in seats) for seat in open_seats
        )
        return max(sum(min(seats.values()) for seats in again.values()), sum(by_seat))


MOST_ENTRANTS: Final = 128

BySeed: TypeAlias = tuple[tuple[Table, Table], ...]
"""Order by seeds alone, for each place that nothing else decides."""

_LOT = 8
"""Names the stream of lots for players without a seed."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table that was played, the best place in front.

    `scores` are player → value of this round, more is better; empty where only places are known.
    """

    places: Table
    scores: Mapping[int, int]
    by_seed: BySeed = ()

    def against_the_mean(self, player: int) -> Fraction:
        """A player's score less the mean of the table, so that tables of all sizes compare."""
        if not self.scores:
            return Fraction(0)
        return self.scores[player] - Fraction(sum(self.scores.values()), len(self.scores))


def plan_knockout(request: SeatingRequest) -> SeatingPlan:
    """The next round, with the whole bracket; the same request gives the same plan.

    Without a history it is the first round: `standing` has the seeds, players without one follow by
    lot. With a history its last round was played, `scores` are the values of that round, and the
    first `advance` of each table go on, with `wild_cards` of the others. In a repechage or a
    consolation the players are those who are out.

    `request`: for one round; players who are not there any more, and its `forfeits`, lose their
    table by walk-over.

    >>> seeds = {one: one for one in range(1, 17)}
    >>> asked = SeatingRequest(tuple(seeds), 1, movement="knockout", standing=seeds)
    >>> [sum(table) for table in plan_knockout(asked).rounds[0].tables]
    [34, 34, 34, 34]
    """
    require_possible(request, most_players=MOST_ENTRANTS, most_rounds=1)
    by_seed: BySeed = ()
    if request.history and (request.scores or request.forfeits):
        tables, byes, search, by_seed = _next_round(request)
    else:
        order = by_standing(request.players, request.standing, stream_of(request.seed, _LOT))
        tables, byes, search = _drawn(
            request, order, {player: at for at, player in enumerate(order)}
        )
    planned = PlannedRound(seats_after(request.history, tables), byes)
    players = sum(map(len, tables)) + len(byes)
    rounds = bracket_of(players, request.sizes, request.advance, request.wild_cards)
    bracket = tuple(replace(each, number=each.number + len(request.history)) for each in rounds)
    plan = replace(plan_of(request, (planned,), "knockout"), bracket=bracket, by_seed=by_seed)
    return replace(plan, least_repeats=search.least, is_exact=search.is_exact)


def _drawn(
    request: SeatingRequest,
    order: Sequence[int],
    places: Mapping[int, int],
    paired: Sequence[Table] = (),
) -> tuple[Sequence[Table], Table, FewestRepeats]:
    """Tables and byes of players by rank, and the search for the fewest repeats.

    Those with the same place change seats for it, unless the tables are `paired` crosswise.
    """
    tables, byes = drawn(len(order), request.sizes)
    players = order[len(byes) :]
    ranks = {player: rank for rank, player in enumerate(players)}
    met: list[set[int]] = [set() for _ in players]
    for player, other in meetings(request.history):
        if player in ranks and other in ranks:
            met[ranks[player]].add(ranks[other])
            met[ranks[other]].add(ranks[player])
    by_rank = paired or [tuple(order[rank - 1] for rank in table) for table in tables]
    table_of = {ranks[player]: at for at, table in enumerate(by_rank) for player in table}
    seats = [table_of[rank] for rank in range(len(players))]
    search = FewestRepeats(seats, [places[player] for player in players], met)
    exchanged: list[list[int]] = [[] for _ in tables]
    for seat, rank in zip(seats, search.order(), strict=True):
        exchanged[seat].append(players[rank])
    return paired or [*map(tuple, exchanged)], tuple(order[: len(byes)]), search


def _next_round(request: SeatingRequest) -> tuple[Sequence[Table], Table, FewestRepeats, BySeed]:
    before = request.history[-1]
    byes = before.sitting_out
    if len(before.tables) == 1 and not byes:
        raise Refused(Problem("knockout_is_over"))
    people = {*chain(*before.tables), *byes}
    lot = stream_of(request.seed, _LOT)
    order = by_standing({*request.players, *people}, request.standing, lot)
    present = set(request.players) - request.forfeits
    results = [
        ranked_table(table, request.scores, request.advance, present, order)
        for table in before.tables
    ]
    wild_cards = wild_cards_in(
        len(results), len(byes), request.wild_cards, request.advance, len(people)
    )
    players, by_place, by_seed = going_on(
        results, byes, order, request.advance, wild_cards, request.wild_ranks
    )
    remaining = [player for player in players if player in present]
    places = {player: place for result in results for place, player in enumerate(result.places, 1)}
    whole = len(remaining) == len(players) == len(results) * request.advance
    paired: Sequence[Table] = ()
    if whole and is_crossed(len(results), request.advance, request.sizes, len(byes) + wild_cards):
        paired = [tuple(by_place[place] for place in row) for row in crossed(len(results))]
    return *_drawn(request, remaining, dict.fromkeys(byes, 1) | places, paired), by_seed


def ranked_table(
    table: Sequence[int],
    scores: Mapping[int, int],
    advance: int,
    present: Collection[int],
    order: Sequence[int],
) -> TableResult:
    """A table by place: the better score in front, then the better seed.

    A player without a score was absent and comes last; one who is no longer `present` keeps
    the place, and the next one goes on instead.

    >>> ranked_table((1, 2, 3, 4), {1: 0, 2: 5, 3: 3, 4: 2}, 2, (1, 2, 3, 4), (1, 2, 3, 4)).places
    (2, 3, 4, 1)
    """
    seed = {player: at for at, player in enumerate(order)}
    at_table = [player for player in table if player in present]
    scored = {player: scores[player] for player in at_table if player in scores}

    def rank(player: int) -> tuple[bool, int, int]:
        return player not in scored, -scored.get(player, 0), seed[player]

    places = sorted(at_table, key=rank)
    if len(scored) > advance > 0:
        last, first_out = places[advance - 1], places[advance]
        if scored.get(last) == scored.get(first_out):
            tied = sorted(other for other in scored if scored[other] == scored[last])
            raise Refused(Problem("knockout_tie", (), {"players": tied, "place": advance}))
    tied_by = _by_seed(places, advance, lambda player: rank(player)[:2])
    return TableResult(tuple(places), scored if len(scored) == len(places) else {}, tied_by)


def _by_seed(order: Sequence[int], line: int, key: Callable[[int], object]) -> BySeed:
    if not 0 < line < len(order) or key(order[line - 1]) != key(order[line]):
        return ()
    before, behind = (
        tuple(player for player in part if key(player) == key(order[line]))
        for part in (order[:line], order[line:])
    )
    return ((before, behind),)


def going_on(
    results: Sequence[TableResult],
    byes: Sequence[int],
    order: Sequence[int],
    advance: int,
    wild_cards: int = 0,
    wild_ranks: Mapping[int, int] | None = None,
) -> tuple[Table, dict[tuple[int, int], int], BySeed]:
    """The players who go on, ranked by place, score against the mean of the table, and seed.

    With them those who go on by their place, by (table, place), both from 1, and who goes on by
    the seeds alone.

    Args:
        byes: who did not play and goes on; they rank as winners.
        order: all players by seed.
        wild_cards: so many of those who do not go on by their place do, the best ranks.
        wild_ranks: their ranks by play-offs, in place of the order above.

    >>> one = TableResult((1, 2, 3), {1: 5, 2: 3, 3: 0})
    >>> two = TableResult((4, 6, 5), {4: 7, 6: 1, 5: 0})
    >>> going_on([one, two], (), (1, 2, 3, 4, 5, 6), 1, 1)[0]
    (4, 1, 2)
    """
    seed = {player: at for at, player in enumerate(order)}
    keys = {
        player: (place, -result.against_the_mean(player), seed[player])
        for result in results
        for place, player in enumerate(result.places, 1)
    }
    keys |= {player: (1, Fraction(0), seed[player]) for player in byes}
    ranked = sorted(keys, key=keys.__getitem__)
    by_place = {
        (table, place): player
        for table, result in enumerate(results, 1)
        for place, player in enumerate(result.places[:advance], 1)
    }
    sure = {*by_place.values(), *byes}
    others = [player for player in ranked if player not in sure]
    decided = wild_ranks or {}
    others.sort(key=lambda player: decided.get(player, len(decided) + 1))
    tied = _by_seed(others, wild_cards, lambda player: decided.get(player, keys[player][:2]))
    for before, behind in tied:
        if decided.keys() & {*before, *behind}:
            raise Refused(Problem("wild_card_tie", (), {"players": sorted((*before, *behind))}))
    sure |= set(others[:wild_cards])
    return (
        tuple(player for player in ranked if player in sure),
        by_place,
        (*(groups for result in results for groups in result.by_seed), *tied),
    )
