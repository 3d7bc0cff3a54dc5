"""An entry of one hand, in any of its shapes, read under some rules.

Pure. `read_entry` looks at shape only and never raises for what stands in an entry.
"""

from collections.abc import Sequence

from scoring.entry.hand_reader import HandReader
from scoring.entry.meld_reader import MeldReader
from scoring.entry.typed_hand import Sides, TypedHand
from scoring.errors import Problem, Refused, shown
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules


def unit_sides(rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None) -> Sides:
    """The seats of each unit: a pooled side is one unit, otherwise each seat is."""
    if rules.keys.teams.mode != "pooled":
        return tuple((seat,) for seat in range(seats))
    return tuple(tuple(side) for side in teams or rules.keys.teams.shape)


def require_seats(rules: Rules, seats: object) -> int:
    """The number of seats, when the rules are for so many.

    Raises:
        Refused: seat_count.
    """
    least, most = rules.keys.players
    if type(seats) is int and least <= seats <= most:
        return seats
    raise Refused(
        Problem("seat_count", ("seats",), {"found": shown(seats), "least": least, "most": most})
    )


def read_entry(
    entry: object, rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None = None
) -> TypedHand:
    """One hand as typed (docs/api.md, and `clean`), read under these rules.

    Args:
        entry: the entry's JSON; lists in it are in seat order, `points` in unit order.
        seats: players at the table.
        teams: the sides' seats, where the rules have sides; default is the shape of the rules.

    Raises:
        Refused: seat_count, where the rules are not for so many players. Nothing else: what is
            wrong within the entry stands in `TypedHand.problems`.
    """
    ready = prepare(rules, require_seats(rules, seats))
    reader = MeldReader if rules.keys.melds else HandReader
    return reader(ready, unit_sides(rules, seats, teams), entry).read()
