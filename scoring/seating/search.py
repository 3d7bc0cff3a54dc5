"""Simulated annealing for plans that no construction gives.

Pure. Bounded by a number of moves, never by time: the same problem and seed give the same tables.
See docs/algorithms/seating.md, "Search".
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import exp
from typing import Final, TypeAlias

from scoring.seating.constraints import Unit
from scoring.seating.splitmix import SplitMix, stream_of

Tables: TypeAlias = list[list[list[int]]]
"""Rounds of tables of players."""

STAGES: Final = 200
"""Steps in which the temperature falls; a search can be left after each."""

HOTTEST: Final = 0.6
WARM: Final = 0.2
COLDEST: Final = 0.12
"""Temperatures at the first and the last stage, for a difference of one in the pair cost; what
starts from a construction starts warm, so that most of it stays."""

TRIES: Final = 2
"""Number of starts of a search, each with its own random stream."""

UNEVEN: Final = 1 << 20
"""Cost of a seat that makes the shares of uncommon sizes uneven: more than all meetings."""

FORBIDDEN: Final = 1 << 40
"""Meetings that a pair starts with who must stay apart: no cost is as large."""

SELDOM: Final = 62
"""Bits of a 64-bit number below those that are 0 in one of four, the share of moves in two rounds
that are tried: each costs as much as several others."""

_BITS: Final = 20
_LOW: Final = (1 << _BITS) - 1


class Search:
    """A running search: `advance` continues it, `best` has the best tables so far.

    A move lets two players of one round change tables. The cost is twice the pair cost (sum over
    pairs of m * (m - 1) / 2) times `step`, plus twice the meetings with known players, plus
    `UNEVEN` times the sum over players and uncommon sizes of x * (x - 1) / 2 for x tables. So seats
    never get less even. Where one exchange would make them so, the two players also change tables
    in another round, in which they sit the other way round.

    Source: Dotú and Van Hentenryck, "Scheduling social golfers locally" (2005) has the
    neighbourhood; Kirkpatrick, Gelatt and Vecchi (1983) the cooling, geometric here.

    Players are numbered from 0.

    Args:
        start: tables of each round, with whole units in them.
        meetings: for each player, the meetings with each other one before the first round.
        seats: uncommon size → for each player, the rounds at tables of it before the first round.
        units: for each round, the groups that stay together, by player; single players are left
            out.
        goal: a cost beyond which nothing can be gained.
        good_start: tables for the first try, part of which come from a construction, if any do.
        step: what a meeting of the plan counts, where one before the first round counts 1.
    """

    def __init__(
        self,
        start: Tables,
        meetings: list[list[int]],
        seats: Mapping[int, Sequence[int]],
        units: list[dict[int, Unit]],
        goal: int,
        good_start: Tables | None,
        *,
        step: int,
        seed: int,
        moves: int,
    ) -> None:
        self.start, self.meetings, self.seats, self.units = start, meetings, seats, units
        self.goal, self.good_start, self.seed, self.step = goal, good_start, seed, step
        self.stage_moves = max(1, moves // (STAGES * TRIES))
        self.iterations = 0
        self.attempt, self.stage = 0, 0
        self._begin()
        self.best, self.best_cost = _copied(self.tables), self.cost
        self.best_thirds = self._thirds()

    @property
    def done(self) -> bool:
        """Whether the search is finished: the goal is reached, or all tries are over."""
        return self.best_cost <= self.goal or self.attempt >= TRIES

    def advance(self) -> None:
        """Make the moves of one stage, at one temperature."""
        share = self.stage / (STAGES - 1)
        coldest = COLDEST / self.step  # where a known pair more or less decides
        chances = _chances(2 * self.hottest * (coldest / self.hottest) ** share, self.step)
        if any(self.units):
            self._move_units(chances)
        else:
            self._move_players(chances)
        self.iterations += self.stage_moves
        is_tied = self.cost == self.best_cost and self.best_thirds > 0
        if self.cost < self.best_cost or (is_tied and self._thirds() < self.best_thirds):
            self.best, self.best_cost = _copied(self.tables), self.cost
            self.best_thirds = self._thirds()
        self.stage += 1
        if self.stage == STAGES and not self.done:
            self.attempt += 1
            self.stage = 0
            if self.attempt < TRIES:
                self._begin()

    def _thirds(self) -> int:
        """Third meetings, later ones several times: fewer are better where the cost is the same."""
        often = 3 * self.step
        rows = [row for row in self.meet if max(row) >= often]
        met = [count // self.step for row in rows for count in row if count >= often]
        return sum(count * (count - 1) * (count - 2) for count in met)

    def _begin(self) -> None:
        self.rng: SplitMix = stream_of(self.seed, 2, self.attempt)
        good = self.good_start if self.attempt == 0 else None
        self.tables = _copied(self.start if good is None else good)
        self.hottest = HOTTEST if good is None else WARM
        self.meet = [row[:] for row in self.meetings]
        self.where = [[-1] * len(self.meet) for _ in self.tables]
        times = {size: list(before) for size, before in self.seats.items()}
        self.common = [0] * len(self.meet)
        self.times = [
            [times.get(len(table), self.common) for table in tables] for tables in self.tables
        ]
        self.seated = [[player for table in tables for player in table] for tables in self.tables]
        self.cost = 0
        for number, tables in enumerate(self.tables):
            for at, table in enumerate(tables):
                self._add(number, at, table)
        self._even_out()

    def _add(self, number: int, at: int, table: list[int]) -> None:
        for first, second in combinations(table, 2):
            self.cost += 2 * self.meet[first][second]
            self.meet[first][second] += self.step
            self.meet[second][first] += self.step
        times = self.times[number][at]
        for player in table:
            self.where[number][player] = at
            if times is not self.common:
                self.cost += UNEVEN * times[player]
            times[player] += 1

    def _even_out(self) -> None:
        """Exchange players, or groups, of one round as long as that makes shares more even."""
        improved = True
        while improved:
            improved = False
            for number, times in enumerate(self.times):
                for player, other in permutations(self.seated[number], 2):
                    here, target = self.where[number][player], self.where[number][other]
                    if times[here] is times[target]:
                        continue
                    groups = self._exchange(number, player, other)
                    if groups is None or self._unevenness(number, *groups) >= 0:
                        continue
                    change = self._gain(number, *groups)
                    if change < 0:  # it keeps everybody apart who must be
                        self._swap(number, *groups)
                        self.cost += change
                        improved = True

    def _move_players(self, chances: Sequence[int]) -> None:
        meet = self.meet
        next64 = self.rng.next64
        rounds = len(self.tables)
        step = self.step
        hopeless = len(chances)
        times = self.times
        for _ in range(self.stage_moves):
            drawn = next64()
            number = (drawn & _LOW) * rounds >> _BITS
            seated = self.seated[number]
            player = seated[(drawn >> _BITS & _LOW) * len(seated) >> _BITS]
            other = seated[(drawn >> 2 * _BITS & _LOW) * len(seated) >> _BITS]
            where = self.where[number]
            here, target = where[player], where[other]
            if here == target:
                continue
            tables = self.tables[number]
            ones, others = meet[player], meet[other]
            change = step * (len(tables[here]) + len(tables[target]) - 2)
            for mate in tables[here]:
                change += others[mate] - ones[mate]
            for mate in tables[target]:
                change += ones[mate] - others[mate]
            # A player's own diagonal is 0; the pair itself was counted twice, and stays apart.
            change = 2 * (change - 2 * ones[other])
            if times[number][here] is not times[number][target]:
                uneven = self._unevenness(number, (player,), (other,))
                if uneven > 0:
                    if drawn >> SELDOM == 0:
                        self._move_in_two_rounds(number, player, other, change + uneven, chances)
                    continue
                change += uneven
            if change > 0 and (change >= hopeless or next64() >= chances[change]):
                continue
            self._swap(number, (player,), (other,))
            self.cost += change
            if self.cost <= self.goal:
                return

    def _move_in_two_rounds(
        self, number: int, player_a: int, player_b: int, change: int, chances: Sequence[int]
    ) -> None:
        """Exchange two players in a round, and in one where that makes the shares even again."""
        times = self.times
        where = self.where
        rounds = len(self.tables)
        mine, yours = (times[number][where[number][player]] for player in (player_a, player_b))
        begin = self.rng.below(rounds)
        for second in (*range(begin, rounds), *range(begin)):
            here, target = where[second][player_a], where[second][player_b]
            is_there = min(here, target) >= 0
            if is_there and times[second][here] is yours and times[second][target] is mine:
                break
        else:
            return
        self._swap(number, (player_a,), (player_b,))
        change += self._gain(second, (player_a,), (player_b,))
        if change > 0 and (change >= len(chances) or self.rng.next64() >= chances[change]):
            self._swap(number, (player_a,), (player_b,))
            return
        self._swap(second, (player_a,), (player_b,))
        self.cost += change

    def _unevenness(self, number: int, first: Unit, second: Unit) -> int:
        """The change of what uneven shares cost where two groups of one size change tables."""
        times = self.times[number]
        where = self.where[number]
        first_times, joined = times[where[first[0]]], times[where[second[0]]]
        change = 0
        if first_times is not joined:
            for player, other in zip(first, second, strict=True):
                if first_times is not self.common:
                    change += first_times[other] - first_times[player] + 1
                if joined is not self.common:
                    change += joined[player] - joined[other] + 1
        return UNEVEN * change

    def _move_units(self, chances: Sequence[int]) -> None:
        """Make moves of groups, each against as many players of another table."""
        next64 = self.rng.next64
        rounds = len(self.tables)
        for _ in range(self.stage_moves):
            drawn = next64()
            number = (drawn & _LOW) * rounds >> _BITS
            seated = self.seated[number]
            player = seated[(drawn >> _BITS & _LOW) * len(seated) >> _BITS]
            other = seated[(drawn >> 2 * _BITS & _LOW) * len(seated) >> _BITS]
            where = self.where[number]
            if where[player] == where[other]:
                continue
            both = self._exchange(number, player, other)
            if both is None:
                continue
            change = self._gain(number, *both)
            if change > 0 and (change >= len(chances) or next64() >= chances[change]):
                continue
            self._swap(number, *both)
            self.cost += change
            if self.cost <= self.goal:
                return

    def _exchange(self, number: int, player: int, other: int) -> tuple[Unit, Unit] | None:
        """The units of two players, the smaller one filled up from its table to the same size."""
        units = self.units[number]
        where = self.where[number]
        first, second = units.get(player, (player,)), units.get(other, (other,))
        swapped = len(first) > len(second)
        if swapped:
            first, second = second, first
        for mate in self.tables[number][where[first[0]]]:
            if len(first) == len(second):
                break
            more = units.get(mate, (mate,))
            if mate not in first and len(first) + len(more) <= len(second):
                first = (*first, *more)
        if len(first) != len(second):
            return None
        return (second, first) if swapped else (first, second)

    def _gain(self, number: int, first: Unit, second: Unit) -> int:
        meet = self.meet
        where = self.where[number]
        tables = self.tables[number]
        step = self.step
        here, target = where[first[0]], where[second[0]]
        stay = [player for player in tables[here] if player not in first]
        others = [player for player in tables[target] if player not in second]
        change = 0
        for players, old, new in ((first, stay, others), (second, others, stay)):
            for player in players:
                row = meet[player]
                change += sum(row[mate] for mate in new) - sum(row[mate] - step for mate in old)
        change *= 2
        return change + self._unevenness(number, first, second)

    def _swap(self, number: int, first: Unit, second: Unit) -> None:
        meet = self.meet
        where = self.where[number]
        tables = self.tables[number]
        here, target = where[first[0]], where[second[0]]
        leaving, joining = tables[here], tables[target]
        for players, old, new in ((first, leaving, joining), (second, joining, leaving)):
            for player in players:
                for mate in old:
                    if mate not in players:
                        meet[player][mate] -= self.step
                        meet[mate][player] -= self.step
                for mate in new:
                    if mate not in first and mate not in second:
                        meet[player][mate] += self.step
                        meet[mate][player] += self.step
        for mover, other in zip(first, second, strict=True):
            leaving[leaving.index(mover)] = other
            joining[joining.index(other)] = mover
            where[mover], where[other] = target, here
        first_times, joined = self.times[number][here], self.times[number][target]
        for mover, other in zip(first, second, strict=True):
            first_times[mover] -= 1
            first_times[other] += 1
            joined[mover] += 1
            joined[other] -= 1


def _chances(temperature: float, step: int) -> list[int]:
    """For each change of the cost, below which 64-bit number it is accepted."""
    changes = [change / step for change in range(24 * step)]
    accepted = [int(exp(-change / temperature) * (1 << 53)) << 11 for change in changes]
    return [number for number in accepted if number]


def _copied(tables: Tables) -> Tables:
    return [[table[:] for table in of_round] for of_round in tables]
