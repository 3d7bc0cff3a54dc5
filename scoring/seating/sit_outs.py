"""The tables of each round, who sits out, and how often each player did in the whole event."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

from scoring.errors import Problem, Refused
from scoring.seating.brackets import TableSizes, table_sizes
from scoring.seating.constraints import Unit, chosen_of, packed, too_few_tables, units_of
from scoring.seating.requests import SIT_OUT, PlannedRound, Presence, SeatingRequest, UnevenShare
from scoring.seating.splitmix import stream_of

Shares: TypeAlias = Mapping[int, Mapping[int, int]]
"""`SIT_OUT`, and each uncommon size → player → times."""

Headcount: TypeAlias = tuple[frozenset[int], Counter[int]]
"""Players of a round; table size → seats at such tables, `SIT_OUT` → players who sit out."""

LOT_OF_SIT_OUTS = 1
"""Names the stream of lots for sit-outs."""


def shares(
    request: SeatingRequest, rounds: Sequence[PlannedRound], ahead: Sequence[Headcount] = ()
) -> Shares:
    """The times of every player in the plan, history included.

    A size is uncommon unless it has the most seats of the event; of equals the largest is common.
    Players absent in a round are credited with the average of those present; a player's credit is
    rounded once, a half up.

    `ahead`: rounds of the plan of which only the sizes are known yet.

    >>> late = PlannedRound(((1, 2, 3), (4, 5, 6, 7)))
    >>> shares(SeatingRequest((1, 4, 8), 1, history=(late, late, late)), ())
    {0: {1: 0, 4: 0, 8: 0}, 3: {1: 3, 4: 0, 8: 1}}
    """
    played = (*request.history, *rounds)
    counts = [*map(_headcount, played), *ahead]
    in_plan = {player for people, _ in counts[len(request.history) :] for player in people}
    players = [player for player in request.players if player in in_plan or not in_plan]
    seats = sum((of_round for _, of_round in counts), Counter())
    sizes = sorted(seats.keys() - {SIT_OUT}, key=lambda size: (seats[size], size))[:-1]
    times_by_size: dict[int, Counter[int]] = {size: Counter() for size in (SIT_OUT, *sizes)}
    for planned in played:
        times_by_size[SIT_OUT].update(planned.sitting_out)
        for table in planned.tables:
            if len(table) in times_by_size:
                times_by_size[len(table)].update(table)
    missed: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for people, of_round in counts:
        for player in set(players) - people:
            for size in times_by_size.keys() & of_round.keys():
                missed[size, player][len(people)] += of_round[size]
    half = Fraction(1, 2)
    return {
        size: {
            # the credit for seats that so many people shared, a half rounded up
            player: times[player]
            + int(sum((Fraction(n, people) for people, n in missed[size, player].items()), half))
            for player in players
        }
        for size, times in times_by_size.items()
    }


def seat_counts(sizes: Iterable[int], sitting_out: int) -> Counter[int]:
    """Size → seats at tables of it; `SIT_OUT` → how many sit out, if any do."""
    outside = [SIT_OUT] * sitting_out
    return Counter(chain(outside, *([size] * size for size in sizes)))


def _headcount(planned: PlannedRound) -> Headcount:
    people = frozenset(planned.sitting_out).union(*planned.tables)
    return people, seat_counts(map(len, planned.tables), len(planned.sitting_out))


def spread(times: Mapping[int, int]) -> int:
    """Most less fewest."""
    return max(times.values(), default=0) - min(times.values(), default=0)


def uneven_shares(request: SeatingRequest, rounds: Sequence[PlannedRound]) -> Iterator[UnevenShare]:
    """Players who sit out, or sit at uncommon tables, at least two times more or less often.

    They are outside of the two neighbouring numbers that most players have.
    """
    before = shares(request, ())
    for size, times in shares(request, rounds).items():
        if spread(times) < 2:
            continue
        often = Counter(times.values())
        usual = max(sorted(often), key=lambda count: often[count] + often[count + 1])
        outside = [player for player in sorted(times) if not usual <= times[player] <= usual + 1]
        is_old = spread(before.get(size, {})) > 1
        reasons = {player: _reason(request, player, is_old=is_old) for player in outside}
        for reason in sorted(set(reasons.values())):
            yield size, tuple(player for player in outside if reasons[player] == reason), reason


def _reason(request: SeatingRequest, player: int, *, is_old: bool) -> str:
    of_player = (
        ("together", any(player in pair for pair in request.together)),
        ("fixed_table", player in request.fixed_tables),
        ("apart", any(player in pair for pair in request.apart)),
        ("presence", request.presence.get(player, Presence()) != Presence()),
    )
    of_plan = (
        ("history", is_old),
        ("together", bool(request.together)),
        ("fixed_table", bool(request.fixed_tables)),
        ("apart", bool(request.apart)),
        ("presence", bool(request.presence)),
    )
    return next((reason for reason, holds in (*of_player, *of_plan) if holds), "numbers")


@dataclass(frozen=True, slots=True)
class RoundShape:
    """A round without its seats: the sizes of its tables, who plays, who sits out."""

    sizes: tuple[int, ...]
    units: tuple[Unit, ...]
    sitting_out: tuple[int, ...]

    @property
    def playing(self) -> tuple[int, ...]:
        """The seated players, ascending."""
        return tuple(sorted(player for unit in self.units for player in unit))


def round_shapes(request: SeatingRequest) -> tuple[RoundShape, ...]:
    """The shape of every round.

    Sit-outs go to those with the fewest, then to those whose last one is longest ago, then to the
    lowest standing, then by lot; groups sit out as one. The history counts.
    """
    shapes = _shapes(request, ())
    if not request.presence:
        return shapes
    return _shapes(request, shapes)


def seats_ahead(shapes: Sequence[RoundShape]) -> list[Headcount]:
    """The number of seats per size in rounds of which only the shapes are known."""
    return [
        (
            frozenset((*shape.playing, *shape.sitting_out)),
            seat_counts(shape.sizes, len(shape.sitting_out)),
        )
        for shape in shapes
    ]


def _shapes(request: SeatingRequest, ahead: Sequence[RoundShape]) -> tuple[RoundShape, ...]:
    """The shapes; those in `ahead` give credit to players who are absent in some rounds."""
    record = _Record(request, shares(request, (), seats_ahead(ahead))[SIT_OUT])
    shapes = []
    for number in range(1, request.rounds + 1):
        shape = _shape(request, number, record)
        for player in shape.sitting_out:
            record.times[player] += 1
            record.last[player] = number
        shapes.append(shape)
    return tuple(shapes)


class _Record:
    """The number of times, credit included, and the last time that each player has sat out."""

    def __init__(self, request: SeatingRequest, times: Mapping[int, int]) -> None:
        self.request = request
        self.lots = stream_of(request.seed, LOT_OF_SIT_OUTS)
        self.times = dict(times)
        self.last = dict.fromkeys(request.players, -len(request.history))
        for number, planned in enumerate(request.history, start=1 - len(request.history)):
            self.last.update(dict.fromkeys(planned.sitting_out, number))

    def in_order(self, units: Sequence[Unit]) -> list[Unit]:
        """Units, the one that should sit out first in front."""
        return sorted(self.lots.shuffled(units), key=self._turn)

    def _turn(self, unit: Unit) -> tuple[int, int, int]:
        standing = self.request.standing
        return (
            max(self.times[player] for player in unit),
            max(self.last[player] for player in unit),
            -max(standing.get(player, 0) for player in unit),
        )


def _shape(request: SeatingRequest, number: int, record: _Record) -> RoundShape:
    """The usual table sizes, or the first others, if groups who sit together do not fit these.

    Only groups have other sizes tried: too few tables for a fixed place or a pair apart are
    refused at once.
    """
    present = request.present(number)
    usual = table_sizes(len(present), request.sizes)
    if usual is None:
        facts = {"found": len(present), "least": min(request.sizes), "round": number}
        raise Refused(Problem("too_few_to_seat", (), facts))
    order = record.in_order(units_of(request, present))
    for sizes in _possible(usual, len(present), request.sizes):
        if shape := _filled(order, sizes):
            if missing := too_few_tables(request, number, present, len(sizes.tables)):
                raise Refused(*missing)
            return shape
    pairs = [list(pair) for pair in request.together]
    raise Refused(Problem("constraints_not_met", (), {"pairs": pairs, "round": number}))


def _possible(usual: TableSizes, players: int, sizes: tuple[int, ...]) -> Iterator[TableSizes]:
    yield usual
    # All sizes, then all but one, then one alone.
    all_but_one = (tuple(size for size in sizes if size != other) for other in sizes[::-1])
    fewer = (sizes, *all_but_one, *((size,) for size in sizes))
    for seated in range(players, 0, -1):
        for allowed in fewer:
            other = table_sizes(seated, allowed)
            if other is not None and other.sit_outs == 0:
                yield TableSizes(other.tables, players - seated)


def _filled(order: Sequence[Unit], sizes: TableSizes) -> RoundShape | None:
    outside = chosen_of(order, sizes.sit_outs)
    if outside is None:
        return None
    inside = tuple(sorted(set(order) - set(outside)))
    if packed(inside, sizes.tables) is None:
        return None
    return RoundShape(
        sizes.tables, inside, tuple(sorted(player for unit in outside for player in unit))
    )
