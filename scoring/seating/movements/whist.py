"""Whist: partners change in every round; full sets by construction or as published."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import gcd
from pathlib import Path
from typing import Any, Final

from scoring.errors import Problem, Refused
from scoring.seating.constraints import apart_pairs
from scoring.seating.constructions import exchange_known_pairs
from scoring.seating.cost import cost_of, lower_bound
from scoring.seating.finite_fields import prime_powers, ring_of
from scoring.seating.movements.requirements import (
    AT_A_TABLE,
    are_always_there,
    drawn_by_sit_outs,
    require_plannable,
)
from scoring.seating.movements.whist_search import searched_rounds
from scoring.seating.requests import (
    MovementFigures,
    Pair,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)
from scoring.seating.seat_order import PartnerSeats
from scoring.seating.splitmix import stream_of
from scoring.seating.table_sizes import numbered_tables

SHIPPED: Final = Path(__file__).parents[2] / "data" / "movements"


@dataclass(frozen=True, slots=True)
class PublishedMovement:
    """Base rounds of a movement of single players.

    Args:
        players: how many it is for; points are 0 to `players` - 1.
        turn: points below a multiple of it are rings of so many; a turn by r adds r within each
            ring. Points from `rings` times `turn` on stay where they are.
        step: by how much the turn grows from one round to the next.
        base: the rounds before the turn; tables of four points, the first two against the others.
        source: where it is from.
    """

    players: int
    turn: int
    step: int
    base: tuple[tuple[Table, ...], ...]
    source: str

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


@lru_cache(maxsize=1)
def published_movements() -> Mapping[int, PublishedMovement]:
    """Number of players → its whist movement."""
    movements = {}
    for file in sorted(SHIPPED.glob("*.toml")):
        with file.open("rb") as opened:
            for entry in tomllib.load(opened)["movement"]:
                movement = _movement(entry)
                movements[movement.players] = movement
    return movements


def _movement(entry: Mapping[str, Any]) -> PublishedMovement:
    """A movement from its entry in a file: tables such as `X 4 v 2 1`, with | between them.

    >>> _movement({"players": 4, "turn": 3, "base": ["X 0 v 2 1"], "source": "…"}).rounds()[1]
    [(3, 1, 0, 2)]
    """
    return PublishedMovement(
        players=entry["players"],
        turn=entry["turn"],
        step=entry.get("step", 1),
        base=tuple(_base_round(text, entry["players"]) for text in entry["base"]),
        source=entry["source"],
    )


def _base_round(text: str, players: int) -> tuple[Table, ...]:
    return tuple(_table(table.replace(" v ", " ").split(), players) for table in text.split(" | "))


def _table(points: Sequence[str], players: int) -> Table:
    return tuple(players - 1 if point == "X" else int(point) for point in points)


LARGEST: Final = 400


def full_set_of(players: int) -> int:
    """The rounds of a full set: one less than players where all play, otherwise as many.

    >>> [full_set_of(players) for players in (8, 9, 10, 11)]
    [7, 9, 10, 11]
    """
    return players - 1 if players % 4 == 0 else players


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
    """The powers of an element of a field from the 0th on; empty where it generates less."""
    times = ring_of(size).times
    listed, power = [1], start
    while power != 1:
        listed.append(power)
        power = times(power, start)
    return listed if len(listed) == size - 1 else []


_KNOWN = 7
"""Names the stream of lots for exchanges of players who met in the history."""


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
    rounds_found, method, moves = _rounds(request)
    seats = PartnerSeats()
    rounds = []
    for number, tables in enumerate(rounds_found):
        seated = [seats.seated(table[:2], table[2:], may_turn=True) for table in tables]
        playing = {player for table in tables for player in table}
        outside = tuple(absent for absent in request.present(number + 1) if absent not in playing)
        numbered = numbered_tables(seated, request.fixed_tables, number)
        rounds.append(PlannedRound(tuple(numbered), outside))
    plan = tuple(rounds)
    return SeatingPlan(
        plan, cost_of(request, plan), lower_bound(plan), request.seed, moves, method,
        figures=whist_figures(_who_come(request), plan),
    )  # fmt: skip


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
    pairs = players * (players - 1) // 2
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


def _who_come(request: SeatingRequest) -> int:
    """The numbers of players who are there for a round or more."""
    rounds = range(1, request.rounds + 1)
    return len({player for number in rounds for player in request.present(number)})


def _require_no_partners(request: SeatingRequest) -> None:
    """Nobody can stay with somebody else where everybody changes."""
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
    """Rounds of tables with the first two against the others; the method and its moves."""
    full_set = whist_set(len(request.players))
    if not full_set or apart_pairs(request) or not are_always_there(request):
        rounds_found, moves = searched_rounds(request)
        return rounds_found, "search", moves
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
    position = {player: at for at, player in enumerate(order)}
    weights = [[0] * len(order) for _ in order]
    for planned in request.history:
        for table in planned.tables:
            for first, second in product(table, table):
                if first != second and first in position and second in position:
                    weights[position[first]][position[second]] += 1
    out = Counter(
        point
        for tables in points
        for point in set(range(len(order))) - {first for table in tables for first in table}
    )
    often = {point: out[point] for point in range(len(order))}
    schedule = [
        [group for table in tables for group in (table, table[:2], table[2:])] for tables in points
    ]
    exchange_known_pairs(schedule, weights, often, places, stream_of(request.seed, _KNOWN))
