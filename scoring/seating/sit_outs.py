"""The tables of each round, and who sits out: fixed before anybody is seated.

Pure. See docs/algorithms/seating.md, "Sit-outs and uncommon sizes".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoring.errors import Problem, Refused
from scoring.seating.constraints import Unit, too_few_tables, units_of
from scoring.seating.packing import chosen_of, packed
from scoring.seating.requests import SIT_OUT, SeatingRequest
from scoring.seating.shares import Headcount, seat_counts, shares
from scoring.seating.splitmix import stream_of
from scoring.seating.table_sizes import TableSizes, table_sizes

LOT_OF_SIT_OUTS = 1
"""Names the stream of lots for sit-outs."""


@dataclass(frozen=True, slots=True)
class RoundShape:
    """A round without its seats: the sizes of its tables, who plays, who sits out."""

    sizes: tuple[int, ...]
    units: tuple[Unit, ...]
    sitting_out: tuple[int, ...]

    @property
    def playing(self) -> tuple[int, ...]:
        """Who is seated, ascending."""
        return tuple(sorted(player for unit in self.units for player in unit))


def round_shapes(request: SeatingRequest) -> tuple[RoundShape, ...]:
    """The shape of every round.

    Those sit out who have done so least often, then those for whom it is longest ago, then the
    lowest standing, then by lot; groups sit out as one. The history counts.

    Raises:
        Refused: too_few_to_seat, fixed_table_missing, apart_with_one_table, constraints_not_met.
    """
    shapes = _shapes(request, ())
    return _shapes(request, shapes) if request.presence else shapes


def seats_ahead(shapes: Sequence[RoundShape]) -> list[Headcount]:
    """How many sit where in rounds of which only the shapes are known."""
    return [
        (frozenset((*one.playing, *one.sitting_out)), seat_counts(one.sizes, len(one.sitting_out)))
        for one in shapes
    ]


def _shapes(request: SeatingRequest, ahead: Sequence[RoundShape]) -> tuple[RoundShape, ...]:
    """The shapes; `ahead` are such as give their credit to whoever is not there in every round."""
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
    """How often, credit included, and when each player has sat out."""

    def __init__(self, request: SeatingRequest, times: Mapping[int, int]) -> None:
        self.request = request
        self.lots = stream_of(request.seed, LOT_OF_SIT_OUTS)
        self.times = dict(times)
        self.last = dict.fromkeys(request.players, -len(request.history))
        for number, planned in enumerate(request.history, start=1 - len(request.history)):
            self.last.update(dict.fromkeys(planned.sitting_out, number))

    def in_order(self, units: Sequence[Unit]) -> list[Unit]:
        """Units, the one that should sit out first in front."""
        drawn = self.lots.shuffled(units)
        return sorted(drawn, key=self._turn)

    def _turn(self, unit: Unit) -> tuple[int, int, int]:
        standing = self.request.standing
        return (
            max(self.times[player] for player in unit),
            max(self.last[player] for player in unit),
            -max(standing.get(player, 0) for player in unit),
        )


def _shape(request: SeatingRequest, number: int, record: _Record) -> RoundShape:
    present = request.present(number)
    usual = table_sizes(len(present), request.sizes)
    if usual is None:
        facts = {"found": len(present), "least": min(request.sizes), "round": number}
        raise Refused(Problem("too_few_to_seat", (), facts))
    units = units_of(request, present)
    order = record.in_order(units)
    for sizes in _possible(len(present), request.sizes):
        shape = _filled(order, sizes)
        if shape is not None:
            missing = too_few_tables(request, number, present, len(sizes.tables))
            if missing:
                raise Refused(*missing)
            return shape
    pairs = [list(pair) for pair in request.together]
    raise Refused(Problem("constraints_not_met", (), {"pairs": pairs, "round": number}))


def _possible(players: int, sizes: tuple[int, ...]) -> Iterator[TableSizes]:
    """Sizes for a round, the best first; worse ones are needed where groups do not fit."""
    usual = table_sizes(players, sizes)
    if usual is not None:
        yield usual
    for seated in range(players, 0, -1):
        for allowed in _fewer(sizes):
            other = table_sizes(seated, allowed)
            if other is not None and other.sit_outs == 0:
                yield TableSizes(other.tables, players - seated)


def _fewer(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All sizes, then all but one, then one alone."""
    yield sizes
    for left_out in sizes[::-1]:
        yield tuple(size for size in sizes if size != left_out)
    for size in sizes:
        yield (size,)


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
