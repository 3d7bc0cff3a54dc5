"""How often each player sat out, and sat at tables of uncommon sizes, in the whole event.

Pure. See docs/algorithms/seating.md, "Sit-outs and uncommon sizes".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from scoring.seating.requests import SIT_OUT, PlannedRound, Presence, SeatingRequest, Uneven

Shares: TypeAlias = Mapping[int, Mapping[int, int]]
"""`SIT_OUT`, and each uncommon size → player → times."""

Headcount: TypeAlias = tuple[frozenset[int], Counter[int]]
"""Who is there in a round; size → seats at tables of it, `SIT_OUT` → who sits out."""


def shares(
    request: SeatingRequest, rounds: Sequence[PlannedRound], ahead: Sequence[Headcount] = ()
) -> Shares:
    """The times of every player who is there in the plan, history included.

    A size is uncommon unless it has the most seats of the event; of equals the largest is common.
    Whoever is absent in a round is credited with the average of those present; a player's credit is
    rounded once, a half up.

    Args:
        rounds: of the plan.
        ahead: rounds of the plan of which only the sizes are known yet.

    >>> late = PlannedRound(((1, 2, 3), (4, 5, 6, 7)))
    >>> shares(SeatingRequest((1, 4, 8), 1, history=(late, late, late)), ())
    {0: {1: 0, 4: 0, 8: 0}, 3: {1: 3, 4: 0, 8: 1}}
    """
    played = (*request.history, *rounds)
    counts = [*map(_headcount, played), *ahead]
    in_plan = {player for people, _ in counts[len(request.history) :] for player in people}
    players = [one for one in request.players if one in in_plan or not in_plan]
    seats: Counter[int] = sum((of_round for _, of_round in counts), Counter())
    sizes = sorted(seats.keys() - {SIT_OUT}, key=lambda size: (seats[size], size))[:-1]
    own: dict[int, Counter[int]] = {size: Counter() for size in (SIT_OUT, *sizes)}
    for planned in played:
        own[SIT_OUT].update(planned.sitting_out)
        for table in planned.tables:
            if len(table) in own:
                own[len(table)].update(table)
    missed: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for people, of_round in counts:
        for player in set(players) - people:
            for size in own.keys() & of_round.keys():
                missed[size, player][len(people)] += of_round[size]
    return {
        size: {player: times[player] + _credit(missed[size, player]) for player in players}
        for size, times in own.items()
    }


def seat_counts(sizes: Iterable[int], sitting_out: int) -> Counter[int]:
    """Size → seats at tables of it; `SIT_OUT` → how many sit out, if any do."""
    seats = Counter({SIT_OUT: sitting_out} if sitting_out else {})
    for size in sizes:
        seats[size] += size
    return seats


def _headcount(planned: PlannedRound) -> Headcount:
    people = frozenset(planned.sitting_out).union(*planned.tables)
    return people, seat_counts(map(len, planned.tables), len(planned.sitting_out))


def _credit(missed: Mapping[int, int]) -> int:
    """The credit for seats that so many people shared, a half rounded up."""
    half = Fraction(1, 2)
    return int(sum((Fraction(seats, people) for people, seats in missed.items()), half))


def spread(times: Mapping[int, int]) -> int:
    """Most less fewest."""
    return max(times.values(), default=0) - min(times.values(), default=0)


def uneven_shares(request: SeatingRequest, rounds: Sequence[PlannedRound]) -> Iterator[Uneven]:
    """Who sits out, or at tables of an uncommon size, two times more or less often than others.

    Those are named who are outside of the two neighbouring numbers that most players have.
    """
    before = shares(request, ())
    for size, times in shares(request, rounds).items():
        if spread(times) < 2:
            continue
        often = Counter(times.values())
        usual = max(sorted(often), key=lambda count: often[count] + often[count + 1])
        outside = [one for one in sorted(times) if not usual <= times[one] <= usual + 1]
        is_old = spread(before.get(size, {})) > 1
        reasons = {one: _reason(request, one, is_old=is_old) for one in outside}
        for reason in sorted(set(reasons.values())):
            yield Uneven(size, tuple(one for one in outside if reasons[one] == reason), reason)


def _reason(request: SeatingRequest, player: int, *, is_old: bool) -> str:
    """Why a player's times differ: what holds for the player, else for somebody of the plan."""
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
