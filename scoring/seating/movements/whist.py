"""Whist: partners change in every round; full sets by construction, as published, or by annealing.

See docs/algorithms/movements.md.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, product
from math import exp, gcd
from pathlib import Path
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from scoring.seating.brackets import numbered_tables
from scoring.seating.constraints import apart_pairs, broken_pairs
from scoring.seating.constructions import exchange_known_pairs
from scoring.seating.cost import least_when_spread, pairs_of, plan_of
from scoring.seating.finite_fields import prime_powers, ring_of
from scoring.seating.movements.requirements import (
    AT_A_TABLE,
    are_always_there,
    drawn_by_sit_outs,
    require_plannable,
)
from scoring.seating.plan_seats import weights_of
from scoring.seating.requests import (
    MovementFigures,
    Pair,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)
from scoring.seating.search import FORBIDDEN
from scoring.seating.seat_order import PartnerSeats
from scoring.seating.sit_outs import round_shapes
from scoring.seating.splitmix import SplitMix, stream_of

SHIPPED: Final = Path(__file__).parents[2] / "data" / "movements"


class PublishedMovement:
    """Base rounds of a movement of single players, from their entry in a file.

    Points are 0 to `players` - 1; those below a multiple of `turn` are rings of so many. A turn by
    r adds r within each ring, and grows by `step` from one round to the next; points above the
    rings stay where they are. `base` has the rounds before the turn as text: tables of four points
    such as `X 4 v 2 1`, the first two against the others, with | between tables; X is the last.

    >>> entry = {"players": 4, "turn": 3, "base": ["X 0 v 2 1"], "source": "…"}
    >>> PublishedMovement(entry).rounds()[1]
    [(3, 1, 0, 2)]
    """

    def __init__(self, entry: JsonObject) -> None:
        self.players: int = entry["players"]
        self.turn: int = entry["turn"]
        self.step: int = entry.get("step", 1)
        self.source: str = entry["source"]
        self.base = [
            [
                [self.players - 1 if point == "X" else int(point) for point in table.split()]
                for table in text.replace(" v ", " ").split(" | ")
            ]
            for text in entry["base"]
        ]

    @property
    def full_set(self) -> int:
        """The rounds of a full set."""
        return self.turn * len(self.base)

    def rounds(self) -> list[list[Table]]:
        """The full set: all turns of the first base round, then of the next."""
        around = self.turn // gcd(self.turn, self.step)
        turns = [(at * self.step + at // around) % self.turn for at in range(self.turn)]
        return [
            [tuple(self._turned(point, by) for point in table) for table in tables]
            for tables in self.base
            for by in turns
        ]

    def _turned(self, point: int, by: int) -> int:
        ring, place = divmod(point, self.turn)
        if ring == self.players // self.turn:
            return point
        return ring * self.turn + (place + by) % self.turn


_KNOWN = 7
"""Names the stream of lots for exchanges of players who met in the history."""

STAGES: Final = 100

HOTTEST, COLDEST = 1.5, 0.25
"""The temperatures of the first and the last stage, in units of one repeated opponent."""

AS_PARTNERS: Final = 4
"""Weight of a repeated partner, in repeated opponents."""

Counts = list[list[int]]


@lru_cache(maxsize=1)
def published_movements() -> Mapping[int, PublishedMovement]:
    """Number of players → its whist movement."""
    movements = {}
    for file in sorted(SHIPPED.glob("*.toml")):
        with file.open("rb") as opened:
            for entry in tomllib.load(opened)["movement"]:
                movements[entry["players"]] = PublishedMovement(entry)
    return movements


def full_set_of(players: int) -> int:
    """The rounds of a full set: one less than players where all play, otherwise as many.

    >>> [full_set_of(players) for players in (8, 9, 10, 11)]
    [7, 9, 10, 11]
    """
    if players % 4 != 0:
        return players
    return players - 1


@lru_cache(maxsize=64)
def whist_set(players: int) -> tuple[tuple[Table, ...], ...]:
    """The full set as rounds of tables of points; empty where none is known here.

    Tables of four points, the first two against the others. Prefixes have balanced sit-outs.

    >>> whist_set(5)[0]
    ((1, 4, 2, 3),)
    """
    if players in published_movements():
        return tuple(map(tuple, published_movements()[players].rounds()))
    if players % 4 == 1 and len(prime_powers(players)) == 1:
        return tuple(_rounds_of_field(players))
    return ()


def _rounds_of_field(players: int) -> Iterator[tuple[Table, ...]]:
    """The movement over a field of 4k + 1 elements.

    With w a generator of the field, table i of the first round has the partners w^i and w^(i + 2k)
    against w^(i + k) and w^(i + 3k); round r adds r.

    Source: Moore, "Tactical memoranda" (1896).
    """
    field = ring_of(players)
    powers = next(
        candidate for start in range(2, players) if (candidate := _powers(start, players))
    )
    k = players // 4
    base = [tuple(powers[i + part * k] for part in (0, 2, 1, 3)) for i in range(k)]
    for turn in range(players):
        yield tuple(tuple(field.add(point, turn) for point in table) for table in base)


def _powers(start: int, size: int) -> list[int]:
    times = ring_of(size).times
    powers = [1]
    power = start
    while power != 1:
        powers.append(power)
        power = times(power, start)
    return powers if len(powers) == size - 1 else []


def plan_whist(request: SeatingRequest) -> SeatingPlan:
    """The whist movement: in a full set two players are partners once and opponents twice.

    In each table of four, seats 0 and 2 are partners, and 1 and 3. Where a full set is known and
    everybody is there in every round, its first rounds are taken, and after its last one the first
    one follows again. Otherwise a search spreads partners and opponents.

    >>> plan = plan_whist(SeatingRequest(tuple(range(1, 10)), 9, movement="whist"))
    >>> plan.figures.full_set, plan.figures.partner_excess, plan.figures.opponent_excess
    (9, 0, 0)
    """
    require_plannable(request)
    _require_no_partners(request)
    rounds_of_tables, method, moves = _rounds(request)
    seats = PartnerSeats()
    rounds = []
    everybody: set[int] = set()
    for number, tables in enumerate(rounds_of_tables):
        present = request.present(number + 1)
        everybody.update(present)
        seated = [seats.seated(table[:2], table[2:], may_turn=True) for table in tables]
        playing = {player for table in tables for player in table}
        outside = tuple(player for player in present if player not in playing)
        numbered = numbered_tables(seated, request.fixed_tables, number)
        rounds.append(PlannedRound(tuple(numbered), outside))
    plan = plan_of(request, tuple(rounds), method, moves)
    return replace(plan, figures=whist_figures(len(everybody), rounds))


def whist_figures(players: int, rounds: Sequence[PlannedRound]) -> MovementFigures:
    """The figures of rounds of whist for so many players."""
    length = full_set_of(players)
    sets = -(-len(rounds) // length)
    partners: Counter[Pair] = Counter()
    opponents: Counter[Pair] = Counter()
    for planned in rounds:
        for north, east, south, west in planned.tables:
            partners.update((_pair(north, south), _pair(east, west)))
            opponents.update(_pair(*two) for two in product((north, south), (east, west)))
    pairs = pairs_of(players)
    return MovementFigures(
        length,
        sum(max(0, count - sets) for count in partners.values()),
        sum(max(0, count - 2 * sets) for count in opponents.values()),
        max(0, partners.total() - pairs * sets),
        max(0, opponents.total() - pairs * 2 * sets),
        movement="whist",
    )


def _pair(first: int, second: int) -> Pair:
    return (first, second) if first < second else (second, first)


def _require_no_partners(request: SeatingRequest) -> None:
    problems = [
        Problem("together_not_in_whist", (), {"pair": sorted(pair)}) for pair in request.together
    ]
    if problems:
        raise Refused(*problems)
    for number in range(1, request.rounds + 1):
        count = len(request.present(number))
        if count < AT_A_TABLE:
            facts = {"found": count, "least": AT_A_TABLE, "round": number}
            raise Refused(Problem("too_few_to_seat", (), facts))


def _rounds(request: SeatingRequest) -> tuple[list[list[Table]], str, int]:
    full_set = whist_set(len(request.players))
    if not full_set or apart_pairs(request) or not are_always_there(request):
        rounds, moves = _searched_rounds(request)
        return rounds, "search", moves
    points = [list(full_set[number % len(full_set)]) for number in range(request.rounds)]
    order = sorted(request.players)
    units = [(player,) for player in order]
    places = drawn_by_sit_outs(request, units, points)
    if request.history:
        _keep_known_pairs_apart(request, points, places, order)
    return (
        [[tuple(order[places[point]] for point in table) for table in tables] for tables in points],
        "construction",
        0,
    )


def _keep_known_pairs_apart(
    request: SeatingRequest, points: Sequence[Sequence[Table]], places: list[int], order: list[int]
) -> None:
    """Exchange players so that those who met before meet late or not at all; partners first."""
    places_in = Counter(chain(*chain(*points)))
    often = {point: len(points) - places_in[point] for point in range(len(order))}
    schedule = [
        [group for table in tables for group in (table, table[:2], table[2:])] for tables in points
    ]
    lot = stream_of(request.seed, _KNOWN)
    exchange_known_pairs(schedule, weights_of(request, order), often, places, lot)


MOVES: Final = 120_000
"""The moves of a search that is not told how many to make."""


_SEARCH: Final = 8
"""Names the stream of lots for the search."""


def _searched_rounds(request: SeatingRequest) -> tuple[list[list[Table]], int]:
    """Rounds of tables of four, the first two against the others, and the moves that were made.

    The cost is, over pairs of players, `AS_PARTNERS` * p(p - 1) / 2 + o(o - 1) / 2 for p rounds as
    partners and o as opponents, those of the history included. Sit-outs are fixed before.
    """
    shapes = round_shapes(replace(request, movement="individual", sizes=(4,)))
    rng = stream_of(request.seed, _SEARCH)
    order = sorted(request.players)
    position = {player: at for at, player in enumerate(order)}
    start = [
        rng.shuffled(position[player] for unit in shape.units for player in unit)
        for shape in shapes
    ]
    search = _Search(start, *_known(request, position))
    moves = MOVES if request.moves is None else request.moves
    if request.stop_after is not None:
        moves = min(moves, request.stop_after)
    search.run(rng, moves)
    rounds = [
        [tuple(order[at] for at in seats[base : base + 4]) for base in range(0, len(seats), 4)]
        for seats in search.best
    ]
    if broken := broken_pairs(request, chain(*rounds)):
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))
    return rounds, search.moves


def _known(request: SeatingRequest, position: dict[int, int]) -> tuple[Counts, Counts]:
    """The partners and opponents of two players before; `FORBIDDEN` for those apart."""
    partners, opponents = ([[0] * len(position) for _ in position] for _ in range(2))
    for planned in request.history:
        for table in planned.tables:
            for (seat, first), (other_seat, second) in product(enumerate(table), repeat=2):
                if seat != other_seat and first in position and second in position:
                    is_partner = len(table) == 4 and (seat - other_seat) % 2 == 0
                    (partners if is_partner else opponents)[position[first]][position[second]] += 1
    for pair in apart_pairs(request):
        first, second = (position[player] for player in pair)
        for counts in (partners, opponents):
            counts[first][second] = counts[second][first] = FORBIDDEN
    return partners, opponents


class _Search:
    """Rounds under improvement: seat 4t + i is seat i of table t; i and i ^ 1 are partners."""

    def __init__(self, start: list[list[int]], partners: Counts, opponents: Counts) -> None:
        self.rounds = start
        self.best = [list(seats) for seats in start]
        self.partners, self.opponents = partners, opponents
        self.moves = 0
        self.cost = 0
        for seats in start:
            for base in range(0, len(seats), 4):
                self.cost += self._count(seats[base : base + 4], 1)
        self.least = self.cost
        # The least cost that counting allows, over the meetings of the plan alone.
        tables = sum(map(len, start)) // 4
        pairs = pairs_of(len(partners))
        as_partners = AS_PARTNERS * least_when_spread(2 * tables, pairs)
        self.goal = as_partners + least_when_spread(4 * tables, pairs)

    def run(self, rng: SplitMix, moves: int) -> None:
        if self.least <= self.goal:
            return
        stages = [HOTTEST * (COLDEST / HOTTEST) ** (at / (STAGES - 1)) for at in range(STAGES)]
        places = [(seats, at) for seats in self.rounds for at in range(len(seats))]
        for at, heat in enumerate(stages):
            chances = [exp(-step / heat) for step in range(40)]
            for _ in range(moves * at // STAGES, moves * (at + 1) // STAGES):
                seats, first = places[rng.below(len(places))]
                self._move(seats, first, rng.below(len(seats)), chances, rng)
                if self.least <= self.goal:
                    return

    def _move(
        self, seats: list[int], first: int, second: int, chances: Sequence[float], rng: SplitMix
    ) -> None:
        self.moves += 1
        if second in (first, first ^ 1):
            return
        bases = {first & ~3, second & ~3}
        change = sum(self._count(seats[base : base + 4], -1) for base in bases)
        seats[first], seats[second] = seats[second], seats[first]
        change += sum(self._count(seats[base : base + 4], 1) for base in bases)
        is_taken = change <= 0 or (
            change < len(chances) and rng.next64() < chances[change] * 2.0**64
        )
        if not is_taken:
            for base in bases:
                self._count(seats[base : base + 4], -1)
            seats[first], seats[second] = seats[second], seats[first]
            for base in bases:
                self._count(seats[base : base + 4], 1)
            return
        self.cost += change
        if self.cost < self.least:
            self.least = self.cost
            self.best = [list(round_) for round_ in self.rounds]

    def _count(self, table: Sequence[int], step: int) -> int:
        a, b, c, d = table
        change = 0
        for first, second in ((a, b), (c, d)):
            change += AS_PARTNERS * self._pair(self.partners, first, second, step)
        for first, second in ((a, c), (a, d), (b, c), (b, d)):
            change += self._pair(self.opponents, first, second, step)
        return change

    @staticmethod
    def _pair(counts: Counts, first: int, second: int, step: int) -> int:
        before = counts[first][second]
        counts[first][second] = counts[second][first] = before + step
        if step > 0:
            return before
        return 1 - before
