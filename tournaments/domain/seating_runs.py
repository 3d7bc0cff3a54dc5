"""The hands for which each player has a seat, and the effect of seat changes on entries.

Numbers belong to seats. Where two people changed seats after the page was opened, the numbers that
were typed beside a name would go to somebody else.

Pure. Lists of an entry are in seat order, those of points in the order of units: of sides where
these pool what they take.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from scoring.entry.codec import BY_SEAT, OF_A_SEAT
from scoring.errors import Problem
from tournaments.domain.replay_game import TOTALS

FIELD: Final = "seated"
"""The hidden field of a page."""


class NotBySeat(Exception):
    """An entry has facts of whole sides, which cannot be divided between their seats."""

    problem = Problem("scores_of_a_side")


def has_hand(number: int, first: int, last: int | None) -> bool:
    """Whether a player who sits from hand `first` to `last` (None: sits there still) has a hand.

    Totals, hand 0, belong to whoever sits there still. `event_hands` asks the same in SQL.

    >>> has_hand(2, 1, 1), has_hand(2, 2, None), has_hand(0, 1, 1), has_hand(0, 2, None)
    (False, True, False, True)
    """
    if number == TOTALS:
        return last is None
    return first <= number and (last is None or number <= last)


@dataclass(frozen=True, slots=True)
class SeatRun:
    """A player in a seat (from 1) from one hand to another, open while `last` is None.

    `player` and `substitute_for` are rows of players, `entrant` that of the competing entrant;
    `is_group` where it is a pair or a team. `player_id` and `name` are those of the player, where
    they are read.
    """

    seat: int
    player: int
    first: int = 1
    last: int | None = None
    substitute_for: int | None = None
    entrant: int | None = None
    is_group: bool = False
    player_id: str = ""
    name: str = ""

    def has(self, number: int) -> bool:
        return has_hand(number, self.first, self.last)


def holder(runs: Iterable[SeatRun], seat: int) -> SeatRun | None:
    return max((run for run in runs if run.seat == seat), key=lambda run: run.first, default=None)


def exchange_people(
    runs: Iterable[SeatRun], seats: tuple[int, int], first: int, player: int, other: int
) -> list[SeatRun]:
    """Return `runs` with two players exchanged in `seats` from hand `first` on.

    Only in hands that both sat for: if somebody else had one of the seats, the other player
    keeps theirs. `substitute_for` moves with the player.
    """
    runs = list(runs)
    affected = [run for run in runs if run.seat in seats]
    bounds = {first, *(run.first for run in affected)}
    bounds |= {run.last + 1 for run in affected if run.last}
    pieces = {(run.seat, run.first): run for run in _cut(affected, bounds)}
    changed = [run for run in runs if run.seat not in seats]
    for (seat, begin), run in pieces.items():
        facing = pieces.get((sum(seats) - seat, begin))
        if facing is None or begin < first or {run.player, facing.player} != {player, other}:
            changed.append(run)
        else:
            substitute_for = facing.substitute_for
            changed.append(replace(run, player=facing.player, substitute_for=substitute_for))
    return joined(changed)


def replace_person(
    runs: Iterable[SeatRun], seat: int, first: int, old: int, new: int, *, is_substitute: bool
) -> list[SeatRun]:
    """Return `runs` with `new` in the place of `old` in a seat from hand `first` on."""

    def changed(run: SeatRun) -> SeatRun:
        if (run.seat, run.player) != (seat, old):
            return run
        return replace(run, player=new, substitute_for=old if is_substitute else None)

    return _from_hand(runs, first, changed)


def exchange_seats(runs: Iterable[SeatRun], seat: int, other: int, first: int) -> list[SeatRun]:
    """Return `runs` with all that sit in two seats exchanged from hand `first` on."""
    seats = {seat: other, other: seat}
    return _from_hand(runs, first, lambda run: replace(run, seat=seats.get(run.seat, run.seat)))


def in_two_seats(runs: Sequence[SeatRun]) -> tuple[int, int, int] | None:
    """Return a player who sits in two seats in one hand, and the seats; None where nobody does."""
    for run, later in combinations(runs, 2):
        if run.player == later.player and run.seat != later.seat:
            ends = [last for last in (run.last, later.last) if last is not None]
            if not ends or max(run.first, later.first) <= min(ends):
                return run.player, run.seat, later.seat
    return None


def _from_hand(
    runs: Iterable[SeatRun], first: int, change: Callable[[SeatRun], SeatRun]
) -> list[SeatRun]:
    """Return `runs` with the part from hand `first` on changed, sorted and joined again."""
    return joined(change(run) if run.first >= first else run for run in _cut(runs, (first,)))


def _cut(runs: Iterable[SeatRun], bounds: Collection[int]) -> Iterator[SeatRun]:
    for run in runs:
        begins = [run.first, *sorted(hand for hand in bounds if hand > run.first and run.has(hand))]
        ends = [*(hand - 1 for hand in begins[1:]), run.last]
        yield from (replace(run, first=at, last=to) for at, to in zip(begins, ends, strict=True))


def joined(runs: Iterable[SeatRun]) -> list[SeatRun]:
    """Return `runs` by seat and hand, those of one player that follow each other as one."""
    seat_runs: list[SeatRun] = []
    for run in sorted(runs, key=lambda run: (run.seat, run.first)):
        before = seat_runs[-1] if seat_runs else None
        if (
            before is not None
            and before.last is not None
            and (before.seat, before.player, before.last + 1) == (run.seat, run.player, run.first)
        ):
            seat_runs[-1] = replace(before, last=run.last)
        else:
            seat_runs.append(run)
    return seat_runs


MOST_SEATS: Final = 100


def as_field(people: Sequence[str]) -> str:
    """Return player ids in seat order as the text of the field."""
    return json.dumps(list(people), separators=(",", ":"))


def in_field(text: str) -> tuple[str, ...] | None:
    """Return the player ids of a field; None if it has none, as on a page of an older release."""
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(ids, list) and len(ids) <= MOST_SEATS
    if not is_list:
        return None
    return tuple(map(str, ids))


def moved_seats(before: Sequence[str], now: Mapping[int, str]) -> tuple[int, ...]:
    """Return the seats (from 1) where somebody sits now (seat → player id) who was elsewhere."""
    seats = {player: seat for seat, player in enumerate(before, start=1) if player}
    return tuple(seat for seat, player in sorted(now.items()) if seats.get(player, seat) != seat)


def exchange_entry_seats(
    entry: Mapping[str, object],
    exchanged: Iterable[tuple[int, int]],
    *,
    seats: int,
    sides: Sequence[Sequence[int]],
) -> dict[str, object]:
    """Return an entry with pairs of seats (from 0) exchanged.

    Args:
        exchanged: no seat is in two of these pairs.
        sides: the seats of each side, where the rules have sides.
    """
    other = {seat: other for pair in exchanged for seat, other in (pair, pair[::-1])}
    members = [set(side) for side in sides]
    members_then = [{other.get(seat, seat) for seat in side} for side in sides]
    changed = dict(entry)
    for key in BY_SEAT:
        value = entry.get(key)
        if not isinstance(value, list):
            continue
        if len(value) == seats:
            changed[key] = [value[other.get(seat, seat)] for seat in range(seats)]
        elif len(value) == len(sides) and all(side in members for side in members_then):
            changed[key] = [value[members.index(side)] for side in members_then]
        else:
            raise NotBySeat
    for key in OF_A_SEAT:
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            changed[key] = other.get(value, value)
    return changed
