"""Who sits in a seat from which hand to which, and how a change of seats changes entries.

Numbers belong to seats. Where two people changed seats after the page was opened, the numbers that
were typed beside a name would go to somebody else. Pure.

Pure. Lists of an entry are in seat order, those of points in the order of units: of sides where
these pool what they take.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.errors import Problem


@dataclass(frozen=True, slots=True)
class SeatRun:
    """A player in a seat (from 1) from one hand to another, open while `last` is None.

    `player` and `substitute_for` are rows of players.
    """

    seat: int
    player: int
    first: int = 1
    last: int | None = None
    substitute_for: int | None = None

    def has(self, number: int) -> bool:
        """Whether the player sits there in hand `number`."""
        return self.first <= number and (self.last is None or number <= self.last)


def holder(runs: Iterable[SeatRun], seat: int) -> SeatRun | None:
    """Return the last run of a seat."""
    own = [run for run in runs if run.seat == seat]
    return max(own, key=lambda run: run.first, default=None)


def exchange_people(
    runs: Iterable[SeatRun], seats: tuple[int, int], first: int, one: int, other: int
) -> list[SeatRun]:
    """Return `runs` with two players exchanged in `seats` from hand `first` on.

    Only in hands that both sat for: where somebody else had one of the seats, the other player
    keeps theirs. Whom a player substitutes for goes with the player.
    """
    runs = list(runs)
    own = [run for run in runs if run.seat in seats]
    bounds = {first, *(run.first for run in own), *(run.last + 1 for run in own if run.last)}
    pieces = {(run.seat, run.first): run for run in _cut(own, bounds)}
    found = [run for run in runs if run.seat not in seats]
    for (seat, begin), run in pieces.items():
        facing = pieces.get((sum(seats) - seat, begin))
        if facing is None or begin < first or {run.player, facing.player} != {one, other}:
            found.append(run)
        else:
            going = facing.substitute_for
            found.append(replace(run, player=facing.player, substitute_for=going))
    return joined(found)


def replace_person(
    runs: Iterable[SeatRun], seat: int, first: int, old: int, new: int, *, is_substitute: bool
) -> list[SeatRun]:
    """Return `runs` with `new` in the place of `old` in a seat from hand `first` on."""

    def changed(run: SeatRun) -> SeatRun:
        if (run.seat, run.player) != (seat, old):
            return run
        return replace(run, player=new, substitute_for=old if is_substitute else None)

    return _from_hand(runs, first, changed)


def exchange_seats(runs: Iterable[SeatRun], one: int, other: int, first: int) -> list[SeatRun]:
    """Return `runs` with all that sit in two seats exchanged from hand `first` on."""
    named = {one: other, other: one}
    return _from_hand(runs, first, lambda run: replace(run, seat=named.get(run.seat, run.seat)))


def in_two_seats(runs: Sequence[SeatRun]) -> tuple[int, int, int] | None:
    """Return a player who sits in two seats in one hand, and the seats; None where nobody does."""
    for at, run in enumerate(runs):
        for later in runs[at + 1 :]:
            if run.player == later.player and run.seat != later.seat:
                ends = [one.last for one in (run, later) if one.last is not None]
                if not ends or max(run.first, later.first) <= min(ends):
                    return run.player, run.seat, later.seat
    return None


def _from_hand(
    runs: Iterable[SeatRun], first: int, change: Callable[[SeatRun], SeatRun]
) -> list[SeatRun]:
    """Return `runs` with what lies at or after hand `first` changed, in order and joined again."""
    found: list[SeatRun] = []
    for run in runs:
        if run.last is not None and run.last < first:
            found.append(run)
        elif run.first >= first:
            found.append(change(run))
        else:
            later = change(replace(run, first=first))
            found += [replace(run, last=first - 1), later]
    return joined(found)


def _cut(runs: Iterable[SeatRun], bounds: Collection[int]) -> Iterator[SeatRun]:
    """Yield `runs` in pieces, a new one at each of these hands."""
    for run in runs:
        begins = [run.first, *sorted(hand for hand in bounds if hand > run.first and run.has(hand))]
        ends = [*(hand - 1 for hand in begins[1:]), run.last]
        yield from (replace(run, first=at, last=to) for at, to in zip(begins, ends, strict=True))


def joined(runs: Iterable[SeatRun]) -> list[SeatRun]:
    """Return `runs` by seat and hand, those of one player that follow each other as one."""
    seat_runs: list[SeatRun] = []
    for run in sorted(runs, key=lambda one: (one.seat, one.first)):
        before = seat_runs[-1] if seat_runs else None
        follows = before is not None and before.last is not None and before.last + 1 == run.first
        if (
            before is not None
            and follows
            and (before.seat, before.player) == (run.seat, run.player)
        ):
            seat_runs[-1] = replace(before, last=run.last)
        else:
            seat_runs.append(run)
    return seat_runs


FIELD: Final = "seated"
"""The hidden field of a page."""
MOST_SEATS: Final = 100


def as_field(people: Sequence[str]) -> str:
    """Return player ids in seat order as the text of the field."""
    return json.dumps(list(people), separators=(",", ":"))


def in_field(text: str) -> tuple[str, ...] | None:
    """Return the player ids of a field; None where it has none, as on a page from before."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(found, list) and len(found) <= MOST_SEATS
    return tuple(map(str, found)) if is_list else None


def moved_seats(shown: Sequence[str], there: Mapping[int, str]) -> tuple[int, ...]:
    """Return the seats (from 1) where somebody sits now who was shown in another seat.

    Args:
        there: seat → player id.
    """
    seats = {player: seat for seat, player in enumerate(shown, start=1) if player}
    return tuple(seat for seat, player in sorted(there.items()) if seats.get(player, seat) != seat)


BY_SEAT: Final = (
    "taken",
    "hearts",
    "clean",
    "tricks",
    "pledges",
    "points",
    "melds",
    "trick_points",
)
"""Keys whose value is a list with a part a seat, or a side."""
OF_A_SEAT: Final = ("shooter", "passer", "first_trick_by", "last_trick", "declared_out")
"""Keys whose value is a seat from 0."""


class NotBySeat(Exception):
    """An entry says something of whole sides, which cannot be divided between their seats."""

    problem = Problem("scores_of_a_side")


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

    Raises:
        NotBySeat: what was entered for a side has no seat.
    """
    named = {seat: other for pair in exchanged for seat, other in (pair, pair[::-1])}
    members = [set(side) for side in sides]
    moved = [{named.get(seat, seat) for seat in side} for side in sides]
    found = dict(entry)
    for key in BY_SEAT:
        value = entry.get(key)
        if not isinstance(value, list):
            continue
        if len(value) == seats:
            found[key] = [value[named.get(seat, seat)] for seat in range(seats)]
        elif len(value) == len(sides) and all(side in members for side in moved):
            found[key] = [value[members.index(side)] for side in moved]
        else:
            raise NotBySeat
    for key in OF_A_SEAT:
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            found[key] = named.get(value, value)
    return found
